"""Time to a given accuracy of the primal objective, ours and other solvers': the group
``training``.

Every solver gets the same X, y and C and no bias; every W that comes back is scored by one
function, `own_solver.primal`, in NumPy. A solver's time is that of the loosest setting of its own
stopping rule that reaches (P - P*)/P* <= 1e-3, P* being a lower bound that our dual proves. Checks
that only the benchmark needs are not timed.
"""

from __future__ import annotations

import functools
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from toplabel.reproduction.bench import limits, own_solver, peers, published_sets
from toplabel.reproduction.bench.measuring import Effort
from toplabel.reproduction.bench.peers import Family
from toplabel.reproduction.bench.problems import BenchProblem
from toplabel.reproduction.timings.clock import timed
from toplabel.reproduction.timings.packages import OPTIONAL, missing

ACCURACY = 1e-3
_ALL = ("svm_multi", "lr_multi", "svm_ova", "lr_ova")
#: The losses that are compared on each problem.
PROBLEMS = {
    "a": _ALL,
    "b": _ALL,
    "c": _ALL[:2],
    "text": _ALL,
    "gram": _ALL[:2],
    "tabular": _ALL[:2],
    "letter": _ALL,
    "news20": _ALL[:2],
    "mnist": _ALL[:2],
}
_NUMBERS = ["seconds", "ratio", "excess"]
_RATES = ["gflops", "dgemm_share", "memory_share"]
COLUMNS = [
    *("shape", "sizes", "C", "loss", "solver", "package", "setting"),
    *(*_NUMBERS, "reached", *_RATES, "note"),
]
# Seconds of a fit that is not repeated: short disturbances do not matter in it.
_LONG = 20.0
# A peer that takes more than so many times the best time of its package is given up.
_HOPELESS = 3.0
_PATIENCE = 5.0  # seconds; no fit below is given up

logger = logging.getLogger("toplabel")


@dataclass(frozen=True)
class Timing:
    """How long a solver takes.

    Attributes
    ----------
    setting : str
        The loosest that reached the accuracy, or the tightest that was tried.
    seconds : float
        Of the fit with this setting.
    excess : float
        (P - P*)/P* of the fit.
    reached : bool
    result : object
        What the fit returned; None if it was not accurate enough.
    """

    setting: str
    seconds: float
    excess: float
    reached: bool
    result: Any


def lower_bound(
    problem: BenchProblem, loss: str, eps: float = 1e-5, time_limit: float | None = None
) -> tuple[float, float]:
    """Return D(A), which no primal value can be below, and the relative gap at which it was
    taken.
    """
    solution = own_solver.train(problem, loss, eps=eps, max_epochs=100_000, time_limit=time_limit)
    return solution.dual, solution.relative_gap


