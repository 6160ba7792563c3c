"""The softmax trained by our solver and by FISTA, scored by one objective (TPAMI Fig. 3d)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel import losses
from toplabel._core.solution import Record
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.convergence import TimedSet
from toplabel.reproduction.report.figures.drawing import Source, draw_against_time
from toplabel.reproduction.report.figures.measuring import timed
from toplabel.solver import solve

TITLE = "Training the softmax by SDCA and by FISTA"
CAPTION = (
    "Both are scored by the same objective P; P* is a lower bound that our dual proves. Evaluating P"
    " does not count."
)
ALT = (
    "Excess of the softmax objective over its least value against seconds, a curve for each solver,"
    " both axes logarithmic."
)
COLUMNS = {"solver": str, "step": int, "excess": float, "seconds": float}
OURS, FISTA = "SDCA (toplabel)", "FISTA (our reference)"
_FINISH = 1e-7  # relative excess at which the race ends
_ROUNDING = 1e-14


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
        value = _primal(scores_point, y, point, penalty)
        slopes = losses.gradient("lr_multi", scores_point, y)
        gradient = X.T @ slopes / n + penalty * point
        squared = float((gradient * gradient).sum())
        while True:
            new = point - gradient / L
            scores_new = X @ new
            reached = _primal(scores_new, y, new, penalty)
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


def _primal(scores: np.ndarray, y: np.ndarray, W: np.ndarray, penalty: float) -> float:
    """Return the objective P of W with the scores X W."""
    loss = float(losses.value("lr_multi", scores, y).mean())
    return loss + 0.5 * penalty * float((W * W).sum())


def race(data: TimedSet, quick: bool = False) -> pd.DataFrame:
    """Train the softmax with each solver for at most 30 seconds, 10 in a quick run: `COLUMNS`.

    `step` counts epochs or iterations, `excess` is (P - P*)/P* with a lower bound for P* that our
    dual proves. Evaluating P does not count. Raise ArithmeticError if the bound is not tight enough
    within four times as long.
    """
    cap = 10.0 if quick else 30.0
    X, y, C = data.X, data.y, data.C
    proof = solve(X, y, "lr_multi", C=C, tol=1e-9, max_iter=100_000, time_limit=4 * cap)
    bound, gap = proof.dual, proof.relative_gap
    if gap > 0.1 * _FINISH:
        raise ArithmeticError(f"P* is known to {gap:.1e} only, which is too coarse for {_FINISH:g}")
    limits = {"tol": 0.0, "max_iter": 100_000, "eval_every": 1, "time_limit": cap}

    def arrived(record: Record) -> bool:
        return record.primal / bound - 1 <= _FINISH

    history = solve(X, y, "lr_multi", C=C, callback=arrived, **limits).history[1:]  # but the start
    rows = [(OURS, one.epoch, one.primal / bound - 1, one.solve_seconds) for one in history]
    rows += [(FISTA, *row) for row in _race_of_fista(data, bound, cap)]
    frame = pd.DataFrame(rows, columns=[*COLUMNS])
    return frame.assign(excess=frame["excess"].clip(lower=0.0))


def _race_of_fista(data: TimedSet, bound: float, cap: float) -> Iterator[tuple[int, float, float]]:
    """Yield step, excess and seconds of some of the iterates, ever fewer of them."""
    X, y, penalty = data.X, data.y, 1.0 / (data.C * len(data.y))
    iterates = fista(X, y, data.C)
    step, shown, seconds, excess = 0, 1, 0.0, np.inf
    while excess > _FINISH and seconds < cap:
        elapsed, W = timed(lambda: next(iterates))
        step, seconds = step + 1, seconds + elapsed
        if step >= shown or seconds >= cap:
            excess = _primal(X @ W, y, W, penalty) / bound - 1
            shown = max(step + 1, int(1.15 * step))
            yield step, excess, seconds


def numbers(source: Source) -> pd.DataFrame:
    """Read the race that was measured."""
    return read_frame(source.one("softmax.csv"), COLUMNS)


def draw(frame: pd.DataFrame) -> Figure:
    """Draw how far the objective of each solver is from the optimum, against time."""
    figure = Figure(figsize=(style.WIDTH, 3.1), layout="constrained")
    ax = figure.subplots()
    floor = min(frame.loc[frame["excess"] > 0, "excess"].min(), _FINISH)
    drawn = frame.assign(excess=frame["excess"].clip(lower=floor))
    draw_against_time(ax, drawn, "solver", "excess")
    ax.set(yscale="log", ylabel="(P − P*) / P*")
    ax.legend(loc="lower left")
    return figure
