"""SVM-Perf with the Recall@k loss: a structural SVM over whole vectors of predictions.

T. Joachims: A support vector method for multivariate performance measures. ICML 2005. A binary
problem with n+ positive rows, of which exactly K = k n+ are to be predicted positive; the loss of a
prediction is the number of positives that it misses, n+ (1 - recall). With lambda = 1/(C n+) and
ybar over the vectors of -1 and 1 with K ones,

    P(w) = (1/n+) max(0, max_ybar {missed(ybar) - sum_i (y_i - ybar_i) <w, x_i>}) + lambda/2
    ||w||^2.

SVM-Perf counts missed positives in percent of n+; that is the same problem for another C, since W
may be scaled. k n+ is how its option for k is meant, a multiple (at least 1) of the number of
positives; k = 1 is the break-even point of precision and recall.

NIPS 2015 section 2.3 poses m classes as one such problem (see
`toplabel.reproduction.methods.toppush`): of the m n embedded examples the n positive ones are to
be among k n, that is k labels an example on average. If each example got exactly k, the recall
would be the top-k accuracy. Where that is too large the paper trains one problem per class.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse

from toplabel._core.arrays import as_integer, as_number
from toplabel.reproduction.methods.toppush import minimise
from toplabel.reproduction.methods.trained import (
    Matrix,
    Solved,
    Trained,
    relative_gap,
    status_of,
    train_problems,
)


class RecallAtK:
    """SVM-Perf's Recall@k for classes: one problem for all of them, or one per class.

    Without `one_vs_all` it is the multiclass-to-binary reduction of NIPS 2015. `tolerance` is
    SVM-Perf's own rule, its option ``-e`` (0.1 by default), in place of the relative gap: end when
    the next plane raises the risk by at most so many percent of the positives. An epoch is a
    cutting plane; of one-vs-all problems the largest number counts, and the objectives are their
    sums.
    """

    def __init__(self, one_vs_all: bool, k: int = 1, tolerance: float | None = None) -> None:
        self._one_vs_all = one_vs_all
        self._k = as_integer(k, "k", 1)
        self._tolerance = None if tolerance is None else as_number(tolerance, "tolerance", 0.0)

    def train(self, X, labels, *, n_classes, C, tol, max_iter, start=None, **_) -> Trained:
        """Train (see `trained.Trainer`)."""

        def status(gap: float, epochs: int) -> str:
            if self._tolerance is None or epochs >= max_iter:
                return status_of(gap, tol, epochs, max_iter)
            return "uncertified"

        def solve_problem(positive: np.ndarray, state: Planes | None) -> Solved:
            shape, n_positive = (X.shape[1], positive.shape[1]), int(positive.sum())
            risk = partial(tangent, X, positive, self._k)
            return solve(risk, shape, n_positive, C, tol, max_iter, state, self._tolerance)

        return train_problems(solve_problem, X, labels, n_classes, self._one_vs_all, start, status)


def tangent(X: Matrix, positive: np.ndarray, k: int, W: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the missed positives of the most violating prediction at W, and sum (y - ybar) x.

    Entry (i, j) of `positive`, (n, c): does the j-th embedding of row i, scored by the j-th column
    of W, count as positive? K is k times the number of positives, but at most all entries.
    """
    predicted, missed = most_violating(np.asarray(X @ W), positive, k)
    return missed, _direction(X, positive, predicted)


