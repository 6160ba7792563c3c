"""One run at a time in a folder.

Snakemake's own lock is a set of files that outlive a killed process, after which the same command
refuses to start. The kernel releases this one whenever its holder ends.
"""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout


class RunLockError(RuntimeError):
    """Another run is active."""


def lock_run(path: str | os.PathLike[str]) -> FileLock:
    """Take the lock of a run, or say who has it.

    Parameters
    ----------
    path : path-like
        The file to lock. It holds the number of the last holder's process.

    Returns
    -------
    FileLock
        Held as long as it is referred to.

    Raises
    ------
    RunLockError
        One line with the folder and the number of the process that holds the lock.
    """
    lock = FileLock(path, blocking=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        holder = Path(path).read_text(encoding="ascii", errors="replace").strip() or "unknown"
        raise RunLockError(
            f"another run is active in {Path.cwd()} (process {holder}); "
            "wait for it to end, or stop it"
        ) from None
    Path(path).write_text(f"{os.getpid()}\n", encoding="ascii")
    return lock
