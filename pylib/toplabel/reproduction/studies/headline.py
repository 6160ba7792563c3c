"""What a score is worth: distinct measurements, what chance gives, how many printed digits match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.metrics.names import is_fraction
from toplabel.reproduction.config.readings import Choice
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.studies.comparison import TOLERANCE, TOLERANCE_LOSS
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
    numbers = pd.to_numeric(cells["published"])
    cells = cells.assign(value=numbers, chance=_chance(cells.assign(value=numbers)))
    cells = cells.assign(digits=_reaches_digits(cells))
    rows = [
        _row(metric, part, places[places["metric"] == metric])
        for metric, part in cells.groupby("metric", sort=False)
    ]
    if not rows:
        return HEADLINE.frame()
    free = ~_flagged(places, list(choices))
    rest = _row("unflagged", cells[free.loc[cells.index]], places[free])
    return HEADLINE.frame([*rows, _row("all", cells, places), rest])


def _flagged(cells: pd.DataFrame, choices: Sequence[Choice]) -> pd.Series:
    """Return whether each cell depends on a choice."""
    found = [any(one.names(cell) for one in choices) for cell in cells.to_dict("records")]
    return pd.Series(found, cells.index, dtype=bool)


def _row(metric: str, cells: pd.DataFrame, places: pd.DataFrame) -> dict[str, object]:
    counts = cells["verdict"].value_counts()
    convex = cells[cells["method"].isin(_CONVEX) & (cells["in_rows"] != "")]
    return {
        "metric": metric,
        "places": len(places),
        "distinct": len(cells),
        **{name: int(counts.get(name, 0)) for name in _VERDICTS},
        "not_reproduced": sum(int(counts.get(name, 0)) for name in NOT_REPRODUCED),
        "chance": cells["chance"].mean(),
        "digits": int(cells["digits"].sum()),
        "convex": len(convex),
        "convex_median": convex["difference"].abs().median() if len(convex) else math.nan,
        "convex_mean": convex["difference"].mean() if len(convex) else math.nan,
    }


_VERDICTS = ("match", "close", "spread", "higher", "lower", "off")
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


def _reaches_digits(cells: pd.DataFrame) -> list[bool]:
    """Return whether a number, rounded as the printed one is, has its digits."""
    return [
        abs(measured - value) <= 0.5 * 10.0 ** -len(str(text).partition(".")[2]) * (1.0 + _SLACK)
        for measured, value, text in zip(
            cells["measured"], cells["value"], cells["published"], strict=True
        )
    ]
