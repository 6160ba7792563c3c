"""Whether a run can write where it has to, asked before the first job."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

#: Folders of a run, below the work folder.
FOLDERS = ("results", "reports", "data", "data/raw", ".snakemake")
_OF_SETS = ("results", "data/raw")
_WRITES = "the run writes there; remove it, or name another work folder with --directory"
_ROOM = 1 << 16  # bytes; Snakemake and its scripts need no more of TMPDIR
_APART = 1000  # nanoseconds


class FolderError(OSError):
    """A folder of the run is a file, read-only or full: one line that names it."""


def check_folders(folder: str | os.PathLike[str] = "", sets: Iterable[str] = ()) -> None:
    """Check that the work folder, the folders of the run in it and TMPDIR can be written to.

    Parameters
    ----------
    folder : path-like
        The work folder.
    sets : iterable of str
        Data sets, which have folders of their own; of these only whether they are files is looked
        at.

    Raises
    ------
    FolderError
    """
    try:
        # Python goes elsewhere without a word where TMPDIR takes nothing; the solver of Snakemake's
        # scheduler does not.
        temporary = os.environ.get("TMPDIR") or tempfile.gettempdir()
    except FileNotFoundError as error:
        raise FolderError(f"TMPDIR: {error.strerror or error}") from None
    _check(Path(temporary), "temporary files go there; TMPDIR names another folder")
    work = Path(folder).absolute()
    _check(work, "the run works there; --directory names another folder")
    for path in (work / name for name in FOLDERS):
        if path.exists() or path.is_symlink():
            _check(path, _WRITES)
    for path in (work / name / key for name in _OF_SETS for key in sets):
        if path.is_file():
            raise FolderError(f"{path}: is not a folder; {_WRITES}")


def pull_back_times(now: float) -> int:
    """Give files of the future times just before `now`, in the order that they had, and return how
    many there are.

    They are there when the clock was set back, and a job whose input is newer than its output fails.
    """
    latest, found = int(now * 1e9), {}
    for path in (path for name in _OF_SETS for path in Path(name).rglob("*")):
        if path.is_file() and (written := path.stat().st_mtime_ns) > latest:
            found[path] = written
    newest_first = sorted({*found.values()}, reverse=True)
    times = {when: latest - rank * _APART for rank, when in enumerate(newest_first, start=1)}
    for path, written in found.items():
        os.utime(path, ns=(latest, times[written]))
    return len(found)


def _check(folder: Path, use: str) -> None:
    if not folder.is_dir():
        raise FolderError(f"{folder}: is not a folder; {use}")
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".toplabel.") as stream:
            stream.write(b"\0" * _ROOM)
    except OSError as error:
        what = "is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "cannot be written to"
        raise FolderError(f"{folder}: {what} ({error.strerror}); {use}") from None
