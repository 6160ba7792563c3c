"""Do our one-vs-all solvers and LIBLINEAR find the same minimiser?

Both minimise the same strictly convex objective, so close objectives mean close models. LIBLINEAR's
W is judged by our certificate: the optimum lies in [D, P] of our solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.baselines.liblinear import LOSSES, OneVsAll
from toplabel.reproduction.baselines.models import Matrix
from toplabel.solver import solve


@dataclass(frozen=True)
class Agreement:
    """One loss at one C; accuracies in percent, objectives as `toplabel.solve` reports them.

    `ours` and `lower_bound` are P and D of our solution, between which the optimum lies,
    `liblinear` P of LIBLINEAR's. `difference` is (liblinear - ours) / ours; positive where ours is
    the better. `accuracy_difference` is the largest difference in test accuracy over the k asked
    for, in points, without sign; `accuracies` are (k, ours, liblinear). `finished`: both met their
    tolerance.
    """

    loss: str
    C: float
    ours: float
    lower_bound: float
    liblinear: float
    difference: float
    accuracy_difference: float
    accuracies: tuple[tuple[int, float, float], ...]
    finished: bool


def results(
    X: Matrix,
    y: np.ndarray,
    X_test: Matrix,
    y_test: np.ndarray,
    Cs: Iterable[float],
    *,
    ks: Sequence[int] = (1, 3, 5, 10),
    losses: Iterable[str] = LOSSES,
    eps: float = 1e-4,
    max_epochs: int = 20000,
    seed: int = 0,
    train: Callable[..., Any] = solve,
) -> list[Agreement]:
    """Train both solvers at each C and compare objectives and accuracies, by loss and ascending C.

    y and y_test are class indices; of the `ks` those with k >= m are left out. `eps` is the
    relative duality gap of ours; LIBLINEAR's tolerance is a tenth of it. `train` is
    `toplabel.solve` or one like it.
    """
    m = int(y.max()) + 1
    ks = [k for k in ks if k < m]
    found = []
    for loss in losses:
        ours = None
        for C in sorted(Cs):
            ours = train(
                *(X, y),
                loss=loss,
                C=C,
                eps=eps,
                max_epochs=max_epochs,
                seed=seed,
                n_classes=m,
                warm_start=ours,
            )
            theirs = OneVsAll(loss).train(
                *(X, y), n_classes=m, C=C, seed=seed, eps=eps, max_epochs=max_epochs
            )
            scores = (np.asarray(X_test @ ours.W), np.asarray(X_test @ theirs.model))
            accuracies = [
                (k, *(100.0 * top_k_accuracy(y_test, values, k=k) for values in scores)) for k in ks
            ]
            found.append(
                Agreement(
                    loss=loss,
                    C=float(C),
                    ours=ours.primal,
                    lower_bound=ours.dual,
                    liblinear=theirs.primal,
                    difference=(theirs.primal - ours.primal) / ours.primal,
                    accuracy_difference=max((abs(a - b) for _, a, b in accuracies), default=0.0),
                    accuracies=tuple(accuracies),
                    finished=ours.status == "converged" and theirs.status != "max_epochs",
                )
            )
    return found
