"""Files that are written whole or not at all, with their sums beside them, and the errors of files
that are read.

A file that a stage hands to another, ``<name>``, has its SHA-256 in ``<name>.sha256``, in the form
of ``sha256sum``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

Record = TypeVar("Record")
PathLike: TypeAlias = str | os.PathLike[str]
RESULTS = "results"
"""The folder of a run with what its stages hand to each other."""
SUMMARY = "reports/summary"
"""The folder of the checkout with the files of the kept run, the last whole one."""
CONFIG_FILES = "TOPLABEL_CONFIGFILES"
"""The environment variable with the config files of the run."""
_LONGEST = 400  # characters of a message
_SHOWN = 12  # digits of a sum in an error


class FileError(ValueError):
    """A file is missing, damaged, or contradicts itself or another: one line that names it."""


@contextmanager
def atomic_path(path: PathLike) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` on success, delete it on failure.

    The temporary name keeps the suffix of `path`, since several writers choose the format by it.
    The rename is atomic because both names are in one folder, which is created.
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


@contextmanager
def result_path(path: PathLike) -> Iterator[Path]:
    """Yield a path as `atomic_path` does, for a file of another stage; its sum is written, too.

    The sum is written first, so that a writer that is killed leaves no file without its sum.
    `FileError` where the disk is full or the folder read-only.
    """
    target = Path(path)
    try:
        with atomic_path(target) as temporary:
            yield temporary
            digest = file_sum(temporary)
            with atomic_path(_sum_path(target)) as beside:
                beside.write_text(f"{digest}  {target.name}\n", encoding="utf-8")
    except OSError as error:
        raise FileError(f"{target}: cannot be written ({error.strerror or error})") from error


def write_json(path: PathLike, content: Any, allow_nan: bool = True) -> None:
    """Write a JSON document with its sum."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=allow_nan)
    with result_path(path) as temporary:
        temporary.write_text(f"{text}\n", encoding="utf-8")


def write_npz(path: PathLike, arrays: Mapping[str, ArrayLike]) -> None:
    """Write arrays by name to an .npz file, with its sum."""
    with result_path(path) as temporary:
        np.savez_compressed(temporary, **arrays)  # type: ignore[arg-type]  # no array is named allow_pickle


def file_sum(path: PathLike) -> str:
    """SHA-256 of a file, hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_file(path: PathLike, promised: str, target: object = None) -> None:
    """Compare a file with its SHA-256; `FileError` names it and the command that makes it again,
    by the target of Snakemake (by default the file itself).
    """
    try:
        digest = file_sum(path)
    except FileNotFoundError:
        raise FileError(f"{path}: the file is missing; {remade(target or path)}") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror or error})") from None
    if digest != promised:
        sums = f"its SHA-256 is {digest[:_SHOWN]}..., was {promised[:_SHOWN] or 'nothing'}..."
        what = f"cut off or changed since it was written ({sums})"
        raise FileError(f"{path}: {what}; {remade(target or path)}")


def checked(path: PathLike, target: object = None) -> Path:
    """Return the path of a file, compared with the sum beside it as by `check_file`.

    A result without its sum is a `FileError`; any other file without one is taken as it is.
    """
    beside = _sum_path(path)
    try:
        promised = beside.read_text(encoding="utf-8", errors="replace")
    except OSError:
        if has_sum(path) and Path(path).is_file():
            what = f"its sum, {beside.name}, is missing, so nothing says that it is whole"
            raise FileError(f"{path}: {what}; {remade(target or path)}") from None
        return Path(path)
    check_file(path, promised.partition(" ")[0], target)
    return Path(path)


def has_sum(path: PathLike) -> bool:
    """Return whether a stage writes a file with its sum beside it.

    All files of results/ have one, but for those of Snakemake itself and the arrays of prepared
    data, whose sums are in their meta.json.
    """
    parts = Path(path).parts
    if RESULTS not in parts:
        return False
    below = parts[parts.index(RESULTS) + 1 :]
    is_array = len(below) == 3 and below[1] == "data" and below[2] != "meta.json"
    return below[:1] not in (("logs",), ("benchmarks",)) and not is_array


def remade(target: Any) -> str:
    """Return the command that brings a damaged file back, for an error."""
    if SUMMARY in Path(target).as_posix():
        return f"`git checkout -- {shlex.quote(str(target))}` brings it back"
    names = filter(None, os.environ.get(CONFIG_FILES, "").split(os.pathsep))
    configs = ["--configfile", *names]
    command = ["snakemake", "-f", str(target), *(configs if len(configs) > 1 else ())]
    return f"`{shlex.join(command)}` makes it again"


def _sum_path(path: PathLike) -> Path:
    return Path(f"{os.fspath(path)}.sha256")


def read_text(path: PathLike, target: object = None) -> str:
    """Read a text file; `FileError` where it is missing, not what was written, or not UTF-8."""
    try:
        return checked(path, target).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(f"{path}: the file is missing") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None


def read_json(path: PathLike, keys: Sequence[str] = ()) -> dict[str, Any]:
    """Read a JSON object with these keys; `FileError` as `read_text`, or with the line of JSON."""
    try:
        content = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise FileError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    if not isinstance(content, dict):
        raise FileError(f"{path}: expected an object")
    for key in keys:
        if key not in content:
            raise FileError(f"{path}: the key '{key}' is missing")
    return content


def read_npz(path: PathLike, target: object = None) -> dict[str, np.ndarray]:
    """Read all arrays of an .npz file, by name; `FileError` where it is not what was written."""
    try:
        with np.load(checked(path, target)) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{path}: the file is missing") from None
    except Exception as error:  # without a sum beside it: whatever damage leads NumPy to
        raise FileError(f"{path}: damaged ({reason(error)}); {remade(target or path)}") from None


def write_records(records: Iterable[Any], path: PathLike) -> None:
    """Write instances of a dataclass to an .npz file, with its sum.

    The fields of the i-th are the arrays ``<i>.<field>``; None is left out.
    """
    arrays = {
        f"{i}.{field.name}": np.asarray(getattr(record, field.name))
        for i, record in enumerate(records)
        for field in fields(record)
        if getattr(record, field.name) is not None
    }
    write_npz(path, arrays)


def read_records(kind: type[Record], path: PathLike) -> list[Record]:
    """Read what `write_records` wrote; a FileError names a file of another version."""
    arrays_of: dict[int, dict[str, Any]] = {}
    try:
        for key, array in read_npz(path).items():
            index, _, name = key.partition(".")
            arrays_of.setdefault(int(index), {})[name] = array if array.ndim else array.item()
        return [kind(**arrays_of[i]) for i in range(len(arrays_of))]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: arrays of another version; {remade(path)}") from None


def reason(error: Exception) -> str:
    """Return what a library says of a file that it cannot read."""
    if "pickle" in str(error):  # NumPy's advice is to allow what could run code
        return "not in NumPy's format, or with Python objects"
    return one_line(error) or type(error).__name__


def one_line(message: object) -> str:
    """Return a message without line ends and unprintable characters, truncated.

    Blanks within a line stay, as those of the name of a column.
    """
    lines = [line.strip() for line in str(message).splitlines()]
    text = " ".join(filter(None, lines))[: _LONGEST + 1]
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."
