"""Numbers about a whole run: distances from print, certificates."""

from __future__ import annotations

from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.cells import KEPT, MEASURED, measurements
from toplabel.reproduction.compare.verdicts import in_points


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
