"""A run of the benchmark: its groups one after the other, each with its table."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from toplabel.bench import (
    compare,
    epochs,
    large,
    machine,
    passes,
    peers,
    precision,
    projections,
    regularisation,
    share,
    special,
    targets,
)
from toplabel.bench.effort import Effort
from toplabel.bench.timing import clock, load
from toplabel.files import atomic_path

#: The groups in their order, the longest last; the name is that of the table.
GROUPS: dict[str, Callable[[Effort], pd.DataFrame]] = {
    "machine": machine.limits,
    "special": special.lambert,
    "projections": projections.compare_algorithms,
    "epochs": epochs.relative_costs,
    "blas_share": share.blas_share,
    "precision": precision.compare_precisions,
    "passes": passes.acceleration,
    "path": regularisation.warm_starts,
    "training": compare.compare,
}
#: Groups that run only when they are asked for by name.
ON_REQUEST: dict[str, Callable[[Effort], pd.DataFrame]] = {"large": large.bounded_memory}
_BUSY = 0.7

logger = logging.getLogger("toplabel")


def run(
    effort: Effort,
    out: str | os.PathLike[str],
    groups: Sequence[str] = tuple(GROUPS),
    shapes: list[str] | None = None,
) -> dict[str, str]:
    """Measure, print, and write a table a group; the targets' table when all groups were asked for.

    Parameters
    ----------
    effort : Effort
    out : path-like
        Folder of the tables; each is written whole or not at all.
    groups : sequence of str
        Of `GROUPS` and `ON_REQUEST`.
    shapes : list of str, optional
        The problems of the group ``training``.

    Returns
    -------
    dict of str to str
        The groups that failed, and why. They take no other group with them.
    """
    measures = GROUPS | ON_REQUEST
    measures["training"] = lambda effort: compare.compare(effort, shapes)
    frames: dict[str, pd.DataFrame] = {}
    failed: dict[str, str] = {}
    for module in peers.OPTIONAL:  # before the limit, which holds for libraries that are loaded
        if why := peers.missing(module):
            print(f"skipped: {why}", flush=True)
    if load() > _BUSY:
        print(f"beware: the load average is {load():.1f}; other work disturbs the times")
    with threadpool_limits(1), clock(effort.cpu_time):
        for name in [name for name in measures if name in groups]:
            print(f"{name}:", flush=True)
            try:
                frames[name] = measures[name](effort)
            except Exception as error:  # one group less; the others stay
                logger.exception("%s", name)
                failed[name] = f"failed: {type(error).__name__}: {error}"
                print(f"  {failed[name]}\n", flush=True)
                continue
            if name != "training":  # which prints its rows as they come
                _show(frames[name])
            write(frames[name], Path(out) / f"{name}.csv")
    judged = targets.judge(frames, failed)
    if effort.quick:
        judged["note"] = "quick run; " + judged["note"]
    if set(groups) == set(GROUPS) and shapes is None:
        write(judged, Path(out) / "targets.csv")
    print("targets:", flush=True)
    _show(judged[judged["verdict"] != "not measured"] if len(frames) < len(GROUPS) else judged)
    return failed


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table, numbers with six digits."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.6g", lineterminator="\n")


def _show(frame: pd.DataFrame) -> None:
    text = frame.to_string(index=False, na_rep="", float_format=lambda x: f"{x:.4g}")
    print(text, "\n", flush=True)
