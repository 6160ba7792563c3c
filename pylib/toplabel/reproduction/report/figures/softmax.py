"""The softmax by our solver, solvers of scikit-learn and FISTA, scored alike (TPAMI Fig. 3d)."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from toplabel import losses
from toplabel._core.solution import Record
from toplabel.reproduction.compare.tables import PrintedTable
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.convergence import TimedSet
from toplabel.reproduction.report.figures.drawing import Source, draw_against_time, handles_of
from toplabel.reproduction.report.figures.measuring import timed
from toplabel.solver import solve

COLUMNS = {"solver": str, "step": int, "excess": float, "seconds": float}
OURS, FISTA = "SDCA (toplabel)", "FISTA (our reference)"
#: The fastest solvers of scikit-learn of each kind: stochastic, quasi-Newton, Newton.
PEERS = {
    "SAG (scikit-learn)": "sag",
    "L-BFGS (scikit-learn)": "lbfgs",
    "Newton-CG (scikit-learn)": "newton-cg",
}
#: Accuracies (P - P*)/P* of the table.
ACCURACIES = (1e-3, 1e-4, 1e-6)
_FINISH = 1e-7  # relative excess at which the race ends
_ROUNDING = 1e-14
# What a solver left: iterations, relative excess, seconds.
Curve = list[tuple[int, float, float]]


# ---- the other solvers ---------------------------------------------------------------------------


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
        value = _mean_loss(scores_point, y) + 0.5 * penalty * float((point * point).sum())
        slopes = losses.gradient("lr_multi", scores_point, y)
        gradient = X.T @ slopes / n + penalty * point
        squared = float((gradient * gradient).sum())
        while True:
            new = point - gradient / L
            scores_new = X @ new
            reached = _mean_loss(scores_new, y) + 0.5 * penalty * float((new * new).sum())
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


def _mean_loss(scores: np.ndarray, y: np.ndarray) -> float:
    return float(losses.value("lr_multi", scores, y).mean())


def logistic(X, y: np.ndarray, C: float, iterations: int, **options) -> LogisticRegression:
    """Train scikit-learn's logistic regression for a number of iterations, without bias."""
    options |= {"tol": 1e-12, "max_iter": iterations, "fit_intercept": False, "random_state": 0}
    return LogisticRegression(C=C, **options).fit(X, y)


# ---- the race ------------------------------------------------------------------------------------


def race(data: TimedSet, cap: float = 30.0) -> pd.DataFrame:
    """Train the softmax with each solver for at most `cap` seconds: `COLUMNS`.

    `step` counts epochs or iterations, `excess` is (P - P*)/P* with a lower bound for P* that our
    dual proves. Evaluating P does not count. Raise ArithmeticError if the bound is not tight enough
    within four times the cap.
    """
    X, y, C = data.X, data.y, data.C
    proof = solve(X, y, "lr_multi", C=C, tol=1e-9, max_iter=100_000, time_limit=4 * cap)
    bound, gap = proof.dual, proof.relative_gap
    if gap > 0.1 * _FINISH:
        raise ArithmeticError(f"P* is known to {gap:.1e} only, which is too coarse for {_FINISH:g}")

    def excess(W: np.ndarray) -> float:
        primal = _mean_loss(X @ W, y) + float((W**2).sum()) / (2 * C * len(y))
        return primal / bound - 1

    curves = {OURS: _ours(data, bound, cap)}
    for name, solver in PEERS.items():

        def fit(iterations: int, solver: str = solver) -> np.ndarray:
            return logistic(X, y, C, iterations, solver=solver).coef_.T

        curves[name] = _rerun(fit, excess, cap)
    curves[FISTA] = _iterated(fista(X, y, C), excess, cap)
    rows = [(solver, *row) for solver, curve in curves.items() for row in curve]
    frame = pd.DataFrame(rows, columns=[*COLUMNS])
    return frame.assign(excess=frame["excess"].clip(lower=0.0))


def _ours(data: TimedSet, bound: float, cap: float) -> Curve:
    limits = {"tol": 0.0, "max_iter": 100_000, "eval_every": 1, "time_limit": cap}

    def arrived(record: Record) -> bool:
        return record.primal / bound - 1 <= _FINISH

    solution = solve(data.X, data.y, "lr_multi", C=data.C, callback=arrived, **limits)
    history = solution.history[1:]  # without the start
    return [(one.epoch, one.primal / bound - 1, one.solve_seconds) for one in history]


def _iterated(
    iterates: Iterator[np.ndarray], excess: Callable[[np.ndarray], float], cap: float
) -> Curve:
    """Evaluate some of the iterates of a solver, ever fewer of them."""
    rows: Curve = []
    seconds, following = 0.0, 1
    for step in itertools.count(1):
        elapsed, W = timed(lambda: next(iterates))
        seconds += elapsed
        if step >= following or seconds >= cap:
            rows.append((step, excess(W), seconds))
            following = max(step + 1, int(1.15 * step))
            if rows[-1][1] <= _FINISH or seconds >= cap:
                break
    return rows


def _rerun(
    fit: Callable[[int], np.ndarray], excess: Callable[[np.ndarray], float], cap: float
) -> Curve:
    """Train anew for increasing numbers of iterations, since the solver shows no iterates."""
    rows: Curve = []
    iterations = 1
    while iterations <= 2000:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few iterations are not meant to converge
            seconds, W = timed(lambda count=iterations: fit(count))
        rows.append((iterations, excess(W), seconds))
        if rows[-1][1] <= _FINISH or seconds > cap:
            break
        iterations = max(iterations + 2, round(1.5 * iterations))
    return rows


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
    for accuracy in ACCURACIES:
        ax.axhline(accuracy, color=style.MUTED, linewidth=0.7, linestyle=":")
    ax.set(yscale="log", ylabel="(P − P*) / P*")
    ax.legend(handles=handles_of(frame["solver"].unique()), loc="lower left")
    return figure


def table_of(curves: pd.DataFrame, what: str, conditions: str) -> PrintedTable:
    """Return the seconds of each solver to each of `ACCURACIES`, and their ratios to ours."""
    first = pd.DataFrame(
        {
            accuracy: curves[curves["excess"] <= accuracy].groupby("solver")["seconds"].min()
            for accuracy in ACCURACIES
        },
        index=curves["solver"].unique(),
    )
    ratios = first / first.loc[OURS]
    table = pd.DataFrame({"Solver": first.index})
    for accuracy in ACCURACIES:
        exponent = f"{accuracy:.0e}".replace("e-0", "e−")
        times, factors = first[accuracy], ratios[accuracy]
        table[f"seconds to {exponent}"] = ["not reached" if t != t else f"{t:.3g}" for t in times]
        table[f"ratio, {exponent}"] = [
            "" if ratio != ratio else f"{ratio:.2g}" for ratio in factors
        ]
    title = "TPAMI 2017, Fig. 3d: the softmax by SDCA and others, time to (P − P*)/P*"
    caption = (
        f"{_comparison(ratios[ACCURACIES[-1]].drop(OURS), exponent)} {what} P* is a lower bound that our"
        f" dual proves; evaluating P does not count. {conditions}"
    )
    return PrintedTable("figure03d", title, caption, "tpami2017", "", "", table)


def _comparison(ratios: pd.Series, exponent: str) -> str:
    """Return how many times as long as ours the fastest other solver takes."""
    if ratios.isna().all():
        return f"No other solver reached {exponent}."
    return (
        f"To {exponent}, the fastest other solver, {ratios.idxmin()}, takes"
        f" {ratios.min():.2g} times as long as ours."
    )
