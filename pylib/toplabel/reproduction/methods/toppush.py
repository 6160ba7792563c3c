"""TopPush: no positive example below the highest negative one.

N. Li, R. Jin, Z.-H. Zhou: Top rank optimization in linear time. NIPS 2014. A binary ranking problem
with positive rows p and negative rows q; in our normalisation, with lambda = 1/(C n+),

    P(w) = (1/n+) sum_p l(max_q <w, x_q> - <w, x_p>) + lambda/2 ||w||^2,    l(z) = max(0, 1 + z)^2,

whose dual (their Eq. (6)) is, with alpha, beta >= 0 and 1^T alpha = 1^T beta,

    (1/(C n+)) (sum_p (alpha_p - alpha_p^2 / (4C)) - 1/2 ||sum_p alpha_p x_p - sum_q beta_q
    x_q||^2).

NIPS 2015 section 2.3 poses m classes as one such problem: example i is embedded m times, at class y
into the y-th block of R^(md), and is positive at its own class. Then w is W, and <w, .> are the
scores X W. Where that is too large the paper trains one problem per class.

The dual is maximised by steps on pairs of its variables that keep the sums equal, as LIBSVM's are:
the pair that violates the optimality conditions most takes the best step within its bounds
(C.-C. Chang, C.-J. Lin: LIBSVM, a library for support vector machines. ACM TIST 2, 2011). The
authors' own method is in `toplabel.reproduction.methods.toppush_program`.
"""

from __future__ import annotations

import numpy as np

from toplabel.reproduction.methods.trained import (
    Matrix,
    Solved,
    Trained,
    dense,
    status_of,
    train_problems,
)

_SAME = 1e-12  # a difference of slopes, or a curvature, that is rounding


class TopPush:
    """TopPush for classes: one problem for all of them, or one per class.

    Without `one_vs_all` it is the multiclass-to-binary reduction of NIPS 2015. An epoch is as many
    steps as there are rows, whose Gram matrix is kept in memory.
    """

    def __init__(self, one_vs_all: bool) -> None:
        self._one_vs_all = one_vs_all

    def train(self, X, labels, *, n_classes, C, tol, max_iter, start=None, **_) -> Trained:
        """Train (see `trained.Trainer`)."""
        gram = np.asarray(dense(X @ X.T), dtype=float)

        def solve_problem(positive: np.ndarray, state: np.ndarray | None) -> Solved:
            return solve(X, gram, positive, C, tol, max_iter, state)

        def status(gap: float, epochs: int) -> str:
            return status_of(gap, tol, epochs, max_iter)

        return train_problems(solve_problem, X, labels, n_classes, self._one_vs_all, start, status)


def solve(
    X: Matrix,
    gram: np.ndarray,
    positive: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
    start: np.ndarray | None = None,
) -> Solved:
    """Solve one ranking problem; `start` are the dual variables for another C.

    Entry (i, j) of `positive`, (n, c): does the j-th embedding of row i, scored by the j-th column
    of W, count as positive? The gap must be small beside the decrease from W = 0, too, which has
    the loss 1 and may be nearly optimal.
    """
    pairs = _Pairs(gram, positive, C, start)
    epochs = 0
    while True:
        W = np.asarray(X.T @ pairs.A)
        primal, dual = _objectives(np.asarray(X @ W), W, positive, pairs.A, C)
        small = primal - dual <= tol * min(max(abs(primal), abs(dual)), 1.0 - dual)
        if small or epochs >= max_iter or not pairs.steps(len(gram)):
            return Solved(W, primal, dual, epochs, pairs.A)
        epochs += 1


def _objectives(
    scores: np.ndarray, W: np.ndarray, positive: np.ndarray, A: np.ndarray, C: float
) -> tuple[float, float]:
    """Return P(W) and D(A), where W = X^T A."""
    losses = np.maximum(0.0, 1.0 + scores[~positive].max() - scores[positive]) ** 2
    alpha, square, scale = A[positive], np.vdot(W, W), C * positive.sum()
    dual = (alpha.sum() - alpha @ alpha / (4.0 * C) - square / 2.0) / scale
    return float(losses.mean() + square / (2.0 * scale)), float(dual)


