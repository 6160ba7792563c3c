"""Measures how long training and projections take, and writes the files of results/timing: here the task, the
clock, and the conditions under which times were measured.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from threadpoolctl import threadpool_limits

Result = TypeVar("Result")
#: Load average above which other work disturbs the times.
BUSY = 0.7


@dataclass(frozen=True)
class TimeTask:
    """A measurement of times, by a key of `toplabel.reproduction.timing.training.MEASUREMENTS`.

    Of a `quick` one the problems are tiny, so that the times say nothing. `title` is that of the
    data set; empty where nothing is trained.
    """

    name: str
    quick: bool
    title: str = ""


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
    return cpuinfo("model name") or platform.processor() or platform.machine()


def cpuinfo(key: str) -> str:
    """Return what Linux says of the first processor, "" where it is not known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), "")


def load_average() -> float:
    """Return the number of processes that want to run, averaged over the last minute."""
    return os.getloadavg()[0]


def measure(
    function: Callable[[], Result], quick: bool, clock: str = "wall time"
) -> tuple[Result, str]:
    """Return the result of a function that measures times, and the conditions as a sentence.

    The function runs with one thread. `clock` names the clock that it reads. The times of a `quick`
    run of tiny problems say nothing, and the sentence says so.
    """
    before = load_average()
    with threadpool_limits(1):
        result = function()
    sentence = (
        f"Measured on {cpu_name()}, 1 thread, {clock}; load average {before:.1f} before and"
        f" {load_average():.1f} after."
    )
    if before > BUSY:
        sentence += " The machine was busy with other work, which disturbs times."
    if quick:
        sentence += " A quick run of tiny problems: it says nothing about speed."
    return result, sentence
