"""Thresholds that turn scores into label sets, h(x) = {y : f_y(x) >= delta} (TPAMI section 3.1).

Three strategies for the threshold delta: `constant` (i), `match_cardinality` (ii) and `tune` (iii);
`match_frequencies` is (ii) for each label by itself. `sweep` measures all thresholds of a grid at
once. `Sweep` and `LargestScores` are for rows that come a part at a time. `below_best` and
`match_coverage` are for sets that are to have the one right label.
"""

from toplabel.thresholds.coverage import below_best, match_coverage
from toplabel.thresholds.matching import (
    LargestScores,
    constant,
    match_cardinality,
    match_frequencies,
    predict,
)
from toplabel.thresholds.sweeping import GRID, GRID_VOC, METRICS, Sweep, as_vector, sweep, tune

__all__ = [
    "GRID",
    "GRID_VOC",
    "METRICS",
    "LargestScores",
    "Sweep",
    "as_vector",
    "below_best",
    "constant",
    "match_cardinality",
    "match_coverage",
    "match_frequencies",
    "predict",
    "sweep",
    "tune",
]
