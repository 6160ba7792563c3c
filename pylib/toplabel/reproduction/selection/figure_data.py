"""Numbers for figures: validation curves over C, and what a model of the circle predicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.measures import sign
from toplabel.reproduction.selection.models import Key, Model, key_of
from toplabel.reproduction.selection.tuned import Tuned

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

_DIRECTIONS = 720


def selection_curve(
    results: Sequence[Tuned], choices: Iterable[Choice], metrics: Sequence[str]
) -> pd.DataFrame:
    """Return the best validation value at each C, over k, theta and the threshold.

    `results` are the means over the folds of one split, one for each k where that is selected. The
    columns are metric, C (ascending within a metric), value (as printed), chosen.
    """
    chosen = {row.metric: row.C for row in choices if row.split == results[0].split}
    frames = []
    for metric in metrics:
        values = pd.concat([pd.Series(_best_over_others(one, metric), one.C) for one in results])
        best = values[np.isfinite(values)].groupby(level=0).max()
        columns = {"C": best.index, "value": sign(metric) * best.to_numpy()}
        columns["chosen"] = best.index == chosen[metric]
        frames.append(pd.DataFrame({"metric": metric} | columns))
    return pd.concat(frames, ignore_index=True)


def _best_over_others(result: Tuned, metric: str) -> np.ndarray:
    """Return the best value at each C over theta and the threshold; more is better."""
    names = [str(name) for name in result.metric]
    signed = sign(metric) * result.value[..., names.index(metric)]
    return np.where(np.isnan(signed), -np.inf, signed).max(axis=(0, 2))


def circle_rings(
    prepared: Prepared,
    choices: Iterable[Choice],
    models: Mapping[Key, Model],
    split: str,
    metric: str,
) -> pd.DataFrame:
    """Return the two classes that a linear model of the circle scores highest, by direction.

    TPAMI Fig. 4; the model is the best one of a metric. The columns are angle (radians), rank1 and
    rank2 (names of classes).
    """
    chosen = next(row for row in choices if (row.split, row.metric) == (split, metric))
    angle = 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    order = np.argsort(-models[key_of(chosen)].scores(X, X), axis=1, kind="stable")
    names = np.array(prepared.class_names)
    return pd.DataFrame({"angle": angle, "rank1": names[order[:, 0]], "rank2": names[order[:, 1]]})


def circle_points(prepared: Prepared, split: str) -> pd.DataFrame:
    """Return the training points of a split of the circle: columns angle (radians) and label."""
    part = prepared.parts[next(s.train for s in prepared.splits if s.name == split)]
    angle = np.arctan2(part.X[:, 1], part.X[:, 0]) % (2.0 * np.pi)
    return pd.DataFrame({"angle": angle, "label": np.array(prepared.class_names)[part.y]})
