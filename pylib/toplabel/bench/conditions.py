"""Under which conditions a figure of times was measured."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from toplabel.bench import machine, peers
from toplabel.bench.timing import clock, load
from toplabel.files import atomic_path


@dataclass
class Conditions:
    """What a caption has to say of times.

    Attributes
    ----------
    processor, clone : str
        Its name, and which clone of the C loops it runs.
    threads : int
        Of linear algebra.
    clock : str
    load_before, load_after : float
        Load average of the last minute; the run itself adds up to 1.
    versions : dict of str to str
    quick : bool
        Tiny problems, whose times say nothing.
    """

    processor: str
    clone: str
    threads: int
    clock: str
    load_before: float
    load_after: float
    versions: dict[str, str]
    quick: bool

    @property
    def sentence(self) -> str:
        """For a caption."""
        text = (
            f"Measured on {self.processor} ({self.clone}), {self.threads} thread, {self.clock}; load average "
            f"{self.load_before:.1f} before and {self.load_after:.1f} after."
        )
        busy = self.load_before > 0.7
        text += " The machine was busy with other work, which disturbs times." if busy else ""
        return text + (
            " A quick run of tiny problems: it says nothing about speed." if self.quick else ""
        )


@contextmanager
def measuring(quick: bool, cpu_time: bool = False) -> Iterator[Conditions]:
    """Measure with one thread; the conditions are complete when the context ends.

    `cpu_time` is for what looks at `toplabel.bench.timing.now` alone: the solver counts wall time.
    """
    found = Conditions(
        processor=machine.cpu_name(),
        clone=machine.cpu_level(),
        threads=1,
        clock="CPU time" if cpu_time else "wall time",
        load_before=load(),
        load_after=float("nan"),
        versions=peers.versions(),
        quick=quick,
    )
    with threadpool_limits(1), clock(cpu_time):
        yield found
    found.load_after = load()


def save(conditions: Conditions, path: str | os.PathLike[str], **more: object) -> None:
    """Write the conditions, and what else a caption needs, as JSON."""
    content = asdict(conditions) | {"sentence": conditions.sentence} | more
    with atomic_path(Path(path)) as temporary:
        text = json.dumps(content, indent=2, ensure_ascii=False)
        temporary.write_text(text + "\n", encoding="utf-8")
