"""The softmax trained by our solver and by FISTA, scored by one objective (TPAMI Fig. 3d)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel._core.solution import Record
from toplabel.reproduction.compare.peers import fista, primal
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
    X, y = data.X, data.y
    iterates = fista(X, y, data.C)
    step, shown, seconds, excess = 0, 1, 0.0, np.inf
    while excess > _FINISH and seconds < cap:
        elapsed, W = timed(lambda: next(iterates))
        step, seconds = step + 1, seconds + elapsed
        if step >= shown or seconds >= cap:
            excess = primal("lr_multi", X, y, W, data.C) / bound - 1
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
