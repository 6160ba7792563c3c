"""How much of an epoch of the multilabel losses is spent in matrix products: the group ``blas_share``."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from toplabel.bench import fitting, machine, shapes
from toplabel.bench.blas import Meter
from toplabel.bench.effort import Effort
from toplabel.bench.timing import fastest

COLUMNS = [
    "shape",
    "sizes",
    "loss",
    "gamma",
    "milliseconds",
    "blas_milliseconds",
    "share",
    "calls",
    "blas_gflops",
    "dgemm_share",
]
CASES = (("svm_ml", 0.0), ("svm_ml", 1.0), ("lr_ml", 0.0))


class Sample(NamedTuple):
    """One epoch."""

    seconds: float
    blas_seconds: float
    calls: float
    flops: float


def epoch(shape: shapes.Shape, loss: str, gamma: float, epochs: int, repeats: int) -> Sample:
    """Return what an epoch costs, and how much of that is inside BLAS.

    Parameters
    ----------
    shape : Shape
        Dense, with label sets.
    loss : str
    gamma : float
    epochs : int
        The first so many are averaged over.
    repeats : int
        The fastest of so many runs counts.
    """
    samples = []
    for _ in range(repeats):
        run = fitting.start(shape, loss, gamma=gamma)
        with Meter() as meter:
            seconds = fastest(lambda run=run: run.run(epochs), 1)
        tally = meter.tally
        samples.append(Sample(seconds, tally.seconds, tally.calls, tally.flops))
    return Sample(*(number / epochs for number in min(samples)))


def blas_share(effort: Effort) -> pd.DataFrame:
    """Measure svm_ml and lr_ml on the shape of bibtex (n 4880, d 1836, m 159, dense).

    Returns
    -------
    DataFrame
        `COLUMNS`, an epoch each; `share` is blas_milliseconds over milliseconds, of the same run, so that the
        detour of each call counts as time outside; `blas_gflops` is the speed inside BLAS, `dgemm_share` that
        over the machine's measured dgemm.
    """
    shape = shapes.synthetic("tags", effort.quick)
    rows = []
    for loss, gamma in CASES:
        best = epoch(shape, loss, gamma, 4, effort.repeats)
        gflops = best.flops / best.blas_seconds / 1e9
        rows.append(
            (
                shape.name,
                shape.sizes,
                loss,
                gamma,
                1e3 * best.seconds,
                1e3 * best.blas_seconds,
                best.blas_seconds / best.seconds,
                best.calls,
                gflops,
                gflops / machine.dgemm_gflops(),
            )
        )
    return pd.DataFrame(rows, columns=COLUMNS)
