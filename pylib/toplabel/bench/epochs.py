"""Seconds an epoch of every loss and k, beside the cheapest loss of its kind: the group ``epochs``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from toplabel.bench import fitting, machine, shapes
from toplabel.bench.effort import Effort
from toplabel.bench.timing import best_of_rounds, fastest
from toplabel.seeds import seed_of

COLUMNS = [
    "shape",
    "loss",
    "k",
    "gamma",
    "baseline",
    "milliseconds",
    "ratio",
    "gflops",
    "dgemm_share",
]
SHAPES = ("a", "b", "c", "text", "gram")
#: The first so many epochs are timed: those of a usual fit.
EPOCHS = 5
KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class Case:
    """A loss with its parameters, and the case whose time is 1."""

    loss: str
    k: int = 1
    gamma: float = 0.0
    baseline: str = "svm_multi"

    @property
    def key(self) -> str:
        """Name of the case."""
        return f"{self.loss} k={self.k} gamma={self.gamma:g}"


def cases() -> Iterator[Case]:
    """Yield every loss with every k, hinges plain and smooth; the baselines first."""
    for gamma in (0.0, 1.0):
        yield Case("svm_multi", 1, gamma)
        for loss in ("topk_svm_alpha", "topk_svm_beta"):
            for k in KS:
                yield Case(loss, k, gamma)
        yield Case("svm_ova", 1, gamma)
        yield Case("svm_ml", 1, gamma)
    yield Case("lr_multi", baseline="lr_multi")
    for k in KS:
        yield Case("topk_ent", k, baseline="lr_multi")
    yield Case("lr_ova", baseline="lr_multi")
    yield Case("lr_ml", baseline="lr_multi")


def seconds_per_epoch(shape: shapes.Shape, case: Case, epochs: int = EPOCHS) -> float:
    """Mean time of the first epochs, without any evaluation."""
    solver = fitting.start(shape, case.loss, k=case.k, gamma=case.gamma)
    return fastest(lambda: solver.run(epochs), 1) / epochs


def with_label_sets(shape: shapes.Shape, cardinality: float = 2.4) -> shapes.Shape:
    """Return the problem with label sets: a row's class, and others by chance.

    Parameters
    ----------
    shape : Shape
    cardinality : float
        Mean size of a set.
    """
    rng = np.random.default_rng(seed_of("bench", shape.name, "label sets"))
    n, m = shape.n, shape.n_classes
    Y = (rng.random((n, m)) < (cardinality - 1) / (m - 1)).astype(np.uint8)
    Y[np.arange(n), shape.y] = 1
    return shapes.Shape(shape.name, shape.X, Y, m, shape.C, shape.gram)


def relative_costs(effort: Effort, names: tuple[str, ...] = SHAPES) -> pd.DataFrame:
    """Measure all cases on the synthetic shapes; multilabel losses on label sets of 2.4 labels.

    Returns
    -------
    DataFrame
        `COLUMNS`; `ratio` to the baseline with the same gamma.
    """
    rows = []
    for name in names:
        shape = shapes.synthetic(name, effort.quick)
        sets = with_label_sets(shape)
        problems = {
            case.key: (sets if case.loss.endswith("_ml") else shape, case) for case in cases()
        }
        best = best_of_rounds(
            {
                key: lambda problem=problem, case=case: seconds_per_epoch(problem, case)
                for key, (problem, case) in problems.items()
            },
            effort.repeats,
        )
        block = fitting.block_size(shape, "svm_multi")
        flops = fitting.flops_per_epoch(shape, block)
        for key, (_, case) in problems.items():
            base = best[Case(case.baseline, 1, case.gamma).key]
            gflops = flops / best[key] / 1e9
            rows.append(
                (
                    name,
                    case.loss,
                    case.k,
                    case.gamma,
                    case.baseline,
                    1e3 * best[key],
                    best[key] / base,
                    gflops,
                    gflops / machine.dgemm_gflops(),
                )
            )
    return pd.DataFrame(rows, columns=COLUMNS)
