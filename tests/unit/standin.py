"""A slow and obvious solver in place of `toplabel.solve`, and small data sets for it."""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from toplabel.reproduction.config.protocols import Protocol
from toplabel.reproduction.config.run import Settings
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.selection.problems import validation_problems
from toplabel.reproduction.selection.task import Task


@dataclass(frozen=True)
class Solution:
    """What selection reads of a solution."""

    W: np.ndarray | None
    A: np.ndarray
    C: float
    primal: float
    dual: float
    relative_gap: float
    epochs: int
    status: str
    X: np.ndarray | None = None
    history: list = field(default_factory=list)
    kernel: str = "linear"
    gradient_norm: float | None = None

    @property
    def coefficients(self) -> np.ndarray | None:
        return None if self.kernel == "linear" else self.A

    def decision_function(self, X):
        return np.asarray(X) @ (self.W if self.kernel == "linear" else self.A)


@dataclass
class Recorder:
    """Softmax regression by L-BFGS in the dual weights A, W = X^T A; remembers its calls."""

    calls: list = field(default_factory=list)
    status: str = "converged"

    def __call__(self, X, y, *, C, kernel, n_classes, **arguments):
        self.calls.append({"C": C, "kernel": kernel, **arguments})
        X = np.asarray(X, dtype=float)
        n = len(X)
        target = np.eye(n_classes)[y] if np.ndim(y) == 1 else np.asarray(y, dtype=float)
        target = target / np.maximum(target.sum(axis=1, keepdims=True), 1)
        gram = X if kernel == "precomputed" else X @ X.T

        def objective(flat):
            A = flat.reshape(n, n_classes)
            scores = gram @ A
            top = scores.max(axis=1, keepdims=True)
            log_sum = top[:, 0] + np.log(np.exp(scores - top).sum(axis=1))
            loss = log_sum - (target * scores).sum(axis=1)
            soft = np.exp(scores - log_sum[:, None])
            value = loss.mean() + (A * scores).sum() / (2 * C * n)
            gradient = gram @ ((soft - target) / n + A / (C * n))
            return value, gradient.ravel()

        found = minimize(objective, np.zeros(n * n_classes), jac=True, method="L-BFGS-B")
        A = found.x.reshape(n, n_classes)
        W = X.T @ A if kernel == "linear" else None
        value = float(found.fun)
        return Solution(W, A, C, value, value, 1e-6, int(found.nit), self.status, kernel=kernel)


def blobs(n_per_class=12, m=3, seed=0, spread=0.7):
    """Points around m corners of a polygon: X of shape (n, 2), y of shape (n,)."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(m) / m
    centres = np.column_stack([np.cos(angle), np.sin(angle)])
    y = np.repeat(np.arange(m), n_per_class)
    return centres[y] + spread * rng.standard_normal((len(y), 2)), y


def multiclass_set(with_val=True):
    """A prepared multiclass set with one split."""
    parts = {}
    for i, name in enumerate(("train", "val", "test")):
        X, y = blobs(seed=i)
        parts[name] = Part(X=X, y=y)
    split = Split("main", "train", "val" if with_val else None, "test")
    return Prepared("toy", "multiclass", 3, ["a", "b", "c"], parts, [split])


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
    return Prepared("scenes", "multilabel", 3, ["a", "b", "c"], parts, [split])


def task_of(
    method, budget, metrics=("top1",), validation="holdout", retrain_on="train", dataset="toy"
):
    """The task of a method on the split "main", with a protocol of its own."""
    protocol = Protocol("toy", validation, tuple(metrics), {}, retrain_on)
    return Task(dataset, method, protocol, budget, Settings(), "main")


def problems_of(prepared, task):
    """The problems that validate the split of a task, one a fold."""
    return list(validation_problems(prepared, task))
