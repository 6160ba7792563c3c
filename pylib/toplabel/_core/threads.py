"""Independent jobs on threads, which the first error, Ctrl-C and a limit of time end together."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from typing import Any

from toplabel._core.arrays import as_integer

_MANY = 1 << 20


class EndOfRun(Exception):
    """Work has been ended before it had a result; the argument is the status of the solution."""


class Interruption(KeyboardInterrupt):
    """Ctrl-C came while jobs ran on threads; `results` are what they returned, told to end."""

    def __init__(self, results: list):
        super().__init__()
        self.results = results


class _Jobs:
    """Tell running jobs, between parts of their work, whether they are to end."""

    def __init__(
        self,
        outer: _Jobs | None,
        is_over: Callable[[], bool],
        is_late: Callable[[], bool] = lambda: False,
    ):
        self._outer, self._is_over, self.is_late = outer, is_over, is_late
        self._ended = threading.Event()

    def end(self) -> None:
        self._ended.set()

    def status(self) -> str:
        """Return why the jobs are to end, as in `toplabel.Solution`; "": they are not."""
        if self._ended.is_set():
            return "interrupted"
        if self._is_over():
            return "time_limit"
        return "" if self._outer is None else self._outer.status()


_jobs: ContextVar[_Jobs | None] = ContextVar("jobs", default=None)


def why_to_end() -> str:
    """Return the status with which the job that asks is to end, or ""."""
    jobs = _jobs.get()
    return "" if jobs is None else jobs.status()


def is_late() -> bool:
    """Return whether the work around the job that asks waits for no evaluation any more."""
    jobs = _jobs.get()
    return jobs is not None and jobs.is_late()


def ask() -> None:
    """Raise `EndOfRun` where the job that asks is to end."""
    if status := why_to_end():
        raise EndOfRun(status)


@contextmanager
def until(
    is_over: Callable[[], bool], is_late: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Have `why_to_end` say so once it `is_over`, and the function of that name once it `is_late`."""
    token = _jobs.set(_Jobs(_jobs.get(), is_over, is_late))
    try:
        yield
    finally:
        _jobs.reset(token)


def end_all() -> None:
    """Ask the jobs beside the one that calls this to end, too."""
    jobs = _jobs.get()
    if jobs is not None:
        jobs.end()


def thread_count(n_jobs: object) -> int:
    """Return how many threads `n_jobs` says: -1 is one for each core, -2 one less; None is one."""
    if n_jobs is None:
        return 1
    n_jobs = as_integer(n_jobs, "n_jobs", -_MANY, _MANY)
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def each(
    function: Callable, items: Sequence, threads: int, is_over: Callable[[], bool] = lambda: False
) -> list:
    """Return ``function(item)`` of each item, on so many threads.

    After an error, Ctrl-C (`Interruption`), or when `is_over`, `why_to_end` says so to the jobs; those
    that have not begun run, too, since they may have to say where they are.
    """
    jobs = _Jobs(_jobs.get(), is_over)
    token = _jobs.set(jobs)
    try:
        if min(threads, len(items)) <= 1:
            return [function(item) for item in items]
        return _on_threads(function, items, min(threads, len(items)), jobs)
    finally:
        _jobs.reset(token)


def _on_threads(function: Callable, items: Sequence, threads: int, jobs: _Jobs) -> list:
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(copy_context().run, function, item) for item in items]
        interrupted = False
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            failed = any(future.exception() is not None for future in done)
        except KeyboardInterrupt:  # the main thread alone is told
            interrupted = failed = True
        if failed:
            jobs.end()
            wait(futures)
    errors = [error for error in (future.exception() for future in futures) if error is not None]
    # A job that was told to end may raise KeyboardInterrupt: that is not what went wrong.
    errors.sort(key=lambda error: isinstance(error, KeyboardInterrupt))
    if errors:
        raise errors[0]
    results = [future.result() for future in futures]
    if interrupted:
        raise Interruption(results)
    return results


@cache
def _libraries() -> Any:
    """Return those that are loaded, which takes milliseconds to find; ours are by now."""
    from threadpoolctl import ThreadpoolController  # not at the top, for the same reason

    return ThreadpoolController()


_lock = threading.RLock()
_callers: list[int] = []  # threads that are inside, as often as they are
_limits: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Have matrix products use one thread each until the last of all callers has left.

    The number belongs to the process, so callers in several threads must not restore it in turn.
    """
    global _limits
    with _lock:
        if not _callers and _limits is None:
            _limits = _libraries().limit(limits=1, user_api="blas")
        _callers.append(threading.get_ident())
    try:
        yield
    finally:
        with _lock:
            _callers.remove(threading.get_ident())
            if not _callers:
                _limits.restore_original_limits()
                _limits = None


def _keep_the_thread_of_the_fork() -> None:
    """In a child process: only the thread that forked is there, and has the lock.

    BLAS stays at one thread until this process itself has used threads.
    """
    _callers[:] = [caller for caller in _callers if caller == threading.get_ident()]
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire,
        after_in_parent=_lock.release,
        after_in_child=_keep_the_thread_of_the_fork,
    )
