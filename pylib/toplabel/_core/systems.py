"""The linear systems of Newton's method: ``(shift I + X^T J X) D = R`` for weights (m, d).

J are the generalised Jacobians of the losses' gradients in the scores, which the C library finds
(``csrc/src/curvatures.c``). Small systems are solved by a Cholesky factor, others by conjugate
gradients, preconditioned by the blocks of each class.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse

from toplabel._core import losses, tuning
from toplabel._core.arrays import Features, pointer
from toplabel._core.lib import check, ffi, lib
from toplabel._core.problem import Problem


class Rows:
    """Rows (n, d) in float64, with the constant feature if there is one."""

    def __init__(self, problem: Problem):
        X = problem.features
        if sparse.issparse(X) and 8 * X.shape[0] * X.shape[1] <= tuning.DENSE_BYTES:
            X = X.toarray()
        X = X.astype(np.float64) if sparse.issparse(X) else np.asarray(X, np.float64)  # a map too
        if problem.constant:
            column = np.full((X.shape[0], 1), problem.constant)
            join = sparse.hstack if sparse.issparse(X) else np.hstack
            X = join([X, column])
        self.X: Features = sparse.csr_array(X) if sparse.issparse(X) else np.ascontiguousarray(X)
        self.n, self.d = X.shape
        self.is_sparse = sparse.issparse(X)

    def scores(self, W: np.ndarray) -> np.ndarray:
        """Return (n, m) for weights (m, d)."""
        return np.ascontiguousarray(self.X @ W.T)

    def combine(self, A: np.ndarray) -> np.ndarray:
        """Return the weights ``A^T X``, (m, d)."""
        return np.ascontiguousarray((self.X.T @ A).T) if self.is_sparse else A.T @ self.X


class Curvatures:
    """C w_i J_i of all rows, at the gradients given last."""

    def __init__(self, problem: Problem, C: float):
        self._problem, self._C = problem, C
        labels = problem.labels
        self.m = labels.m
        self.is_coupled = problem.loss.differences
        out = ffi.new("tl_curvatures **")
        arrays = (pointer(labels.start, "int64_t *"), pointer(labels.label, "int32_t *"))
        code = losses.code(problem.loss)
        check(lib.tl_curvatures_create(code, problem.k, labels.n, labels.m, *arrays, out))
        self._handle = ffi.gc(out[0], lib.tl_curvatures_free)
        self._counts = ffi.new("size_t[2]")

    def set(self, gradients: np.ndarray, gamma: float) -> None:
        """Find them, and `rows`, the indices of those that are not 0."""
        weight = self._problem.weight
        weights = ffi.NULL if weight is None else pointer(weight)
        counts = (self._counts, self._counts + 1)
        values = pointer(gradients)
        check(lib.tl_curvatures_set(self._handle, gamma, self._C, weights, values, *counts))
        self.rows = np.empty(self._counts[0], np.int64)
        self.entries = int(self._counts[1])
        check(lib.tl_curvatures_rows(self._handle, pointer(self.rows, "int64_t *")))

    def multiply(self, T: np.ndarray) -> np.ndarray:
        """Multiply the scores T (rows, m), in place."""
        check(lib.tl_curvatures_multiply(self._handle, pointer(T)))
        return T

    def diagonal(self) -> np.ndarray:
        D = np.empty((len(self.rows), self.m))
        check(lib.tl_curvatures_diagonal(self._handle, pointer(D)))
        return D

    def assemble(self, X: np.ndarray) -> np.ndarray:
        """Return the matrix of X^T J X, (m d, m d), as far as ``lower=True`` of its transpose asks."""
        size = self.m * X.shape[1]
        B = np.zeros((size, size))
        check(lib.tl_curvatures_assemble(self._handle, X.shape[1], pointer(X), pointer(B)))
        return B


class Systems:
    """Solves one system after the other, each from what the one before has shown. The preconditioner
    and the steps of conjugate gradients end where `is_over` returns True.
    """

    def __init__(self, rows: Rows, curvatures: Curvatures, is_over: Callable[[], bool]):
        self._rows, self._J, self._is_over = rows, curvatures, is_over
        self._size = rows.d * curvatures.m
        self._steps = tuning.FIRST_STEPS  # that conjugate gradients are going to take
        self._kept: tuple[Callable, float, int] | None = None  # with its shift and steps

    def solve(self, shift: float, R: np.ndarray, most: int) -> tuple[np.ndarray, int]:
        """Return the solution, and the steps of conjugate gradients, at most so many; 0: none were made.
        It is a ``LinAlgError`` where rounding has left the matrix without a Cholesky factor.
        """
        index = self._J.rows
        X = self._rows.X if len(index) == self._rows.n else self._rows.X[index]
        if not len(index):
            return R / shift, 0
        if self._is_direct():
            return self._direct(X, shift, R), 0
        M = self._preconditioner(X, shift)
        common = R.mean(axis=0) if self._J.is_coupled else 0.0
        D, steps = self._conjugate_gradients(X, shift, M, R - common, most)
        D += common / shift
        self._steps = steps
        self._kept = (M, shift, steps)
        return D, steps

    def _is_direct(self) -> bool:
        """Return whether a factor costs less than the steps of conjugate gradients, if they are as many
        as last time.
        """
        size, d, rows = self._size, self._rows.d, len(self._J.rows)
        if size > tuning.DIRECT or self._rows.is_sparse:
            return False
        classes = self._J.entries / rows
        factor = rows * (classes * d) ** 2 + size**3 / 3
        product = 4 * rows * d * max(classes, self._J.m / 4)
        return tuning.FACTOR * factor < self._steps * (tuning.CG_STEP + tuning.CG * product)

    def _direct(self, X, shift: float, R: np.ndarray) -> np.ndarray:
        B = self._J.assemble(np.ascontiguousarray(X))
        B.ravel()[:: self._size + 1] += shift
        factor = linalg.cho_factor(B.T, lower=True, overwrite_a=True, check_finite=False)
        return linalg.cho_solve(factor, R.ravel(), check_finite=False).reshape(R.shape)

    def _preconditioner(self, X, shift: float) -> Callable[[np.ndarray], np.ndarray]:
        if self._kept is not None:
            M, before, steps = self._kept
            if (
                steps <= tuning.REUSED
                and 1 / tuning.REUSED_SHIFT < shift / before < tuning.REUSED_SHIFT
            ):
                return M
        D, d = self._J.diagonal(), self._rows.d
        if 8 * self._size * d > tuning.BLOCK_BYTES:
            squares = X.power(2) if self._rows.is_sparse else X**2
            inverse = 1 / (shift + np.asarray(squares.T @ D).T)
            return lambda R: inverse * R
        blocks = np.empty((self._J.m, d, d))
        for block, column in zip(blocks, D.T, strict=True):
            if self._is_over():
                return lambda R: R / shift  # what follows from it is not used
            own = np.flatnonzero(column)
            Y = X[own].toarray() if self._rows.is_sparse else X[own]
            Y *= np.sqrt(column[own])[:, None]
            block[:] = np.linalg.inv(Y.T @ Y + shift * np.eye(d))
        return lambda R: np.matmul(blocks, R[:, :, None])[:, :, 0]

    def _center(self, Z: np.ndarray) -> np.ndarray:
        """Return a direction without its part that is the same for all classes, which does not change
        differences of scores: the blocks would have it badly scaled.
        """
        return Z - Z.mean(axis=0) if self._J.is_coupled else Z

    def _conjugate_gradients(
        self, X, shift: float, M, R: np.ndarray, most: int
    ) -> tuple[np.ndarray, int]:
        D, R, Z = np.zeros_like(R), R.copy(), self._center(M(R))
        P, product = Z.copy(), float(np.vdot(R, Z))
        least = tuning.CG_TOLERANCE**2 * product
        steps, most = 0, min(most, tuning.CG_STEPS)
        if not most:
            return Z, 0
        while product > least and steps < most and not self._is_over():
            scores = self._J.multiply(np.ascontiguousarray(X @ P.T))
            HP = shift * P + (X.T @ scores).T
            curvature = float(np.vdot(P, HP))
            if not curvature > 0.0:
                break
            size = product / curvature
            D += size * P
            R -= size * HP
            Z = self._center(M(R))
            before, product = product, float(np.vdot(R, Z))
            P = Z + product / before * P
            steps += 1
        return D, steps
