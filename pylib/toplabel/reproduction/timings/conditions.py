"""Under which conditions times were measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from threadpoolctl import threadpool_limits

from toplabel._core.files import write_json
from toplabel.reproduction.timings.clock import clock
from toplabel.reproduction.timings.packages import versions

#: Load average above which other work disturbs the times.
BUSY = 0.7
# What a processor must have to run the clones of the C library (TL_CLONES in csrc/src/compiler.h).
_LEVELS = {
    "x86-64-v4 (AVX-512)": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3 (AVX2)": {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"},
}


def cpu_name() -> str:
    """Name of the processor."""
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
    """Return processes that want to run, averaged over the last minute; NaN where unknown."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return float("nan")


@dataclass
class Conditions:
    """The conditions that a caption states; load averages are those of the last minute.

    The run itself adds up to 1 to the load. `quick` are tiny problems, whose times say nothing.
    """

    quick: bool
    clock: str
    threads: int = 1
    processor: str = field(default_factory=cpu_name)
    clone: str = field(default_factory=cpu_level)
    versions: dict[str, str] = field(default_factory=versions)
    load_before: float = float("nan")
    load_after: float = float("nan")

    @property
    def sentence(self) -> str:
        """For a caption."""
        text = (
            f"Measured on {self.processor} ({self.clone}), {self.threads} thread, {self.clock}; load average "
            f"{self.load_before:.1f} before and {self.load_after:.1f} after."
        )
        if self.load_before > BUSY:
            text += " The machine was busy with other work, which disturbs times."
        if self.quick:
            text += " A quick run of tiny problems: it says nothing about speed."
        return text

    def save(self, path: str | os.PathLike[str], **more: object) -> None:
        """Write the conditions, and what else a caption needs, as JSON."""
        write_json(path, asdict(self) | {"sentence": self.sentence} | more)


@contextmanager
def measuring(quick: bool, cpu_time: bool = False) -> Iterator[Conditions]:
    """Measure with one thread; the conditions are complete when the context ends.

    `cpu_time` is for what looks at `toplabel.reproduction.timings.clock.now` alone: the solver
    counts wall time.
    """
    found = Conditions(quick, "CPU time" if cpu_time else "wall time", load_before=load_average())
    with threadpool_limits(1), clock(cpu_time):
        yield found
    found.load_after = load_average()
