"""Duality gap and validation accuracy against time (TPAMI Fig. 3b and c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.model_selection import train_test_split

from toplabel._core.catalogue import LOSSES
from toplabel._core.solution import Record
from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.solver import solve

#: C of the best validation accuracy of the multiclass SVM among the powers of ten.
CS = {"letter": 10.0, "digits": 0.001}
COLUMNS = ["label", "loss", "gamma", "epoch", "relative_gap", "top1", "seconds"]
METHODS = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))
_EPS = 1e-6  # relative gap at which the curves end
_THINNING = 1.04  # from one epoch that is kept to the next


@dataclass(frozen=True)
class TimedSet:
    """Rows of one label each to train on, dense, and rows to validate on."""

    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray
    n_classes: int
    C: float

    @property
    def words(self) -> str:
        """Sizes and C."""
        n, d = self.X.shape
        return f"(n {n}, d {d}, m {self.n_classes}), C = {self.C:g}"


def timed_set(prepared: Prepared) -> TimedSet:
    """Return the training and validation part of the first split of a set of one label per row.

    Without a validation part, a stratified fifth of the training rows serves as one. A set whose C
    is not known (`CS`) is a ValueError.
    """
    if prepared.name not in CS:
        raise ValueError(f"data set '{prepared.name}': no C is known; known: {', '.join(CS)}")
    split = prepared.splits[0]
    X, y = _dense(prepared.parts[split.train]), prepared.parts[split.train].y
    if split.val:
        X_val, y_val = _dense(prepared.parts[split.val]), prepared.parts[split.val].y
    else:
        X, X_val, y, y_val = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    return TimedSet(X, y, X_val, y_val, prepared.n_classes, CS[prepared.name])


def _dense(part: Part) -> np.ndarray:
    X = part.X.toarray() if sparse.issparse(part.X) else np.array(part.X)
    return np.ascontiguousarray(X, dtype=np.float64)


def convergence(data: TimedSet, epochs: int) -> pd.DataFrame:
    """Train the methods of TPAMI Fig. 3b and c, for at most so many epochs, each evaluated:
    `COLUMNS`.

    There are all first epochs and some of the later ones; `top1` is in percent on the validation
    rows, `seconds` are of the epochs alone, without what it takes to evaluate.
    """
    rows = []
    for loss, gamma in METHODS:
        label = LOSSES[loss].name(gamma=gamma)
        options = {"gamma": gamma, "C": data.C, "n_classes": data.n_classes, "eval_every": 1}
        solution = solve(
            *(data.X, data.y, loss),
            **options,
            eps=_EPS,
            max_epochs=epochs,
            watch={"val": (data.X_val, data.y_val)},
            watch_metric=lambda y, scores: 100 * top_k_accuracy(y, scores, k=1),
        )
        for one in _thinned(solution.history[1:]):
            gap = (one.epoch, one.relative_gap, one.watched["val"])
            rows.append((label, loss, gamma, *gap, one.solve_seconds))
    return pd.DataFrame(rows, columns=COLUMNS)


def _thinned(records: list[Record]) -> list[Record]:
    """Thin the epochs geometrically; keep the first ones and the last."""
    kept, following = [], 0.0
    for record in records:
        if record.epoch >= following or record is records[-1]:
            kept.append(record)
            following = _THINNING * record.epoch
    return kept
