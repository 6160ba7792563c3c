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

The authors take Nesterov's method with a projection in linear time. Here the maximum over the
negatives becomes a variable t >= <w, x_q>, with those q in the working set; the rest, a smooth
piecewise quadratic, is minimised by Newton's method with exact line search, whose steps are small
quadratic programs in beta. It ends with the duality gap of the whole problem, usually far below the
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import brentq

from toplabel.reproduction.methods.models import Matrix, Trained, status_of, train_problems
from toplabel.reproduction.methods.quadratic import minimise_blocks

_NEW_NEGATIVES = 50  # that enter at a time, at least; at most as many as there are
_NEWTON_STEPS = 10  # before more negatives enter the working set
_FULL_STEP = 1e-6
_SAME = 1e-9


class TopPush:
    """TopPush for classes: one problem for all of them, or one per class.

    Without `one_vs_all` it is the multiclass-to-binary reduction of NIPS 2015. An epoch scores all
    negatives once; of one-vs-all problems the largest number counts, and the objectives are sums.
    """

    def __init__(self, one_vs_all: bool) -> None:
        self._one_vs_all = one_vs_all

    def train(self, X, labels, *, n_classes, C, eps, max_epochs, start=None, **_) -> Trained:
        """Train (see `models.Trainer`)."""

        def one(positive: np.ndarray, state: RankingSolution | None) -> RankingSolution:
            return solve(X, positive, C, eps, max_epochs, state)

        def status(gap: float, epochs: int) -> str:
            return status_of(gap, eps, epochs, max_epochs)

        return train_problems(one, labels, n_classes, self._one_vs_all, start, status)


@dataclass(frozen=True, eq=False)
class RankingSolution:
    """A solved ranking problem, W of shape (d, c).

    `row` and `column`, (q,), are the negatives of the working set: row of X, and column of W that
    scores it; `beta`, (q,), are their dual variables, and `alpha`, (n+,), those of the positives in
    the order of `numpy.argwhere(positive.T)`.
    """

    W: np.ndarray
    primal: float
    dual: float
    epochs: int
    row: np.ndarray
    column: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray

    @property
    def state(self) -> RankingSolution:
        """What the solution for another C can start from."""
        return self


def solve(
    X: Matrix,
    positive: np.ndarray,
    C: float,
    eps: float,
    max_epochs: int,
    start: RankingSolution | None = None,
) -> RankingSolution:
    """Solve one ranking problem, to a relative duality gap or a number of scorings of all
    negatives.

    Entry (i, j) of `positive`, (n, c): does the j-th embedding of row i, scored by the j-th column
    of W, count as positive? `start` is the solution for another C. Without a positive or without a
    negative W is 0, which is then optimal.
    """
    n_positive = int(positive.sum())
    if n_positive in (0, positive.size):
        return _trivial(X, positive, n_positive)
    working = _Working(X, positive, C)
    if start is None:
        W, beta = np.zeros((X.shape[1], positive.shape[1])), np.empty(0)
    else:
        W, beta = start.W, start.beta
        working.add(start.row, start.column)
    scores, t, settled = np.asarray(X @ W), -np.inf, True
    epochs, done = 1, False
    while not done:
        beta = working.extend(scores, beta, t, drop=settled)
        W, t, alpha, beta, settled = working.minimise(W, beta)
        scores, epochs = np.asarray(X @ W), epochs + 1
        highest = float(scores[~positive].max())
        primal, dual = working.objectives(W, highest, alpha, beta)
        # W = 0 has the loss 1 and may be nearly optimal: the gap must be small relative to the
        # decrease from it.
        small = primal - dual <= eps * min(max(abs(primal), abs(dual)), 1.0 - dual)
        all_seen = settled and highest <= t + _SAME * (
            1.0 + abs(t)
        )  # rounding prevents further progress
        done = small or all_seen or epochs >= max_epochs
    return RankingSolution(W, primal, dual, epochs, working.row, working.column, alpha, beta)


def _trivial(X: Matrix, positive: np.ndarray, n_positive: int) -> RankingSolution:
    nothing = np.empty(0, dtype=int)
    W = np.zeros((X.shape[1], positive.shape[1]))
    return RankingSolution(W, 0.0, 0.0, 0, nothing, nothing, np.zeros(n_positive), np.empty(0))


