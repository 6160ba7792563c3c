"""Files that are written whole or not at all, and what is wrong with one that is read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class FileError(ValueError):
    """A file is missing, damaged, or contradicts itself or another: one line that names it."""


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, delete it on failure.

    The temporary name keeps the suffix of `path`, since several writers choose the format by it.
    The rename is atomic because both names are in one folder.

    Parameters
    ----------
    path : path-like
        The file to write. Its folder is created.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(
        prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes it private to the user
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file; that it is missing or not UTF-8 is a `FileError`."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{path}: the file is missing") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not UTF-8 at byte {error.start}") from None
