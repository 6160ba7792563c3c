"""Small data sets, tasks on them, and methods, for the tests of selection and methods."""

import numpy as np

from toplabel.reproduction.config.entry import Entry, RawFile, Split
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.methods import create
from toplabel.reproduction.selection import EvaluateTask, TuneTask
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.tasks import recipe_of


def blobs(n_per_class=12, m=3, seed=0, spread=0.7):
    """Points around m corners of a polygon: X of shape (n, 2), y of shape (n,)."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(m) / m
    centres = np.column_stack([np.cos(angle), np.sin(angle)])
    y = np.repeat(np.arange(m), n_per_class)
    return centres[y] + spread * rng.standard_normal((len(y), 2)), y


def own_entry(**fields):
    """The entry of own data: a table a.csv with classes, unless the fields say something else."""
    known = {"name": "mine", "title": "Mine", "task": "multiclass", "protocol": "own"}
    return Entry(**known | {"format": "table", "files": (RawFile("a.csv", "all"),)} | fields)


def multiclass_set(with_val=True):
    """A prepared multiclass set with one split."""
    parts = {}
    for i, name in enumerate(("train", "val", "test")):
        X, y = blobs(seed=i)
        parts[name] = Part(X=X, y=y)
    split = Split("main", "train", "val" if with_val else None, "test")
    return PreparedSet("toy", "multiclass", ["a", "b", "c"], parts, [split])


def regions_set():
    """A prepared set whose instances have one or two rows, a prominent label and a label set."""
    parts = {}
    for i, name in enumerate(("train", "test")):
        X, y = blobs(n_per_class=12, seed=10 + i, spread=0.3)
        order = np.random.default_rng(i).permutation(len(y))
        X, y = X[order], y[order]
        groups = np.repeat(np.arange(len(y) * 2 // 3), 2)[: len(y)]
        groups = np.minimum(groups, len(y) // 2 - 1)
        n = int(groups.max()) + 1
        Y = np.zeros((n, 3), dtype=np.uint8)
        Y[groups, y] = 1
        prominent = np.array([y[groups == j][0] for j in range(n)])
        parts[name] = Part(X=X, y=prominent, Y=Y, groups=groups)
    split = Split("main", "train", None, "test")
    return PreparedSet("scenes", "multilabel", ["a", "b", "c"], parts, [split])


def task_of(method, budget, metrics=("top1",), validation="holdout", dataset="toy"):
    """The task of tuning a method on the split "main", to a gap of 1e-3."""
    return TuneTask(
        dataset=dataset,
        method=method.name,
        recipe=recipe_of(method),
        seed=0,
        tol=1e-3,
        max_iter=1000,
        split="main",
        splits=("main",),
        validation=validation,
        metrics=tuple(metrics),
        grid=method.grid_of(budget, "standard"),
    )


def evaluation_of(task, threshold="tune"):
    """The task of evaluating what a task trains."""
    return EvaluateTask(task.dataset, task.method, "standard", threshold)


def problems_of(prepared, task):
    """The problems that validate the split of a task, one a fold."""
    return list(validation_problems(prepared, task))


def competitor(name, k=1, **params):
    """The trainer of a competitor with some of its options."""
    options = {"params": params} if params else {}
    return create(recipe_of(Method("m", "M", competitor=name, k=k, **options)))
