"""The text tables of the UCI repository: one row per line, numbers and a class, no header."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    is_finite,
    number,
    parse_numbers,
    read_lines,
    shown,
)
from toplabel.reproduction.data.parts import Loaded, Part

_DIGITS = 300  # of a whole number; a longer label is a word
_MANY = 50  # classes, which are more than half the rows: no column of classes
_DELIMITERS = (";", "\t", ",", "|")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_FIRST_ROW = "; the option `skip_lines` leaves a header out, `label` is the column of the class"


class _Table(NamedTuple):
    """One file: its numbers, and the class of each row as written."""

    X: np.ndarray
    labels: list[str]


def load(source: Source, delimiter: str = ",", label: int = -1, skip_lines: int = 0) -> Loaded:
    """Read text tables with one class per row.

    Classes are the labels that occur. When all are whole numbers (``6``, ``6.`` and ``6.0000`` are
    one) they are in ascending order, else in that of their characters. Values may stand in double
    quotes.

    Parameters
    ----------
    source : Source
        Multiclass.
    delimiter : str
        Between the values of a row; "whitespace" is any number of blanks and tabs.
    label : int
        The column of the class, from 0; a negative one counts from the last.
    skip_lines : int
        Lines before the first row: a header.

    Raises
    ------
    FormatError
        With file and line: rows of different lengths, missing values, NaN or infinity, what is no
        number, a row without its class; an empty file, parts of different widths, or nearly a
        class for each row.
    """
    if source.task != "multiclass":
        raise ValueError(f"a UCI table has one class per row, it holds no {source.task} set")
    tables = {
        name: _read(path, delimiter, label, skip_lines) for name, path in source.parts.items()
    }
    first = next(iter(tables))
    width = tables[first].X.shape[1]
    for name, table in tables.items():
        if table.X.shape[1] != width:
            message = f"{table.X.shape[1]} features, but {source.parts[first]} has {width}"
            raise FormatError(source.parts[name], None, message)
    plain = {name: [_plain(text) for text in table.labels] for name, table in tables.items()}
    found = {text for labels in plain.values() for text in labels}
    if len(found) > max(_MANY, sum(map(len, plain.values())) / 2):
        message = f"{len(found)} classes in column {label}; is it that of the class (`label`)?"
        raise FormatError(next(iter(source.parts.values())), None, message)
    numeric = all(_is_integer(text) for text in found)
    classes = sorted(found, key=int if numeric else None)
    index = {text: i for i, text in enumerate(classes)}
    parts = {
        name: Part(X=table.X, y=np.array([index[text] for text in plain[name]], dtype=np.int64))
        for name, table in tables.items()
    }
    return Loaded(parts=parts, class_names=classes)


def _read(path: Path, delimiter: str, label: int, skip_lines: int) -> _Table:
    separator = None if delimiter == "whitespace" else delimiter
    rows: list[np.ndarray] = []
    labels: list[str] = []
    first = 0
    for line, text in read_lines(path):
        if line <= skip_lines or not text.strip():
            continue
        tokens = [token.strip().strip('"') for token in text.split(separator)]
        first = first or line
        if rows and len(tokens) != len(rows[0]) + 1:
            message = f"{len(tokens)} values, but line {first} has {len(rows[0]) + 1}"
            raise FormatError(path, line, message)
        if len(tokens) < 2 or not -len(tokens) <= label < len(tokens):
            message = f"{len(tokens)} values; there is no column {label} for the class"
            message += " beside features"
            raise FormatError(path, line, message + _delimiter_hint(text, delimiter))
        position = label % len(tokens)
        labels.append(_checked(path, line, tokens.pop(position)))
        try:
            name = partial(_column, position)
            rows.append(parse_numbers(tokens, path, line, name))
        except FormatError as error:
            hint = _delimiter_hint(text, delimiter)
            if not hint and any(map(_DECIMAL_COMMA.fullmatch, tokens)):
                hint = "; decimals have a point"
            elif not hint and not rows:
                hint = _FIRST_ROW
            raise FormatError(path, line, error.what + hint) from None
    if not rows:
        raise FormatError(path, None, "no row in it")
    return _Table(np.array(rows), labels)


def _column(position: int, place: int) -> str:
    """Return which column a feature stands in, beside the class at a position."""
    return f"column {place + (place >= position)}"


def _delimiter_hint(text: str, delimiter: str) -> str:
    """Return advice on a row that has another delimiter than the stated one; else nothing."""
    if delimiter == "whitespace" or delimiter not in text:
        others = [other for other in _DELIMITERS if other in text] or ["whitespace"]
    else:
        others = [other for other in _DELIMITERS[:2] if other in text and other != delimiter]
    return f"; is the option `delimiter` {others[0]!r}?" if others else ""


def _checked(path: Path, line: int, label: str) -> str:
    if label in ("", "?"):
        raise FormatError(path, line, "the class is missing")
    if number(label) is not None and not is_finite(label) and not label.lstrip("+-").isdecimal():
        message = f"the class {shown(label)} is a number that is not finite"
        raise FormatError(path, line, f"{message}; if it is a name, write 'class {label}' instead")
    return label


def _plain(label: str) -> str:
    """Return whole numbers without a fraction; everything else as written."""
    if _is_integer(label):
        return str(int(label))
    value = number(label)
    return str(int(value)) if value is not None and value.is_integer() else label


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdecimal() and len(digits) <= _DIGITS
