"""Wsabie++: rows and classes embedded in one space, trained by stochastic gradients on sampled violators.

M. R. Gupta, S. Bengio, J. Weston: Training highly multiclass classifiers. JMLR 15, 2014, Table 3.
NIPS 2015 section 5.1 implements that pseudo-code and prints it as W++ with Q/m: Q is the number of last
violators that a class remembers, m the dimension of the embedding. The score of class c is

    f_c(x) = -||B_c - W x||^2,    W of shape (m, d), B of shape (n_classes, m),

and class c violates the margin b of an example of class y where b - f_y(x) + f_c(x) > 0.

- W begins with independent signs, B with 0.
- An example is drawn uniformly. If a class that y remembers violates the margin, the example is
  skipped, so that classes which are hard to tell apart do not fill the gradient with noise.
- Otherwise other classes are drawn uniformly until one violates the margin, at most as many as there
  are classes. Class y remembers it in place of its oldest violator. If none was drawn, y forgets all.
- A step of Adagrad follows the gradient of b - f_y + f_c, with one sum of squares for each B_c and one
  for each row of W.
"""

from __future__ import annotations

import numpy as np

from toplabel._core.arrays import as_integer, as_number
from toplabel.reproduction.methods.trained import Affine, TrainedMethod, dense


class WsabiePlusPlus:
    """Wsabie++ with `queue` remembered violators per class and an embedding of `dimension` numbers.

    `queue` is Q, with 0 no example is skipped; the dimension is 256 in NIPS 2015; `margin` is b. The
    step of Adagrad is selected in place of C. An epoch draws as many examples as there are rows.
    There is no warm start, and `tol` has no effect: training ends after its epochs.
    """

    def __init__(
        self, queue: int, dimension: int = 256, margin: float = 100.0, epochs: int = 30
    ) -> None:
        self._queue = as_integer(queue, "queue", 0)
        self._dimension = as_integer(dimension, "dimension", 1)
        self._margin = as_number(margin, "margin", 0.0, strict=True)
        self._epochs = as_integer(epochs, "epochs", 1)

    def train(self, X, labels, *, n_classes, C, seed, max_iter, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        rng = np.random.default_rng(seed)
        rows, n_rows = dense(X), len(labels)
        embedding = Embedding(rows.shape[1], n_classes, self._dimension, C, rng)
        remembered: list[list[int]] = [[] for _ in range(n_classes)]
        epochs = min(self._epochs, max_iter)
        for row in rng.integers(n_rows, size=epochs * n_rows):
            label = int(labels[row])
            inputs = embedding.W @ rows[row]
            violates = embedding.violates(inputs, label, self._margin)
            violator = next_violator(violates, label, remembered[label], self._queue, rng)
            if violator is not None:
                embedding.learn(rows[row], inputs, label, violator)
        return TrainedMethod(embedding.classifier(), "uncertified", epochs)


def next_violator(
    violates: np.ndarray,
    label: int,
    remembered: list[int],
    depth: int,
    rng: np.random.Generator,
) -> int | None:
    """Return the violator to learn from, or None, and update what the class of the example remembers.

    Parameters
    ----------
    violates : ndarray of bool, shape (n_classes,)
        Which classes violate the margin; the class of the example does not.
    label : int
        The class of the example.
    remembered : list of int
        Its last violators, the oldest first, which is changed.
    depth : int
        How many it remembers.
    rng : numpy.random.Generator
    """
    if violates[remembered].any():
        return None
    others = len(violates) - 1
    drawn = rng.integers(others, size=others)
    drawn += drawn >= label
    hits = drawn[violates[drawn]]
    if len(hits) == 0:
        remembered.clear()
        return None
    if depth:
        remembered.append(int(hits[0]))
        del remembered[:-depth]
    return int(hits[0])


class Embedding:
    """W and B, with their sums of squared gradients; `step` is that of Adagrad."""

    def __init__(
        self, d: int, n_classes: int, dimension: int, step: float, rng: np.random.Generator
    ) -> None:
        self._step = step
        self.W = rng.choice([-1.0, 1.0], size=(dimension, d))
        self.B = np.zeros((n_classes, dimension))
        self._squares_W, self._squares_B = np.zeros(dimension), np.zeros(n_classes)

    def classifier(self) -> Affine:
        """Return the affine classifier that orders classes as the embedding does: f_c + ||W x||^2."""
        return Affine(2.0 * (self.B @ self.W).T, -self._norms())

    def _norms(self) -> np.ndarray:
        return np.einsum("ij,ij->i", self.B, self.B)

    def violates(self, inputs: np.ndarray, label: int, margin: float) -> np.ndarray:
        """Return which classes violate the margin of an example, of which `inputs` is W x."""
        scores = 2.0 * (self.B @ inputs) - self._norms()
        violates = margin - scores[label] + scores > 0
        violates[label] = False
        return violates

    def learn(self, x: np.ndarray, inputs: np.ndarray, label: int, violator: int) -> None:
        """Take a step on an example of a class that a violator is too near to."""
        d = len(x)
        # The gradients of -f_label + f_violator by B_label, by B_violator, and by W x.
        of_label = 2.0 * (self.B[label] - inputs)
        of_violator = 2.0 * (inputs - self.B[violator])
        of_inputs = 2.0 * (self.B[violator] - self.B[label])
        for c, gradient in ((label, of_label), (violator, of_violator)):
            self._squares_B[c] += gradient @ gradient / d
            self.B[c] -= self._step * _divided(gradient, self._squares_B[c])
        self._squares_W += of_inputs**2 * (x @ x) / d
        moves = _divided(of_inputs, self._squares_W)
        self.W -= (self._step * moves)[:, None] * x


def _divided(gradient: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Return a gradient over the roots of sums of squares, and 0 where a sum is 0."""
    return np.divide(gradient, np.sqrt(squares), out=np.zeros_like(gradient), where=squares > 0)
