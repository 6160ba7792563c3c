"""Passes to a certified gap with and without acceleration: the group ``passes``."""

from __future__ import annotations

import pandas as pd

from toplabel.bench import fitting, real, shapes
from toplabel.bench.effort import Effort
from toplabel.bench.shapes import Shape

COLUMNS = ["shape", "loss", "k", "gamma", "C", "plain", "accelerated", "ratio", "r", "visits"]
EPS = 1e-3
#: Problem, loss, k, gamma, C.
CASES = (
    ("letter", "svm_multi", 1, 0.0, 10.0),
    ("letter", "svm_multi", 1, 1.0, 10.0),
    ("letter", "svm_multi", 1, 1.0, 100.0),
    ("letter", "svm_multi", 1, 0.0, 1.0),
    ("letter", "topk_svm_alpha", 5, 0.0, 10.0),
    ("letter", "svm_ova", 1, 0.0, 10.0),
    ("letter", "lr_multi", 1, 0.0, 10.0),
    ("letter", "lr_multi", 1, 0.0, 1.0),
    ("letter", "topk_ent", 5, 0.0, 10.0),
    ("a", "svm_multi", 1, 0.0, 1.0),
    ("a", "svm_multi", 1, 1.0, 1.0),
    ("b", "svm_multi", 1, 0.0, 10.0),
    ("c", "svm_multi", 1, 0.0, 10.0),
    ("text", "svm_multi", 1, 0.0, 1.0),
    ("text", "svm_multi", 1, 0.0, 10.0),
    ("gram", "svm_multi", 1, 0.0, 1.0),
    ("tags", "svm_ml", 1, 0.0, 10.0),
    ("tags", "lr_ml", 1, 0.0, 10.0),
    ("tabular", "svm_multi", 1, 1.0, 10.0),
    ("tabular", "svm_multi", 1, 0.0, 10.0),
    ("tabular", "lr_multi", 1, 0.0, 10.0),
    ("tabular", "topk_svm_beta", 3, 0.0, 10.0),
    ("tabular", "svm_multi", 1, 1.0, 100.0),
)
MOST = 3000
EVERY = 2  # an outer step of the acceleration


def acceleration(effort: Effort) -> pd.DataFrame:
    """Count the passes until the certified relative gap is at most 1e-3, looking every second pass.

    Returns
    -------
    DataFrame
        `COLUMNS`: `plain` and `accelerated` are passes, empty where `MOST` were not enough; `ratio` is their quotient,
        a lower bound where `plain` is empty; `r` is that of the last outer step, 0 where the passes stayed plain;
        `visits` are the rows visited over n, with acceleration.
    """
    problems: dict[str, Shape] = {}
    rows = []
    for name, loss, k, gamma, C in CASES:
        if effort.quick and name in real.SETS:
            continue
        try:
            if name not in problems:
                known = name in real.SETS
                problems[name] = real.load(name) if known else shapes.synthetic(name, effort.quick)
        except real.Unavailable:
            continue
        shape = problems[name]
        arguments = {"k": min(k, shape.n_classes - 1), "gamma": gamma, "C": C}
        arguments |= {"eps": EPS, "eval_every": EVERY, "max_epochs": MOST}
        plain = fitting.train(shape, loss, acceleration=False, **arguments)
        fast = fitting.train(shape, loss, **arguments)
        passes = [s.epochs if s.status == "converged" else None for s in (plain, fast)]
        ratio = plain.epochs / fast.epochs
        rows.append((name, loss, k, gamma, C, *passes, ratio, fast.r, fast.visits / shape.n))
    return pd.DataFrame(rows, columns=COLUMNS)
