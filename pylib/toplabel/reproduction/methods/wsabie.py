"""Wsabie++: classes and inputs embedded in one space, trained by stochastic gradients on sampled
violators.

M. R. Gupta, S. Bengio, J. Weston: Training highly multiclass classifiers. JMLR 15, 2014; after J.
Weston, S. Bengio, N. Usunier: Wsabie, scaling up to large vocabulary image annotation. IJCAI 2011.
NIPS 2015 section 5.1 implements it "based on the pseudo-code from Table 3" of the first and prints
it as W++ with Q/m: Q is the number of last violators that a class remembers, m the dimension of the
embedding. We did not have that pseudo-code; this is our reading of what the papers say of it:

- The score of class c is <U^T x, B_c>, with U of shape (d, e) and B of shape (e, m). Rows of U and columns of B
  have norms of at most `bound`, which is what is selected (Wsabie, Eq. (6)).
- An example of class y draws other classes in random order until one violates the margin, 1 - s_y + s_c > 0. The
  number of draws estimates the rank r of y, and the step follows the gradient of Phi(r) (1 - s_y +
  s_c)_+ with Phi(r) = sum_{i <= r} 1/i (the WARP loss of Wsabie).
- Empirical class confusion (the first "+"): each class keeps the last Q classes that violated its margin, and these
  do not count as violators, so that pairs which cannot be told apart do not fill the gradient with
  noise.
- Adagrad (the second "+"): a step is divided by the root of the sum of the squared gradients so far, one sum a row
  of U and one a column of B.

Examples are taken in small batches, whose gradients are summed, for the sake of matrix products.
"""

from __future__ import annotations

import numpy as np

from toplabel._core.arrays import as_integer, as_number
from toplabel.reproduction.methods.trained import Matrix, Trained

BATCH = 16
_TINY = 1e-12


