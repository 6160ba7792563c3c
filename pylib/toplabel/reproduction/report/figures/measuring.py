"""Measuring times, and the conditions under which they were measured."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from threadpoolctl import threadpool_limits

from toplabel._core.files import write_json

Result = TypeVar("Result")
#: Load average above which other work disturbs the times.
BUSY = 0.7
# What a processor must have to run the clones of the C library (TL_CLONES in csrc/src/compiler.h).
_LEVELS = {
    "x86-64-v4 (AVX-512)": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3 (AVX2)": {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"},
}


def timed(
    function: Callable[[], Result], clock: Callable[[], float] = time.perf_counter
) -> tuple[float, Result]:
    """Return the seconds of a call on a clock, and its result."""
    start = clock()
    result = function()
    return clock() - start, result


def fastest(
    function: Callable[[], object],
    repeats: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the seconds of the fastest of several calls."""
    return min(timed(function, clock)[0] for _ in range(repeats))


def cpu_name() -> str:
    """Return the name of the processor."""
    return _cpuinfo("model name").strip() or platform.processor() or platform.machine()


def cpu_level() -> str:
    """Return which clone of the C library's loops the loader takes on this processor."""
    flags = set(_cpuinfo("flags").split())
    return next((name for name, need in _LEVELS.items() if need <= flags), "baseline")


def _cpuinfo(key: str) -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in lines if line.startswith(key)), "")


def load_average() -> float:
    """Return the number of processes that want to run, averaged over the last minute, or NaN."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return float("nan")


@contextmanager
def measuring(
    path: str | os.PathLike[str], quick: bool, what: str = "", clock: str = "wall time"
) -> Iterator[None]:
    """Measure with one thread, and write the conditions for the caption as JSON when it is done.

    Parameters
    ----------
    path : path-like
        Of the JSON file: `what`, and a `sentence` on the machine and its load.
    quick : bool
        Whether the problems are tiny, so that their times say nothing.
    what : str
        What is measured.
    clock : str
        The name of the clock.
    """
    before = load_average()
    with threadpool_limits(1):
        yield
    sentence = (
        f"Measured on {cpu_name()} ({cpu_level()}), 1 thread, {clock}; load average "
        f"{before:.1f} before and {load_average():.1f} after."
    )
    if before > BUSY:
        sentence += " The machine was busy with other work, which disturbs times."
    if quick:
        sentence += " A quick run of tiny problems: it says nothing about speed."
    write_json(path, {"what": what, "sentence": sentence})
