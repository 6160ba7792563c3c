"""Clocks: the fastest of several runs, side by side where their ratio counts."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping

_clock = [time.perf_counter]


def now() -> float:
    """Seconds on the clock of the benchmark: wall time, unless `clock` says otherwise."""
    return _clock[-1]()


@contextlib.contextmanager
def clock(cpu_time: bool) -> Iterator[None]:
    """Use the CPU time of the process, or wall time, as long as the context lasts."""
    _clock.append(time.process_time if cpu_time else time.perf_counter)
    try:
        yield
    finally:
        _clock.pop()


def fastest(function: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(repeats):
        start = now()
        function()
        times.append(now() - start)
    return min(times)


def best_of_rounds(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Return the smallest of several results of each function that measures itself.

    The functions take turns, so that a machine that slows down for a while slows all of them.
    """
    best = dict.fromkeys(measures, float("inf"))
    for _ in range(rounds):
        for name, measure in measures.items():
            best[name] = min(best[name], measure())
    return best


def load() -> float:
    """Processes that want to run, averaged over the last minute; NaN where the system does not tell."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return float("nan")
