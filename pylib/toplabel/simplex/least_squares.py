"""Simplex least squares for every lambda from one eigendecomposition (NIPS 2012, section 5).

The minimiser of ``(1/n) sum_i ||c_(y_i) - f(x_i)||^2 + lambda ||f||^2`` solves ``(K + lambda n I) A
= Y``, or in the linear case ``(X'X + lambda n I) W = X'Y``. The value at x_i of the solution
without row i is ``y_i - (y_i - f(x_i)) / (1 - h_i)``, h the diagonal of the matrix that turns Y
into the values of f: Wahba's formula, which the paper writes with ``(K + lambda n I)^-1``.

With weights w of the rows, x_i and y_i are multiplied by sqrt(w_i), and n is the sum of the weights.
Then h_i counts all copies of a row; a single one has h_i / w_i, and for w_i < 1 the row is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse

from toplabel._core.arrays import Features, MatrixLike, as_integer
from toplabel._core.solution import relative_gap
from toplabel.simplex import coding
from toplabel.simplex.problem import SimplexProblem, WeightedProblem, as_C
from toplabel.simplex.solution import SimplexSolution, solution_of

__all__ = ["LeastSquaresPath", "solve_once"]

_INDEFINITE = -1e-8  # smallest eigenvalue of a Gram matrix, relative to the largest
_ROWS = 1024  # whose squares are in memory at a time
_WORST_GAP = 1e-9  # of a Cholesky factor; else the eigenvectors decide
_LARGE = 8192  # rows of a matrix beyond which the workspace of divide and conquer, twice its size, is avoided


class LeastSquaresPath:
    """All regularised solutions of one training set.

    The eigendecomposition is that of X'X (d x d) or of K (n x n), whichever is smaller; afterwards
    a value of lambda costs a product of n x min(n, d) by min(n, d) x (T - 1) numbers, the only
    place where T enters.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d), or (n, n) with ``kernel="precomputed"``
        Rows, or their Gram matrix, symmetric and positive semidefinite.
    y : array-like of int, (n,)
        Class indices 0..T-1.
    kernel : {"linear", "rbf", "precomputed"} or callable
        As of `solve`.
    theta : float, optional
        Of ``kernel="rbf"``, as of `solve`; by default from the 25th percentile of the distances.
    n_classes : int, optional
        T, if not every class occurs in `y`.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.
    """

    def __init__(
        self,
        X: MatrixLike,
        y: MatrixLike,
        *,
        kernel: str | Callable[..., Any] = "linear",
        theta: float | str | None = None,
        n_classes: int | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        problem = SimplexProblem.from_arguments(X, y, kernel, theta, n_classes, sample_weight)
        self._data = data = WeightedProblem.of(problem, sample_weight)
        n, d = problem.rows.shape
        primal = not problem.is_gram and d < n
        self._basis = (_Primal if primal else _Dual).of(data)

    @property
    def n(self) -> float:
        """Number of rows, or their weight."""
        return self._data.n

    @property
    def theta(self) -> float | None:
        """The theta of the Gaussian kernel."""
        return self._data.problem.theta

    @property
    def eigenvalues(self) -> np.ndarray:
        """The eigenvalues of X'X or K, ascending."""
        return self._basis.eigenvalues

    def Cs(self, count: int = 100) -> np.ndarray:
        """Return values of C between those whose lambda n is the largest and the smallest
        eigenvalue.

        Parameters
        ----------
        count : int >= 2
            How many values.

        Returns
        -------
        ndarray, (count,)
            Ascending, in equal ratios. An eigenvalue that is zero up to rounding does not count:
            beyond it only rounding errors would be fitted.
        """
        count = as_integer(count, "count", 2)
        s = self.eigenvalues
        largest = s[-1]
        if not largest > 0:
            raise ValueError("X is zero: no value of lambda does anything")
        rounding = largest * len(self._data.Y) * np.finfo(float).eps
        smallest = s[s > rounding][0]
        return np.geomspace(1 / (2 * largest), 1 / (2 * smallest), count)

    def left_out(self, C: float) -> np.ndarray:
        """Return scores of each row by the solution without it, closed form.

        Parameters
        ----------
        C : float
            1/(2 n lambda) in the paper's lambda. Its n, that of all rows, is kept when a row is
            left out, so that ``lambda n`` is the same in all solutions.

        Returns
        -------
        ndarray, (n, T)
            The inner products with the code vectors.
        """
        scores, root = self._left_out(C), self._data.root
        if root is not None and not root.all():  # rows without weight are left out already
            rest = root == 0
            scores[rest] = self.solution(C).decision_function(self._data.problem.rows[rest])
        return scores

    def left_out_error(self, C: float) -> float:
        """Return the share of the rows, by weight, that the solution without them gets wrong.

        Parameters
        ----------
        C : float
            As of `left_out`.

        Returns
        -------
        float
            A share, in [0, 1].
        """
        wrong = self._left_out(C).argmax(axis=1) != self._data.problem.y
        root = self._data.root
        return float(np.mean(wrong) if root is None else np.average(wrong, weights=root**2))

    def _left_out(self, C: float) -> np.ndarray:
        """Return the scores of the rows that have weight."""
        residual, share = self._basis.residual(1 / (2 * as_C(C)))
        data = self._data
        if data.root is not None:
            residual = residual / np.where(data.root > 0, data.root, 1.0)[:, None]
            share = 1 - (1 - share) / np.maximum(data.root**2, 1.0)  # of a single copy
            share = np.maximum(share, np.finfo(float).eps)
        return coding.scores(data.codes - residual / share[:, None])

    def solution(self, C: float) -> SimplexSolution:
        """Return the solution for one C, with its duality gap.

        Parameters
        ----------
        C : float
            As of `left_out`.

        Returns
        -------
        SimplexSolution
            ``relative_gap`` is rounding error only.
        """
        C = as_C(C)
        return _solution(self._data, C, *self._basis.solution(1 / (2 * C)))


