"""The end of a run: its limits, Ctrl-C, and what the jobs around it say."""

from __future__ import annotations

import time

from toplabel._core import threads, tuning
from toplabel._core.arrays import as_number


class Clock:
    """The time of a run, from now on, with limits in seconds of wall time and of CPU time of the
    process. `is_interrupted` says whether Ctrl-C ended the run.
    """

    def __init__(self, time_limit: float | None = None, cpu_limit: float | None = None):
        self._wall_limit = None if time_limit is None else as_number(time_limit, "time_limit", 0.0)
        self._cpu_limit = None if cpu_limit is None else as_number(cpu_limit, "cpu_limit", 0.0)
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        self._status, self._latest = "", float("inf")
        self.is_interrupted = False

    def again(self) -> Clock:
        """Return a clock with the same limits, which begins now."""
        return Clock(self._wall_limit, self._cpu_limit)

    def part(self, count: int) -> Clock:
        """Return a clock that begins now, with so small a part of the time that is left."""
        wall, cpu = self._wall_limit, self._cpu_limit
        if wall is not None:
            wall = max(0.0, wall - self.seconds) / count
        if cpu is not None:
            cpu = max(0.0, cpu - (time.process_time() - self._cpu)) / count
        return Clock(wall, cpu)

    @property
    def seconds(self) -> float:
        """Wall time so far."""
        return time.perf_counter() - self._wall

    def is_over(self) -> bool:
        """Return whether a limit is reached."""
        wall, cpu = self._wall_limit, self._cpu_limit
        return (wall is not None and self.seconds >= wall) or (
            cpu is not None and time.process_time() - self._cpu >= cpu
        )

    def why_to_end(self) -> str:
        """Return the status with which the run is to end, or ""; the first one holds."""
        if not self._status:
            self._end("time_limit" if self.is_over() else threads.why_to_end())
        return self._status

    def interrupt(self) -> None:
        """Take note of Ctrl-C."""
        self.is_interrupted = True
        self._end("interrupted")

    def is_late(self) -> bool:
        """Return whether the run has been to end for so long that an evaluation is not waited for."""
        return self.is_grace_over() or (self.why_to_end() != "" and threads.is_late())

    def is_grace_over(self) -> bool:
        """Return whether the run's own time for an evaluation at its end is over."""
        return self.why_to_end() != "" and time.perf_counter() >= self._latest

    def _end(self, status: str) -> None:
        if status and not self._status:
            self._status = status
            grace = max(tuning.GRACE, tuning.GRACE_PART * self.seconds)
            self._latest = time.perf_counter() + grace
