"""Do the library's one-vs-all losses and LIBLINEAR find the same minimiser?

Both minimise the same strictly convex objective, so close objectives mean close models. LIBLINEAR's
W is judged by the library's certificate: the optimum lies in [D, P] of its solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.methods.liblinear import LOSSES, OneVsAll
from toplabel.solver import solve

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

_KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class Agreement:
    """The library beside LIBLINEAR for one loss and C: a row of results/<set>/agreement.csv.

    `ours` is the primal objective of the library's model, `lower_bound` its dual objective, and
    `liblinear` the primal objective of LIBLINEAR's model. `difference` is (liblinear - ours) /
    ours, `accuracy_difference` the largest difference in top-k test accuracy, in points without
    sign, and `finished` says whether both met their tolerance.
    """

    dataset: str
    split: str
    method: str
    C: float
    ours: float
    lower_bound: float
    liblinear: float
    difference: float
    accuracy_difference: float
    finished: bool


def compare_solvers(
    prepared: Prepared,
    Cs: Iterable[float] = (0.001, 0.01, 0.1, 1.0),
    losses: Sequence[str] = LOSSES,
    eps: float = 1e-4,
    max_epochs: int = 3000,
    seed: int = 0,
) -> list[Agreement]:
    """Train both on the first split of a data set, for each loss and each C ascending.

    `eps` is the relative duality gap of the library; LIBLINEAR's tolerance is a tenth of it.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    limits = {"seed": seed, "n_classes": prepared.n_classes}
    rows = []
    for loss in losses:
        ours = None
        for C in sorted(Cs):
            ours = solve(
                train.X, train.y, loss, C=C, tol=eps, max_iter=max_epochs, warm_start=ours, **limits
            )
            theirs = OneVsAll(loss).train(
                train.X, train.y, C=C, tol=eps, max_iter=max_epochs, **limits
            )
            scores = test.X @ ours.W, test.X @ theirs.model
            apart = (
                abs(top_k_accuracy(test.y, scores[0], k=k) - top_k_accuracy(test.y, scores[1], k=k))
                for k in _KS
                if k < prepared.n_classes
            )
            rows.append(
                Agreement(
                    *(prepared.name, split.name, loss, float(C)),
                    *(ours.primal, ours.dual, theirs.primal),
                    difference=(theirs.primal - ours.primal) / ours.primal,
                    accuracy_difference=100.0 * max(apart, default=0.0),
                    finished=ours.status == "converged" and theirs.status != "max_iter",
                )
            )
    return rows
