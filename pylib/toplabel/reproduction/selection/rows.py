"""A cell with other training rows than its folds have: a part of them, for learning curves, or all rows.

Both are made from the prepared data set: parts that were standardised are standardised again, by the
rows that are trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import with_ones
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.selection import CurveTask, TrainTask, TuneTask
from toplabel.reproduction.selection.choice import (
    Choice,
    GridValues,
    choose,
    means,
    seconds_by_split,
)
from toplabel.reproduction.selection.evaluation import evaluate
from toplabel.reproduction.selection.models import Key, Model, key_of, train_models
from toplabel.reproduction.selection.problems import split_named
from toplabel.reproduction.selection.tuning import tune

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Part, PreparedSet, Rows

ALL_ROWS = "all"
"""The name of the split that trains on all rows."""
_OF_ROWS = ("X", "y", "Y", "rows", "ids")


@dataclass(frozen=True)
class CurvePoint:
    """A test value by a share of the training rows: a row of curve.csv.

    `rows` are the training rows of the model, of `all_rows` of the split.
    """

    dataset: str
    method: str
    split: str
    metric: str
    size: float
    rows: int
    all_rows: int
    value: float


def learning_curve(prepared: PreparedSet, task: CurveTask) -> list[CurvePoint]:
    """Tune, train and measure a cell by shares of the training rows of each split."""
    points = []
    for size in task.sizes:
        smaller = with_share(prepared, size, task.tune.splits, task.bias)
        tuned = tune(smaller, task.tune)
        choices, models = _chosen(smaller, tuned, task.train)
        rows, _ = evaluate(smaller, task.evaluate, choices, models, seconds_by_split(tuned))
        for row in rows:
            fewer, train = (split_named(of, row.split).train for of in (smaller, prepared))
            points.append(
                CurvePoint(
                    dataset=row.dataset,
                    method=row.method,
                    split=row.split,
                    metric=row.metric,
                    size=size,
                    rows=smaller.parts[fewer].n_rows,
                    all_rows=prepared.parts[train].n_rows,
                    value=row.value,
                )
            )
    return points


def final_models(
    whole: PreparedSet, tuning: TuneTask, training: TrainTask
) -> tuple[list[Choice], dict[Key, Model]]:
    """Return what is chosen by inner folds over all rows, and the models that are trained on them."""
    return _chosen(whole, tune(whole, replace(tuning, splits=(ALL_ROWS,))), training)


def _chosen(
    prepared: PreparedSet, tuned: Sequence[GridValues], task: TrainTask
) -> tuple[list[Choice], dict[Key, Model]]:
    choices = choose(means(tuned), task.selected_by)
    return choices, {key_of(model): model for model in train_models(prepared, task, choices)}


def with_all_rows(prepared: PreparedSet, bias: bool) -> PreparedSet:
    """Return a data set with one split, whose training and test part are all rows of the first one.

    A part with regions is refused.
    """
    split = prepared.splits[0]
    names = [name for name in (split.train, split.val, split.test) if name]
    parts = [prepared.parts[name] for name in names]
    _refuse_regions(prepared.name, "final_model", parts[0])
    joined = replace(parts[0], **{name: _stacked(parts, name) for name in _OF_ROWS})
    whole = _scaled_again(joined, [joined], bias)[0]
    return replace(
        prepared, parts={ALL_ROWS: whole}, splits=[Split(ALL_ROWS, ALL_ROWS, None, ALL_ROWS)]
    )


def with_share(
    prepared: PreparedSet, size: float, splits: Sequence[str], bias: bool
) -> PreparedSet:
    """Return a data set whose training parts have a share of their rows, spread over the classes.

    A smaller share is a part of a larger one. Splits with one training part have the same share of it. Each
    split has parts of its own, since a part may train in one split and test in another. A part with
    regions is refused.
    """
    parts: dict[str, Part] = {}
    own_splits = []
    for name in splits:
        split = split_named(prepared, name)
        train = prepared.parts[split.train]
        _refuse_regions(prepared.name, "sizes", train)
        first = next(other.name for other in prepared.splits if other.train == split.train)
        kept = np.sort(_order(train, prepared.name, first)[: max(2, round(size * train.n_rows))])
        of_rows = {key: getattr(train, key) for key in _OF_ROWS}
        cut = {key: values[kept] for key, values in of_rows.items() if values is not None}
        fewer = replace(train, **cut)
        uses = {use: getattr(split, use) for use in ("val", "test") if getattr(split, use)}
        others = [prepared.parts[part] for part in uses.values()]
        names = {use: f"{name}/{use}" for use in ("train", *uses)}
        parts.update(zip(names.values(), _scaled_again(fewer, [fewer, *others], bias), strict=True))
        own_splits.append(replace(split, **names))
    return replace(prepared, parts=parts, splits=own_splits)


def _order(part: Part, *names: object) -> np.ndarray:
    """Return the rows in an order of which each beginning has the classes by their shares."""
    shuffled = np.random.default_rng(seed_of("sizes", *names)).permutation(part.n_rows)
    if part.y is None:
        return shuffled
    labels = part.y[shuffled]
    place = np.empty(part.n_rows)
    for label in np.unique(labels):
        of_class = np.flatnonzero(labels == label)
        place[of_class] = (np.arange(len(of_class)) + 0.5) / len(of_class)
    return shuffled[np.argsort(place, kind="stable")]


def _scaled_again(train: Part, parts: Sequence[Part], bias: bool) -> list[Part]:
    """Return parts standardised by the rows of `train`, where the set is standardised at all.

    `train` is the first of the parts, which alone has shift and scale, those of the raw features.
    """
    if train.shift is None or train.scale is None:
        return list(parts)
    scaler = StandardScaler(with_mean=not sparse.issparse(train.X))  # as `data.prepare.transform`
    scaler.fit(_features(train, bias))
    scaled = []
    for part in parts:
        rows = scaler.transform(_features(part, bias))
        scaled.append(replace(part, X=with_ones(rows) if bias else rows))
    shift = train.shift + train.scale * (scaler.mean_ if scaler.with_mean else 0.0)
    scaled[0] = replace(scaled[0], shift=shift, scale=train.scale * scaler.scale_)
    return scaled


def _features(part: Part, bias: bool) -> Rows:
    """Return the features of a part without the column of ones."""
    return part.X[:, : -1 if bias else None].astype(np.float64, copy=False)


def _refuse_regions(name: str, key: str, part: Part) -> None:
    if part.groups is not None:
        raise ValueError(f"data set '{name}', {key}: a part with regions is not cut or joined")


def _stacked(parts: Sequence[Part], name: str) -> Any:
    values = [getattr(part, name) for part in parts]
    if any(value is None for value in values):
        return None
    return sparse.vstack(values, "csr") if sparse.issparse(values[0]) else np.concatenate(values)
