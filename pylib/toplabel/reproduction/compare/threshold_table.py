"""The table of threshold strategies: what each gives, a row per data set, method and metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better

NAME = "thresholds"
TITLE = "Thresholds: constant, matched to the cardinality, tuned, and one per label"
STRATEGIES = {
    "constant": "constant",
    "cardinality": "cardinality",
    "tune": "tuned",
    "per_label": "per label",
}


def strategy_frame(cells: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Put the strategies of all cells side by side.

    A cell has ``dataset``, ``label`` (of the method) and ``frame``, its threshold_strategies.csv.
    The columns are "data set", "method", "metric", and one a strategy: the mean over the splits, as
    printed in the papers.
    """
    rows = []
    for cell in cells:
        means = cell["frame"].groupby(["metric", "strategy"], sort=False)["value"].mean().unstack()
        for metric, values in means.iterrows():
            row = {"data set": cell["dataset"], "method": cell["label"], "metric": metric}
            rows.append(row | {name: values[key] for key, name in STRATEGIES.items()})
    return pd.DataFrame(rows, columns=["data set", "method", "metric", *STRATEGIES.values()])


def printed(frame: pd.DataFrame, name_of: Callable[[str], str]) -> pd.DataFrame:
    """Return the frame as text: percent with one decimal, fractions with four."""
    text = frame.astype(object)
    for i, metric in enumerate(frame["metric"]):
        decimals = 4 if is_fraction(metric) else 1
        for column in STRATEGIES.values():
            text.loc[i, column] = f"{frame.loc[i, column]:.{decimals}f}"
    return text.assign(metric=frame["metric"].map(name_of))


def caption(frame: pd.DataFrame) -> str:
    """Say which strategy is best how often, ties counting for each."""
    values = frame[[*STRATEGIES.values()]].copy()
    lower = frame["metric"].map(lower_is_better).astype(bool)
    values[lower] = -values[lower]
    best = values.round(9).eq(values.round(9).max(axis=1), axis=0).sum()
    counts = ", ".join(f"{name} in {best[name]}" for name in STRATEGIES.values())
    return (
        "The same models under each strategy for the threshold, delta (TPAMI section 3.1, which prints no such"
        f" table). Best, ties included, of {len(frame)} rows: {counts}. Constant: 0 unless the config says"
        " otherwise. Cardinality: test instances get as many labels on average as training instances have. Tuned: by"
        " cross-validation, together with C. Per label: each label is predicted as often as it occurs in training,"
        " which the papers do not try. Cardinality and per label look at all test instances at once."
    )
