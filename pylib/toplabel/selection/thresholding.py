"""The threshold stage: the threshold of each metric's model, and what each strategy gives (TPAMI section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toplabel import thresholds
from toplabel.config.protocols import Protocol
from toplabel.selection.evaluation import instance_scores
from toplabel.selection.final import Models, model_key
from toplabel.selection.measures import all_values, needs_threshold
from toplabel.selection.problems import final_part, split_named, truth_of
from toplabel.tables.cells import THRESHOLD_STRATEGIES, THRESHOLDS

if TYPE_CHECKING:
    from toplabel.datasets.prepared import Prepared

STRATEGIES = ("tune", "constant", "cardinality")


def set_thresholds(
    prepared: Prepared,
    protocol: Protocol,
    selection: pd.DataFrame,
    models: Models,
    strategy: str,
    constant: float = 0.0,
) -> pd.DataFrame:
    """Set the threshold of every metric that needs one.

    Parameters
    ----------
    prepared, protocol, selection, models
    strategy : {"tune", "constant", "cardinality"}
        tune: the threshold that was selected together with C (TPAMI section 3.1 (iii)); constant: the
        given one (i); cardinality: the one at which the test instances get as many labels on
        average as the training instances have (ii), which looks at all test instances at once.
    constant : float

    Returns
    -------
    DataFrame
        The columns of `THRESHOLDS`, one row per split and metric; threshold is NaN and strategy empty
        where the metric needs none.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"threshold strategy must be one of {STRATEGIES}, not {strategy!r}")
    table = selection[["split", "metric", "k", "C", "theta", "threshold"]].copy()
    needed = table["metric"].map(needs_threshold)
    if strategy == "constant":
        table.loc[needed, "threshold"] = float(constant)
    elif strategy == "cardinality":
        table.loc[needed, "threshold"] = _matched(prepared, protocol, table[needed], models)
    table["strategy"] = np.where(needed, strategy, "")
    return table[THRESHOLDS.names]


def _matched(
    prepared: Prepared, protocol: Protocol, table: pd.DataFrame, models: Models
) -> list[float]:
    found: dict[tuple, float] = {}
    for row in table.itertuples():
        key = model_key(row.split, row.C, row.theta, row.k)
        if key not in found:
            split = split_named(prepared, row.split)
            scores = instance_scores(prepared, protocol, split, models, key)
            labels = final_part(prepared, split, protocol).Y
            found[key] = float(thresholds.match_cardinality(scores, labels.sum(axis=1).mean()))
    return [found[model_key(row.split, row.C, row.theta, row.k)] for row in table.itertuples()]


def compare_strategies(
    prepared: Prepared,
    protocol: Protocol,
    selection: pd.DataFrame,
    models: Models,
    constant: float = 0.0,
) -> pd.DataFrame:
    """Measure the models that were chosen with a tuned threshold, under every strategy.

    Parameters
    ----------
    prepared, protocol, selection, models
    constant : float
        The threshold of the strategy "constant".

    Returns
    -------
    DataFrame
        The columns of `THRESHOLD_STRATEGIES`, one row per split, metric that needs a threshold, and strategy:
        those of `STRATEGIES`, and per_label (`thresholds.match_frequencies`; the column threshold is then the
        mean over the labels).
    """
    rows = []
    for split_name, of_split in selection.groupby("split", sort=True):
        split = split_named(prepared, str(split_name))
        truth = truth_of(prepared.parts[split.test])
        labels = final_part(prepared, split, protocol).Y
        for row in of_split[of_split["metric"].map(needs_threshold)].itertuples():
            key = model_key(split.name, row.C, row.theta, row.k)
            scores = instance_scores(prepared, protocol, split, models, key)
            for strategy, threshold in _by_strategy(scores, labels, row.threshold, constant):
                shifted = scores - threshold  # one threshold per label, or the same for all
                value = all_values([row.metric], truth, shifted, np.zeros(1))[0, 0]
                rows.append([split.name, row.metric, strategy, float(np.mean(threshold)), value])
    return THRESHOLD_STRATEGIES.frame(rows)


def _by_strategy(
    scores: np.ndarray, labels: np.ndarray, tuned: float, constant: float
) -> Iterator[tuple[str, float | np.ndarray]]:
    yield "constant", constant
    yield "cardinality", thresholds.match_cardinality(scores, labels.sum(axis=1).mean())
    yield "tune", tuned
    yield "per_label", thresholds.match_frequencies(scores, labels.mean(axis=0))
