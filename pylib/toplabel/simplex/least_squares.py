"""Simplex least squares for every lambda from one eigendecomposition (NIPS 2012, section 5).

The minimiser of ``(1/n) sum_i ||c_(y_i) - f(x_i)||^2 + lambda ||f||^2`` solves ``(K + lambda n I) A = Y``, or in the
linear case ``(X'X + lambda n I) W = X'Y``. The value at x_i of the solution without row i is
``y_i - (y_i - f(x_i)) / (1 - h_i)``, h the diagonal of the matrix that turns Y into the values of f: Wahba's formula,
which the paper writes with ``(K + lambda n I)^-1``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from toplabel._arrays import as_integer
from toplabel.simplex import coding
from toplabel.simplex.problem import Problem, as_C
from toplabel.simplex.solution import SimplexSolution

__all__ = ["LeastSquaresPath"]

_INDEFINITE = -1e-8  # smallest eigenvalue of a Gram matrix, relative to the largest
_ROWS = 1024  # whose squares are in memory at a time


class LeastSquaresPath:
    """All regularised solutions of one training set.

    The eigendecomposition is that of X'X (d x d) or of K (n x n), whichever is smaller; afterwards a value of lambda
    costs a product of n x min(n, d) by min(n, d) x (T - 1) numbers, the only place where T enters.

    Parameters
    ----------
    X : array-like or sparse matrix, (n, d), or (n, n) with ``kernel="precomputed"``
    y : array-like of int, (n,)
        Class indices 0..T-1.
    kernel : {"linear", "rbf", "precomputed"} or callable
    theta : float, optional
        Of ``kernel="rbf"``; by default from the 25th percentile of the distances.
    n_classes : int, optional
        T, if not every class occurs in `y`.

    Raises
    ------
    ValueError, TypeError
        For an argument that does not fit, naming it; also a Gram matrix that is not symmetric or not positive
        semidefinite.
    """

    def __init__(self, X, y, *, kernel="linear", theta=None, n_classes=None) -> None:
        self._problem = problem = Problem.from_arguments(X, y, kernel, theta, n_classes)
        self._Y = coding.encode(problem.y, problem.labels.m)
        n, d = problem.rows.shape
        primal = not problem.is_gram and d < n
        self._basis = (_Primal if primal else _Dual).of(problem, self._Y)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self._problem.labels.n

    @property
    def theta(self) -> float | None:
        """Of the Gaussian kernel."""
        return self._problem.theta

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of X'X or K, ascending."""
        return self._basis.eigenvalues

    def Cs(self, count: int = 100) -> np.ndarray:
        """Values of C between those whose lambda n is the largest and the smallest eigenvalue.

        Parameters
        ----------
        count : int >= 2

        Returns
        -------
        ndarray, (count,)
            Ascending, in equal ratios. An eigenvalue that is zero up to rounding does not count: beyond it only
            rounding would be fitted.
        """
        count = as_integer(count, "count", 2)
        s = self.eigenvalues
        largest = s[-1]
        if not largest > 0:
            raise ValueError("X is zero: no value of lambda does anything")
        smallest = s[s > largest * self.n * np.finfo(float).eps][0]
        return np.geomspace(1 / (2 * largest), 1 / (2 * smallest), count)

    def left_out(self, C: float) -> np.ndarray:
        """Scores of each row by the solution without it, closed form.

        Parameters
        ----------
        C : float
            1/(2 n lambda) in the paper's lambda. Its n, that of all rows, is kept when a row is left out, so that
            ``lambda n`` is the same in all solutions.

        Returns
        -------
        ndarray, (n, T)
        """
        ridge = 1 / (2 * as_C(C))
        residual, share = self._basis.residual(ridge)
        return coding.scores(self._Y - residual / share[:, None])

    def left_out_error(self, C: float) -> float:
        """Share of the rows that the solution without them gets wrong."""
        return float(np.mean(self.left_out(C).argmax(axis=1) != self._problem.y))

    def solution(self, C: float) -> SimplexSolution:
        """The solution for one C, with its duality gap.

        Returns
        -------
        SimplexSolution
            ``relative_gap`` is what rounding left.
        """
        C = as_C(C)
        ridge = 1 / (2 * C)
        W, A, primal, dual = self._basis.solution(ridge)
        gap = (primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny)
        return SimplexSolution(
            *(W, A, primal, dual, gap, 0, "converged", "s_ls", C, self._problem.labels.m),
            kernel=self._problem.kernel,
            theta=self._problem.theta,
            X=self._problem.kernel_rows,
        )


