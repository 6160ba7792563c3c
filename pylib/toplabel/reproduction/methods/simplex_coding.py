"""The methods of "Multiclass Learning with Simplex Coding" (NIPS 2012) as trainers, for its Table 2.

The algorithms are those of `toplabel.simplex`. C is 1/(2 n lambda) with the paper's lambda, as
everywhere: the regulariser is ``lambda ||f||^2`` there and half of that here.

The paper compares with boosting, here by functional gradient descent: M. J. Saberian, N. Vasconcelos:
Multiclass boosting: theory and algorithms. NIPS 2011 (GD-MCBoost). In the notation of NIPS 2012
(Remark 1) the risk is ``sum_i sum_(j != y_i) exp(-<c_(y_i) - c_j, f(x_i)>)``; its negative gradient at
f(x_i) is w_i. A round fits a tree to the w_i, gives each leaf the code vector with the largest inner
product with the sum of its w_i, and adds the tree times the step that minimises the risk. Trees are
those of scikit-learn, grown by squared error, where the paper searches its weak learners for the largest
``sum_i <g(x_i), w_i>``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from toplabel import simplex
from toplabel._core.arrays import as_integer
from toplabel.reproduction.config.protocols import Axis
from toplabel.reproduction.data.parts import with_ones
from toplabel.reproduction.methods.trained import Affine, Gaussian, Matrix, TrainedMethod, dense

_NEWTON_STEPS = 30  # of boosting, for the length of a step


@dataclass(frozen=True)
class LeastSquares:
    """Simplex least squares in closed form, with its leave-one-out scores.

    The width of the Gaussian is the 25th percentile of the distances between training rows; it is
    ``exp(-||x - z||^2 / (denominator width^2))``, with a 1 in GURLS, the authors' library. The grid
    has `count` values of lambda between the smallest and the largest eigenvalue. With `bias` the
    rows get a column of ones, whose weights are regularised with the others.
    """

    kernel: str
    count: int = 100
    bias: bool = False
    denominator: int = 2
    # The path made last, of any trainer: its eigendecomposition costs more than all of its solutions.
    _last: ClassVar[_Path | None] = None

    def axis(self, X: Matrix, labels: np.ndarray, n_classes: int) -> Axis:
        """Return the grid of C: powers of 10 between those of the outermost eigenvalues."""
        LeastSquares._last = None  # one path at a time is in memory
        rows, options = self._problem(X, n_classes)
        path = simplex.LeastSquaresPath(rows, labels, **options)
        LeastSquares._last = _Path(self, X, labels, n_classes, path)
        Cs = path.Cs(self.count)
        start, stop = float(np.log10(Cs[0])), float(np.log10(Cs[-1]))
        return Axis(10.0, start, stop, (stop - start) / (self.count - 1) or 1.0)

    def train(self, X, labels, *, n_classes, C, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        last = self._last
        if last is not None and last.is_of(self, X, labels, n_classes):
            solution, left_out = last.path.solution(C), last.path.left_out(C)
        else:
            rows, options = self._problem(X, n_classes)
            solution, left_out = simplex.solve(rows, labels, "s_ls", C, **options), None
        return _trained(solution, X, self.bias, epochs=1, left_out=left_out)

    def _problem(self, X: Matrix, n_classes: int) -> tuple[Matrix, dict[str, Any]]:
        """Return the rows, and the arguments of the solvers."""
        options: dict[str, Any] = {"n_classes": n_classes, "kernel": self.kernel}
        if self.kernel == "rbf":
            options["theta"] = 1 / (self.denominator * simplex.gaussian_width(X) ** 2)
        return with_ones(X) if self.bias else X, options


@dataclass(frozen=True, eq=False)
class _Path:
    """A path with the trainer and the problem that it is of."""

    trainer: LeastSquares
    X: Matrix
    labels: np.ndarray
    n_classes: int
    path: simplex.LeastSquaresPath

    def is_of(self, trainer: LeastSquares, X: Matrix, labels: np.ndarray, n_classes: int) -> bool:
        """Return whether the path is that of a trainer and a problem."""
        same_rows = X is self.X and labels is self.labels
        return same_rows and trainer == self.trainer and n_classes == self.n_classes


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
        rows = with_ones(X) if self.bias else X
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


# ---- boosting -------------------------------------------------------------------------------------


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
    """Trees of some depth (1 is a stump) with values among the code vectors, added up by `BoostedTrees`.

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
    codes = simplex.simplex_coding(weights.shape[1])
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