def timed_fit(family: Family, index: int) -> tuple[float, Any]:
    """Return the seconds of a fit with one of a family's settings and what it returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loose setting is meant not to converge
        return timed(lambda: family.fit(family.values[index]))


def time_to_accuracy(
    problem: BenchProblem,
    loss: str,
    family: Family,
    bound: float,
    effort: Effort,
    cap: float | None = None,
) -> Timing:
    """Time the loosest setting of a family that is accurate enough.

    Settings are tried from loose to tight in growing strides, then between the last that failed and
    the first that did not. That finds the loosest if accuracy grows along the family, as it nearly
    does.

    Parameters
    ----------
    problem : BenchProblem
    loss : str
    family : Family
    bound : float
        P*, or a lower bound of it.
    effort : Effort
        `repeats` of the setting that counts, unless it takes long; the fastest is taken.
    cap : float, optional
        Instead of `effort.cap`: give up after a fit that took so many seconds and was not accurate
        enough.

    Returns
    -------
    Timing
    """
    cap = effort.cap if cap is None else cap

    @functools.cache
    def tried(index: int) -> Timing:
        seconds, result = timed_fit(family, index)
        excess = own_solver.primal(problem, loss, family.weights(result)) / bound - 1.0
        reached = excess <= ACCURACY
        kept = result if reached else None  # models are large
        return Timing(family.setting(index), seconds, excess, reached, kept)

    last = len(family.values) - 1
    failed, index, stride = -1, 0, 1
    while not tried(index).reached:
        if index == last or tried(index).seconds > cap:
            return tried(index)
        failed, index = index, min(index + stride, last)
        stride = min(2 * stride, family.stride)
    while index - failed > 1:
        middle = (index + failed) // 2
        if tried(middle).reached:
            index = middle
        else:
            failed = middle
    found = tried(index)
    repeats = effort.repeats if found.seconds < _LONG else 1
    again = [timed_fit(family, index)[0] for _ in range(repeats - 1)]
    return Timing(
        found.setting, min([found.seconds, *again]), found.excess, True, result=found.result
    )


def compare(effort: Effort, names: list[str] | None = None) -> pd.DataFrame:
    """Time to (P - P*)/P* <= 1e-3 of every solver on every problem, or on those of some `names` of
    `PROBLEMS`.

    Returns
    -------
    DataFrame
        `COLUMNS`. `ratio` is the time of the row over ours by epochs; where `reached` is "no" it is
        that of the last try, so that the true ratio is higher. `gflops` and `memory_share` count
        the operations and bytes of docs/benchmarks.md in our epochs.
    """
    rows = [
        {"solver": module, "package": module, "note": f"skipped: {why}"}
        for module in OPTIONAL
        if (why := missing(module))
    ]
    for name in names or PROBLEMS:
        try:
            problem = published_sets.load(name, effort.quick)
        except published_sets.Unavailable as error:
            rows.append({"shape": name, "note": f"skipped: {error}"})
            print(f"  {name}: skipped: {error}", flush=True)
            continue
        print(f"  {name} ({problem.sizes}, C {problem.C:g})", flush=True)
        for loss in PROBLEMS[name]:
            rows += _rows(problem, loss, effort)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    numbers = ["C", *_NUMBERS, *_RATES]
    return frame.fillna(dict.fromkeys(frame.columns.drop(numbers), ""))


def _rows(problem: BenchProblem, loss: str, effort: Effort) -> list[dict[str, Any]]:
    """Return the rows of a problem; what fails is a row that says so."""
    rows: list[dict[str, Any]] = []
    try:
        for family, timing in _timings(problem, loss, effort):
            ours = rows[0]["seconds"] if rows else timing.seconds
            rows.append(_row(problem, loss, family, timing, ours))
            print(f"    {loss:10s} {_line(rows[-1])}", flush=True)
    except Exception as error:
        logger.exception("%s, %s", problem.name, loss)
        rows.append({"shape": problem.name, "loss": loss, "note": f"failed: {error}"})
    return rows


def _timings(problem: BenchProblem, loss: str, effort: Effort) -> Iterator[tuple[Family, Timing]]:
    """Yield ours, ours with its certificate, then the peers."""
    bound, gap = lower_bound(problem, loss, time_limit=2 * effort.cap)
    if gap > ACCURACY / 3:
        raise ArithmeticError(
            f"P* is known to {gap:.1e} only, which is too coarse for {ACCURACY:g}"
        )
    for family in (peers.ours(problem, loss), peers.certified(problem, loss)):
        yield family, time_to_accuracy(problem, loss, family, bound, effort)
    best: dict[str, float] = {}
    for family in peers.others(problem, loss):
        limit = _HOPELESS * best.get(family.package, effort.cap)
        cap = min(effort.cap, max(_PATIENCE, limit))
        timing = time_to_accuracy(problem, loss, family, bound, effort, cap)
        if timing.reached:
            known = best.get(family.package, timing.seconds)
            best[family.package] = min(known, timing.seconds)
        yield family, timing


def _row(
    problem: BenchProblem, loss: str, family: Family, timing: Timing, ours: float
) -> dict[str, Any]:
    row = {
        "shape": problem.name,
        "sizes": problem.sizes,
        "C": problem.C,
        "loss": loss,
        "solver": family.solver,
        "package": family.package,
        "setting": timing.setting,
        "seconds": timing.seconds,
        "ratio": timing.seconds / ours,
        "excess": timing.excess,
        "reached": "yes" if timing.reached else "no",
        "note": "" if timing.reached else "given up",
    }
    if timing.reached and family.package == "toplabel":
        solution = timing.result
        visits = solution.visits / problem.n  # rows left out by shrinking are not visited
        # Of the fit, what the epochs took.
        seconds = timing.seconds * solution.history[-1].solve_seconds / solution.seconds
        block = own_solver.block_size(problem, loss)
        gflops = own_solver.flops_per_epoch(problem, block) * visits / seconds / 1e9
        moved = own_solver.bytes_per_epoch(problem) * visits / seconds / 1e9
        row |= {
            "gflops": gflops,
            "dgemm_share": gflops / limits.gemm_gflops(),
            "memory_share": moved / limits.read_gb_per_second(),
            "note": f"{solution.epochs} epochs, {visits:.1f} times all rows, {len(solution.history)} evaluations",
        }
    return row


def _line(row: dict[str, Any]) -> str:
    mark = "" if row["reached"] == "yes" else "> "
    extra = ""
    if "gflops" in row:
        extra = (
            f", {row['gflops']:.1f} GFLOP/s, {row['dgemm_share']:.0%} of dgemm,"
            f" {row['memory_share']:.0%} of memory"
        )
    return (
        f"{row['solver']:42s} {mark}{row['seconds']:.4g} s, ratio {mark}{row['ratio']:.3g}"
        f" ({row['setting']}{extra})"
    )
