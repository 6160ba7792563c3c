"""The matrix products of the solver, counted and timed from inside.

The C library calls its BLAS through a table of functions. A `Meter` puts functions of its own there, which look at the
clock, call the original, and look again. So what it reports is the time inside BLAS as the solver uses it; the cost of
the detour itself, about a microsecond a call, falls outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toplabel._lib import _capsule_pointer, check, ffi, lib
from toplabel.bench.timing import now


@dataclass
class Tally:
    """What has been seen: calls, seconds inside, floating-point operations, largest order of a ?syrk."""

    calls: int = 0
    seconds: float = 0.0
    flops: float = 0.0
    block: int = 0


class Meter:
    """Counts BLAS calls while it is entered. Not while a solver runs in another thread.

    Attributes
    ----------
    tally : Tally
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._kept: list[object] = []

    def __enter__(self) -> Meter:
        self._install(self._metered)
        return self

    def __exit__(self, *_: object) -> None:
        self._install(lambda name, kind, original: original)
        self._kept.clear()

    def _install(self, wrap: Callable) -> None:
        table = ffi.new("tl_blas *")
        for name, field in ffi.typeof("tl_blas").fields:
            original = ffi.cast(field.type, _capsule_pointer(name))
            setattr(table, name, wrap(name, field.type, original))
        check(lib.tl_blas_set(table))

    def _metered(self, name: str, kind, original):
        is_syrk = name.endswith("syrk")
        tally = self.tally

        def call(*arguments):
            start = now()
            original(*arguments)
            tally.seconds += now() - start
            tally.calls += 1
            if is_syrk:
                order, depth = arguments[2][0], arguments[3][0]
                tally.flops += order * (order + 1.0) * depth
                tally.block = max(tally.block, order)
            else:
                m, n, depth = (arguments[i][0] for i in (2, 3, 4))
                tally.flops += 2.0 * m * n * depth

        self._kept.append(ffi.callback(kind, call))
        return self._kept[-1]
