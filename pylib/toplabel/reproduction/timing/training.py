"""The measurements of results/timing: the projections, and the training of letter at every epoch, for gap
and accuracy (TPAMI Fig. 3b and c) and beside FISTA (Fig. 3d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from toplabel import losses
from toplabel._core.catalogue import LOSSES
from toplabel._core.solution import Record
from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.data.parts import Part, PreparedSet, dense
from toplabel.reproduction.frames import Columns
from toplabel.reproduction.timing import TimeTask, measure, projections, timed
from toplabel.solver import solve

#: C of the best validation accuracy of the multiclass SVM among the powers of ten.
CS = {"letter": 10.0, "digits": 0.001}
METHODS = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))
CONVERGENCE = {"label": str, "loss": str, "gamma": float, "epoch": int}
CONVERGENCE |= dict.fromkeys(("relative_gap", "top1", "seconds"), float)
SOFTMAX = {"solver": str, "step": int, "excess": float, "seconds": float}
OURS, FISTA = "SDCA (toplabel)", "FISTA (our reference)"
FINISH = 1e-7  # relative excess at which the race ends
_EPS = 1e-6  # relative gap at which the curves end
_ROUNDING = 1e-14


@dataclass(frozen=True)
class TimedSet:
    """Rows with one label each to train on, dense, and rows to validate on."""

    X: np.ndarray
    y: np.ndarray
    X_val: np.ndarray
    y_val: np.ndarray
    n_classes: int
    C: float
    title: str

    @property
    def words(self) -> str:
        """The title of the set, its sizes and C."""
        n, d = self.X.shape
        return f"{self.title} (n {n}, d {d}, m {self.n_classes}), C = {self.C:g}."


def timed_set(prepared: PreparedSet, title: str) -> TimedSet:
    """Return the training and validation part of the first split of a data set of a title.

    Without a validation part, a stratified fifth of the training rows serves as one. Raise
    ValueError if no C is known for the set (`CS`).
    """
    if prepared.name not in CS:
        raise ValueError(f"data set '{prepared.name}': no C is known; known: {', '.join(CS)}")
    split = prepared.splits[0]
    X, y = _dense(prepared.parts[split.train])
    if split.val:
        X_val, y_val = _dense(prepared.parts[split.val])
    else:
        X, X_val, y, y_val = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
    return TimedSet(X, y, X_val, y_val, prepared.n_classes, CS[prepared.name], title)


def _dense(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of a part as a dense array, and its classes."""
    assert part.y is not None
    return np.ascontiguousarray(dense(part.X), dtype=np.float64), part.y


def convergence(data: TimedSet, quick: bool = False) -> pd.DataFrame:
    """Train the methods of the figure, and evaluate each at every epoch: `CONVERGENCE`.

    `top1` is in percent on the validation rows; `seconds` are those of the epochs, without the
    evaluations. There are at most 1000 epochs, or ten in a quick run.
    """
    frames = []
    options: dict[str, Any] = {"C": data.C, "n_classes": data.n_classes, "tol": _EPS}
    options |= {"max_iter": 10 if quick else 1000, "eval_every": 1}
    for loss, gamma in METHODS:
        solution = solve(
            data.X,
            data.y,
            loss,
            gamma=gamma,
            watch={"val": (data.X_val, data.y_val)},
            watch_metric=lambda y, scores: 100 * top_k_accuracy(y, scores, k=1),
            **options,
        )
        rows = [
            (record.epoch, record.relative_gap, record.watched["val"], record.solve_seconds)
            for record in solution.history[1:]
        ]
        frame = pd.DataFrame(rows, columns=["epoch", "relative_gap", "top1", "seconds"])
        frames.append(frame.assign(label=LOSSES[loss].name(gamma=gamma), loss=loss, gamma=gamma))
    return pd.concat(frames, ignore_index=True)[[*CONVERGENCE]]


def softmax(data: TimedSet, quick: bool = False) -> pd.DataFrame:
    """Train the softmax with each solver for at most 30 seconds, 10 in a quick run: `SOFTMAX`.

    `step` counts epochs or iterations, `excess` is (P - P*)/P* with a lower bound for P* that our
    dual proves. Evaluating P does not count. Raise ArithmeticError if the bound is not tight enough
    within four times as long.
    """
    cap = 10.0 if quick else 30.0
    X, y, C = data.X, data.y, data.C
    proof = solve(X, y, "lr_multi", C=C, tol=1e-9, max_iter=100_000, time_limit=4 * cap)
    bound, gap = proof.dual, proof.relative_gap
    if gap > 0.1 * FINISH:
        raise ArithmeticError(f"P* is known to {gap:.1e} only, which is too coarse for {FINISH:g}")

    def arrived(record: Record) -> bool:
        return record.primal / bound - 1 <= FINISH

    ends: dict[str, Any] = {"tol": 0.0, "max_iter": 100_000, "time_limit": cap, "callback": arrived}
    solution = solve(X, y, "lr_multi", C=C, eval_every=1, **ends)
    rows = [
        (OURS, record.epoch, record.primal / bound - 1, record.solve_seconds)
        for record in solution.history[1:]
    ]
    rows += [(FISTA, *point) for point in _race_of_fista(data, bound, cap)]
    frame = pd.DataFrame(rows, columns=[*SOFTMAX])
    return frame.assign(excess=frame["excess"].clip(lower=0.0))