@dataclass(frozen=True)
class _Primal:
    """X'X = V diag(s) V', B = X V."""

    X: np.ndarray | sparse.csr_array
    Y: np.ndarray
    eigenvalues: np.ndarray
    V: np.ndarray
    B: np.ndarray
    BtY: np.ndarray

    @classmethod
    def of(cls, problem: Problem, Y: np.ndarray) -> _Primal:
        X = problem.features
        gram = X.T @ X
        s, V = _eigen(gram.toarray() if sparse.issparse(gram) else gram)
        B = np.asarray(X @ V)
        return cls(X, Y, s, V, B, B.T @ Y)

    def residual(self, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        """Y - f, (n, T - 1), and 1 - h, (n,)."""
        weights = 1 / (self.eigenvalues + ridge)
        residual = self.Y - self.B @ (weights[:, None] * self.BtY)
        share = 1 - _squares(self.B, weights)
        # A row alone in its direction has h near 1 and a residual near 0.
        return residual, np.maximum(share, np.finfo(float).eps)

    def solution(self, ridge: float) -> tuple[np.ndarray, np.ndarray, float, float]:
        weights = 1 / (self.eigenvalues + ridge)
        W = self.V @ (weights[:, None] * self.BtY)
        residual = self.Y - np.asarray(self.X @ W)
        A = residual / ridge
        dual_W = np.asarray(self.X.T @ A)
        primal, dual = _objectives(
            self.Y, residual, A, np.vdot(W, W), np.vdot(dual_W, dual_W), ridge
        )
        return W, A, primal, dual


@dataclass(frozen=True)
class _Dual:
    """K = Q diag(s) Q'; X is there for the linear kernel."""

    K: np.ndarray
    X: np.ndarray | sparse.csr_array | None
    Y: np.ndarray
    eigenvalues: np.ndarray
    Q: np.ndarray
    QtY: np.ndarray

    @classmethod
    def of(cls, problem: Problem, Y: np.ndarray) -> _Dual:
        X = problem.features
        K = X if problem.is_gram else X @ X.T
        K = K.toarray() if sparse.issparse(K) else K
        if problem.is_gram:
            _check_symmetric(K)
        s, Q = _eigen(K)
        return cls(K, None if problem.is_gram else X, Y, s, Q, Q.T @ Y)

    def residual(self, ridge: float) -> tuple[np.ndarray, np.ndarray]:
        """As of `_Primal`; both are ridge times (K + ridge)^-1, of Y and on the diagonal."""
        weights = ridge / (self.eigenvalues + ridge)
        return self.Q @ (weights[:, None] * self.QtY), _squares(self.Q, weights)

    def solution(self, ridge: float) -> tuple[np.ndarray | None, np.ndarray, float, float]:
        weights = 1 / (self.eigenvalues + ridge)
        A = self.Q @ (weights[:, None] * self.QtY)
        F = self.K @ A
        norm2 = np.vdot(A, F)
        primal, dual = _objectives(self.Y, self.Y - F, A, norm2, norm2, ridge)
        W = None if self.X is None else np.asarray(self.X.T @ A)
        return W, A, primal, dual


def _eigen(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, ascending and not negative, and eigenvectors."""
    s, V = linalg.eigh(matrix, driver="evd")
    if s[0] < _INDEFINITE * max(s[-1], -s[0]):
        raise ValueError(
            f"X must be a positive semidefinite Gram matrix, it has the eigenvalue {s[0]:.3g}"
        )
    return np.maximum(s, 0.0), V


def _check_symmetric(K: np.ndarray) -> None:
    size = float(np.abs(K).max())
    for first in range(0, len(K), _ROWS):
        block = slice(first, first + _ROWS)
        if float(np.abs(K[block] - K[:, block].T).max()) > 1e-8 * size:
            raise ValueError("X must be a symmetric Gram matrix")


def _squares(B: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``sum_k B_ik^2 weights_k``, without a second matrix of B's size."""
    found = np.empty(len(B))
    for first in range(0, len(B), _ROWS):
        block = slice(first, first + _ROWS)
        found[block] = (B[block] ** 2) @ weights
    return found


def _objectives(Y, residual, A, norm2: float, dual_norm2: float, ridge: float):
    """P at f, and D at A: ``lambda (2 <A, Y> - lambda n ||A||^2 - ||sum_i k(., x_i) a_i||^2)``."""
    n = len(Y)
    primal = (np.vdot(residual, residual) + ridge * norm2) / n
    dual = ridge / n * (2 * np.vdot(A, Y) - ridge * np.vdot(A, A) - dual_norm2)
    return float(primal), float(dual)
