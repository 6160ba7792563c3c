"""What the models of a cell predict for the test rows, and how to load them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from toplabel.reproduction.frames import join_names
from toplabel.reproduction.methods.trained import dense
from toplabel.reproduction.selection import PredictTask
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.evaluation import threshold_for
from toplabel.reproduction.selection.measures import needs_threshold
from toplabel.reproduction.selection.models import Key, Model, instance_scores, key_of
from toplabel.reproduction.selection.problems import split_named

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

_OF_MODEL = ("C", "primal", "dual", "relative_gap", "epochs", "status", "seconds")


def predictions(
    prepared: Prepared,
    task: PredictTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> pd.DataFrame:
    """Return the predictions of the model that is chosen for the first metric of the protocol.

    Returns
    -------
    DataFrame
        A row for each test instance of each split: `split`, `row` (the row of the raw file, from 0;
        for a network's inputs and the like that of the test part), `id` where a column of the file that
        is left out tells the rows apart, `true` and `predicted` (names of classes, of label sets joined
        by `join_names`), and the score of each class, ``score_<class>``.
    """
    names = np.array(prepared.class_names, dtype=object)
    frames = []
    for choice, scores, at in _first(prepared, task, choices, models):
        test = prepared.parts[split_named(prepared, choice.split).test]
        if at is None:
            predicted, true = names[scores.argmax(axis=1)], names[test.y]
        else:
            predicted, true = _joined(names, scores > at), _joined(names, test.Y > 0)
        columns = {f"score_{name}": scores[:, j] for j, name in enumerate(names)}
        rows = np.arange(len(scores)) if test.rows is None else test.rows
        head = {"split": choice.split, "row": rows} | ({} if test.ids is None else {"id": test.ids})
        frames.append(pd.DataFrame(head | {"true": true, "predicted": predicted} | columns))
    return pd.concat(frames, ignore_index=True)


def _first(
    prepared: Prepared,
    task: PredictTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> Iterator[tuple[Choice, np.ndarray, float | None]]:
    """Yield each choice for the first metric, with test scores and the threshold of label sets."""
    metric = choices[0].metric
    for choice in choices:
        if choice.metric != metric:
            continue
        scores = instance_scores(prepared, models[key_of(choice)])
        by_threshold = predicts_sets(prepared, choices)
        at = threshold_for(choice, task.threshold, scores, prepared) if by_threshold else None
        yield choice, scores, at


def model_arrays(
    prepared: Prepared,
    task: PredictTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> dict[str, ArrayLike]:
    """Return the arrays that `toplabel.load_model` makes estimators of: the models of `predictions`."""
    recipe, last = task.recipe, -1 if task.bias else None
    arrays: dict[str, ArrayLike] = {
        "splits": np.array([], dtype=str),
        "reason": "the models of this method are not kept, only their scores of the test rows",
        "classes": np.array(prepared.class_names),
        "transform": task.transform or "",
    }
    named = prepared.meta.get("columns", {})
    if named.get("names"):
        arrays["columns"] = json.dumps(named)
    for choice, _, at in _first(prepared, task, choices, models):
        model = models[key_of(choice)]
        if model.test_scores is not None:
            return arrays
        train = prepared.parts[split_named(prepared, choice.split).train]
        kept = {name: getattr(model, name) for name in _OF_MODEL} | {
            "loss": recipe.loss or recipe.competitor,
            "k": model.k or recipe.k or 1,
            "gamma": recipe.gamma,
            "kernel": recipe.kernel,
            "theta": np.nan if model.theta is None else model.theta,
        }
        if model.A is None:
            kept["W"] = model.W[:last]
            offset = model.W[-1] if task.bias else np.zeros(prepared.n_classes)
            if task.bias or model.bias is not None:
                kept["intercept"] = offset + (0.0 if model.bias is None else model.bias)
        else:
            kept |= {"A": model.A, "X": dense(train.X)[:, :last]}
        if task.transform == "standardise":
            kept |= {"shift": train.shift, "scale": train.scale}
        if at is not None:  # predictions.csv has the scores above it, the estimator those from it
            kept["threshold"] = np.nextafter(at, np.inf)
        arrays |= {f"{choice.split}.{name}": value for name, value in kept.items()}
        arrays["splits"] = np.append(arrays["splits"], choice.split)
    return arrays


def _joined(names: np.ndarray, chosen: np.ndarray) -> list[str]:
    return [join_names(names[row]) for row in chosen]


def predicts_sets(prepared: Prepared, choices: Sequence[Choice]) -> bool:
    """Return whether `predictions` has label sets, not single labels."""
    test = prepared.parts[split_named(prepared, choices[0].split).test]
    return test.Y is not None and needs_threshold(choices[0].metric)
