"""How much work a run of the benchmark puts into its numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """Repeats and limits.

    Attributes
    ----------
    quick : bool
        Tiny problems: shows that everything runs, and says nothing about speed.
    repeats : int
        The fastest of so many runs counts.
    cap : float
        Seconds of one fit after which a solver that is not there yet is given up.
    cpu_time : bool
        Count CPU time of the process instead of wall time, where the machine cannot be kept quiet. It is not free of
        what others do to caches and memory.
    """

    quick: bool = False
    repeats: int = 3
    cap: float = 60.0
    cpu_time: bool = False

    @classmethod
    def of(
        cls,
        quick: bool,
        repeats: int | None = None,
        cap: float | None = None,
        cpu_time: bool = False,
    ) -> Effort:
        """Return the usual effort, or the least, with what is given in its place."""
        usual = cls(quick=True, repeats=1, cap=2.0) if quick else cls()
        return cls(quick, repeats or usual.repeats, cap or usual.cap, cpu_time)
