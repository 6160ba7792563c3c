"""What the models of a cell predict for the test rows: predictions.csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toplabel.reproduction.config.run import Threshold
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.evaluation import threshold_for
from toplabel.reproduction.selection.measures import needs_threshold
from toplabel.reproduction.selection.models import Key, Model, instance_scores, key_of
from toplabel.reproduction.selection.problems import split_named
from toplabel.reproduction.selection.task import Task

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

SEPARATOR = ";"
"""Stands between the labels of a set."""


def predictions(
    prepared: Prepared,
    task: Task,
    threshold: Threshold,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> pd.DataFrame:
    """Return the predictions of the model that is chosen for the first metric of the protocol.

    Returns
    -------
    DataFrame
        A row for each test instance of each split: `split`, `row` (from 0, in the test part),
        `true` and `predicted` (names of classes, of label sets joined by ";"), and the score of
        each class, ``score_<class>``.
    """
    names = np.array(prepared.class_names, dtype=object)
    metric = task.metrics(prepared.n_classes)[0]
    frames = []
    for choice in (one for one in choices if one.metric == metric):
        test = prepared.parts[split_named(prepared, choice.split).test]
        scores = instance_scores(prepared, models[key_of(choice)])
        if test.Y is None or not needs_threshold(metric):
            predicted, true = names[scores.argmax(axis=1)], names[test.y]
        else:
            at = threshold_for(choice, threshold, scores, prepared)
            predicted, true = _joined(names, scores > at), _joined(names, test.Y > 0)
        columns = {f"score_{name}": scores[:, j] for j, name in enumerate(names)}
        head = {"split": choice.split, "row": np.arange(len(scores))}
        frames.append(pd.DataFrame(head | {"true": true, "predicted": predicted} | columns))
    return pd.concat(frames, ignore_index=True)


def _joined(names: np.ndarray, chosen: np.ndarray) -> list[str]:
    return [SEPARATOR.join(names[row]) for row in chosen]
