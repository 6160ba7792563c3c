"""The truncated top-k entropy by the authors' gradient descent, ended after so many steps.

TPAMI section 6.2 trains it by "gradient descent with line search", from the softmax solution; when
that ends it does not say. The step rule here is that of the authors' public program
(mlapin/libsdca, `mex_gd`). It minimises F(W) = P(W)/lambda. The first step length is min(1,
1/||g||), g the gradient of F. A step is taken when F falls by 10^-5 ||g|| times its length, else
its length is halved; it is doubled only after a step that was not halved. The descent ends at a
gradient of norm tol, after so many steps, or when no length above 10^-9 lets F fall.
`toplabel.solve` goes on to a stationary point, by quasi-Newton steps.
"""

from __future__ import annotations

import numpy as np

from toplabel import losses
from toplabel._core.arrays import as_integer
from toplabel.reproduction.methods.trained import LibraryLoss, Matrix, TrainedMethod

_LOSS = "topk_ent_tr"
_START_EPS = 1e-4  # relative gap of the softmax solution
_SUFFICIENT = 1e-5
_SHORTEST = 1e-9


class EntropyDescent:
    """Truncated top-k entropy, descended from the softmax solution.

    `steps` are the most of gradient descent; 1000 is the default of the authors' program. An epoch
    is a step; the softmax's passes do not count.
    """

    def __init__(self, k: int = 1, steps: int = 1000) -> None:
        self._k = k
        self._steps = as_integer(steps, "steps", 0)

    def train(self, X, labels, *, n_classes, C, seed, tol, max_iter, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        limits = {"n_classes": n_classes, "tol": _START_EPS, "max_iter": max_iter}
        softmax = LibraryLoss("lr_multi").train(X, labels, C=C, seed=seed, **limits)
        objective = _Objective(X, labels, self._k, C)
        W, taken = softmax.W, 0
        scores = np.asarray(X @ W)
        value = objective.value(W, scores)
        gradient, direction, norm = objective.descent(W, scores)
        length, before = min(1.0, 1.0 / norm) if norm > 0.0 else 1.0, 0.0
        while taken < self._steps and norm > tol:
            if length == before:
                length *= 2.0
            before = length
            while True:  # scores are linear in W: a trial needs no product with X
                new_W, new_scores = W - length * gradient, scores - length * direction
                new_value = objective.value(new_W, new_scores)
                if new_value <= value - _SUFFICIENT * norm * length or length <= _SHORTEST:
                    break
                length /= 2.0
            if length <= _SHORTEST:
                break
            W, scores, value, taken = new_W, new_scores, new_value, taken + 1
            gradient, direction, norm = objective.descent(W, scores)
        return TrainedMethod(
            model=W,
            status="uncertified",
            epochs=taken,
            primal=objective.value(W, X @ W) / (C * X.shape[0]),
            gradient_norm=norm / (C * X.shape[0]),
        )


class _Objective:
    """F = P/lambda: C times the sum of the losses, and half the squared norm of W.

    A step has two products with X, most of its time. They are made in float32: rounding is small
    beside what a thousand steps leave undone.
    """

    def __init__(self, X: Matrix, labels: np.ndarray, k: int, C: float) -> None:
        self._X = X.astype(np.float32)
        self._labels, self._k, self._C = labels, k, C

    def value(self, W: np.ndarray, scores: np.ndarray) -> float:
        """Return F at W, whose scores are given."""
        loss = losses.value(_LOSS, scores, self._labels, k=self._k).sum()
        return float(self._C * loss + np.vdot(W, W) / 2.0)

    def descent(self, W: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the gradient of F at W, its scores, and its norm."""
        of_scores = self._C * losses.gradient(_LOSS, scores, self._labels, k=self._k)
        gradient = np.asarray(self._X.T @ of_scores.astype(np.float32)) + W
        direction = np.asarray(self._X @ gradient.astype(np.float32), dtype=np.float64)
        return gradient, direction, float(np.linalg.norm(gradient))
