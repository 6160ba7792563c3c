"""Text files of strangers: which encoding they have, what they are where they are no text, and rows of
values between delimiters.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from toplabel.reproduction.data.formats.common import FormatError, shown

_POINTER = "a pointer of git-lfs, which stands for the file; `git lfs pull` fetches the file itself"
_ARCHIVE = "a ZIP archive, as Excel and OpenDocument write; save the sheet as CSV in UTF-8"
_PAGE = "an HTML page; download the file itself"
_OTHER_KINDS = (
    (b"version https://git-lfs.", _POINTER),
    (b"PK\x03\x04", _ARCHIVE),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save the sheet as CSV in UTF-8"),
    (b"PAR1", "a Parquet file; its name must end in .parquet, and `format: table` reads it"),
    (b"\x1f\x8b", "a gzip file; its name must end in .gz"),
    (b"BZh", "a bzip2 file; its name must end in .bz2"),
    (b"\xfd7zXZ", "an xz file; its name must end in .xz"),
    (b"%PDF", "a PDF document"),
    (b"<!DOCTYPE", _PAGE),
    (b"<!doctype", _PAGE),
    (b"<html", _PAGE),
)
# UTF-32 begins like UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DELIMITERS = ",;\t|"
_SEP = re.compile(r"sep=(.)\s*", re.IGNORECASE)  # the first line of a CSV file of Excel


def refuse_other_kind(path: Path) -> None:
    """Refuse a file that is no text, by its first bytes, and say what it is."""
    with path.open("rb") as stream:
        head = stream.read(32)
    for mark, kind in _OTHER_KINDS:
        if head.startswith(mark):
            raise FormatError(path, None, f"this is {kind}")


def has_mark(path: Path) -> bool:
    """Return whether a file begins with a byte order mark."""
    with path.open("rb") as stream:
        return stream.read(4).startswith(tuple(mark for mark, _ in _MARKS))


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return a text file, decoded by its byte order mark, or else by `encoding`, by default UTF-8."""
    refuse_other_kind(path)
    content = path.read_bytes()
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    name = marked or encoding or "utf-8"
    try:
        text = content.decode(name)
    except LookupError:
        raise FormatError(path, None, f"unknown encoding {shown(name)}") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        byte = f"byte 0x{content[error.start]:02x}" if error.start < len(content) else "its end"
        advice = "save the file as UTF-8"
        advice += ", or give the option `encoding`, such as latin-1 or cp1252" if not marked else ""
        raise FormatError(path, line, f"not {name.upper()} text ({byte}); {advice}") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        advice = "a binary file, or UTF-16 without a byte order mark; save it as UTF-8"
        raise FormatError(path, line, f"a zero byte: {advice}")
    return text


@dataclass(frozen=True)
class Values:
    """The values of a delimited text file."""

    names: list[str] | None  # of the columns, where the file has a header
    cells: np.ndarray  # (n, d): the values as text
    lines: np.ndarray  # (n,): the line of the file, from 1, on which each row ends


def read_values(path: Path, delimiter: str, header: bool, encoding: str | None = None) -> Values:
    """Read a delimited text file, whose rows must have as many values as the header has names.

    R writes no name above the names of the rows, all of which differ; their column gets the name "". A
    delimiter at the end of each row stands before an empty column.
    """
    rows, lines, delimiter = _split(path, read_text(path, encoding), delimiter)
    if not rows:
        raise FormatError(path, None, "no line with a value in it")
    names = rows.pop(0) if header else None
    first = lines.pop(0) if header else lines[0]
    if not rows:
        raise FormatError(path, first, "this header is all there is: 0 rows")
    width = len(rows[0])
    if names is not None and width == len(names) + 1:
        if not any(row[-1] for row in rows):
            names = [*names, ""]
        elif len({row[0] for row in rows}) == len(rows):
            names = ["", *names]
    expected = width if names is None else len(names)
    if expected == 1 or any(len(row) != expected for row in rows):
        _refuse_ragged(path, rows, [first, *lines] if header else lines, names, delimiter)
    cells = np.array(rows, dtype=object).reshape(len(rows), expected)
    return Values(names, cells, np.array(lines, dtype=np.int64))


def _split(path: Path, text: str, delimiter: str) -> tuple[list[list[str]], list[int], str]:
    """Return the rows that have a value, the line on which each ends, and the delimiter."""
    stream = io.StringIO(text, newline="")
    lines = iter(stream)
    skipped = 0
    if match := _SEP.fullmatch(text.partition("\n")[0]):
        delimiter, skipped = match[1], 1
        next(lines)
    if delimiter == "whitespace":
        lines = (re.sub(r"\s+", " ", line.strip()) for line in lines)
    elif len(delimiter) != 1:
        raise FormatError(
            path, None, f"`delimiter` is {shown(delimiter)}; it must be one character"
        )
    character = " " if delimiter == "whitespace" else delimiter
    reader = csv.reader(lines, delimiter=character, skipinitialspace=True, strict=True)
    rows, ends = [], []
    try:
        for row in reader:
            if any(row) or len(row) > 1:
                rows.append([value.strip() for value in row])
                ends.append(skipped + reader.line_num)
    except csv.Error as error:
        line = skipped + reader.line_num
        advice = "is a quotation mark open, or inside of a value?"
        raise FormatError(path, line, f"{error}; {advice}") from None
    while rows and not any(rows[-1]):  # as spreadsheets write them below the last row
        rows.pop()
    return rows, ends[: len(rows)], delimiter


def _refuse_ragged(
    path: Path,
    rows: list[list[str]],
    lines: list[int],
    names: list[str] | None,
    delimiter: str,
) -> None:
    """Say why not all rows have as many values as there are names, or why there is one column."""
    first = rows[0] if names is None else names
    others = {mark: delimiter.join(first).count(mark) for mark in _DELIMITERS if mark != delimiter}
    likely = max(others, key=others.get)
    if others[likely] and (len(first) == 1 or len(first) != len(rows[0])):
        message = f"the line has {others[likely]} times {likely!r}; is it the `delimiter`?"
        if likely == ";" and delimiter == ",":
            message += " Where numbers have a comma as the point, give `decimal: ','`, too"
        raise FormatError(path, lines[0], message)
    if len(first) == 1 and len(rows[0]) == 1:
        message = f"{len(rows)} rows and 1 columns; is the `delimiter` {delimiter!r} right?"
        raise FormatError(path, lines[0], message)
    expected = len(first)
    what = "the first row has" if names is None else "the header has names:"
    starts = lines if names is None else lines[1:]
    for row, line in zip(rows, starts, strict=True):
        if len(row) != expected:
            message = f"line {line} has {len(row)} values, but {what} {expected}"
            if len(first) == 1:
                message += "; is the first line a title, which must go?"
            raise FormatError(path, line, message)
