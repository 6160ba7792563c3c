"""What a format loader is given, the error that it raises, and the guards that all formats
share.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from toplabel._core.files import one_line, reason
from toplabel.reproduction.data.parts import Task

FREE = 256 * 2**20
"""Bytes that a file may claim whatever its size."""
RATIO = 1000
"""How many times its own size a file may claim, beyond `FREE` bytes."""

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 60


class FormatError(ValueError):
    """A file does not follow its format; the message starts with ``file:line``."""

    def __init__(self, path: Path | str, line: int | None, message: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {one_line(message)}")
        self.what = message
        self._arguments = (path, line, message)

    def __reduce__(self):
        return type(self), self._arguments  # errors travel from the process that reads


@dataclass(frozen=True)
class Source:
    """The raw files of one data set.

    Attributes
    ----------
    parts : dict of str to Path
        The file of each part.
    task : {"multiclass", "multilabel"}
    labels : Path or None
        The file that names the labels, for formats that have one.
    """

    parts: dict[str, Path]
    task: Task
    labels: Path | None = None

    def beside(self, part: str, labels: Mapping[str, str]) -> Path:
        """Return the file of a part's labels that an option names, beside that of its rows.

        Raises
        ------
        FormatError
            It names none, or one that lies elsewhere.
        """
        path, name = self.parts[part], labels.get(part)
        if name is None:
            message = f"the option 'labels' names no file for the part '{part}'"
            raise FormatError(path, None, message)
        if not name or name in (".", "..") or Path(name).name != name:
            message = f"the option 'labels' has {name!r}, no name of a file beside"
            raise FormatError(path, None, message)
        return path.with_name(name)


def shown(value: Any) -> str:
    """Return a value in a message: one line, truncated where it is long or deep."""
    return _repr.repr(value)


def check_claim(path: Path, claimed: int, what: str) -> None:
    """Refuse a file that claims far more memory than it holds bytes.

    Raises
    ------
    FormatError
        More than `FREE` bytes, and more than `RATIO` times the file's size.
    """
    held = path.stat().st_size
    if claimed > max(FREE, RATIO * held):
        message = f"{claimed:,} bytes in memory, over {RATIO} times those of the file ({held:,})"
        raise FormatError(path, None, f"{what} {message}")


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a library raises on a file that is damaged, or of another kind, into one
    line.
    """
    try:
        yield
    except FormatError:
        raise
    except Exception as error:
        raise FormatError(path, None, f"no {kind}, or a damaged one ({reason(error)})") from None


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its end) of a UTF-8 file, which may begin with a byte
    order mark.
    """
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FormatError(path, number + 1, f"not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise FormatError(path, None, f"cannot be read ({error.strerror})") from None


def read_bytes(path: Path) -> bytes:
    """Return the content of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FormatError(path, None, f"cannot be read ({error.strerror})") from None


def parse_xml(content: bytes, path: Path) -> ElementTree.Element:
    """Return the root of an XML document; `path` is for messages."""
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise FormatError(path, error.position[0], f"not XML ({error})") from None
    except (LookupError, ValueError) as error:  # of its encoding
        raise FormatError(path, None, f"not XML ({' '.join(str(error).split())})") from None


def parse_numbers(
    tokens: Sequence[str], path: Path, line: int, name: Callable[[int], str] | None = None
) -> np.ndarray:
    """Turn the tokens of one line into finite float64 numbers.

    Parameters
    ----------
    tokens : sequence of str
    path : Path
    line : int
    name : callable, optional
        Says in a message what the token at a place is.

    Raises
    ------
    FormatError
        Naming the first token that is not a number, or is NaN or infinite.
    """
    try:
        values = np.array(list(map(float, tokens)))
    except ValueError:
        values = None
    if values is None or not np.isfinite(values).all() or any(map(_is_python_only, tokens)):
        places = (i for i, token in enumerate(tokens) if not is_finite(token))
        place = next(places)
        where = f"{name(place)}: " if name else ""
        raise FormatError(path, line, where + _complaint(tokens[place]))
    return values


def number(token: str) -> float | None:
    """Return the number that a token is, maybe NaN or infinite; None if it is a word."""
    try:
        return None if _is_python_only(token) else float(token)
    except ValueError:
        return None


def is_finite(token: str) -> bool:
    """Return whether a token is a finite number."""
    return (value := number(token)) is not None and math.isfinite(value)


def _is_python_only(token: str) -> bool:
    """Does float() alone take it for a number? So it does 1_000, and the digits of all scripts."""
    return "_" in token or not token.isascii()


def _complaint(token: str) -> str:
    if token == "?":
        return "a missing value ('?'); features and labels must all be given"
    return f"{shown(token)} is not {'a number' if number(token) is None else 'finite'}"
