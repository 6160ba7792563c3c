"""Numbers about a whole run: the best methods on own data, distances from print, certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.compare.cells import KEPT, MEASURED, measurements
from toplabel.reproduction.compare.verdicts import in_points

BEST: Mapping[str, type] = {
    "dataset": str,
    "features": str,
    "metric": str,
    "config_dataset": str,
    "config_method": str,
    "label": str,
    "measured": float,
    "std": float,
    "rows_low": float,
    "rows_high": float,
    "stopped": bool,
    "seconds": float,
    "level": int,
    "methods": int,
}
"""The columns of results/best.csv: the best method by each metric on each data set of which no paper
prints a number.

`level` counts the other methods that are level with it: those that lie in its interval over test
rows or, with several splits, not more than a deviation away. `methods` counts all methods.
"""
_PART_OF_MAP = "ap_"


def best_methods(wide: pd.DataFrame) -> pd.DataFrame:
    """Return the best methods on own data, by the wide frame; the columns are `BEST`.

    A fit that did not converge is the best only where none did.
    """
    own = wide[(wide["source"] == "") & wide["measured"].notna()]
    own = own[~own["metric"].str.startswith(_PART_OF_MAP)]
    groups = own.groupby(["dataset", "features", "metric"], sort=False)
    rows = [_best(part) for _, part in groups]
    return pd.DataFrame(rows, columns=[*BEST])


def _best(numbers: pd.DataFrame) -> dict[str, Any]:
    """Return the best of the numbers of one data set by one metric, as a row of `BEST`."""
    converged = numbers[~numbers["stopped"]]
    values = (converged if len(converged) else numbers)["measured"]
    lower = lower_is_better(numbers["metric"].iloc[0])
    best = numbers.loc[values.idxmin() if lower else values.idxmax()]
    low, high = best["rows_low"], best["rows_high"]
    if best["splits"] > 1:
        low, high = best["measured"] - best["std"], best["measured"] + best["std"]
    is_level = numbers["measured"].between(low, high)
    row = {name: best[name] for name in BEST if name in best}
    return row | {
        "level": float(is_level.sum() - 1) if pd.notna(low) else float("nan"),
        "methods": numbers["label"].nunique(),
    }


def totals(cells: pd.DataFrame, wide: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers about a whole run (results/totals.json)."""
    return {
        "distances": {state: distances(wide[wide["state"] == state]) for state in (MEASURED, KEPT)},
        "certificates": certificates(measurements(cells)),
    }


def distances(numbers: pd.DataFrame) -> dict[str, float] | None:
    """Return the distances of the percentages of a run from the printed ones; None without any.

    `half` and `nine_tenths` are the distances in points within which so many of them lie.
    """
    numbers = numbers[(numbers["verdict"] != "") & ~numbers["metric"].map(is_fraction).astype(bool)]
    if numbers.empty:
        return None
    pairs = zip(numbers["metric"], numbers["difference"], strict=True)
    points = pd.Series([abs(in_points(*pair)) for pair in pairs])
    half, nine_tenths = points.quantile([0.5, 0.9])
    return {"numbers": len(points), "half": half, "nine_tenths": nine_tenths}


def certificates(numbers: pd.DataFrame) -> dict[str, Any]:
    """Return the counts of numbers by the certificates of their models.

    `gap` and `gradient` count numbers of models that reached the tolerance on the duality gap, or
    on the norm of the gradient; `stopped` those of models that ended before, for the `causes`;
    `none` those of models without a certificate. `largest_gap` is None where no model has a gap.
    """
    has_gap, has_norm = numbers["relative_gap"].notna(), numbers["gradient_norm"].notna()
    stopped = (has_gap | has_norm) & (numbers["status"] != "converged")
    return {
        "numbers": len(numbers),
        "gap": int((has_gap & ~stopped).sum()),
        "gradient": int((has_norm & ~has_gap & ~stopped).sum()),
        "any_gradient": bool(has_norm.any()),
        "stopped": int(stopped.sum()),
        "causes": sorted({*numbers.loc[stopped, "status"]} - {""}),
        "none": int((~has_gap & ~has_norm).sum()),
        "largest_gap": float(numbers["relative_gap"].max()) if has_gap.any() else None,
    }
