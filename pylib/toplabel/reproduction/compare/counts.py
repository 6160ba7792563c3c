"""Count over the frame of a run what its score is worth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.cells import MEASURED
from toplabel.reproduction.compare.verdicts import SLACK, tolerance_of
from toplabel.reproduction.compare.views import CELL, compared
from toplabel.reproduction.seeds import seed_of

SHUFFLES = 1000


def worth(cells: pd.DataFrame, run: str = MEASURED) -> dict[str, float]:
    """Return what the score of a run is worth; nothing of a run without compared numbers.

    A measurement that is printed in several places counts once, at the first. `distinct` is the
    number of measurements, `match` the share of them that match. `chance` is the share that would
    match if methods were shuffled within data set and metric, the mean of `SHUFFLES` seeded
    shuffles.
    """
    distinct = compared(cells, run).drop_duplicates(CELL)
    if distinct.empty:
        return {}
    near = []
    for place, part in distinct.groupby(["dataset", "features", "metric"], sort=False):
        rng = np.random.default_rng(seed_of("headline", *place))
        shuffled = rng.permuted(np.tile(part["value"].to_numpy(), (SHUFFLES, 1)), axis=1)
        distance = np.abs(shuffled - part["printed"].astype(float).to_numpy())
        near += [*(distance <= tolerance_of(place[-1]) * (1.0 + SLACK)).mean(axis=0)]
    match = (distinct["verdict"] == "match").mean()
    return {"distinct": len(distinct), "match": match, "chance": float(np.mean(near))}
