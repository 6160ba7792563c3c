"""SVM-Perf with the Recall@k loss: a structural SVM over whole vectors of predictions.

T. Joachims: A support vector method for multivariate performance measures. ICML 2005. A binary
problem with n+ positive rows, of which at most K = k n+ are predicted positive; the loss of a
prediction is the number of positives that it misses, n+ (1 - recall). With lambda = 1/(C n+) and
ybar over the vectors of -1 and 1 that have at most K ones and miss a positive,

    P(w) = (1/n+) max(0, max_ybar {missed(ybar) - sum_i (y_i - ybar_i) s_i}) + lambda/2 ||w||^2,

where s_i = <w, (x_i, 1)>: a feature of value 1 is added, as the program does by default. The paper
states predictions with exactly K ones; the program takes all with at most K, and only the ones
that miss a positive. So a K that does not bind leaves a sum of hinges, max(0, 1 - 2 s_i) over
the positives and max(0, 2 s_i) over the negatives.

SVM-Perf counts missed positives in percent of n+; that is the same problem for another C, since w
may be scaled. k n+ is how its option for k is meant, a multiple (at least 1) of the number of
positives.

NIPS 2015 section 2.3 poses m classes as one such problem (see
`toplabel.reproduction.methods.toppush`): of the m n embedded examples the n positive ones are to
be among k n. The feature of value 1 is one for all embedded examples, so that their threshold is
common. Where that problem is too large the paper trains one problem per class.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from toplabel._core.arrays import as_integer, as_number
from toplabel._core.solution import relative_gap
from toplabel.reproduction.methods.trained import (
    Affine,
    Matrix,
    TrainedMethod,
    certified,
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

    def train(self, X, labels, *, n_classes, C, tol, max_iter, start=None, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""

        def solve_problem(positive: np.ndarray, state: Planes | None) -> TrainedMethod:
            return solve(X, positive, self._k, C, tol, max_iter, state, self._tolerance)

        one_vs_all, n_rows = self._one_vs_all, X.shape[1] + 1
        trained = train_problems(solve_problem, labels, n_classes, one_vs_all, start, n_rows)
        weights = np.asarray(trained.model)
        trained = replace(trained, model=Affine(weights[:-1], weights[-1]))
        is_by_gap = self._tolerance is None or trained.epochs >= max_iter
        return certified(trained, tol, max_iter) if is_by_gap else trained


def unpacked(w: np.ndarray, n_columns: int) -> tuple[np.ndarray, float]:
    """Return W of shape (d, n_columns) and the common bias of a flat vector of weights."""
    return w[:-1].reshape(n_columns, -1).T, float(w[-1])


def tangent(X: Matrix, positive: np.ndarray, k: int, w: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the missed positives of the most violating prediction at w, and sum (y - ybar) (x, 1).

    Entry (i, j) of `positive`, (n, c): does the j-th embedding of row i, scored by the j-th column
    of W, count as positive? K is k times the number of positives, but at most all entries.
    """
    W, bias = unpacked(w, positive.shape[1])
    predicted, missed = most_violating(np.asarray(X @ W) + bias, positive, k)
    return missed, _direction(X, positive, predicted)


