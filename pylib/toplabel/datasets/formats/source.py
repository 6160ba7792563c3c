"""What a format loader is given, and the error that it raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toplabel.datasets.prepared import Task


class FormatError(ValueError):
    """A file does not follow its format; the message starts with ``file:line``."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        place = f"{path}:{line}" if line else f"{path}"
        super().__init__(f"{place}: {message}")


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


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its end) of a UTF-8 file."""
    number = 0
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise FormatError(path, number + 1, f"not UTF-8 text ({error.reason})") from None


def parse_numbers(tokens: Sequence[str], path: Path, line: int) -> np.ndarray:
    """Turn the tokens of one line into finite float64 numbers.

    Raises
    ------
    FormatError
        Naming the first token that is not a number, or is NaN or infinite.
    """
    try:
        values = np.array(list(map(float, tokens)))
    except ValueError:
        values = None
    # float() takes 1_000 for a number; no data format does.
    if values is None or not np.isfinite(values).all() or any("_" in token for token in tokens):
        raise FormatError(path, line, _complaint(tokens))
    return values


def _complaint(tokens: Sequence[str]) -> str:
    for token in tokens:
        if token == "?":
            return "a missing value ('?'); features and labels must all be given"
        try:
            value = float(token)
        except ValueError:
            return f"{token!r} is not a number"
        if "_" in token:
            return f"{token!r} is not a number"
        if not np.isfinite(value):
            return f"{token!r} is not finite"
    raise AssertionError("called without a bad token")
