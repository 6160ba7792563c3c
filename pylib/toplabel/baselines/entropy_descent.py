"""The truncated top-k entropy by gradient descent that ends after so many steps.

TPAMI section 6.2 trains it by "gradient descent with line search", from the softmax solution; when that ends it does
not say. Here a step length is halved until the objective falls by 10^-4 of what the gradient promises, and doubled
for the next step. `toplabel.solve` goes on to a stationary point, by quasi-Newton steps.
"""

from __future__ import annotations

import numpy as np

from toplabel import losses
from toplabel._arrays import as_integer
from toplabel.baselines.models import Matrix, Trained

_LOSS = "topk_ent_tr"
_START_EPS = 1e-4  # relative gap of the softmax solution
_SUFFICIENT = 1e-4
_SHORTEST = 1e-12


class EntropyDescent:
    """Truncated top-k entropy, descended from the softmax solution.

    Parameters
    ----------
    k : int
    steps : int
        Steps of gradient descent.
    """

    def __init__(self, k: int = 1, steps: int = 100) -> None:
        self._k = k
        self._steps = as_integer(steps, "steps", 0)

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float,
        seed: int,
        eps: float,
        max_epochs: int,
        start: Trained | None = None,
    ) -> Trained:
        """Train; see `toplabel.baselines.models.Trainer`. An epoch is a step; the softmax's passes do not count."""
        from toplabel.solver import solve

        softmax = solve(
            X,
            labels,
            "lr_multi",
            C=C,
            n_classes=n_classes,
            eps=_START_EPS,
            max_epochs=max_epochs,
            seed=seed,
        )
        if softmax.status == "interrupted":
            raise KeyboardInterrupt
        objective = _Objective(X, labels, self._k, C)
        W, length, taken = softmax.W, 1.0, 0
        value, scores = objective.value(W)
        gradient = objective.gradient(W, scores)
        while taken < self._steps:
            slope = float(np.vdot(gradient, gradient))
            new = W - length * gradient
            new_value, scores = objective.value(new)
            if not new_value <= value - _SUFFICIENT * length * slope:
                length /= 2.0
                if length < _SHORTEST:
                    break
                continue
            W, value, taken, length = new, new_value, taken + 1, 2.0 * length
            gradient = objective.gradient(W, scores)
        return Trained(
            model=W,
            status="uncertified",
            epochs=taken,
            primal=value,
            gradient_norm=float(np.linalg.norm(gradient)),
        )


class _Objective:
    """P: the mean loss, and the penalty with lambda = 1/(C n)."""

    def __init__(self, X: Matrix, labels: np.ndarray, k: int, C: float) -> None:
        self._X, self._labels, self._k = X, labels, k
        self._n = X.shape[0]
        self._penalty = 1.0 / (C * self._n)

    def value(self, W: np.ndarray) -> tuple[float, np.ndarray]:
        """P(W), and the scores X W."""
        scores = np.asarray(self._X @ W)
        loss = losses.value(_LOSS, scores, self._labels, k=self._k).mean()
        return float(loss + self._penalty / 2.0 * np.vdot(W, W)), scores

    def gradient(self, W: np.ndarray, scores: np.ndarray) -> np.ndarray:
        of_scores = losses.gradient(_LOSS, scores, self._labels, k=self._k) / self._n
        return np.asarray(self._X.T @ of_scores) + self._penalty * W
