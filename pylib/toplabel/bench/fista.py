"""FISTA for the softmax: the reference where SPAMS is not installed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

_POWER_STEPS = 30
_OPTIMISM = 64.0  # the first step is so much longer than the one that is always short enough
_STEEPER = 1.5  # factor of L after a step that was too long
_ROUNDING = 1e-14


class SoftmaxFista:
    """Multinomial logistic regression by accelerated gradient descent (Beck and Teboulle 2009).

    Minimises ``(1/n) sum_i log sum_j exp(f_j(x_i) - f_{y_i}(x_i)) + ||W||_F^2 / (2 C n)`` without a bias. The
    step 1/L is found by backtracking, as in SPAMS, and the momentum restarted where it points uphill (O'Donoghue and
    Candes 2015). In the manner of scikit-learn.

    Parameters
    ----------
    C : float > 0
    max_iter : int
    tol : float
        Stop when the norm of the gradient has fallen below `tol` times that at 0.

    Attributes
    ----------
    coef_ : ndarray, (n_classes, n_features)
        After `fit`.
    classes_ : ndarray, (n_classes,)
    n_iter_ : int
    """

    def __init__(self, C: float = 1.0, max_iter: int = 1000, tol: float = 1e-4):
        self.C, self.max_iter, self.tol = C, max_iter, tol

    def fit(self, X, y, callback: Callable[[int, np.ndarray], object] | None = None):
        """Fit the model.

        Parameters
        ----------
        X : ndarray or sparse matrix, (n, d)
        y : array-like, (n,)
        callback : callable, optional
            Called with the number of iterations and W, (d, m), after each; a true result stops the run.

        Returns
        -------
        SoftmaxFista
            Itself.

        Raises
        ------
        ValueError
            For a C or max_iter that is not positive, or X and y of different lengths.
        """
        if not self.C > 0 or self.max_iter < 1:
            raise ValueError(f"C and max_iter must be positive, got {self.C} and {self.max_iter}")
        self.classes_, index = np.unique(np.asarray(y), return_inverse=True)
        n = X.shape[0]
        if len(index) != n:
            raise ValueError(f"X and y must have the same length, got {n} and {len(index)}")
        penalty = 1.0 / (self.C * n)
        largest = _largest_eigenvalue(X) / (2 * n) + penalty
        L = largest / _OPTIMISM
        W = point = np.zeros((X.shape[1], len(self.classes_)))
        scores = scores_point = np.zeros((n, len(self.classes_)))  # X W and X point
        momentum, first = 1.0, None
        for done in range(1, self.max_iter + 1):
            value, odds = _softmax(scores_point, index)
            value += 0.5 * penalty * float((point * point).sum())
            gradient = np.asarray(X.T @ odds) / n + penalty * point
            squared = float((gradient * gradient).sum())
            first = squared if first is None else first
            if squared <= self.tol**2 * first:
                break
            while True:
                new = point - gradient / L
                scores_new = np.asarray(X @ new)
                reached = _softmax_value(scores_new, index)
                reached += 0.5 * penalty * float((new * new).sum())
                if reached <= value - squared / (2 * L) + _ROUNDING * value or largest <= L:
                    break
                L = min(_STEEPER * L, largest)
            if (gradient * (new - W)).sum() > 0:  # uphill: forget the momentum
                momentum = 1.0
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = (momentum - 1.0) / following
            point, scores_point = (
                new + ahead * (new - W),
                scores_new + ahead * (scores_new - scores),
            )
            W, scores, momentum = new, scores_new, following
            if callback is not None and callback(done, W):
                break
        self.n_iter_ = done
        self.coef_ = W.T
        return self

    def decision_function(self, X) -> np.ndarray:
        """Scores of rows, (n, n_classes)."""
        return np.asarray(X @ self.coef_.T)

    def predict(self, X) -> np.ndarray:
        """The class of highest score of each row."""
        return self.classes_[np.argmax(self.decision_function(X), axis=1)]


def _softmax(scores: np.ndarray, index: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean loss, and the gradient of each row's loss in its scores."""
    rows = np.arange(len(index))
    top = scores.max(axis=1, keepdims=True)
    odds = np.exp(scores - top)
    total = odds.sum(axis=1, keepdims=True)
    value = float((np.log(total) + top).sum() - scores[rows, index].sum()) / len(index)
    odds /= total
    odds[rows, index] -= 1.0
    return value, odds


def _softmax_value(scores: np.ndarray, index: np.ndarray) -> float:
    """Mean loss."""
    top = scores.max(axis=1)
    total = np.exp(scores - top[:, None]).sum(axis=1)
    return float((np.log(total) + top - scores[np.arange(len(index)), index]).mean())


def _largest_eigenvalue(X) -> float:
    """Of X^T X, from above: power iteration, and the bound that its last residual gives."""
    rng = np.random.default_rng(0)
    v = rng.normal(size=X.shape[1])
    value = residual = 0.0
    for _ in range(_POWER_STEPS):
        v = v / np.linalg.norm(v)
        image = np.asarray(X.T @ (X @ v)).ravel()
        value = float(v @ image)
        residual = float(np.linalg.norm(image - value * v))
        if value == 0.0:
            break
        v = image
    total = float(X.multiply(X).sum() if sparse.issparse(X) else (X * X).sum())
    return min(1.01 * value + residual, total)
