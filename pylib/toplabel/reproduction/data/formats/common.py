"""All readers share the classes and functions of this module: what a reader is given, its errors, text
in the encodings of strangers, and the step from the arrays of files to parts with checked labels.

`toplabel.reproduction.data.checks` checks the whole data set afterwards: finite features, classes
without a row.
"""

from __future__ import annotations

import codecs
import difflib
import re
import reprlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from pydantic import BeforeValidator
from scipy import sparse

from toplabel.reproduction.data.parts import LoadedSet, Part, Rows, Task, not_finite
from toplabel.reproduction.files import one_line, reason

_NUMBERS = "biuf"  # kinds of dtypes: boolean, integers, floating point
_WHOLE = re.compile(r"\+?(-?[0-9]{1,15})(?:\.0*)?")
_MISSING = ("", "?", "nan", "NaN")
_MANY = 50  # classes, which are more than half the rows: these are no classes
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

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 60
shown = _repr.repr
"""Return a value for a message: one line, truncated where it is long or deep."""


def as_text(value: Any) -> Any:
    """Return the name of a column as text; YAML reads a name of digits as a number."""
    if isinstance(value, bool):
        raise ValueError(
            "YAML reads yes, no, on and off without quotes as true and false; quote the name, as 'yes'"
        )
    return str(value) if isinstance(value, int) else value


def _as_place(value: Any) -> Any:
    """Return the name or the number of a column."""
    return as_text(value) if isinstance(value, bool) else value


ColumnName = Annotated[str, BeforeValidator(as_text)]
ColumnPlace = Annotated[str | int, BeforeValidator(_as_place)]


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


def marked_encoding(path: Path) -> str | None:
    """Return the encoding that a byte order mark names, None without one; refuse a file that is no text,
    by its first bytes, and say what it is.
    """
    with path.open("rb") as stream:
        head = stream.read(32)
    for mark, kind in _OTHER_KINDS:
        if head.startswith(mark):
            raise FormatError(path, None, f"this is {kind}")
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return a text file, decoded by its byte order mark, or else by `encoding`, by default UTF-8."""
    marked = marked_encoding(path)
    content = path.read_bytes()
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


def check_names(
    path: Path, known: Collection[str], names: Sequence[str], what: str = "column"
) -> None:
    """Refuse the name of a column, or of an attribute, that a file does not have."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
            hint = f" (did you mean {shown(near[0])}?)" if near else ""
            message = f"no {what} {shown(name)}{hint}; it has: {', '.join(known)}"
            has_values = all(map(looks_like_a_value, known)) and not name.isdecimal()
            if what == "column" and has_values:
                message += "; `header: false` is for files whose first line is a row"
            raise FormatError(path, None, message)


def looks_like_a_value(name: str) -> bool:
    """Return whether the name of a column looks like a number."""
    return name[:1].isdigit() or name[:1] in "+-."


class Table(NamedTuple):
    """The arrays of one part as they stand in its file.

    `X` (n, d) are numbers, maybe sparse or a memory map; `labels` are classes (n,), whole numbers or
    words, or label sets (n, m) of 0 and 1, which may be in a file of their own, `labels_path`.
    `rows` and `ids` are those of `toplabel.reproduction.data.parts.Part`.
    """

    path: Path
    X: np.ndarray | sparse.spmatrix
    labels: np.ndarray | sparse.spmatrix
    labels_path: Path | None = None
    rows: np.ndarray | None = None
    ids: np.ndarray | None = None

    def error(self, message: str) -> FormatError:
        """Return an error in the labels."""
        return FormatError(self.labels_path or self.path, None, message)


def assemble(
    tables: Mapping[str, Table],
    task: Task,
    label_names: Sequence[str] | None = None,
    has_gaps: bool = False,
) -> LoadedSet:
    """Check the arrays of all parts and make one data set of them.

    Classes are those that occur in any part: numbers in ascending order, words in that of their
    characters. Label sets have one class a column, with the names `label_names` or the columns'
    numbers. Features that are float32 (or float16) become float32, all others float64. NaN in them is an
    error unless the set `has_gaps`, which are filled later.
    """
    features = {name: features_of(table.path, table.X) for name, table in tables.items()}
    for name, X in features.items():
        if bad := None if has_gaps else not_finite(X):
            message = "column {1} of row {0} (from 0) is {2}; features must be finite".format(*bad)
            raise FormatError(tables[name].path, None, message)
    parts = {
        name: Part(features[name], rows=table.rows, ids=table.ids) for name, table in tables.items()
    }
    if task == "multiclass":
        names, classes = _classes(tables)
        parts = {name: replace(part, y=classes[name]) for name, part in parts.items()}
    else:
        label_sets = {name: _indicator(table) for name, table in tables.items()}
        n_classes = max(Y.shape[1] for Y in label_sets.values())
        names = list(label_names or map(str, range(n_classes)))
        parts = {name: replace(part, Y=label_sets[name]) for name, part in parts.items()}
    for name, part in parts.items():
        if part.n_instances != part.n_rows:
            message = f"{part.n_instances} labels for {part.n_rows} rows of features"
            raise tables[name].error(message)
    return LoadedSet(parts, names)


