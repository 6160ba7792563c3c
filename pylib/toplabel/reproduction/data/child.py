"""Call a function in a child process with limits of memory and time; a crash of the child is an
error.
"""

from __future__ import annotations

import faulthandler
import mmap
import multiprocessing
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


class ChildError(RuntimeError):
    """The child ended without an answer; the message says why."""


@dataclass(frozen=True)
class Limits:
    """What a child may take.

    Attributes
    ----------
    memory : int
        Bytes; files that are mapped into memory do not count. Linux alone keeps to it.
    seconds : int
        Of computing, not of waiting: a busy machine is no reason to give up.
    """

    memory: int
    seconds: int


@dataclass(frozen=True)
class _Raised:
    """What the function raised."""

    error: Exception


def in_child(function: Callable[..., Any], *arguments: Any, limits: Limits) -> Any:
    """Call a function in a fork of this process and return what it returns.

    An array that is mapped into memory stays on disk: it is mapped again here.

    Raises
    ------
    ChildError
        The child crashed, or needs more than the limits.
    Exception
        What the function raised.
    """
    inlet, outlet = os.pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_answer, args=(inlet, outlet, function, arguments, limits)
    )
    process.start()
    os.close(outlet)
    with open(inlet, "rb") as stream:
        try:
            answer = pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):  # cut off
            process.join()
            raise ChildError(_reason(process.exitcode, limits)) from None
    process.join()
    if isinstance(answer, _Raised):
        raise answer.error
    return answer


def _answer(
    inlet: int, outlet: int, function: Callable[..., Any], arguments: tuple, limits: Limits
) -> None:
    os.close(inlet)
    faulthandler.disable()  # the parent reports a crash
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # and Ctrl-C
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_DATA, limits.memory)
    _lower(resource.RLIMIT_CPU, limits.seconds)
    try:
        answer = function(*arguments)
    except MemoryError:
        answer = _Raised(ChildError(_too_large(limits)))
    except Exception as error:
        answer = _Raised(_portable(error))
    with open(outlet, "wb") as stream:
        _Pickler(stream, protocol=5).dump(answer)


def _lower(kind: int, value: int) -> None:
    """Set a soft limit, unless there is a lower one."""
    there = [limit for limit in resource.getrlimit(kind) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min([value, *there]), resource.getrlimit(kind)[1]))


def _portable(error: Exception) -> Exception:
    """Return the error in a form that can be pickled; other than a ValueError it has its traceback
    as a note.
    """
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(error, ValueError):
        error.add_note(f"In the child process:\n{traceback.format_exc()}")
    return error


def _reason(exitcode: int | None, limits: Limits) -> str:
    if exitcode == -signal.SIGXCPU:
        return f"takes more than {limits.seconds} seconds of computing to read"
    if exitcode == -signal.SIGKILL:
        return "the process that read it was killed, perhaps for want of memory"
    if exitcode is not None and exitcode < 0:
        return f"the process that read it crashed ({signal.Signals(-exitcode).name})"
    return f"the process that read it ended with status {exitcode}"


def _too_large(limits: Limits) -> str:
    return f"takes more than {limits.memory / 2**30:.3g} GiB of memory to read"


class _Pickler(pickle.Pickler):
    """Sends an array that is mapped into memory by its place in the file."""

    def reducer_override(self, value: Any) -> Any:
        mapped = isinstance(value, np.memmap) and value._mmap is not None and value.filename
        if not mapped or not (value.flags.c_contiguous or value.flags.f_contiguous):
            return NotImplemented
        start = np.frombuffer(value._mmap, np.uint8).ctypes.data
        first = value.offset - value.offset % mmap.ALLOCATIONGRANULARITY
        place = first + value.ctypes.data - start
        order = "C" if value.flags.c_contiguous else "F"
        return _map, (Path(value.filename), value.dtype, place, value.shape, order)


def _map(path: Path, dtype: np.dtype, place: int, shape: tuple[int, ...], order: Any) -> np.memmap:
    return np.memmap(path, dtype, mode="r", offset=place, shape=shape, order=order)
