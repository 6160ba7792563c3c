"""What a score is worth: distinct measurements, what chance gives, how many printed digits match."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.comparison import TOLERANCE, TOLERANCE_LOSS
from toplabel.reproduction.config.notes import Choice
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.tables.collected import HEADLINE, NOT_REPRODUCED

SHUFFLES = 1000
_PLACE = ["dataset", "features", "metric"]
_SLACK = 1e-9


def headline(comparison: pd.DataFrame, choices: Iterable[Choice] = ()) -> pd.DataFrame:
    """Count what was measured, by metric and in all: `HEADLINE`.

    There is a row for each metric, in the order of their first cells, one named "all", and one
    named "unflagged", without the cells that depend on one of the `choices` that printed test
    numbers had a part in. A measurement that is printed in several places is counted once, at its
    first place; `places` counts all of them. `chance` is the share of measurements that would match
    if the methods were shuffled within each data set and metric, the mean of `SHUFFLES` seeded
    shuffles.
    """
    places = comparison[comparison["verdict"] != ""]
    cells = places.drop_duplicates(["file", "metric"])
    if cells.empty:
        return HEADLINE.frame()
    cells = cells.assign(value=pd.to_numeric(cells["published"]))
    half_digit = 0.5 * 10.0 ** -cells["published"].astype(str).str.partition(".")[2].str.len()
    near = (cells["measured"] - cells["value"]).abs() <= half_digit * (1.0 + _SLACK)
    cells = cells.assign(chance=_chance(cells), digits=near)
    rows = [
        _row(metric, part, places[places["metric"] == metric])
        for metric, part in cells.groupby("metric", sort=False)
    ]
    choices = list(choices)
    flagged = [any(one.names(cell) for one in choices) for cell in places.to_dict("records")]
    free = ~pd.Series(flagged, places.index, dtype=bool)
    rest = _row("unflagged", cells[free.loc[cells.index]], places[free])
    return HEADLINE.frame([*rows, _row("all", cells, places), rest])


def _row(metric: str, cells: pd.DataFrame, places: pd.DataFrame) -> dict[str, object]:
    counts = cells["verdict"].value_counts().reindex(_VERDICTS, fill_value=0)
    convex = cells.loc[cells["method"].isin(_CONVEX) & (cells["in_rows"] != ""), "difference"]
    return {
        "metric": metric,
        "places": len(places),
        "distinct": len(cells),
        **counts,
        "not_reproduced": counts[[*NOT_REPRODUCED]].sum(),
        "chance": cells["chance"].mean(),
        "digits": cells["digits"].sum(),
        "convex": len(convex),
        "convex_median": convex.abs().median(),
        "convex_mean": convex.mean(),
    }


_VERDICTS = ["match", "close", "spread", "higher", "lower", "off"]
_CONVEX = [name for name, loss in LOSSES.items() if loss.convex]


def _chance(cells: pd.DataFrame) -> pd.Series:
    """Return the share of shuffles of the methods in which a printed number is matched."""
    found = pd.Series(math.nan, cells.index)
    for place, part in cells.groupby(_PLACE, sort=False):
        rng = np.random.default_rng(seed_of("headline", *place))
        measured = part["measured"].to_numpy(dtype=float)
        shuffled = rng.permuted(np.tile(measured, (SHUFFLES, 1)), axis=1)
        tolerance = TOLERANCE_LOSS if is_fraction(place[-1]) else TOLERANCE
        near = np.abs(shuffled - part["value"].to_numpy()) <= tolerance * (1.0 + _SLACK)
        found[part.index] = 100.0 * near.mean(axis=0)
    return found
