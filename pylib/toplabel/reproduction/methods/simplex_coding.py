"""The methods of "Multiclass Learning with Simplex Coding" (NIPS 2012) as trainers, for its Table
2.

The algorithms are those of `toplabel.simplex`. C is 1/(2 n lambda) with the paper's lambda, as
everywhere: the regulariser is ``lambda ||f||^2`` there and half of that here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from toplabel import simplex
from toplabel.reproduction.config.protocols import Axis
from toplabel.reproduction.methods.trained import Affine, Gaussian, Matrix, TrainedMethod, dense


class LeastSquares:
    """Simplex least squares in closed form, with its leave-one-out scores.

    The width of the Gaussian is the 25th percentile of the distances between training rows; it is
    ``exp(-||x - z||^2 / (denominator width^2))``, with a 1 in GURLS, the authors' library. The grid
    has `count` values of lambda between the smallest and the largest eigenvalue. With `bias` the
    rows get a column of ones, whose weights are regularised with the others.
    """

    def __init__(
        self, kernel: str, count: int = 100, bias: bool = False, denominator: int = 2
    ) -> None:
        self._count = count
        self._settings = (kernel, bias, denominator)

    def axis(self, X: Matrix, labels: np.ndarray, n_classes: int) -> Axis:
        """Return the grid of C: powers of 10 between those of the outermost eigenvalues."""
        Cs = _path_of(X, labels, n_classes, *self._settings).Cs(self._count)
        start, stop = float(np.log10(Cs[0])), float(np.log10(Cs[-1]))
        return Axis(10.0, start, stop, (stop - start) / (self._count - 1) or 1.0)

    def train(self, X, labels, *, n_classes, C, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        kernel, bias, denominator = self._settings
        if _Last.holds(X, labels, n_classes, *self._settings):
            solution, left_out = _Last.path.solution(C), _Last.path.left_out(C)
        else:
            options = {"n_classes": n_classes, **_kernel(X, kernel, denominator)}
            solution, left_out = simplex.solve(_rows(X, bias), labels, "s_ls", C, **options), None
        return _trained(solution, X, bias, epochs=1, left_out=left_out)


@dataclass(frozen=True)
class SupportVectors:
    """Simplex cone SVM or simplex half space SVM in batch, by `toplabel.simplex.solve`. The kernels are
    those of `LeastSquares`.
    """

    loss: str
    kernel: str

    def train(
        self, X, labels, *, n_classes, C, seed, tol, max_iter, start=None, **_
    ) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        options = {"kernel": self.kernel, "n_classes": n_classes, "tol": tol, "seed": seed}
        options |= {"max_iter": max_iter, "warm_start": None if start is None else start.state}
        solution = simplex.solve(X, labels, self.loss, C, **options)
        return _trained(solution, X, state=solution)


@dataclass(frozen=True)
class Online:
    """Projected stochastic subgradient steps, by `toplabel.simplex.solve_online`; C begins at zero.

    With `average` the model is the mean of all iterates; `bias` is as of `LeastSquares`.
    """

    loss: str
    epochs: int = 20
    average: bool = True
    bias: bool = False

    def train(self, X, labels, *, n_classes, C, seed, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        options = {"epochs": self.epochs, "average": self.average, "n_classes": n_classes}
        rows = _rows(X, self.bias)
        solution = simplex.solve_online(rows, labels, self.loss, C, seed=seed, **options)
        return _trained(solution, X, self.bias, dual=math.nan, relative_gap=math.nan)


@dataclass(frozen=True)
class ConeProgram:
    """The online cone SVM as the authors' library GURLS had it in May 2012 (``rls_svmcons``).

    Its steps follow the subgradient of both SVMs: where the hinge of the half space SVM is
    positive, the code of the row's class is added. The rest is as of `Online`: steps of
    1/(lambda t), the projection, a new order for each pass, the mean of all iterates.
    """

    epochs: int = 4

    def train(self, X, labels, *, n_classes, C, seed, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        rows, codes = dense(X), simplex.simplex_coding(n_classes)
        scale, rng = C * len(rows), np.random.default_rng(seed)  # 1 / lambda
        W = np.zeros((rows.shape[1], n_classes - 1))
        total = np.zeros_like(W)
        order = np.concatenate([rng.permutation(len(rows)) for _ in range(self.epochs)])
        for t, i in enumerate(order, 1):
            x, y = rows[i], labels[i]
            scores = (x @ W) @ codes
            is_violated = scores > -1.0 / (n_classes - 1)
            is_violated[y] = False
            step = codes @ is_violated
            if scores[y] < 1.0:
                step -= codes[:, y]
            W *= 1.0 - 1.0 / t
            W -= np.outer(x, scale / t * step)
            W *= min(1.0, np.sqrt(scale) / max(np.linalg.norm(W), np.finfo(float).tiny))
            total += W
        return TrainedMethod((total / len(order)) @ codes, "uncertified", self.epochs, math.nan)


class _Last:
    """The path made last; its eigendecomposition costs more than all of its solutions."""

    of: tuple = ()
    path: simplex.LeastSquaresPath | None = None

    @classmethod
    def holds(cls, *wanted: object) -> bool:
        """Return whether the path is that of these arguments."""
        return bool(cls.of) and all(a is b for a, b in zip(wanted, cls.of, strict=True))


def _path_of(
    X: Matrix, labels: np.ndarray, n_classes: int, kernel: str, bias: bool, denominator: int
) -> simplex.LeastSquaresPath:
    wanted = (X, labels, n_classes, kernel, bias, denominator)
    if not _Last.holds(*wanted):
        _Last.of, _Last.path = (), None  # one at a time is in memory
        options = {"n_classes": n_classes, **_kernel(X, kernel, denominator)}
        _Last.path = simplex.LeastSquaresPath(_rows(X, bias), labels, **options)
        _Last.of = wanted
    return _Last.path


def _kernel(X: Matrix, kernel: str, denominator: int) -> dict[str, Any]:
    """Return the kernel as the arguments of the solvers."""
    if kernel == "linear":
        return {"kernel": kernel}
    return {"kernel": kernel, "theta": 1 / (denominator * simplex.gaussian_width(X) ** 2)}


def _rows(X: Matrix, bias: bool) -> Matrix:
    """Return the rows, with a column of ones for a bias."""
    if not bias:
        return X
    ones = np.ones((X.shape[0], 1))
    return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])


def _trained(
    solution: simplex.SimplexSolution, X: Matrix, bias: bool = False, **changes: Any
) -> TrainedMethod:
    """Return a solution with the scores of the classes as a model that can be stored."""
    codes = simplex.simplex_coding(solution.n_classes)
    model: np.ndarray | Affine | Gaussian
    if solution.W is not None:
        W = solution.W @ codes
        model = Affine(W[:-1], W[-1]) if bias else W
    else:
        kept = np.flatnonzero(solution.A.any(axis=1))
        rows = np.asarray(dense(X[kept]), dtype=float)
        model = Gaussian(
            rows, solution.A[kept] @ codes, np.zeros(solution.n_classes), float(solution.theta)
        )
    certificate = ("status", "epochs", "primal", "dual", "relative_gap")
    return TrainedMethod(model, **{name: getattr(solution, name) for name in certificate} | changes)
