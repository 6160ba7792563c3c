"""The measured numbers: the test metrics of all splits, reduced to a row for each metric."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.intervals import RowDraws, quantile_interval
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.methods import Method

_GROUP = ["dataset", "method", "metric"]


def reduce_splits(evaluations: pd.DataFrame, catalogue: Catalogue, draws: RowDraws) -> pd.DataFrame:
    """Return the splits of every data set, method and metric reduced to one row.

    `evaluations` are the joined rows of results/<set>/<method>/evaluation.csv, `draws` the numbers on
    drawn test rows. The columns are those of `compare.cells.COLUMNS` that need no printed number: mean
    (`value`) and standard deviation (n - 1) over the splits; of C, theta, threshold and the selected k
    the lower median, which is a value that was used; the worst relative gap and gradient norm; epochs
    and seconds summed; the status "converged" only when every split is.
    """
    if evaluations.empty:
        return pd.DataFrame()
    unmeasured = evaluations[~np.isfinite(evaluations["value"])]
    if len(unmeasured):
        dataset, method, split, metric = unmeasured[["dataset", "method", "split", "metric"]].iloc[
            0
        ]
        raise ValueError(f"results of {dataset}/{method}, split '{split}': {metric} is no number")
    rows = evaluations.groupby(_GROUP, sort=False).agg(
        value=("value", lambda values: values.mean()),
        std=("value", lambda values: values.std(ddof=1)),
        splits=("value", "size"),
        budget=("budget", lambda names: ";".join(names.unique())),
        C=("C", _lower_median),
        theta=("theta", _lower_median),
        threshold=("threshold", _lower_median),
        selected_k=("selected_k", _lower_median),
        relative_gap=("relative_gap", "max"),
        gradient_norm=("gradient_norm", "max"),
        epochs=("epochs", "sum"),
        seconds=("seconds", lambda seconds: seconds.sum()),
        status=("status", _status),
    )
    intervals = [quantile_interval(draws.get(name, np.array([math.nan]))) for name in rows.index]
    rows["rows_low"] = [low for low, _ in intervals]
    rows["rows_high"] = [high for _, high in intervals]
    return _in_order(_named(rows.reset_index(), catalogue), catalogue)


def _named(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return rows with the keys and labels of their methods, and the features of their data sets."""
    methods = [catalogue.methods[name] for name in rows["method"]]
    features = [catalogue.registry[name].features for name in rows["dataset"]]
    selects_C = [method.selects_C for method in methods]
    return rows.assign(
        features=features,
        method=[method.key.method for method in methods],
        **{name: [getattr(method.key, name) for method in methods] for name in ("k", "gamma")},
        kernel=[_kernel(*pair) for pair in zip(methods, features, strict=True)],
        config_dataset=rows["dataset"],
        config_method=rows["method"],
        label=[method.label for method in methods],
        variant_of=[method.variant_of for method in methods],
        C=rows["C"].where(selects_C),
    )


def _kernel(method: Method, features: str) -> str:
    """Return the kernel of a key; a linear method on vectors made of kernels has these kernels."""
    of_kernels = features.endswith("_kernels") and method.key.kernel == "linear"
    return "precomputed" if of_kernels else method.key.kernel


def _in_order(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return rows with their studies, in the order of these; rows of no study come last."""
    ranks: dict[tuple[str, str], int] = {}
    studies: dict[tuple[str, str], list[str]] = {}
    for study in catalogue.studies.values():
        for pair in study.pairs:
            ranks.setdefault(pair, len(ranks))
            studies.setdefault(pair, []).append(study.name)
    pairs = [*zip(rows["config_dataset"], rows["config_method"], strict=True)]
    rows = rows.assign(
        study=[";".join(studies.get(pair, ())) for pair in pairs],
        rank=[ranks.get(pair, len(ranks)) for pair in pairs],
    )
    order = ["rank", "config_dataset", "config_method"]
    return rows.sort_values(order, kind="stable", ignore_index=True).drop(columns="rank")


def _lower_median(values: pd.Series) -> float:
    known = np.sort(values.dropna().to_numpy(dtype=float))
    return float(known[(len(known) - 1) // 2]) if len(known) else math.nan


def _status(values: pd.Series) -> str:
    others = {*values} - {"converged"}
    return ";".join(sorted(others)) or "converged"


def selected_values(
    evaluations: pd.DataFrame, catalogue: Catalogue
) -> dict[tuple[str, str, str], str]:
    """Return the selected parameters, in words, by data set, method and metric.

    It is C, of several splits the lower median, or the parameters of an estimator, each with its
    number of splits where they differ.
    """
    words = {}
    for name, rows in evaluations.groupby(_GROUP, sort=False):
        method = catalogue.methods[name[1]]
        if method.estimator and method.grid:
            words[name] = _candidates(rows["candidate"], method)
        elif method.selects_C and rows["C"].notna().any():
            words[name] = f"C = {_lower_median(rows['C']):.3g}"
    return words


def _candidates(indices: pd.Series, method: Method) -> str:
    """Return the candidates of an estimator that were selected, by their indices."""
    texts = [
        ", ".join(f"{name} {value}" for name, value in method.candidates[int(index)].items())
        for index in indices
    ]
    counts = Counter(texts).most_common()
    return "; ".join(f"{text} ({count})" if len(counts) > 1 else text for text, count in counts)
