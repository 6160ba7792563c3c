"""A run of the benchmark: its groups one after the other, each with its table."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from toplabel.reproduction.bench import groups, large, limits, special, speed_targets, training
from toplabel.reproduction.bench.measuring import Effort
from toplabel.reproduction.tables.table import write_csv
from toplabel.reproduction.timings.clock import clock
from toplabel.reproduction.timings.conditions import BUSY, load_average
from toplabel.reproduction.timings.packages import OPTIONAL, missing

#: The groups in their order, the longest last; the name is that of the table.
GROUPS: dict[str, Callable[[Effort], pd.DataFrame]] = {
    "machine": limits.limits,
    "special": special.lambert,
    "projections": groups.compare_projections,
    "epochs": groups.relative_costs,
    "blas_share": groups.blas_share,
    "precision": groups.compare_precisions,
    "passes": groups.acceleration,
    "path": groups.warm_starts,
    "training": training.compare,
}
_DIGITS = 6
#: Groups that run only when they are asked for by name.
ON_REQUEST: dict[str, Callable[[Effort], pd.DataFrame]] = {
    "large": large.bounded_memory,
    "held_out": groups.held_out_accuracy,
}

logger = logging.getLogger("toplabel")


def run(
    effort: Effort,
    out: str | os.PathLike[str],
    names: Sequence[str] = tuple(GROUPS),
    problems: list[str] | None = None,
) -> dict[str, str]:
    """Measure, print, and write a table per group; the targets' table when all groups were asked
    for.

    Parameters
    ----------
    effort : Effort
    out : path-like
        Folder of the tables; each is written whole or not at all.
    names : sequence of str
        Of `GROUPS` and `ON_REQUEST`.
    problems : list of str, optional
        Those of the group ``training``.

    Returns
    -------
    dict of str to str
        The groups that failed, and why; the others run all the same.
    """
    measures = GROUPS | ON_REQUEST
    if problems is not None:
        measures["training"] = lambda effort: training.compare(effort, problems)
    frames: dict[str, pd.DataFrame] = {}
    failed: dict[str, str] = {}
    for module in OPTIONAL:  # load it before the limit, which holds for loaded libraries
        if why := missing(module):
            print(f"skipped: {why}", flush=True)
    if (load := load_average()) > BUSY:
        print(f"beware: the load average is {load:.1f}; other work disturbs the times")
    with threadpool_limits(1), clock(effort.cpu_time):
        for name in [name for name in measures if name in names]:
            print(f"{name}:", flush=True)
            try:
                frames[name] = measures[name](effort)
            except Exception as error:  # a group that fails does not end the others
                logger.exception("%s", name)
                failed[name] = f"failed: {type(error).__name__}: {error}"
                print(f"  {failed[name]}\n", flush=True)
                continue
            if name != "training":  # which prints its rows as they come
                _show(frames[name])
            write_csv(frames[name], Path(out) / f"{name}.csv", _DIGITS)
    judged = speed_targets.judge(frames, failed)
    if effort.quick:
        judged["note"] = "quick run; " + judged["note"]
    if set(names) == set(GROUPS) and problems is None:
        write_csv(judged, Path(out) / "targets.csv", _DIGITS)
    print("targets:", flush=True)
    _show(judged[judged["verdict"] != "not measured"] if len(frames) < len(GROUPS) else judged)
    return failed


def _show(frame: pd.DataFrame) -> None:
    text = frame.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.4g}")
    print(text, "\n", flush=True)
