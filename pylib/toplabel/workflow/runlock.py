"""One run at a time in a folder, with a lock that the kernel releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class RunLockError(RuntimeError):
    """Another run is active."""


class RunLock:
    """An exclusive `flock` on a file, held until `release` or the end of the process.

    Snakemake's own lock is a set of files that outlive a killed process, after which the same
    command refuses to start. This one is gone with its holder, however that ended. Jobs do not
    inherit it: Python opens files close-on-exec.

    Parameters
    ----------
    path : path-like
        The file to lock; made if it does not exist. It holds the number of the last holder's process.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock, or say who has it.

        Raises
        ------
        RunLockError
            One line with the folder and the number of the process that holds the lock.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 64).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            raise RunLockError(
                f"another run is active in {Path.cwd()} (process {holder}); "
                "wait for it to end, or stop it"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode("ascii"), 0)
        self._handle = handle

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