def features_of(path: Path, X: np.ndarray | sparse.spmatrix) -> Rows:
    """Return features of a file as a part holds them; what is no table of numbers is an error."""
    if X.ndim != 2 or 0 in X.shape or X.dtype.kind not in _NUMBERS:
        message = (
            f"features of the shape {X.shape} and the type {X.dtype}; they must be real numbers"
        )
        raise FormatError(path, None, f"{message}, (n, d) with n and d at least 1")
    dtype = np.float32 if X.dtype in (np.float16, np.float32) else np.float64
    if sparse.issparse(X):
        return sparse.csr_matrix(X, dtype=dtype)
    is_as_wanted = X.dtype == dtype and X.flags.c_contiguous  # a memory map stays in its file
    return X if is_as_wanted else np.ascontiguousarray(X, dtype=dtype)


def _classes(tables: Mapping[str, Table]) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the names of the classes, and the class indices of each part."""
    labels = {name: _single_labels(table) for name, table in tables.items()}
    if any(values.dtype.kind == "U" for values in labels.values()):
        labels = {name: values.astype(str) for name, values in labels.items()}
        labels = _numbers_of_words(tables, labels)
    classes = np.unique(np.concatenate(list(labels.values())))
    if len(classes) > max(_MANY, sum(map(len, labels.values())) / 2):
        raise next(iter(tables.values())).error(f"{len(classes)} classes; are these the labels?")
    indices = {name: np.searchsorted(classes, values) for name, values in labels.items()}
    return [str(value) for value in classes], indices


def _single_labels(table: Table) -> np.ndarray:
    """Return the classes of a part: words as written, or whole numbers as int64."""
    values = table.labels.toarray() if sparse.issparse(table.labels) else np.asarray(table.labels)
    if values.ndim == 2 and 1 in values.shape:
        values = values.ravel()
    if values.ndim != 1 or not len(values) or values.dtype.kind not in f"U{_NUMBERS}":
        message = f"labels of the shape {values.shape} and the type {values.dtype}"
        raise table.error(f"{message}; they must be classes, (n,), whole numbers or words")
    if values.dtype.kind == "U":
        _refuse(table, values, np.isin(values, _MISSING), "missing (empty, ?, NA, None or alike)")
        return values
    _refuse(table, values, ~np.isfinite(values) | (values % 1 != 0), "no whole number")
    # Beyond them two labels may have been read as one number.
    _refuse(table, values, np.abs(values.astype(np.float64)) > 2.0**53, "beyond 53 bits")
    return values.astype(np.int64)


def _numbers_of_words(
    tables: Mapping[str, Table], labels: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return words as whole numbers where all of them are some (6, 6. and 6.00 are one number).

    Otherwise they stay as written. Two numbers that differ in leading zeros alone are refused.
    """
    spelled: dict[int, str] = {}
    for name, values in labels.items():
        for word in np.unique(values):
            match = _WHOLE.fullmatch(word)
            if match is None:
                return labels
            first = spelled.setdefault(int(match[1]), match[1])
            if first != match[1]:
                message = f"the classes {first!r} and {match[1]!r} are one number"
                raise tables[name].error(f"{message}; write them alike, or as words")
    return {
        name: np.array([int(word.partition(".")[0]) for word in values])
        for name, values in labels.items()
    }


def _refuse(table: Table, values: np.ndarray, bad: np.ndarray, why: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise table.error(f"the label of row {row} (from 0) is {shown(values[row].item())}, {why}")


def _indicator(table: Table) -> np.ndarray:
    Y = table.labels
    if Y.ndim != 2 or 0 in Y.shape or Y.dtype.kind not in _NUMBERS:
        message = f"label sets of the shape {Y.shape} and the type {Y.dtype}"
        raise table.error(f"{message}; they must be (n, m), 0 or 1 for each label")
    Y = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    bad = np.argwhere((Y != 0) & (Y != 1))
    if bad.size:
        row, column = bad[0]
        message = f"label {column} of row {row} (from 0) is {Y[row, column]}, not 0 or 1"
        raise table.error(message)
    return Y.astype(np.uint8)
