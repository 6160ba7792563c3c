"""Count over the frame of a run what its score is worth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.compare.cells import MEASURED
from toplabel.reproduction.compare.verdicts import (
    NOT_REPRODUCED,
    SLACK,
    VERDICTS,
    digits_of,
    tolerance_of,
)
from toplabel.reproduction.compare.views import CELL, compared
from toplabel.reproduction.seeds import seed_of

SHUFFLES = 1000
_CONVEX = [name for name, loss in LOSSES.items() if loss.convex]


def headline(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Count the compared numbers of a run, by metric and in all.

    Returns
    -------
    DataFrame
        A row for each `metric`, in the order of their first cells, one named "all", and one named
        "unflagged", without the cells that depend on a choice that printed test numbers had a part
        in. `places` counts printed numbers; what follows counts measurements that are printed in
        several places once, at the first: `distinct`, each verdict, `not_reproduced` (off, higher
        or lower), `digits` (those that, rounded, have the printed digits), `convex` (of convex
        losses with an interval over test rows, so on the rows of the papers) with their median
        difference from print without sign and their mean with it, in points. `chance` is the
        percentage that would match if methods were shuffled within data set and metric, the mean
        of `SHUFFLES` seeded shuffles.
    """
    places = compared(cells, run)
    distinct = places.drop_duplicates(CELL)
    digits = distinct["printed"].map(digits_of)
    near = distinct["difference"].abs() <= 0.5 * 10.0**-digits * (1.0 + SLACK)
    distinct = distinct.assign(chance=_chance(distinct), digits=near)
    rows = [
        _counted(metric, part, places[places["metric"] == metric])
        for metric, part in distinct.groupby("metric", sort=False)
    ]
    rows.append(_counted("all", distinct, places))
    free = distinct["choice"] == ""
    rows.append(_counted("unflagged", distinct[free], places[places["choice"] == ""]))
    return pd.DataFrame(rows)


def _counted(name: str, distinct: pd.DataFrame, places: pd.DataFrame) -> dict[str, Any]:
    verdicts = distinct["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    convex = distinct["method"].isin(_CONVEX) & (distinct["in_rows"] != "")
    difference = distinct.loc[convex, "difference"]
    return {
        "metric": name,
        "places": len(places),
        "distinct": len(distinct),
        **verdicts,
        "not_reproduced": verdicts[[*NOT_REPRODUCED]].sum(),
        "chance": distinct["chance"].mean(),
        "digits": distinct["digits"].sum(),
        "convex": len(difference),
        "convex_median": difference.abs().median(),
        "convex_mean": difference.mean(),
    }


def _chance(cells: pd.DataFrame) -> pd.Series:
    """Return the percentage of shuffles of the methods in which each printed number is matched."""
    found = pd.Series(math.nan, cells.index)
    for place, part in cells.groupby(["dataset", "features", "metric"], sort=False):
        rng = np.random.default_rng(seed_of("headline", *place))
        shuffled = rng.permuted(np.tile(part["value"].to_numpy(), (SHUFFLES, 1)), axis=1)
        distance = np.abs(shuffled - part["printed"].astype(float).to_numpy())
        near = distance <= tolerance_of(place[-1]) * (1.0 + SLACK)
        found[part.index] = 100.0 * near.mean(axis=0)
    return found
