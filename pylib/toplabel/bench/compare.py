"""Our solver against the others on all problems: the group ``training``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pandas as pd

from toplabel.bench import fitting, machine, peers, real, shapes
from toplabel.bench.effort import Effort
from toplabel.bench.training import ACCURACY, Timing, lower_bound, time_to_accuracy

#: The losses that are compared on each problem.
PROBLEMS = {
    "a": ("svm_multi", "lr_multi", "svm_ova", "lr_ova"),
    "b": ("svm_multi", "lr_multi", "svm_ova", "lr_ova"),
    "c": ("svm_multi", "lr_multi"),
    "text": ("svm_multi", "lr_multi", "svm_ova", "lr_ova"),
    "gram": ("svm_multi", "lr_multi"),
    "tabular": ("svm_multi", "lr_multi"),
    "letter": ("svm_multi", "lr_multi", "svm_ova", "lr_ova"),
    "news20": ("svm_multi", "lr_multi"),
    "mnist": ("svm_multi", "lr_multi"),
}
COLUMNS = [
    "shape",
    "sizes",
    "C",
    "loss",
    "solver",
    "package",
    "setting",
    "seconds",
    "ratio",
    "excess",
    "reached",
    "gflops",
    "dgemm_share",
    "memory_share",
    "note",
]
# A peer that is not there after so many times the time of the best of its package is given up.
_HOPELESS = 3.0
_PATIENCE = 5.0  # seconds; no fit below is given up

logger = logging.getLogger("toplabel")


def compare(effort: Effort, names: list[str] | None = None) -> pd.DataFrame:
    """Time to (P - P*)/P* <= 1e-3 of every solver on every problem.

    Parameters
    ----------
    effort : Effort
    names : list of str, optional
        Of `PROBLEMS`; all by default, in a quick run the synthetic ones.

    Returns
    -------
    DataFrame
        `COLUMNS`. `ratio` is the time of the row over ours by epochs; where `reached` is false it is that of the last
        try, so that the true ratio is higher. `gflops` and `memory_share` count the operations and bytes of
        docs/benchmarks.md in our epochs.
    """
    rows: list[dict[str, Any]] = [
        dict.fromkeys(COLUMNS, "")
        | {"solver": module, "package": module, "note": f"skipped: {why}"}
        for module in peers.OPTIONAL
        if (why := peers.missing(module))
    ]
    for name in names or [n for n in PROBLEMS if not (effort.quick and n in real.SETS)]:
        try:
            shape = real.load(name) if name in real.SETS else shapes.synthetic(name, effort.quick)
        except real.Unavailable as error:
            rows.append(dict.fromkeys(COLUMNS, "") | {"shape": name, "note": f"skipped: {error}"})
            print(f"  {name}: skipped: {error}", flush=True)
            continue
        print(f"  {name} ({shape.sizes}, C {shape.C:g})", flush=True)
        for loss in PROBLEMS[name]:
            rows += _problem(shape, loss, effort)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    for column in ("C", "seconds", "ratio", "excess", "gflops", "dgemm_share", "memory_share"):
        frame[column] = pd.to_numeric(frame[column].replace("", None))
    return frame


def _problem(shape: shapes.Shape, loss: str, effort: Effort) -> list[dict[str, Any]]:
    """Return the rows of a problem; what fails is a row that says so."""
    rows = []
    try:
        for family, timing in _timings(shape, loss, effort):
            ours = rows[0]["seconds"] if rows else timing.seconds
            rows.append(_row(shape, loss, family, timing, ours))
            print(f"    {loss:10s} {_line(rows[-1])}", flush=True)
    except Exception as error:
        logger.exception("%s, %s", shape.name, loss)
        blank = dict.fromkeys(COLUMNS, "")
        rows.append(blank | {"shape": shape.name, "loss": loss, "note": f"failed: {error}"})
    return rows


def _timings(shape, loss, effort) -> Iterator[tuple[peers.Family, Timing]]:
    """Yield ours, ours with its certificate, then the peers."""
    bound, gap = lower_bound(shape, loss, time_limit=2 * effort.cap)
    if gap > ACCURACY / 3:
        raise ArithmeticError(
            f"P* is known to {gap:.1e} only, which is too coarse for {ACCURACY:g}"
        )
    for family in (peers.ours(shape, loss), peers.certified(shape, loss)):
        yield family, time_to_accuracy(shape, loss, family, bound, effort)
    best: dict[str, float] = {}
    for family in peers.others(shape, loss):
        limit = _HOPELESS * best.get(family.package, effort.cap)
        cap = min(effort.cap, max(_PATIENCE, limit))
        timing = time_to_accuracy(shape, loss, family, bound, effort, cap=cap)
        if timing.reached:
            known = best.get(family.package, timing.seconds)
            best[family.package] = min(known, timing.seconds)
        yield family, timing


def _row(shape, loss, family, timing: Timing, ours: float) -> dict[str, Any]:
    row = {
        "shape": shape.name,
        "sizes": shape.sizes,
        "C": shape.C,
        "loss": loss,
        "solver": family.solver,
        "package": family.package,
        "setting": timing.setting,
        "seconds": timing.seconds,
        "ratio": timing.seconds / ours,
        "excess": timing.excess,
        "reached": "yes" if timing.reached else "no",
        "gflops": "",
        "dgemm_share": "",
        "memory_share": "",
        "note": "" if timing.reached else "given up",
    }
    if timing.reached and family.package == "toplabel":
        solution = timing.result
        passes = solution.visits / shape.n  # rows that rest are no work
        # of the fit, what the epochs took
        seconds = timing.seconds * solution.history[-1].solve_seconds / solution.seconds
        flops = fitting.flops_per_epoch(shape, fitting.block_size(shape, loss))
        row["gflops"] = flops * passes / seconds / 1e9
        row["dgemm_share"] = row["gflops"] / machine.dgemm_gflops()
        moved = fitting.bytes_per_epoch(shape) * passes / seconds / 1e9
        row["memory_share"] = moved / machine.read_gb_per_second()
        row["note"] = (
            f"{solution.epochs} epochs, {passes:.1f} times all rows, {len(solution.history)} evaluations"
        )
    return row


def _line(row: dict[str, Any]) -> str:
    mark = "" if row["reached"] == "yes" else "> "
    extra = ""
    if row["gflops"] != "":
        extra = (
            f", {row['gflops']:.1f} GFLOP/s, {row['dgemm_share']:.0%} of dgemm,"
            f" {row['memory_share']:.0%} of memory"
        )
    return (
        f"{row['solver']:42s} {mark}{row['seconds']:.4g} s, ratio {mark}{row['ratio']:.3g}"
        f" ({row['setting']}{extra})"
    )
