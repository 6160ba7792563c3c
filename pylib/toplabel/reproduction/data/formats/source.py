"""What a reader is given, and the error of a file that does not follow its format."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from toplabel._core.files import one_line, reason
from toplabel.reproduction.data.parts import Task

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 60
shown = _repr.repr
"""Return a value for a message: one line, truncated where it is long or deep."""


class FormatError(ValueError):
    """A file does not follow its format; the message starts with ``file:line``."""

    def __init__(self, path: Path | str, line: int | None, message: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {one_line(message)}")


@dataclass(frozen=True)
class Source:
    """The raw files of one data set, uncompressed, in one folder: the file of each part, and the file
    that names the labels, for formats that have one.
    """

    parts: dict[str, Path]
    task: Task
    labels: Path | None = None

    def beside(self, part: str, labels: Mapping[str, str]) -> Path:
        """Return the file of a part's labels, which an option names, beside that of its rows."""
        if part not in labels:
            message = f"the option 'labels' names no file for the part '{part}'"
            raise FormatError(self.parts[part], None, message)
        return self.parts[part].with_name(labels[part])


@contextmanager
def damage(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a library raises on a damaged file, or on one of another kind, into one line."""
    try:
        yield
    except FormatError:
        raise
    except Exception as error:
        raise FormatError(path, None, f"no {kind}, or a damaged one ({reason(error)})") from None


def parse_xml(content: bytes, path: Path) -> ElementTree.Element:
    """Return the root of an XML document; `path` is for messages."""
    with damage(path, "XML document"):
        return ElementTree.fromstring(content)