class _Pairs:
    """The dual variables A (n, c): alpha at the positives, -beta elsewhere, with the sum 0.

    `slope` is the derivative of the dual (times C n+) by A. A variable may rise unless it is a
    beta at its bound 0, and fall unless it is an alpha at 0; at the optimum no slope of one that
    may rise exceeds that of one that may fall.
    """

    def __init__(
        self, gram: np.ndarray, positive: np.ndarray, C: float, start: np.ndarray | None
    ) -> None:
        self._gram, self._positive = gram, positive
        self.A = np.zeros(positive.shape) if start is None else start.copy()
        self._ridge = np.where(positive, 1.0 / (2.0 * C), 0.0)
        self._slope = positive - gram @ self.A - self._ridge * self.A
        c = positive.shape[1]
        # The steepest variable of each column that may rise, and that may fall, with its slope.
        self._rising, self._falling = np.zeros(c, dtype=int), np.zeros(c, dtype=int)
        self._rise, self._fall = np.zeros(c), np.zeros(c)
        for column in range(c):
            self._look(column)

    def steps(self, count: int) -> bool:
        """Take so many steps; false when the first one already would not move."""
        for step in range(count):
            up, down = int(self._rise.argmax()), int(self._fall.argmin())
            if self._rise[up] - self._fall[down] <= _SAME:
                return step > 0
            self._step(self._rising[up], up, self._falling[down], down)
        return True

    def _step(self, i: int, up: int, j: int, down: int) -> None:
        """Raise A[i, up] and lower A[j, down] by the same, the best within their bounds."""
        A, gram, ridge, slope = self.A, self._gram, self._ridge, self._slope
        curvature = gram[i, i] + ridge[i, up] + gram[j, j] + ridge[j, down]
        curvature -= 2.0 * gram[i, j] if up == down else 0.0
        length = (self._rise[up] - self._fall[down]) / max(curvature, _SAME)
        if not self._positive[i, up]:
            length = min(length, -A[i, up])
        if self._positive[j, down]:
            length = min(length, A[j, down])
        A[i, up] += length
        A[j, down] -= length
        slope[:, up] -= length * gram[i]
        slope[:, down] += length * gram[j]
        slope[i, up] -= length * ridge[i, up]
        slope[j, down] += length * ridge[j, down]
        for column in {up, down}:
            self._look(column)

    def _look(self, column: int) -> None:
        slope, positive = self._slope[:, column], self._positive[:, column]
        inside = self.A[:, column] != 0.0
        rising = np.where(positive | inside, slope, -np.inf)
        falling = np.where(~positive | inside, slope, np.inf)
        self._rising[column], self._falling[column] = rising.argmax(), falling.argmin()
        self._rise[column], self._fall[column] = rising.max(), falling.min()


_RIDGE = 1e-12  # of the mean diagonal: makes dependent columns solvable
_SLACK = 1e-10  # how negative a multiplier may be, relative to the largest term


def minimise(G: np.ndarray, b: np.ndarray, total: float, start: np.ndarray) -> np.ndarray:
    """Minimise 1/2 a^T G a - b^T a over a >= 0 with sum(a) <= total, by an active-set method.

    G is symmetric and positive semidefinite, `start` a feasible point. The result is feasible, and
    optimal up to the ridge that is added to G.
    """
    a = np.asarray(start, dtype=float).copy()
    G = G + _RIDGE * (np.trace(G) / max(1, len(b)) or 1.0) * np.eye(len(b))
    free = a > 0
    full = a.sum() >= total * (1 - 1e-15)
    for _ in range(20 * len(b) + 100):
        target, price = _on_face(G, b, free, total if full else None)
        step, blocking = _to_boundary(a, target, total if not full else None)
        a = np.maximum(a + step * (target - a), 0.0)
        if blocking is not None:
            if blocking == len(b):
                full = True
            else:
                free[blocking], a[blocking] = False, 0.0
            continue
        if full and price < 0:
            full = False
            continue
        reduced = G @ a - b + price
        reduced[free] = np.inf
        worst = int(np.argmin(reduced)) if len(b) else 0
        if not len(b) or reduced[worst] >= -_SLACK * (np.abs(b).max() + abs(price)):
            break
        free[worst] = True
    if a.sum() > total:  # rounding, where G is nearly singular
        a *= total / a.sum()
    return a


def _on_face(
    G: np.ndarray, b: np.ndarray, free: np.ndarray, total: float | None
) -> tuple[np.ndarray, float]:
    """Return the minimiser over the free variables, and with the sum at `total` its multiplier."""
    target, index = np.zeros(len(b)), np.flatnonzero(free)
    if not index.size:
        return target, 0.0
    inner = G[np.ix_(index, index)]
    if total is None:
        target[index] = np.linalg.solve(inner, b[index])
        return target, 0.0
    both = np.linalg.solve(inner, np.column_stack([b[index], np.ones(index.size)]))
    price = (both[:, 0].sum() - total) / both[:, 1].sum()
    target[index] = both[:, 0] - price * both[:, 1]
    return target, float(price)


def _to_boundary(
    a: np.ndarray, target: np.ndarray, total: float | None
) -> tuple[float, int | None]:
    """Return the largest feasible step, and what blocks it: a variable, or len(a) for the sum."""
    step, blocking = 1.0, None
    falling = np.flatnonzero(target < 0)
    if falling.size:
        shares = a[falling] / (a[falling] - target[falling])
        first = int(np.argmin(shares))
        step, blocking = float(shares[first]), int(falling[first])
    if total is not None and target.sum() > total:
        share = (total - a.sum()) / (target.sum() - a.sum())
        if share < step:
            step, blocking = float(max(share, 0.0)), len(a)
    return step, blocking