class WsabiePlusPlus:
    """Wsabie++ with `queue` remembered violators per class and an embedding of `dimension` numbers.

    `queue` is Q, and 0 discounts nothing; the dimension is 256 in NIPS 2015; `step` is the first of
    Adagrad, as a share of the bound on the norms, which is C. There is no warm start, and `tol` has
    no effect: training ends after its epochs.
    """

    def __init__(
        self, queue: int, dimension: int = 256, step: float = 0.1, epochs: int = 30
    ) -> None:
        self._queue = as_integer(queue, "queue", 0)
        self._dimension = as_integer(dimension, "dimension", 1)
        self._step = as_number(step, "step", 0.0, strict=True)
        self._epochs = as_integer(epochs, "epochs", 1)

    def train(self, X, labels, *, n_classes, C, seed, max_iter, **_) -> Trained:
        """Train (see `trained.Trainer`)."""
        rng = np.random.default_rng(seed)
        embedding = Embedding(X.shape[1], n_classes, self._dimension, C, self._step * C, rng)
        last = Violators(n_classes, self._queue)
        epochs = min(self._epochs, max_iter)
        for _epoch in range(epochs):
            order = rng.permutation(len(labels))
            for rows in np.array_split(order, -(-len(order) // BATCH)):
                embedding.learn(X[rows], labels[rows], last, rng)
        return Trained(embedding.weights(), "uncertified", epochs)


class Violators:
    """The last classes that violated each class' margin, at most `depth` a class."""

    def __init__(self, n_classes: int, depth: int) -> None:
        self._last = np.full((n_classes, depth), -1)
        self._at = np.zeros(n_classes, dtype=int)

    def remembered(self, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """Return whether the class of each example remembers each class, (len(labels), n_classes)."""
        # The last column takes the -1.
        remembers = np.zeros((len(labels), n_classes + 1), dtype=bool)
        remembers[np.arange(len(labels))[:, None], self._last[labels]] = True
        return remembers[:, :n_classes]

    def remember(self, labels: np.ndarray, violators: np.ndarray) -> None:
        """Note violators, in the order of the examples."""
        depth = self._last.shape[1]
        if depth == 0:
            return
        for label, violator in zip(labels.tolist(), violators.tolist(), strict=True):
            if violator not in self._last[label]:
                self._last[label, self._at[label]] = violator
                self._at[label] = (self._at[label] + 1) % depth


class Embedding:
    """U and B with their sums of squared gradients.

    `bound` is the largest norm of a row of U and of a column of B, `step` that of Adagrad. The
    start are independent normal entries of deviation 1/sqrt(dimension), within the bound.
    """

    def __init__(
        self,
        d: int,
        n_classes: int,
        dimension: int,
        bound: float,
        step: float,
        rng: np.random.Generator,
    ) -> None:
        self._bound, self._step = bound, step
        scale = 1.0 / np.sqrt(dimension)
        self.U = _within(scale * rng.standard_normal((d, dimension)), bound)
        self.B = _within(
            scale * rng.standard_normal((n_classes, dimension)), bound
        )  # a row per class
        self._squares = np.zeros(d), np.zeros(n_classes)

    def weights(self) -> np.ndarray:
        """Return the equivalent linear classifier, shape (d, m)."""
        return self.U @ self.B.T

    def learn(
        self, X: Matrix, labels: np.ndarray, last: Violators, rng: np.random.Generator
    ) -> None:
        """Take one step on a batch of examples."""
        inputs = np.asarray(X @ self.U)
        violator, draws = sample_violators(inputs @ self.B.T, labels, last, rng)
        violated = violator >= 0
        if not violated.any():
            return
        of_U, of_B = self.gradients(X, inputs, labels, violator, rank_weights(draws, len(self.B)))
        self.U, self.B = (
            self._stepped(values, gradient, squares)
            for values, gradient, squares in zip(
                (self.U, self.B), (of_U, of_B), self._squares, strict=True
            )
        )
        last.remember(labels[violated], violator[violated])

    def gradients(
        self,
        X: Matrix,
        inputs: np.ndarray,
        labels: np.ndarray,
        violator: np.ndarray,
        weights: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients of sum_i weights_i (1 - s_{y_i} + s_{c_i})_+; c_i = -1 is none."""
        weights = np.where(violator >= 0, weights, 0.0)
        apart = np.zeros((len(labels), len(self.B)))  # of the scores
        rows = np.arange(len(labels))
        apart[rows, violator] += weights
        apart[rows, labels] -= weights
        return np.asarray(X.T @ (apart @ self.B)), apart.T @ inputs

    def _stepped(self, values: np.ndarray, gradient: np.ndarray, squares: np.ndarray) -> np.ndarray:
        squares += np.einsum("ij,ij->i", gradient, gradient)
        scale = self._step / np.sqrt(np.maximum(squares, _TINY))
        return _within(values - scale[:, None] * gradient, self._bound)


def sample_violators(
    scores: np.ndarray, labels: np.ndarray, last: Violators, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the first class in random order that violates each margin, and the number drawn.

    Both have the shape (b,) of the examples; -1 where there is none. Classes that the class of an
    example remembers do not count.
    """
    rows = np.arange(len(labels))
    turn = rng.random(scores.shape)
    turn[rows, labels] = np.inf
    violates = 1.0 - scores[rows, labels][:, None] + scores > 0
    violates &= ~last.remembered(labels, scores.shape[1])
    violates[rows, labels] = False
    first = np.where(violates, turn, np.inf).argmin(axis=1)
    violated = violates[rows, first]
    draws = 1 + (turn < turn[rows, first][:, None]).sum(axis=1)
    return np.where(violated, first, -1), np.where(violated, draws, 1)


def rank_weights(draws: np.ndarray, n_classes: int) -> np.ndarray:
    """Return Phi of the rank estimated from the draws, floor((m - 1) / draws) (Wsabie, section 4)."""
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, max(n_classes, 2)))])
    return harmonic[(n_classes - 1) // draws]


def _within(rows: np.ndarray, bound: float) -> np.ndarray:
    """Return rows scaled down to a norm of at most `bound`."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows * (bound / np.maximum(norms, bound))[:, None]