def solve_once(
    X: MatrixLike,
    y: MatrixLike,
    C: float,
    *,
    kernel: str | Callable[..., Any] = "linear",
    theta: float | str | None = None,
    n_classes: int | None = None,
    sample_weight: ArrayLike | None = None,
) -> SimplexSolution:
    """Return the solution for one C, by a Cholesky factor in place of the eigendecomposition, a
    tenth of its time or less.

    It is that of `LeastSquaresPath` where the factor is of no use: the matrix is singular up to rounding,
    or a Gram matrix that may not be positive semidefinite.
    """
    C = as_C(C)
    if kernel in ("linear", "rbf"):
        problem = SimplexProblem.from_arguments(X, y, kernel, theta, n_classes, sample_weight)
        data = WeightedProblem.of(problem, sample_weight)
        arrays = _by_cholesky(data, 1 / (2 * C))
        solution = None if arrays is None else _solution(data, C, *arrays)
        if solution is not None and solution.relative_gap <= _WORST_GAP:
            return solution
    return LeastSquaresPath(
        X, y, kernel=kernel, theta=theta, n_classes=n_classes, sample_weight=sample_weight
    ).solution(C)


def _solution(data: WeightedProblem, C: float, W, A, primal: float, dual: float) -> SimplexSolution:
    """Return the solution; A, P and D are those of the multiplied rows."""
    A = A if data.root is None else data.root[:, None] * A
    per_row = len(data.Y) / data.n  # the objectives are means over the rows, or over the weight
    certificate = {
        "primal": primal * per_row,
        "dual": dual * per_row,
        "relative_gap": relative_gap(primal, dual),
        "epochs": 0,
    }
    return solution_of(data.problem, "s_ls", C, W, A, status="converged", **certificate)


def _by_cholesky(data: WeightedProblem, ridge: float) -> tuple | None:
    """Return the solution by a Cholesky factor; None when the matrix has no factor."""
    Y, X = data.Y, data.X
    n, d = X.shape
    primal = not data.is_gram and d < n
    K: Any = None if primal else data.gram()
    matrix, right = (X.T @ X, np.asarray(X.T @ Y)) if primal else (K, Y)
    matrix = matrix.toarray() if sparse.issparse(matrix) else np.array(matrix)
    matrix[np.diag_indices_from(matrix)] += ridge
    try:
        factor = linalg.cho_factor(matrix.T, lower=True, overwrite_a=True)
    except linalg.LinAlgError:
        return None
    unknowns = linalg.cho_solve(factor, right)
    if primal:
        return _primal_solution(X, Y, unknowns, ridge)
    return _dual_solution(K, None if data.is_gram else X, Y, unknowns, ridge)