def _race_of_fista(data: TimedSet, bound: float, cap: float) -> Iterator[tuple[int, float, float]]:
    """Yield step, excess and seconds of some of the iterates, ever fewer of them."""
    X, y = data.X, data.y
    iterates = fista(X, y, data.C)
    step, shown, seconds, excess = 0, 1, 0.0, np.inf
    while excess > FINISH and seconds < cap:
        elapsed, W = timed(lambda: next(iterates))
        step, seconds = step + 1, seconds + elapsed
        if step >= shown or seconds >= cap:
            excess = primal("lr_multi", X, y, W, data.C) / bound - 1
            shown = max(step + 1, int(1.15 * step))
            yield step, excess, seconds


def fista(X: np.ndarray, y: np.ndarray, C: float) -> Iterator[np.ndarray]:
    """Yield the iterates W, (d, m), of accelerated gradient descent (Beck and Teboulle 2009).

    They minimise ``(1/n) sum_i log sum_j exp(f_j(x_i) - f_{y_i}(x_i)) + ||W||_F^2 / (2 C n)``,
    without a bias. The step 1/L is found by backtracking, and the momentum restarted
    where it is no descent direction (O'Donoghue and Candes 2015).
    """
    n, m = X.shape[0], int(y.max()) + 1
    penalty = 1.0 / (C * n)
    largest = np.linalg.norm(X, 2) ** 2 / (2 * n) + penalty  # 1/largest is short enough
    L = largest / 64.0
    W = point = np.zeros((X.shape[1], m))
    scores = scores_point = np.zeros((n, m))  # X W and X point
    momentum = 1.0
    while True:
        value = _objective(scores_point, y, point, penalty)
        slopes = losses.gradient("lr_multi", scores_point, y)
        gradient = X.T @ slopes / n + penalty * point
        squared = float((gradient * gradient).sum())
        while True:
            new = point - gradient / L
            scores_new = X @ new
            reached = _objective(scores_new, y, new, penalty)
            if reached <= value - squared / (2 * L) + _ROUNDING * value or largest <= L:
                break
            L = min(1.5 * L, largest)
        if (gradient * (new - W)).sum() > 0:  # no descent direction: restart the momentum
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = (momentum - 1.0) / following
        point = new + ahead * (new - W)
        scores_point = scores_new + ahead * (scores_new - scores)
        W, scores, momentum = new, scores_new, following
        yield W


def primal(loss: str, X: np.ndarray, y: np.ndarray, W: np.ndarray, C: float) -> float:
    """Return the objective P of W."""
    return _objective(X @ W, y, W, 1.0 / (C * len(y)), loss)


def _objective(
    scores: np.ndarray, y: np.ndarray, W: np.ndarray, penalty: float, loss: str = "lr_multi"
) -> float:
    """Return the objective P of W with the scores X W."""
    return float(losses.value(loss, scores, y).mean()) + 0.5 * penalty * float((W * W).sum())


@dataclass(frozen=True)
class Measurement:
    """Measurement of times: a function that returns them, their columns, and the clock it reads.

    The function takes the `TimedSet`, if something is trained, and whether the run is a quick one.
    """

    function: Callable[..., pd.DataFrame]
    columns: Columns
    clock: str


MEASUREMENTS = {
    "projections": Measurement(projections.scaling, projections.COLUMNS, "CPU time"),
    "convergence": Measurement(convergence, CONVERGENCE, "wall time"),
    "softmax": Measurement(softmax, SOFTMAX, "wall time"),
}
"""The measurements by the names of their files."""


def measured(task: TimeTask, prepared: PreparedSet | None) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the times of a task, and the facts of them: what was trained, if anything, and how."""
    measurement = MEASUREMENTS[task.name]
    data = None if prepared is None else timed_set(prepared, task.title)
    given = (task.quick,) if data is None else (data, task.quick)
    times, conditions = measure(
        partial(measurement.function, *given), task.quick, measurement.clock
    )
    return times, {"what": data.words if data else "", "sentence": conditions}
