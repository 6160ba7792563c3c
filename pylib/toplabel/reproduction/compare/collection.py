"""Test metrics of all cells, reduced to a row for each metric: results/evaluation.csv."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.bootstrap import RowDraws, interval
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.studies import Study
from toplabel.reproduction.tables.collected import EVALUATION

ROWS = ["rows_low", "rows_high"]
"""Columns of the interval over test rows."""


def collect(
    evaluations: pd.DataFrame,
    methods: Mapping[str, Method],
    studies: Iterable[Study],
    features: Mapping[str, str],
    draws: RowDraws | None = None,
) -> pd.DataFrame:
    """Reduce the splits of every (data set, method, metric) to one row of `EVALUATION`.

    `evaluations` are the joined results/<set>/<method>/evaluation.csv, `studies` give the order of
    the rows, `features` are those of each data set ("" for its own vectors), and `draws` on test
    rows give the intervals.

    A row has mean and standard deviation (n - 1) over the splits; C, theta, threshold and the
    selected k of the split, of several the lower median, which is a value that was used (no C where
    a baseline selects something else); the worst relative gap and gradient norm; epochs and seconds
    summed; the status "converged" only when every split is. A pair that several studies share names
    them all, joined by ";".

    A method or a data set that is not registered, a metric that stands twice for a split, and a
    value that is no finite number are ValueErrors.
    """
    studies = list(studies)
    _check_evaluations(evaluations, methods, features)
    rows = [
        _reduced(splits, methods[method], features[dataset], _names(studies, dataset, method))
        for (dataset, method, _), splits in evaluations.groupby(
            ["dataset", "method", "metric"], sort=False
        )
    ]
    frame = EVALUATION.frame([row | _interval(row, draws or {}) for row in rows])
    rank = _ranks(studies)
    order = sorted(
        range(len(frame)), key=lambda i: rank(frame["dataset"].iat[i], frame["method"].iat[i])
    )
    return frame.iloc[order].reset_index(drop=True)


def _check_evaluations(
    evaluations: pd.DataFrame, methods: Mapping[str, Method], features: Mapping[str, str]
) -> None:
    for column, known in (("method", methods), ("dataset", features)):
        for name in evaluations[column].unique():
            if name not in known:
                raise ValueError(f"results of a {column} that is not registered: '{name}'")
    repeated = evaluations.duplicated(["dataset", "method", "split", "metric"])
    unmeasured = ~np.isfinite(evaluations["value"].to_numpy(dtype=float))
    for wrong, complaint in ((repeated.to_numpy(), "stands twice"), (unmeasured, "is no number")):
        if wrong.any():
            row = evaluations.iloc[int(wrong.argmax())]
            place = f"{row['dataset']}/{row['method']}, split '{row['split']}'"
            raise ValueError(f"results of {place}: {row['metric']} {complaint}")


def _names(studies: list[Study], dataset: str, method: str) -> str:
    return ";".join(s.name for s in studies if (dataset, method) in s.pairs)


def _ranks(studies: list[Study]):
    """Give a sort key: pairs in the order of the studies, what is in none of them at the end."""
    place: dict[tuple[str, str], int] = {}
    for study in studies:
        for pair in study.pairs:
            place.setdefault(pair, len(place))

    def rank(dataset: str, method: str) -> tuple[int, str, str]:
        known = (dataset, method) in place
        return place.get((dataset, method), len(place)), *(("", "") if known else (dataset, method))

    return rank


def _reduced(splits: pd.DataFrame, method: Method, features: str, study: str) -> dict[str, Any]:
    first = splits.iloc[0]
    return {
        "study": study,
        "dataset": first["dataset"],
        "features": features,
        "method": method.name,
        "label": method.label,
        "loss": method.family,
        "k": str(method.k) if method.has_k and not method.ks else "",
        "gamma": f"{method.gamma:.12g}" if method.has_gamma else "",
        "kernel": _kernel(method, features),
        "metric": first["metric"],
        "measured": splits["value"].mean(),
        "std": splits["value"].std(ddof=1),
        "splits": len(splits),
        "budget": ";".join(splits["budget"].unique()),
        "C": _lower_median(splits["C"]) if method.selects_C else math.nan,
        "theta": _lower_median(splits["theta"]),
        "threshold": _lower_median(splits["threshold"]),
        "relative_gap": splits["relative_gap"].max(),
        "epochs": int(splits["epochs"].sum()),
        "status": _status(splits["status"]),
        "seconds": splits["seconds"].sum(),
        "file": f"{first['dataset']}/{method.name}/evaluation.csv",
        "gradient_norm": splits["gradient_norm"].max(),
        "selected_k": _lower_median(splits["selected_k"]),
        "variant_of": method.variant_of,
    }


def _interval(row: Mapping[str, Any], draws: RowDraws) -> dict[str, float]:
    """Return where a number of one split would lie on other test rows."""
    found = draws.get((row["dataset"], row["method"], row["metric"]))
    ends = (math.nan, math.nan) if found is None else interval(found)
    return dict(zip(ROWS, ends, strict=True))


def _kernel(method: Method, features: str) -> str:
    """Return the kernel, which is that of the features where a linear method has kernel vectors."""
    is_kernel = features.endswith("_kernels") and method.kernel == "linear"
    return "precomputed" if is_kernel else method.kernel


def _lower_median(values: pd.Series) -> float:
    known = np.sort(values.dropna().to_numpy(dtype=float))
    return float(known[(len(known) - 1) // 2]) if len(known) else math.nan


def _status(values: pd.Series) -> str:
    others = [value for value in values.unique() if value != "converged"]
    return ";".join(sorted(others)) or "converged"
