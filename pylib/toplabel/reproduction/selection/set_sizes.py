"""Sets of variable size on the test part: half of its rows, which chose nothing, calibrate the sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from toplabel.metrics import mean_set_size, set_coverage, top_k_accuracy
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.selection.choice import load_choices
from toplabel.reproduction.selection.models import instance_scores, key_of, load_models
from toplabel.reproduction.selection.problems import split_named
from toplabel.thresholds import below_best, match_cardinality, match_coverage

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import PreparedSet

SIZES = (2, 3, 5, 10)
COVERAGES = (0.8, 0.9, 0.95)
DRAWS = 5
_COLUMNS = ("goal", "level", "draw", "size", "coverage", "fixed_coverage")
COVERED_BY = "top1"
"""The metric whose model is used for a coverage; for a size K it is ``top<K>``."""


def set_sizes(prepared: PreparedSet, split: str, selection: Path, models: Path) -> pd.DataFrame:
    """Return the measures of the sets of a cell on a split, in percent and classes a row.

    There is a row for each goal, level and draw of the calibration rows. `goal` is "size" or "coverage",
    `level` the mean size or the coverage that was asked for. `coverage` is the share of the other rows
    with their class in the set, `size` the mean size of their sets, and `fixed_coverage` the share with
    their class among as many best ones as the level says, for a size.
    """
    y = prepared.parts[split_named(prepared, split).test].y
    choices = {row.metric: row for row in load_choices(selection) if row.split == split}
    known = load_models(models)
    metrics = [f"top{size}" for size in SIZES if size < prepared.n_classes]
    scores = {
        metric: instance_scores(prepared, known[key_of(choices[metric])])
        for metric in (*metrics, COVERED_BY)
        if metric in choices
    }
    rows = [
        row | {"draw": draw}
        for draw in range(DRAWS)
        for row in _of_draw(halves(prepared.name, split, draw, len(y)), scores, y)
    ]
    return pd.DataFrame(rows, columns=[*_COLUMNS])


def halves(dataset: str, split: str, draw: int, n: int) -> Sequence[np.ndarray]:
    """Return the rows to calibrate on and the rows to measure on."""
    seed = seed_of("set_sizes", dataset, split, draw)
    return np.array_split(np.random.default_rng(seed).permutation(n), 2)


def _of_draw(
    rows: Sequence[np.ndarray], scores: Mapping[str, np.ndarray], y: np.ndarray
) -> Iterator[dict[str, Any]]:
    """Yield the sets of all levels."""
    to_calibrate, to_measure = rows
    for size in SIZES:
        if f"top{size}" in scores:
            of_model = scores[f"top{size}"]
            levels = below_best(of_model)
            threshold = min(0.0, match_cardinality(levels[to_calibrate], size))
            fixed = top_k_accuracy(y[to_measure], of_model[to_measure], size, ties="shared")
            sets = levels[to_measure] >= threshold
            sizes = {"goal": "size", "level": size, "fixed_coverage": 100 * fixed}
            yield sizes | _measured(sets, y[to_measure])
    if COVERED_BY in scores:
        levels = below_best(scores[COVERED_BY])
        own = levels[np.arange(len(y)), y]
        for coverage in COVERAGES:
            threshold = match_coverage(own[to_calibrate], coverage)
            sets = levels[to_measure] >= threshold
            yield {"goal": "coverage", "level": coverage} | _measured(sets, y[to_measure])


def _measured(sets: np.ndarray, y: np.ndarray) -> dict[str, float]:
    return {"size": mean_set_size(sets), "coverage": 100 * set_coverage(y, sets)}
