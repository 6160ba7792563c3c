"""The interface of a method: what trains it, what training gives, and what scores rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from toplabel._core.solution import relative_gap
from toplabel.kernels import cross_gram
from toplabel.reproduction.data.parts import Rows as Matrix
from toplabel.reproduction.data.parts import dense
from toplabel.solver import Solution, solve


class Scorer(Protocol):
    """A trained model that is not linear."""

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""


@dataclass(frozen=True, eq=False)
class Affine:
    """Scores X W + bias, with W of shape (d, m)."""

    W: np.ndarray
    bias: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        return np.asarray(X @ self.W) + self.bias


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Scores sum_i exp(-theta ||x - x_i||^2) A_i + bias, X (n, d) the rows with a coefficient."""

    X: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    theta: float

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        return kernel_scores(X, self.X, self.A, self.theta) + self.bias


_NUMBERS = 1 << 24  # of the kernel between two sets of rows, at a time: 128 MiB


def kernel_scores(X: Matrix, X_train: np.ndarray, A: np.ndarray, theta: float) -> np.ndarray:
    """Return K(X, X_train) A for the RBF kernel, shape (rows, m), block by block."""
    rows = max(1, _NUMBERS // max(1, len(X_train)))
    blocks = [
        cross_gram(dense(X[i : i + rows]), X_train, theta) @ A for i in range(0, X.shape[0], rows)
    ]
    return np.concatenate(blocks)


@dataclass(frozen=True, eq=False)
class TrainedMethod:
    """A trained method; the counterpart of `toplabel.Solution` of the library's losses.

    `model` is the matrix W of a linear classifier, shape (d, m), or a `Scorer`. `status` is
    "converged" when the relative gap is at most the tolerance, "max_iter" when the limit came
    first, "stalled" when rounding prevented further progress, and "uncertified" when training ended
    by a rule that does not bound the distance to an optimum. Epochs are passes or iterations, as
    each method defines them. Objectives are in the normalisation of `toplabel.solve`, NaN where the
    method has none. `state` is what training for a larger C starts from. `left_out`, (n, m), has
    the scores of each training row by the model of all others, where there is a closed form.
    """

    model: np.ndarray | Scorer
    status: str
    epochs: int
    primal: float = np.nan
    dual: float = np.nan
    relative_gap: float = np.nan
    gradient_norm: float | None = None
    state: Any = None
    left_out: np.ndarray | None = None

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        if isinstance(self.model, np.ndarray):
            return np.asarray(X @ self.model)
        return self.model.scores(X)


class Trainer(Protocol):
    """Trainer of a method; an implementation names the arguments that it needs, and takes **_."""

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float | None,
        candidate: int | None,
        seed: int,
        tol: float,
        max_iter: int,
        start: TrainedMethod | None,
    ) -> TrainedMethod | Solution:
        """Train on rows X, (n, d), for one value of C; an estimator takes `candidate`, an index, in its
        place.

        The labels are class indices, or an indicator for a method that is trained on label sets;
        the last of the classes may have no example. What is random depends on the seed alone. tol
        is the relative gap to reach, by methods that have one, max_iter the limit on the passes,
        and start the result for a smaller C.
        """


def certified(trained: TrainedMethod, tol: float, max_iter: int) -> TrainedMethod:
    """Return the training of a method with a gap, with the status that follows from it (see `TrainedMethod`)."""
    status = "max_iter" if trained.epochs >= max_iter else "stalled"
    return replace(trained, status="converged" if trained.relative_gap <= tol else status)


def indicator(labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Return class indices (n,) as a boolean array of shape (n, m)."""
    return labels[:, None] == np.arange(n_classes)


def train_problems(
    solve: Callable[[np.ndarray, Any], TrainedMethod],
    labels: np.ndarray,
    n_classes: int,
    one_vs_all: bool,
    start: TrainedMethod | None,
    n_rows: int,
) -> TrainedMethod:
    """Solve the problem of all classes, or one per class, and join what the solutions say.

    `solve` takes which embedded examples are positive, (n, c), and the state of an earlier
    solution, and returns a matrix W of `n_rows` rows. Without a positive or without a negative W = 0
    is optimal. The objectives of the problems are added up, and the largest number of epochs counts.
    """

    def solve_problem(positive: np.ndarray, state: Any) -> TrainedMethod:
        if positive.any() and not positive.all():
            return solve(positive, state)
        return TrainedMethod(np.zeros((n_rows, positive.shape[1])), "uncertified", 0, 0.0, 0.0)

    positive = indicator(labels, n_classes)
    problems = np.split(positive, n_classes, axis=1) if one_vs_all else [positive]
    states = [None] * len(problems) if start is None else start.state
    solved = [solve_problem(*pair) for pair in zip(problems, states, strict=True)]
    primal = sum(problem.primal for problem in solved)
    dual = sum(problem.dual for problem in solved)
    gap, epochs = relative_gap(primal, dual), max(problem.epochs for problem in solved)
    model = np.concatenate([problem.model for problem in solved], axis=1)
    states = [problem.state for problem in solved]
    return TrainedMethod(model, "uncertified", epochs, primal, dual, gap, state=states)


_STATED_PASSES = 10  # between two evaluations, as in the program of the authors


@dataclass(frozen=True)
class LibraryLoss:
    """A loss as `toplabel.losses.get` takes it; with a kernel it takes Gram matrices in place of
    rows.

    There are no warm starts. One from another C would save a quarter of the passes, but the model
    would depend on the values of C trained before it. Without one it is a function of its rows, its
    hyper-parameters, its seed and its tolerance.
    """

    loss: str | object
    k: int = 1
    gamma: float = 0.0
    kernel: str = "linear"
    passes: int | None = None
    gap: float | None = None

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float,
        seed: int,
        tol: float,
        max_iter: int,
        **_,
    ) -> Solution:
        """Train (see `trained.Trainer`)."""
        solution = solve(
            X,
            labels,
            self.loss,
            C=C,
            k=self.k,
            gamma=self.gamma,
            kernel="linear" if self.kernel == "linear" else "precomputed",
            n_classes=n_classes,
            check_input=False,  # Gram matrices come from `toplabel.kernels`
            tol=self.gap or tol,
            eval_every=_STATED_PASSES if self.gap else None,
            method="sdca" if self.gap else "auto",
            max_iter=min(max_iter, self.passes or max_iter),
            seed=seed,
        )
        if solution.status == "interrupted":  # a model that is not finished must not be used
            raise KeyboardInterrupt
        return solution