@dataclass(frozen=True)
class _Primal:
    """X'X = V diag(s) V', B = X V."""

    X: Features
    Y: np.ndarray
    eigenvalues: np.ndarray
    V: np.ndarray
    B: np.ndarray
    BtY: np.ndarray

    @classmethod
    def of(cls, data: WeightedProblem) -> _Primal:
        X, Y = data.X, data.Y
        gram = X.T @ X
        s, V = _eigen(gram.toarray() if sparse.issparse(gram) else gram)
        B = np.asarray(X @ V)
        return cls(X, Y, s, V, B, B.T @ Y)

    def residual(self, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        """Return ridge times (K + ridge)^-1, of Y and on the diagonal, K = X X'."""
        weights = 1 / (self.eigenvalues + ridge)
        residual = self.Y - self.B @ (weights[:, None] * self.BtY)
        share = 1 - _squares(self.B, weights)
        # A row alone in its direction has h near 1 and a residual near 0.
        return residual, np.maximum(share, np.finfo(float).eps)

    def solution(self, ridge: float) -> tuple[np.ndarray, np.ndarray, float, float]:
        weights = 1 / (self.eigenvalues + ridge)
        return _primal_solution(self.X, self.Y, self.V @ (weights[:, None] * self.BtY), ridge)


@dataclass(frozen=True)
class _Dual:
    """K = Q diag(s) Q'; X is there for the linear kernel."""

    K: np.ndarray
    X: Features | None
    Y: np.ndarray
    eigenvalues: np.ndarray
    Q: np.ndarray
    QtY: np.ndarray

    @classmethod
    def of(cls, data: WeightedProblem) -> _Dual:
        K, Y = data.gram(), data.Y
        s, Q = _eigen(K)
        return cls(K, None if data.is_gram else data.X, Y, s, Q, Q.T @ Y)

    def residual(self, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        """Return ridge times (K + ridge)^-1, of Y and on the diagonal, as `_Primal` does."""
        weights = ridge / (self.eigenvalues + ridge)
        return self.Q @ (weights[:, None] * self.QtY), _squares(self.Q, weights)

    def solution(self, ridge: float) -> tuple[np.ndarray | None, np.ndarray, float, float]:
        weights = 1 / (self.eigenvalues + ridge)
        A = self.Q @ (weights[:, None] * self.QtY)
        return _dual_solution(self.K, self.X, self.Y, A, ridge)


def _primal_solution(X, Y, W, ridge: float) -> tuple[np.ndarray, np.ndarray, float, float]:
    """W, A, P at W, D at A."""
    residual = Y - np.asarray(X @ W)
    A = residual / ridge
    dual_W = np.asarray(X.T @ A)
    return W, A, *_objectives(Y, residual, A, np.vdot(W, W), np.vdot(dual_W, dual_W), ridge)


def _dual_solution(K, X, Y, A, ridge: float) -> tuple[np.ndarray | None, np.ndarray, float, float]:
    """Return the solution that belongs to A; X for the linear kernel, else None."""
    F = K @ A
    norm2 = np.vdot(A, F)
    W = None if X is None else np.asarray(X.T @ A)
    return W, A, *_objectives(Y, Y - F, A, norm2, norm2, ridge)


def _eigen(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, ascending and not negative, and eigenvectors.

    Beside the matrix there are three more of its size in memory, or two when it is large.
    """
    if len(matrix) == 1:  # SciPy up to 1.13 fails: "dsyevd: lwork"
        s, V = matrix[0], np.ones((1, 1))
    else:
        s, V = linalg.eigh(matrix, driver="evd" if len(matrix) <= _LARGE else "evr")
    if s[0] < _INDEFINITE * max(s[-1], -s[0]):
        raise ValueError(
            f"X must be a positive semidefinite Gram matrix, it has the eigenvalue {s[0]:.3g}"
        )
    return np.maximum(s, 0.0), V


def _squares(B: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``sum_k B_ik^2 weights_k``, without a second matrix of B's size."""
    sums = np.empty(len(B))
    for first in range(0, len(B), _ROWS):
        block = slice(first, first + _ROWS)
        sums[block] = (B[block] ** 2) @ weights
    return sums


def _objectives(Y, residual, A, norm2: float, dual_norm2: float, ridge: float):
    """P at f, and D at A: ``lambda (2 <A, Y> - lambda n ||A||^2 - ||sum_i k(., x_i) a_i||^2)``."""
    n = len(Y)
    primal = (np.vdot(residual, residual) + ridge * norm2) / n
    dual = ridge / n * (2 * np.vdot(A, Y) - ridge * np.vdot(A, A) - dual_norm2)
    return float(primal), float(dual)
