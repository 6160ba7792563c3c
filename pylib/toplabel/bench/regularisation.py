"""A path of 20 values of C, from nothing and warm, and warm without acceleration: the group ``path``."""

from __future__ import annotations

import numpy as np
import pandas as pd

import toplabel
from toplabel.bench import fitting, real, shapes
from toplabel.bench.effort import Effort
from toplabel.bench.timing import fastest

COLUMNS = [
    "shape",
    "loss",
    "gamma",
    "cold_epochs",
    "warm_epochs",
    "plain_epochs",
    "cold_seconds",
    "warm_seconds",
    "plain_seconds",
    "seconds_ratio",
    "worst_gap",
    "note",
]
CASES = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))
EPS = 1e-3


def values_of_C(quick: bool) -> np.ndarray:
    """Return 20 values of C from 1e-4, where hardly anything is learnt, to letter's best, 10."""
    return np.logspace(-4, 0, 5) if quick else np.logspace(-4, 1, 20)


def warm_starts(effort: Effort) -> pd.DataFrame:
    """Train on letter (or shape a) for all C: from nothing, from the last, and that with plain passes.

    Returns
    -------
    DataFrame
        `COLUMNS`; epochs and seconds are sums over the values of C, each trained to a relative gap of 1e-3;
        `seconds_ratio` is that of the plain to the accelerated path.
    """
    note = ""
    try:
        if effort.quick:
            raise real.Unavailable("a quick run")
        shape = real.load("letter")
    except real.Unavailable as error:
        shape, note = shapes.synthetic("a", effort.quick), f"not letter: {error}"
    Cs = values_of_C(effort.quick)
    rows = []
    for loss, gamma in CASES:
        arguments = {"loss": loss, "gamma": gamma, "eps": EPS, "max_epochs": 100_000}
        found = {}

        def cold(arguments=arguments, found=found):
            found["cold"] = [fitting.train(shape, C=C, **arguments) for C in Cs]

        def warm(arguments=arguments, found=found):
            found["warm"] = toplabel.path(shape.X, shape.y, Cs=Cs, **arguments)

        def plain(arguments=arguments, found=found):
            found["plain"] = toplabel.path(shape.X, shape.y, Cs=Cs, acceleration=False, **arguments)

        seconds = [fastest(run, effort.repeats) for run in (cold, warm, plain)]
        epochs = [
            sum(solution.epochs for solution in found[kind]) for kind in ("cold", "warm", "plain")
        ]
        worst = max(s.relative_gap for kind in found.values() for s in kind)
        ratio = seconds[2] / seconds[1]
        rows.append((shape.name, loss, gamma, *epochs, *seconds, ratio, worst, note))
    return pd.DataFrame(rows, columns=COLUMNS)
