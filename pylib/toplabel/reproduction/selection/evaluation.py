"""The chosen models on the test part: their metrics, with thresholds, and what they predict."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from toplabel import thresholds
from toplabel.reproduction.config.protocols import Threshold
from toplabel.reproduction.files import read_records
from toplabel.reproduction.frames import join_names, read_rows
from toplabel.reproduction.methods.trained import dense
from toplabel.reproduction.selection import EvaluateTask, PredictTask
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.measures import all_values, class_values, needs_threshold
from toplabel.reproduction.selection.models import Key, Model, instance_scores, key_of
from toplabel.reproduction.selection.problems import split_named, truth_of

if TYPE_CHECKING:  # pandas takes half a second to import, which evaluation does not need
    import pandas as pd

    from toplabel.reproduction.data.parts import PreparedSet


@dataclass(frozen=True)
class TestMetric:
    """The value of one metric on the test part of one split: a row of evaluation.csv.

    `value` is in percent for accuracies and F1, a fraction for the rank and the Hamming loss.
    relative_gap, epochs, status and gradient_norm are the certificate of the model; `seconds` is
    what tuning on the split and training the model took. An estimator has the index of a `candidate`
    in place of C. C, theta, threshold and selected_k are None where they play no role, numbers that
    a method does not have are NaN.
    """

    dataset: str
    method: str
    split: str
    metric: str
    value: float
    C: float | None
    candidate: int | None
    theta: float | None
    threshold: float | None
    relative_gap: float
    epochs: int
    status: str
    seconds: float
    budget: str
    gradient_norm: float
    selected_k: int | None


def evaluate(
    prepared: PreparedSet,
    task: EvaluateTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
    tuning_seconds: Mapping[str, float],
) -> tuple[list[TestMetric], list[TrueRanks]]:
    """Measure each metric on the test part, with the model and the threshold chosen for it.

    After the mAP stand the average precisions that it is the mean of, ``ap_<class>``: those of its
    model, as in TPAMI Table 10, where they average to the printed mAP. With the rows come the ranks
    of each model that a top-k accuracy is measured with. `tuning_seconds` is by split.
    """
    rows: list[TestMetric] = []
    ranks: list[TrueRanks] = []
    for name in sorted({choice.split for choice in choices}):
        of_split = [choice for choice in choices if choice.split == name]
        truth = truth_of(prepared.parts[split_named(prepared, name).test])
        keys = dict.fromkeys(map(key_of, of_split))
        scores = {key: instance_scores(prepared, models[key]) for key in keys}
        tops: dict[Key, list[str]] = {}
        for choice in of_split:
            key = key_of(choice)
            model = models[key]
            at = None
            if needs_threshold(choice.metric):
                at = threshold_for(choice, task.threshold, scores[key], prepared)
            grid = np.array([] if at is None else [at])
            measured = all_values([choice.metric], truth, scores[key], grid)
            values = {choice.metric: float(measured[0, 0])}
            if choice.metric == "map":
                values |= class_values(truth, scores[key], prepared.class_names)
            for metric, value in values.items():
                rows.append(
                    TestMetric(
                        dataset=task.dataset,
                        method=task.method,
                        split=name,
                        metric=metric,
                        value=value,
                        C=choice.C,
                        candidate=choice.candidate,
                        theta=choice.theta,
                        threshold=at,
                        relative_gap=model.relative_gap,
                        epochs=model.epochs,
                        status=model.status,
                        seconds=round(tuning_seconds[name] + model.seconds, 6),
                        budget=task.budget,
                        gradient_norm=model.gradient_norm,
                        selected_k=choice.k,
                    )
                )
            if choice.metric.startswith(TOP):
                tops.setdefault(key, []).append(choice.metric)
        ranks += [TrueRanks.of(name, tops[key], truth, scores[key]) for key in tops]
    return rows, ranks


def threshold_for(
    choice: Choice, threshold: Threshold, scores: np.ndarray, prepared: PreparedSet
) -> float:
    """Return the threshold on test scores for a choice (TPAMI section 3.1).

    tune: the one that was selected together with C (iii); a number: the one given (i); cardinality,
    and tune for a metric without a threshold: the one at which the test instances get as many
    labels on average as the training instances have (ii), which looks at all test instances at once.
    """
    if threshold == "tune" and needs_threshold(choice.metric):
        return choice.threshold
    if threshold not in ("tune", "cardinality"):
        return float(threshold)
    labels = prepared.parts[split_named(prepared, choice.split).train].Y
    return float(thresholds.match_cardinality(scores, labels.sum(axis=1).mean()))


def load_metrics(paths: Iterable[str | os.PathLike[str]]) -> list[TestMetric]:
    """Read the rows of several evaluation.csv; a FileError names the line and the column."""
    return [row for path in paths for row in read_rows(TestMetric, path)]


TOP = "top"


@dataclass(frozen=True)
class TrueRanks:
    """Ranks of one model on the n test rows of a split, a record of ranks.npz.

    `metric` names the top-k accuracies that are measured with this model, ``top<k>``. `above` (n,)
    says how many classes score higher than the true one, `tied` (n,) how many score the same, the
    true one among them.
    """

    split: str
    metric: np.ndarray
    above: np.ndarray
    tied: np.ndarray

    @classmethod
    def of(cls, split: str, metrics: Sequence[str], y: np.ndarray, scores: np.ndarray) -> TrueRanks:
        """Rank the true class y of each row among its scores, shape (n, m)."""
        own = np.take_along_axis(scores, y[:, None], axis=1)
        kind = np.min_scalar_type(scores.shape[1])
        above = np.count_nonzero(scores > own, axis=1).astype(kind)
        tied = np.count_nonzero(scores == own, axis=1).astype(kind)
        return cls(split, np.array(metrics), above, tied)

    def hits(self, metric: str) -> np.ndarray:
        """Return whether each row counts for ``top<k>``: 0 or 1, or a share where classes tie.

        Their mean is ``metrics.top_k_accuracy(y, scores, k, ties="shared")``.
        """
        places = int(metric.removeprefix(TOP)) - self.above.astype(np.int64)
        return np.clip(places / self.tied, 0.0, 1.0)


def load_ranks(path: str | os.PathLike[str]) -> list[TrueRanks]:
    """Read ranks.npz; a FileError names a file that is damaged or of another version."""
    return read_records(TrueRanks, path)


_OF_MODEL = ("C", "primal", "dual", "relative_gap", "epochs", "status", "seconds")


def predictions(
    prepared: PreparedSet,
    task: PredictTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> pd.DataFrame:
    """Return what the model that is chosen for `_predicting` predicts, a row for each test instance.

    `row` is that of the raw file, from 0, or of the test part; there is an `id` where a column of the file
    tells the rows apart. `true` and `predicted` are names of classes, or label sets by `join_names`.
    """
    import pandas as pd

    names = np.array(prepared.class_names, dtype=object)
    frames = []
    for choice, scores, at in _first(prepared, task, choices, models):
        test = prepared.parts[split_named(prepared, choice.split).test]
        if at is None:
            predicted, true = names[scores.argmax(axis=1)], names[test.y]
        else:
            predicted, true = (
                [join_names(names[row]) for row in chosen] for chosen in (scores >= at, test.Y > 0)
            )
        columns = {f"score_{name}": scores[:, j] for j, name in enumerate(names)}
        rows = np.arange(len(scores)) if test.rows is None else test.rows
        head = {"split": choice.split, "row": rows} | ({} if test.ids is None else {"id": test.ids})
        frames.append(pd.DataFrame(head | {"true": true, "predicted": predicted} | columns))
    return pd.concat(frames, ignore_index=True)


def _first(
    prepared: PreparedSet,
    task: PredictTask,
    choices: Sequence[Choice],
    models: Mapping[Key, Model],
) -> Iterator[tuple[Choice, np.ndarray, float | None]]:
    """Yield each choice for `_predicting`, with test scores and the threshold of label sets."""
    metric = _predicting(prepared, choices)
    by_threshold = predicts_sets(prepared, choices)
    for choice in choices:
        if choice.metric != metric:
            continue
        scores = instance_scores(prepared, models[key_of(choice)])
        at = threshold_for(choice, task.threshold, scores, prepared) if by_threshold else None
        yield choice, scores, at


def model_arrays(
    prepared: PreparedSet,
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
        if at is not None:
            kept["threshold"] = at
        arrays |= {f"{choice.split}.{name}": value for name, value in kept.items()}
        arrays["splits"] = np.append(arrays["splits"], choice.split)
    return arrays


def predicts_sets(prepared: PreparedSet, choices: Sequence[Choice]) -> bool:
    """Return whether `predictions` has label sets, not single labels."""
    test = prepared.parts[split_named(prepared, choices[0].split).test]
    return test.y is None or (test.Y is not None and needs_threshold(choices[0].metric))


def _predicting(prepared: PreparedSet, choices: Sequence[Choice]) -> str:
    """Return the metric whose models predict: the first, of label sets the first with a threshold."""
    first = choices[0].metric
    if not predicts_sets(prepared, choices):
        return first
    return next((choice.metric for choice in choices if needs_threshold(choice.metric)), first)
