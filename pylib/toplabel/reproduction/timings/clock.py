"""Clocks: wall time or CPU time, the fastest of several calls."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

Result = TypeVar("Result")
_clock = [time.perf_counter]


def now() -> float:
    """Return seconds on the clock: wall time, unless `clock` says otherwise."""
    return _clock[-1]()


@contextlib.contextmanager
def clock(cpu_time: bool) -> Iterator[None]:
    """Use the CPU time of the process, or wall time, as long as the context lasts."""
    _clock.append(time.process_time if cpu_time else time.perf_counter)
    try:
        yield
    finally:
        _clock.pop()


def timed(function: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds of a call and its result."""
    start = now()
    result = function()
    return now() - start, result


def fastest(function: Callable[[], object], repeats: int = 5) -> float:
    """Return seconds of the fastest of several calls."""
    return min(timed(function)[0] for _ in range(repeats))
