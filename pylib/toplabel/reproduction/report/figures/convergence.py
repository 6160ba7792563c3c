"""Duality gap and validation accuracy against time (TPAMI Fig. 3b and c)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.model_selection import train_test_split

from toplabel._core.catalogue import LOSSES
from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import Source, draw_against_time, panel_grid
from toplabel.solver import solve

TITLE = "Duality gap and validation accuracy against time"
CAPTION = "Points are epochs; the seconds are those of the epochs, without evaluations."
ALT = (
    "Two panels over the seconds of training: the relative duality gap falls, the validation accuracy"
    " rises and levels off early."
)
#: C of the best validation accuracy of the multiclass SVM among the powers of ten.
CS = {"letter": 10.0, "digits": 0.001}
COLUMNS = {"label": str, "loss": str, "gamma": float, "epoch": int}
COLUMNS |= dict.fromkeys(("relative_gap", "top1", "seconds"), float)
METHODS = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))
_EPS = 1e-6  # relative gap at which the curves end


@dataclass(frozen=True)
class TimedSet:
    """Rows with one label each to train on, dense, and rows to validate on."""

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
    """Return the training and validation part of the first split of a data set.

    Without a validation part, a stratified fifth of the training rows serves as one. Raise
    ValueError if no C is known for the set (`CS`).
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


def convergence(data: TimedSet, quick: bool = False) -> pd.DataFrame:
    """Train the methods of the figure, and evaluate each at every epoch: `COLUMNS`.

    `top1` is in percent on the validation rows; `seconds` are those of the epochs, without the
    evaluations. There are at most 1000 epochs, or ten in a quick run.
    """
    rows = []
    for loss, gamma in METHODS:
        label = LOSSES[loss].name(gamma=gamma)
        options = {"gamma": gamma, "C": data.C, "n_classes": data.n_classes, "eval_every": 1}
        solution = solve(
            *(data.X, data.y, loss),
            **options,
            tol=_EPS,
            max_iter=10 if quick else 1000,
            watch={"val": (data.X_val, data.y_val)},
            watch_metric=lambda y, scores: 100 * top_k_accuracy(y, scores, k=1),
        )
        for one in solution.history[1:]:
            gap = (one.epoch, one.relative_gap, one.watched["val"])
            rows.append((label, loss, gamma, *gap, one.solve_seconds))
    return pd.DataFrame(rows, columns=[*COLUMNS])


def numbers(source: Source) -> pd.DataFrame:
    """Read the epochs that were measured."""
    return read_frame(source.one("convergence.csv"), COLUMNS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the relative gap (left) and the top-1 accuracy (right) of each method against time."""
    floor = frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()
    figure, axes = panel_grid(2, across=2, height=2.6)
    drawn = frame.assign(relative_gap=frame["relative_gap"].clip(lower=floor))
    for ax, column in zip(axes, ("relative_gap", "top1"), strict=True):
        draw_against_time(ax, drawn, "label", column)
    axes[0].set(yscale="log", ylabel="relative duality gap")
    axes[1].set_ylabel("validation accuracy, top-1 (%)")
    axes[0].legend()
    return figure