def _direction(X: Matrix, positive: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return (X, 1)' times 2 (positive - predicted), of which few entries are not 0, as a flat vector."""
    rows, columns = np.nonzero(positive != predicted)
    signs = np.where(positive[rows, columns], 2.0, -2.0)
    direction = sparse.csr_matrix((signs, (columns, rows)), shape=positive.T.shape) @ X
    direction = direction.toarray() if sparse.issparse(direction) else direction
    return np.append(direction.ravel(), signs.sum())


def most_violating(scores: np.ndarray, positive: np.ndarray, k: int) -> tuple[np.ndarray, int]:
    """Return the prediction that maximises the missed positives plus sum_i ybar_i s_i.

    Joachims 2005, Algorithm 2: whatever the number of positives predicted right is, those with the
    highest scores are the best choice. The best choice of negatives are the ones with a score above
    0, at most the K - hits highest. The prediction (n, c) has at most K = min(k n+, n c) ones and
    misses at least one positive; with it comes the number of missed positives.
    """
    n_positive = int(positive.sum())
    K = min(k * n_positive, positive.size)
    own, others = scores[positive], scores[~positive]
    own_order = _highest(own, len(own))
    other_order = _highest(others, min(K, int((others > 0).sum())))
    hits = np.arange(min(K, n_positive))
    wrong = np.minimum(K - hits, len(other_order))
    own_sums = np.concatenate([[0.0], np.cumsum(own[own_order])])
    other_sums = np.concatenate([[0.0], np.cumsum(others[other_order])])
    hit = int(np.argmax(n_positive - hits + 2.0 * (own_sums[hits] + other_sums[wrong])))
    right, false = np.zeros(n_positive, dtype=bool), np.zeros(len(others), dtype=bool)
    right[own_order[:hit]] = True
    false[other_order[: wrong[hit]]] = True
    predicted = np.zeros(positive.shape, dtype=bool)
    predicted[positive], predicted[~positive] = right, false
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


class Planes:
    """Lower bounds of a risk, offset - <direction, w> for each plane, and 0.

    A direction is stored as a vector of some size; `offset` has the shape (q,), `gram` (q, q) is of
    the directions, `weight` (q,) are dual variables for the C of the last solution.
    """

    def __init__(self, size: int) -> None:
        self._directions = np.empty((0, size))  # with room for more
        self._idle = np.empty(0, dtype=int)  # steps since each had weight
        self.offset, self.weight = np.empty(0), np.empty(0)
        self.gram = np.empty((0, 0))

    def combine(self) -> np.ndarray:
        """Return w, the weighted sum of the directions."""
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
        """Return the largest lower bound of the risk at w."""
        return float(np.max(self.offset - self.gram @ self.weight, initial=0.0))


def solve(
    X: Matrix,
    positive: np.ndarray,
    k: int,
    C: float,
    tol: float,
    max_iter: int,
    start: Planes | None = None,
    tolerance: float | None = None,
) -> TrainedMethod:
    """Solve one problem (see `tangent`) with at most `max_iter` planes.

    It ends at a relative gap of tol, or with a `tolerance` when the next plane raises the risk by at
    most so many percent of n+. `start` are the planes of the same problem for another C, which are
    used up. The model is the best W found, whose last row has the weight of the feature of value 1.
    """
    n_positive, n_columns = int(positive.sum()), positive.shape[1]
    size, scale = X.shape[1] * n_columns + 1, C * n_positive
    planes = Planes(size) if start is None else start
    best, best_primal, epochs, done = np.zeros(size), np.inf, 0, False
    # A plane that is not above the present ones adds nothing: rounding prevents further progress.
    least = (_SAME if tolerance is None else tolerance / 100.0) * n_positive
    while not done:
        planes.minimise(C)
        w = planes.combine()
        dual = float((planes.weight @ planes.offset - w @ w / 2) / scale)
        offset, direction = tangent(X, positive, k, w)
        risk = max(0.0, offset - float(direction @ w))
        primal = (C * risk + w @ w / 2) / scale
        if primal < best_primal:
            best, best_primal = w, float(primal)
        epochs += 1
        small = tolerance is None and relative_gap(best_primal, dual) <= tol
        done = small or risk <= planes.risk() + least or epochs >= max_iter
        if not done:
            planes.add(direction, offset)
    W, bias = unpacked(best, n_columns)
    W = np.vstack([W, np.full((1, n_columns), bias)])
    return TrainedMethod(W, "uncertified", epochs, best_primal, dual, state=planes)


_RIDGE = 1e-12  # of the mean diagonal: makes dependent columns solvable
_SLACK = 1e-10  # how negative a multiplier may be, relative to the largest term


def minimise(G: np.ndarray, b: np.ndarray, total: float, start: np.ndarray) -> np.ndarray:
    """Minimise 1/2 a^T G a - b^T a over a >= 0 with sum(a) <= total, by an active-set method.

    G is symmetric and positive semidefinite, `start` a feasible point. The result is feasible, and
    optimal up to the ridge that is added to G.
    """
    a = np.asarray(start, dtype=float).copy()
    G = G + _RIDGE * (np.trace(G) / len(b) or 1.0) * np.eye(len(b))
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
        worst = int(np.argmin(reduced))
        if reduced[worst] >= -_SLACK * (np.abs(b).max() + abs(price)):
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
