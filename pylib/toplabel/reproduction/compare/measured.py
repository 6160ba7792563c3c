"""The measured numbers: the test metrics of all splits, reduced to a row for each metric."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.bootstrap import RowDraws, interval
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.method import Method


def reduce_splits(evaluations: pd.DataFrame, catalogue: Catalogue, draws: RowDraws) -> pd.DataFrame:
    """Reduce the splits of every data set, method and metric to one row.

    Parameters
    ----------
    evaluations : DataFrame
        The joined rows of results/<set>/<method>/evaluation.csv.
    catalogue : Catalogue
        Its studies give the order of the rows, its methods and data sets their keys.
    draws : mapping
        The numbers on drawn test rows, which give the intervals.

    Returns
    -------
    DataFrame
        The columns of `compare.cells.COLUMNS` that need no printed number: mean (`value`) and
        standard deviation (n - 1) over the splits; of C, theta, threshold and the selected k the
        lower median, which is a value that was used; the worst relative gap and gradient norm;
        epochs and seconds summed; the status "converged" only when every split is.

    Raises
    ------
    ValueError
        A method or a data set is not registered, a metric stands twice for a split, or a value is
        no finite number.
    """
    _check(evaluations, catalogue)
    ranks, studies = _order(catalogue)
    groups = evaluations.groupby(["dataset", "method", "metric"], sort=False)
    pairs = sorted(
        ((key, splits) for key, splits in groups),
        key=lambda pair: (ranks.get(pair[0][:2], len(ranks)), pair[0][:2]),
    )
    rows = []
    for (dataset, method, metric), splits in pairs:
        features = catalogue.registry[dataset].features
        row = _reduced(splits, catalogue.methods[method], features)
        low, high = interval(draws.get((dataset, method, metric), np.array([math.nan])))
        study = ";".join(studies.get((dataset, method), ()))
        rows.append(row | {"metric": metric, "config_dataset": dataset, "study": study})
        rows[-1] |= {"dataset": dataset, "rows_low": low, "rows_high": high}
    return pd.DataFrame(rows)


def _check(evaluations: pd.DataFrame, catalogue: Catalogue) -> None:
    for column, known in (("method", catalogue.methods), ("dataset", catalogue.registry)):
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


def _order(catalogue: Catalogue) -> tuple[dict[Any, int], dict[Any, list[str]]]:
    """Return, by data set and method, the rank in the order of the studies, and the studies."""
    ranks, studies = {}, {}
    for study in catalogue.studies.values():
        for pair in study.pairs:
            ranks.setdefault(pair, len(ranks))
            studies.setdefault(pair, []).append(study.name)
    return ranks, studies


def _reduced(splits: pd.DataFrame, method: Method, features: str) -> Mapping[str, Any]:
    key = method.key
    of_kernels = features.endswith("_kernels") and key.kernel == "linear"
    return {
        "features": features,
        **key._asdict(),
        "kernel": "precomputed" if of_kernels else key.kernel,
        "config_method": method.name,
        "label": method.label,
        "variant_of": method.variant_of,
        "value": splits["value"].mean(),
        "std": splits["value"].std(ddof=1),
        "splits": len(splits),
        "budget": ";".join(splits["budget"].unique()),
        "C": _lower_median(splits["C"]) if method.selects_C else math.nan,
        "theta": _lower_median(splits["theta"]),
        "threshold": _lower_median(splits["threshold"]),
        "selected_k": _lower_median(splits["selected_k"]),
        "relative_gap": splits["relative_gap"].max(),
        "gradient_norm": splits["gradient_norm"].max(),
        "epochs": splits["epochs"].sum(),
        "status": _status(splits["status"]),
        "seconds": splits["seconds"].sum(),
    }


def _lower_median(values: pd.Series) -> float:
    known = np.sort(values.dropna().to_numpy(dtype=float))
    return float(known[(len(known) - 1) // 2]) if len(known) else math.nan


def _status(values: pd.Series) -> str:
    others = {*values} - {"converged"}
    return ";".join(sorted(others)) or "converged"