class _Working:
    """The problem restricted to the working set of negatives."""

    def __init__(self, X: Matrix, positive: np.ndarray, C: float) -> None:
        self._X = X
        self._C = C
        self._positive = positive
        self._n_positive = int(positive.sum())
        self._blocks = [_Block(X[np.flatnonzero(column)], C) for column in positive.T]
        self._ends = np.cumsum([0, *positive.sum(axis=0)])
        self.row = self.column = np.empty(0, dtype=int)

    # ---- the negatives ---------------------------------------------------------------------------

    def add(self, row: np.ndarray, column: np.ndarray) -> None:
        """Append negatives."""
        self.row = np.concatenate([self.row, row])
        self.column = np.concatenate([self.column, column])

    def extend(self, scores: np.ndarray, beta: np.ndarray, t: float, drop: bool) -> np.ndarray:
        """Drop negatives without weight, add the highest of those above t; return beta for all.

        Negatives are dropped only at a minimum over the working set: the next minimum is then
        higher, so no working set repeats.
        """
        keep = (beta > 0) | (not drop)
        self.row, self.column = self.row[keep], self.column[keep]
        m = scores.shape[1]
        known = self.row * m + self.column
        candidates = np.where(self._positive, -np.inf, scores).ravel()
        candidates[known] = -np.inf
        count = min(max(_NEW_NEGATIVES, len(known)), candidates.size - 1)
        new = np.argpartition(-candidates, count)[:count] if count else np.zeros(1, dtype=int)
        new = new[candidates[new] > t]
        self.add(new // m, new % m)
        beta = np.concatenate([beta[keep], np.zeros(len(new))])
        order = np.lexsort((self.row, self.column))  # by column: one block each
        self.row, self.column = self.row[order], self.column[order]
        self._negative_rows = _dense(self._X[self.row])
        return beta[order]

    def _rows_of(self, column: int) -> tuple[slice, np.ndarray]:
        """Return which of the negatives a column scores, and their rows of X, dense."""
        which = slice(*np.searchsorted(self.column, [column, column + 1]))
        return which, self._negative_rows[which]

    # ---- scores and objectives -------------------------------------------------------------------

    def _positives(self, W: np.ndarray) -> np.ndarray:
        return np.concatenate([block.scores(w) for block, w in zip(self._blocks, W.T, strict=True)])

    def _negatives(self, W: np.ndarray) -> np.ndarray:
        scores = np.empty(len(self.row))
        for column in np.unique(self.column):
            which, rows = self._rows_of(column)
            scores[which] = rows @ W[:, column]
        return scores

    def objectives(
        self, W: np.ndarray, highest: float, alpha: np.ndarray, beta: np.ndarray
    ) -> tuple[float, float]:
        """P(W), with the highest score of all negatives, and D(alpha, beta)."""
        C, scale = self._C, self._C * self._n_positive
        losses = np.maximum(0.0, 1.0 + highest - self._positives(W)) ** 2
        primal = losses.mean() + np.vdot(W, W) / (2 * scale)
        total = beta.sum()
        beta = beta * (alpha.sum() / total) if total > 0 else beta
        alpha = alpha if total > 0 else np.zeros_like(alpha)
        A = np.zeros_like(W)
        for j, block in enumerate(self._blocks):
            A[:, j] = block.combine(alpha[self._ends[j] : self._ends[j + 1]])
        for column in np.unique(self.column):
            which, rows = self._rows_of(column)
            A[:, column] -= rows.T @ beta[which]
        dual = (alpha.sum() - alpha @ alpha / (4 * C) - np.vdot(A, A) / 2) / scale
        return float(primal), float(dual)

    # ---- Newton's method -------------------------------------------------------------------------

    def minimise(
        self, W: np.ndarray, beta: np.ndarray
    ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, bool]:
        """Minimise 1/2 ||W||^2 + C sum_p max(0, 1 + t - s_p)^2 over W and t >= s_q.

        Return W, t, the dual variables alpha and beta, and whether that is the minimum, which a few
        steps may not reach.
        """
        t, positives = float(self._negatives(W).max()), self._positives(W)
        for _ in range(_NEWTON_STEPS):
            active = 1.0 + t - positives > 0
            goal, t_goal, beta = self._step(active, beta)
            at_goal = self._positives(goal)
            # Along the step the margins are linear, and the penalty is quadratic.
            share = _line_minimum(
                margins=1.0 + t - positives,
                change=(t_goal - t) - (at_goal - positives),
                slope=float(np.vdot(W, goal - W)),
                curvature=float(np.vdot(goal - W, goal - W)),
                C=self._C,
            )
            W = W + share * (goal - W)
            t, positives = t + share * (t_goal - t), positives + share * (at_goal - positives)
            if share >= 1.0 - _FULL_STEP and np.array_equal(active, 1.0 + t - positives > 0):
                settled = True
                break
        else:
            settled = False
        return W, t, 2.0 * self._C * np.maximum(0.0, 1.0 + t - positives), beta, settled

    def _step(self, active: np.ndarray, beta: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        """Minimise the quadratic in which exactly the active positives have a loss.

        With H_j = I + 2C sum of x x^T, u_j = sum of x, both over the active positives of column j,
        and tau = 1 + t, stationarity gives ``w_j = 2C tau H_j^-1 u_j - sum_q beta_q H_j^-1 x_q``
        and, with kappa = their number - 2C sum_j u_j^T H_j^-1 u_j and g_q = 1/(2C) - u^T H^-1 x_q,
        ``tau = sum_q beta_q g_q / kappa``. The conditions t >= s_q become those of a quadratic
        program in beta, with the matrix Q_qr + (2C/kappa) g_q g_r, Q_qr = x_q^T H^-1 x_r within a
        column.
        """
        C = self._C
        q = len(self.row)
        if not active.any():
            return np.zeros((self._X.shape[1], len(self._blocks))), 0.0, np.zeros(q)
        kappa, blocks, turned = 0.0, [], {}
        g = np.full(q, 1.0 / (2.0 * C))
        for j, block in enumerate(self._blocks):
            block.activate(active[self._ends[j] : self._ends[j + 1]])
            kappa += block.rest
            which, rows = self._rows_of(j)
            if len(rows):
                turned[j] = which, block.solve(rows)
                g[which] -= rows @ block.pull
                Q = rows @ turned[j][1]
                blocks.append((Q + Q.T) / 2)
        beta = minimise_blocks(blocks, g, 2.0 * C / kappa, start=beta)
        tau = float(beta @ g) / kappa
        W = 2.0 * C * tau * np.column_stack([block.pull for block in self._blocks])
        for j, (which, solved) in turned.items():
            W[:, j] -= solved @ beta[which]
        return W, tau - 1.0, beta


class _Block:
    """The positive rows that one column scores, and solutions with H = I + 2C sum of x x^T."""

    def __init__(self, rows: Matrix, C: float) -> None:
        self._all = rows
        self._C = C
        # The smaller of two systems is solved: of features, or (Woodbury) of rows.
        self._of_rows = rows.shape[0] < rows.shape[1]
        self._gram = _dense(rows @ rows.T) if self._of_rows else None
        self._active: np.ndarray | None = None

    def scores(self, w: np.ndarray) -> np.ndarray:
        """<w, x> of all rows."""
        return np.asarray(self._all @ w)

    def combine(self, alpha: np.ndarray) -> np.ndarray:
        """Return the sum of alpha x."""
        return np.asarray(self._all.T @ alpha)

    def activate(self, active: np.ndarray) -> None:
        """Say over which rows H sums; set `pull` = H^-1 u, u their sum, `rest` = n - 2C u^T pull."""
        if self._active is not None and np.array_equal(active, self._active):
            return
        self._active, C = active, self._C
        index = np.flatnonzero(active)
        rows = self._rows = self._all[index]
        if not index.size:
            self.pull, self.rest = np.zeros(rows.shape[1]), 0.0
        elif self._of_rows:
            inner = 2.0 * C * self._gram[np.ix_(index, index)]
            inner[np.diag_indices_from(inner)] += 1.0
            self._factor = cho_factor(inner, overwrite_a=True)
            balance = cho_solve(
                self._factor, np.ones(index.size)
            )  # H^-1 X^T = X^T (I + 2C X X^T)^-1
            self.pull, self.rest = np.asarray(rows.T @ balance), float(balance.sum())
        else:
            rows = self._rows = _dense(rows)
            inner = np.eye(rows.shape[1]) + 2.0 * C * (rows.T @ rows)
            self._factor = cho_factor(inner, overwrite_a=True)
            self.pull = cho_solve(self._factor, rows.sum(axis=0))
            self.rest = float((1.0 - 2.0 * C * (rows @ self.pull)).sum())

    def solve(self, others: np.ndarray) -> np.ndarray:
        """H^-1 others^T for rows (r, d), shape (d, r)."""
        if not self._rows.shape[0]:
            return others.T
        if self._of_rows:
            shadow = cho_solve(self._factor, np.asarray(self._rows @ others.T))
            return others.T - 2.0 * self._C * np.asarray(self._rows.T @ shadow)
        return cho_solve(self._factor, others.T)


def _line_minimum(
    margins: np.ndarray, change: np.ndarray, slope: float, curvature: float, C: float
) -> float:
    """Return the s in [0, 1] of least s slope + s^2/2 curvature + C sum max(0, margins + s
    change)^2.
    """

    def derivative(s: float) -> float:
        kept = np.maximum(0.0, margins + s * change)
        return slope + s * curvature + 2.0 * C * float(kept @ change)

    if derivative(1.0) <= 0:
        return 1.0
    return brentq(derivative, 0.0, 1.0) if derivative(0.0) < 0 else 0.0


def _dense(rows: Matrix) -> np.ndarray:
    return rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
