"""Multiclass boosting in the simplex coding, by functional gradient descent.

M. J. Saberian, N. Vasconcelos: Multiclass boosting: theory and algorithms. NIPS 2011 (GD-MCBoost).
In the notation of NIPS 2012 (Remark 1) the risk is ``sum_i sum_(j != y_i) exp(-<c_(y_i) - c_j,
f(x_i)>)``; its negative gradient at f(x_i) is w_i. A round fits a tree to the w_i, gives each leaf
the code vector with the largest inner product with the sum of its w_i, and adds the tree times the
step that minimises the risk. Trees are those of scikit-learn, grown by squared error, where the
paper searches its weak learners for the largest ``sum_i <g(x_i), w_i>``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from toplabel._core.arrays import as_integer
from toplabel.reproduction.methods.trained import Matrix, TrainedMethod, dense
from toplabel.simplex import coding

_NEWTON_STEPS = 30


@dataclass
class _Round:
    """A tree, the class of the code vector in each of its nodes, and its step."""

    tree: DecisionTreeRegressor
    classes: np.ndarray
    step: float


@dataclass(frozen=True)
class BoostedTrees:
    """Scores sum_t step_t <c_k, c_(class of the row's leaf in tree t)> for the class k.

    <c_j, c_k> is 1 for j = k and -1/(m - 1) otherwise.
    """

    rounds: list[_Round]
    n_classes: int

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        rows, m = _single(X), self.n_classes
        votes = np.zeros((len(rows), m))
        for stage in self.rounds:
            votes[np.arange(len(rows)), stage.classes[stage.tree.apply(rows)]] += stage.step
        return (m * votes - np.sum([stage.step for stage in self.rounds])) / (m - 1)


def _single(X: Matrix) -> np.ndarray:
    """Return dense rows in float32, on which the trees are grown."""
    return dense(X).astype(np.float32)


class SimplexBoosting:
    """BoostedTrees trees of some depth (1 is a stump) with values among the code vectors.

    C, which is selected, is the number of rounds, rounded; an epoch is a round, and training goes
    on where `start` ended.
    """

    def __init__(self, depth: int = 2) -> None:
        self._depth = as_integer(depth, "depth", 1)

    def train(self, X, labels, *, n_classes, C, start=None, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        rows = _single(X)
        rounds: list[_Round] = []
        scores = np.zeros((len(rows), n_classes))  # <c_k, f(x_i)>
        if start is not None:
            rounds, scores = list(start.model.rounds), start.state.copy()
        while len(rounds) < max(1, round(C)):
            latest = self._round(rows, labels, scores, len(rounds))
            useful = latest.step > 0  # else no tree lowers the risk
            if useful or not rounds:
                rounds.append(latest)
            if not useful:
                break
            scores += latest.step * _codes_gram(n_classes)[latest.classes[latest.tree.apply(rows)]]
        return TrainedMethod(
            BoostedTrees(rounds, n_classes), "uncertified", len(rounds), state=scores
        )

    def _round(
        self, rows: np.ndarray, labels: np.ndarray, scores: np.ndarray, count: int
    ) -> _Round:
        weights = _gradient(scores, labels)
        tree = DecisionTreeRegressor(max_depth=self._depth, random_state=count)
        tree.fit(rows, coding_values(weights))
        leaf = tree.apply(rows)
        sums = np.zeros((tree.tree_.node_count, weights.shape[1]))
        np.add.at(sums, leaf, weights)
        classes = sums.argmax(axis=1)
        direction = _codes_gram(weights.shape[1])[classes[leaf]]
        return _Round(tree, classes, _best_step(scores, direction, labels))


def coding_values(weights: np.ndarray) -> np.ndarray:
    """Return the vectors sum_k weights_k c_k, (n, T - 1), scaled to a mean square of 1.

    Squared error, by which a tree splits, is the same in any orthogonal coordinates; these are the
    fewest.
    """
    codes = coding.simplex_coding(weights.shape[1])
    values = weights @ codes.T
    size = np.sqrt(np.mean(values**2))
    return values / size if size > 0 else values


def _codes_gram(n_classes: int) -> np.ndarray:
    """<c_j, c_k>."""
    gram = np.full((n_classes, n_classes), -1 / (n_classes - 1))
    np.fill_diagonal(gram, 1.0)
    return gram


def _margins(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """<c_y - c_j, f>, and infinity for j = y, which the risk leaves out."""
    rows = np.arange(len(scores))
    margins = scores[rows, labels][:, None] - scores
    margins[rows, labels] = np.inf
    return margins


def _gradient(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return w_i as coefficients of the code vectors, (n, T), in units of the largest loss.

    ``w_i = sum_(j != y_i) e_ij (c_(y_i) - c_j)``, e_ij the terms of the risk. <c_k, w_i> is these
    coefficients times T/(T-1) and a number that does not depend on k, since they sum to zero.
    """
    margins = _margins(scores, labels)
    terms = np.exp(margins.min() - margins)
    weights = -terms
    weights[np.arange(len(scores)), labels] = terms.sum(axis=1)
    return weights


def _best_step(scores: np.ndarray, direction: np.ndarray, labels: np.ndarray) -> float:
    """Return the step >= 0 of least risk, by Newton's method on its logarithm, which is convex."""
    margins = _margins(scores, labels)
    slopes = _margins(direction, labels)
    slopes[np.arange(len(slopes)), labels] = 0.0
    step, longest = 0.0, 8.0
    for _ in range(_NEWTON_STEPS):
        moved = margins + step * slopes
        terms = np.exp(moved.min() - moved)
        terms /= terms.sum()
        first = -np.sum(terms * slopes)
        second = np.sum(terms * slopes**2) - first**2
        if not second > 0:
            return longest if first < 0 else step
        change = np.clip(-first / second, -1.0, 1.0)
        step = float(np.clip(step + change, 0.0, longest))
        if abs(change) < 1e-9:
            break
    return step