def _direction(X: Matrix, positive: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return X' times 2 (positive - predicted), of which few entries are not 0."""
    rows, columns = np.nonzero(positive != predicted)
    signs = np.where(positive[rows, columns], 2.0, -2.0)
    direction = sparse.csr_matrix((signs, (columns, rows)), shape=positive.T.shape) @ X
    return (direction.toarray() if sparse.issparse(direction) else direction).T


def most_violating(scores: np.ndarray, positive: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """Return the prediction that maximises the missed positives plus sum_i ybar_i s_i.

    Joachims 2005, Algorithm 2: whatever the number of positives predicted right is, those with the
    highest scores are the best choice, and so are the negatives with the highest scores. The
    prediction (n, c) has K = min(k n+, n c) ones; with it comes the number of missed positives.
    """
    n_positive = int(positive.sum())
    K = min(k * n_positive, positive.size)
    own, others = scores[positive], scores[~positive]
    own_order, other_order = _highest(own, len(own)), _highest(others, K)
    hits = np.arange(max(0, K - len(others)), min(K, n_positive) + 1)
    sums = [
        np.concatenate([[0.0], np.cumsum(part)]) for part in (own[own_order], others[other_order])
    ]
    value = n_positive - hits + 2.0 * (sums[0][hits] + sums[1][K - hits])
    hit = int(hits[np.argmax(value)])
    chosen = np.zeros(n_positive, dtype=bool)
    chosen[own_order[:hit]] = True
    wrong = np.zeros(len(others), dtype=bool)
    wrong[other_order[: K - hit]] = True
    predicted = np.zeros(positive.shape, dtype=bool)
    predicted[positive], predicted[~positive] = chosen, wrong
    return predicted, n_positive - hit


def _highest(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the highest scores in falling order, of equal ones the first ones
    first; all where there are not more.
    """
    if count >= len(scores):
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, -count)[-count]
    candidates = np.flatnonzero(scores >= least)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:count]


_SAME = 1e-12
_IDLE = 30  # steps without weight after which a cutting plane is dropped

Tangent = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Returns (offset, direction) at W: risk(V) is at least offset - <direction, V> for all V, with
equality at V = W, unless that is below 0, where the risk at W is 0."""


class Planes:
    """Lower bounds of a risk, offset - <direction, W> for each plane, and 0.

    A direction is stored as a vector of some size; `offset` has the shape (q,), `gram` (q, q) is of
    the directions, `weight` (q,) are dual variables for the C of the last solution.
    """

    def __init__(self, size: int) -> None:
        self._directions = np.empty((0, size))  # with room for more
        self._idle = np.empty(0, dtype=int)  # steps since each had weight
        self.offset, self.weight = np.empty(0), np.empty(0)
        self.gram = np.empty((0, 0))

    def combine(self) -> np.ndarray:
        """W: the weighted sum of the directions."""
        return self.weight @ self._directions[: len(self.weight)]

    def add(self, direction: np.ndarray, offset: float) -> None:
        """Append a plane."""
        q = len(self.offset)
        if q == len(self._directions):
            room = np.empty((max(16, q), len(direction)))
            self._directions = np.concatenate([self._directions, room])
        cross = self._directions[:q] @ direction
        corner = np.array([[direction @ direction]])
        self.gram = np.block([[self.gram, cross[:, None]], [cross[None, :], corner]])
        self._directions[q] = direction
        self.offset = np.append(self.offset, offset)
        self.weight = np.append(self.weight, 0.0)
        self._idle = np.append(self._idle, 0)

    def minimise(self, C: float) -> None:
        """Set the weights to the optimal ones, and drop planes that have long had none."""
        if not len(self.offset):
            return
        total = self.weight.sum()
        start = self.weight * min(1.0, C / total) if total > 0 else self.weight
        self.weight = minimise(self.gram, self.offset, total=C, start=start)
        self._idle = np.where(self.weight > 0, 0, self._idle + 1)
        kept = np.flatnonzero(self._idle < _IDLE)
        if len(kept) < len(self._idle):
            # The last planes take the places of those that go, so that few directions are moved.
            last = kept[kept >= len(kept)]
            gone = np.setdiff1d(np.arange(len(kept)), kept)
            self._directions[gone] = self._directions[last]
            kept = np.arange(len(kept))
            kept[gone] = last
            self.gram = self.gram[np.ix_(kept, kept)]
            self.offset, self.weight = self.offset[kept], self.weight[kept]
            self._idle = self._idle[kept]

    def risk(self) -> float:
        """Return the largest lower bound of the risk at W."""
        return float(np.max(self.offset - self.gram @ self.weight, initial=0.0))


def solve(
    tangent: Tangent,
    shape: tuple[int, int],
    n_positive: int,
    C: float,
    tol: float,
    max_iter: int,
    start: Planes | None = None,
    tolerance: float | None = None,
) -> Solved:
    """Minimise over W of a shape (d, c), with at most `max_iter` planes.

    It ends at a relative gap of tol, or with a `tolerance` when the next plane raises the risk by at
    most so many percent of n+. `start` are the planes of the same problem for another C,
    which are used up. W is the best one found.
    """
    scale = C * n_positive
    planes = Planes(shape[0] * shape[1]) if start is None else start
    best, best_primal, epochs = np.zeros(shape), np.inf, 0
    # A plane that is not above the present ones adds nothing: rounding prevents further progress.
    least = (_SAME if tolerance is None else tolerance / 100.0) * n_positive
    while True:
        planes.minimise(C)
        W = planes.combine().reshape(shape[::-1]).T
        dual = float((planes.weight @ planes.offset - np.vdot(W, W) / 2) / scale)
        offset, direction = tangent(W)
        risk = max(0.0, offset - float(np.vdot(direction, W)))
        primal = (C * risk + np.vdot(W, W) / 2) / scale
        if primal < best_primal:
            best, best_primal = W, float(primal)
        epochs += 1
        small = tolerance is None and relative_gap(best_primal, dual) <= tol
        done = small or risk <= planes.risk() + least
        if done or epochs >= max_iter:
            return Solved(best, best_primal, dual, epochs, planes)
        planes.add(direction.T.ravel(), offset)
