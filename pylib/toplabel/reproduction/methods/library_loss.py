"""The first kind of method: a loss of the library or of the user, trained by `toplabel.solve`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.methods.trained import Matrix
from toplabel.solver import Solution, solve


@dataclass(frozen=True)
class LibraryLoss:
    """A loss as `toplabel.losses.get` takes it; with a kernel it takes Gram matrices in place of
    rows.

    There are no warm starts. One from another C would save a quarter of the passes, but the model
    would depend on the values of C trained before it. Without one it is a function of its rows, its
    hyper-parameters, its seed and its tolerance.
    """

    loss: str | object
    k: int = 1
    gamma: float = 0.0
    kernel: str = "linear"
    passes: int | None = None

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float,
        seed: int,
        tol: float,
        max_iter: int,
        **_,
    ) -> Solution:
        """Train (see `trained.Trainer`)."""
        solution = solve(
            X,
            labels,
            self.loss,
            C=C,
            k=self.k,
            gamma=self.gamma,
            kernel="linear" if self.kernel == "linear" else "precomputed",
            n_classes=n_classes,
            check_input=False,  # Gram matrices come from `toplabel.kernels`
            tol=tol,
            max_iter=min(max_iter, self.passes or max_iter),
            seed=seed,
        )
        if solution.status == "interrupted":  # a model that is not finished must not be used
            raise KeyboardInterrupt
        return solution
