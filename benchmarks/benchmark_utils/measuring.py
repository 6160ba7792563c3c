"""Measurements that alternate, and times inside the solver's matrix products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TypeVar

from toplabel._core.lib import _capsule_pointer, check, ffi, lib
from toplabel.reproduction.timing import timed

Key = TypeVar("Key")
Result = TypeVar("Result")


def best_of_rounds(
    measures: Mapping[Key, Callable[[], tuple[float, Result]]], rounds: int
) -> dict[Key, tuple[float, Result]]:
    """Return of each function, which gives seconds and a result, the pair of fewest seconds.

    The functions alternate, so that a machine that slows down for a while slows all of them.
    """
    found = [{key: measure() for key, measure in measures.items()} for _ in range(rounds)]
    return {key: min((one[key] for one in found), key=itemgetter(0)) for key in measures}


class Meter:
    """Counts and times the matrix products of the solver while it is entered.

    The C library calls its BLAS through a table of functions; a meter puts functions there that
    read the clock before and after the original. Their own cost, about a microsecond per call, is
    not counted. Not while a solver runs in another thread.

    Attributes
    ----------
    calls : int
    seconds : float
        Inside BLAS.
    flops : float
    block : int
        The largest order of a ?syrk.
    """

    def __init__(self) -> None:
        self.calls, self.seconds, self.flops, self.block = 0, 0.0, 0.0, 0
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

        def call(*arguments):
            self.seconds += timed(lambda: original(*arguments))[0]
            self.calls += 1
            if is_syrk:
                order, depth = arguments[2][0], arguments[3][0]
                self.flops += order * (order + 1.0) * depth
                self.block = max(self.block, order)
            else:
                m, n, depth = (arguments[i][0] for i in (2, 3, 4))
                self.flops += 2.0 * m * n * depth

        self._kept.append(ffi.callback(kind, call))
        return self._kept[-1]
