"""One run at a time in a folder.

Snakemake's own lock is a set of files that outlive a killed process, after which the same command
refuses to start. The kernel releases this one whenever its holder ends. The jobs of a killed run
may live on: a run does not begin beside them, and they do not begin beside a run.
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from filelock import FileLock, Timeout

from toplabel.reproduction.workflow.slurm import queued_jobs

LOCK = Path(".snakemake/toplabel.lock")
"""It holds the last holder's machine, the number of its process, and when it began."""

RUN = "TOPLABEL_RUN"
"""The environment variable that tells jobs of an executor what the lock held when their run began."""


class RunLockError(RuntimeError):
    """Another run is active, or jobs of one."""


def lock_run(path: str | os.PathLike[str] = LOCK) -> FileLock:
    """Take the lock of a run, or say who has it.

    Parameters
    ----------
    path : path-like
        The file to lock, relative to the folder of the run.

    Returns
    -------
    FileLock
        Held as long as it is referred to.

    Raises
    ------
    RunLockError
        One line with the folder and the process that holds the lock, or with the jobs of an earlier
        run that Slurm still has.
    """
    lock = FileLock(path, blocking=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        host, process = (_content(path).split() + ["unknown"] * 2)[:2]
        raise RunLockError(
            f"another run is active in {Path.cwd()} (process {process} on {host}); "
            "wait for it to end, or stop it"
        ) from None
    except OSError as error:
        raise RunLockError(
            f"the file system of {Path.cwd()} has no locks: {error.strerror}"
        ) from None
    if jobs := queued_jobs(Path.cwd()):
        lock.release()
        raise RunLockError(
            f"{len(jobs)} jobs of an earlier run in {Path.cwd()} are still in Slurm's queue; wait "
            f"for them to end, or end them: scancel {' '.join(jobs)}"
        )
    os.environ[RUN] = f"{platform.node()} {os.getpid()} {time.time_ns()}"
    Path(path).write_text(os.environ[RUN], encoding="utf-8")
    return lock


def check_run(path: str | os.PathLike[str] = LOCK) -> None:
    """Refuse to compute for a run that is not the last one in its folder.

    Raises
    ------
    RunLockError
        One line with the process of the later run.
    """
    mine, last = os.environ.get(RUN), _content(path)
    if mine and last and mine != last:
        host, process, _ = last.split()
        raise RunLockError(
            f"this job is of an earlier run than process {process} on {host}, which does its work"
        )


def _content(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
