"""Mulan's form of multilabel data: an ARFF file for each part, dense or sparse, and an XML file of
labels.

The XML says which attributes are labels. They are found by name: in yeast and enron their order
differs from that of the columns, and neither file need put them last.

liac-arff splits the rows. The header is read here, since liac-arff cuts the decimals of INTEGER
attributes and knows neither dates nor the ranges that KEEL adds to a type.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import arff
import numpy as np
from scipy import sparse

from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    parse_xml,
    read_text,
    shown,
)
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s'\"{{][^\s{{]*)(?:\s+|(?=\{{))(\{{.*\}}|[a-z].*)", re.IGNORECASE
)
_NOMINAL = re.compile(rf"\s*({_QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
_NUMERIC = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # KEEL adds a range
_UNCOMMENTED = re.compile(rf"(?:{_QUOTED}|[^%'\"])*")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}$")
_BLANK_WITHIN = re.compile(r"[^\s,]\s+[^\s,]")
_SKIPPED = ("@relation", "@inputs", "@outputs")
_YES = ("1", "true", "yes", "y", "t", "on", "present", "positive")

logger = logging.getLogger(__name__)


class Attribute(NamedTuple):
    """A column: its name, its line in the header, and its values when it is nominal."""

    name: str
    line: int
    values: tuple[str, ...] = ()
    is_dropped: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The values, unless all are numbers, which stand for themselves."""
        return () if all(map(_is_number, self.values)) else self.values

    @property
    def is_coded(self) -> bool:
        """Whether the column holds texts, which numbers stand for."""
        return self.is_dropped or bool(self.words)

    def position(self, path: Path, line: int, text: str | None) -> float:
        """Return the number that stands for a text of the column."""
        if self.is_dropped:
            return 0.0
        if text not in self.words:
            listed = shown(",".join(self.words))
            message = f"attribute {shown(self.name)} is {shown(text)}, not one of {{{listed}}}"
            raise FormatError(path, line, message)
        return float(self.words.index(text))


class Rows(NamedTuple):
    """One file: its attributes, and all its columns; words stand as positions, what is dropped as 0."""

    path: Path
    attributes: list[Attribute]
    values: sparse.csr_matrix


def load(
    source: Source,
    first_labels: int | None = None,
    last_labels: int | None = None,
    drop: tuple[str, ...] = (),
) -> Loaded:
    """Read the ARFF files of a Mulan data set and the XML file with its labels.

    The classes are in the order of the XML, or without one in that of the attributes. Features are
    numeric, or nominal. Nominal values that are numbers ({0,1}) stand for themselves; two words
    become 0 and 1 in the order of the header, more words a 0/1 column for each.

    Parameters
    ----------
    source : Source
        With the multilabel task and `labels`, or else with one of the options:
    first_labels, last_labels : int, optional
        So many attributes, the first or the last ones, are the labels.
    drop : tuple of str
        Attributes that are left out, whatever their type.

    Raises
    ------
    FormatError
        With file and line: a malformed header or row, too few values (a truncated file), a word
        that the header does not list; with the file: a label of the XML that is no attribute, parts
        with different attributes, no more attributes than labels.
    """
    if sum(given is not None for given in (source.labels, first_labels, last_labels)) != 1:
        raise ValueError(
            "the Mulan format needs the XML file of the labels, or one of the options "
            "first_labels and last_labels"
        )
    files = {part: read(path, drop) for part, path in source.parts.items()}
    first, *others = files.values()
    for other in others:
        _check_same_attributes(first, other)
    by_position = None if source.labels else _names_by_position(first, first_labels, last_labels)
    names = by_position or read_labels(source.labels)
    tables = {part: _split_columns(rows, names) for part, rows in files.items()}
    return assemble(tables, source.task, names)


def read_labels(path: Path) -> list[str]:
    """Return the names of the labels in a Mulan XML file, nested ones (a hierarchy) included."""
    root = parse_xml(path.read_bytes(), path)
    elements = [element for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    names = [element.get("name", "") for element in elements]
    if not all(names):
        raise FormatError(path, None, "a <label> without a name")
    if not names:
        raise FormatError(path, None, "no <label> in it")
    return names


def _names_by_position(rows: Rows, first: int | None, last: int | None) -> list[str]:
    names = [attribute.name for attribute in rows.attributes if not attribute.is_dropped]
    count = first or last
    if count >= len(names):
        message = f"{len(names)} attributes; with {count} labels there is no feature"
        raise FormatError(rows.path, None, message)
    return names[:first] if first else names[-last:]


def read(path: Path, drop: Collection[str] = ()) -> Rows:
    """Read one ARFF file."""
    lines = [_uncommented(line) for line in read_text(path).splitlines()]
    attributes, start = _read_header(path, lines, drop)
    first = next(filter(None, lines[start:]), None)
    if first is None:
        raise FormatError(path, None, "no row after @data")
    is_sparse = first.startswith("{")
    number = start  # of the line that liac-arff was given last

    def feed() -> Iterator[str]:
        nonlocal number
        yield "@relation r"
        for j, attribute in enumerate(attributes):
            yield f"@attribute a{j} {'STRING' if attribute.is_coded else 'REAL'}"
        yield "@data"
        for number, line in enumerate(lines[start:], start=start + 1):
            yield _checked_row(path, number, line)

    decoder, form = arff.ArffDecoder(), arff.LOD_GEN if is_sparse else arff.DENSE_GEN
    coded = {j: attribute for j, attribute in enumerate(attributes) if attribute.is_coded}
    rows = []
    try:
        for row in decoder.decode(feed(), return_type=form)["data"]:
            for j in coded.keys() & row.keys() if is_sparse else coded:
                row[j] = coded[j].position(path, number, row[j])
            rows.append(row)
    except arff.ArffException as error:
        raise FormatError(path, number, error.message.replace("%d", str(number))) from None
    values = _sparse(rows, len(attributes)) if is_sparse else np.array(rows, dtype=np.float64)
    if is_sparse:
        _check_absent_value(path, attributes)
    return Rows(path, attributes, sparse.csr_matrix(values))


def _uncommented(line: str) -> str:
    """Return a line without a comment, which begins with % outside of quotes."""
    line = line.strip()
    return _UNCOMMENTED.match(line)[0].rstrip() if "%" in line else line


def _read_header(
    path: Path, lines: Sequence[str], drop: Collection[str]
) -> tuple[list[Attribute], int]:
    """Return the attributes, and how many lines the header has."""
    found: dict[str, Attribute] = {}
    for number, line in enumerate(lines, start=1):
        if not line or line.lower().startswith(_SKIPPED):
            continue
        if line.lower().startswith("@data"):
            if len(line) > len("@data"):
                raise FormatError(path, number, "a row on the line of @data; begin a new line")
            if missing := [name for name in drop if name not in found]:
                message = f"no attribute {shown(missing[0])}, which `drop` names"
                raise FormatError(path, None, message)
            return [*found.values()], number
        attribute = _parse_attribute(path, number, line, drop)
        if attribute.name in found:
            message = f"the attribute {shown(attribute.name)} is already declared in line"
            raise FormatError(path, number, f"{message} {found[attribute.name].line}")
        found[attribute.name] = attribute
    raise FormatError(path, None, "no @data line; the file is truncated or no ARFF")


def _parse_attribute(path: Path, number: int, line: str, drop: Collection[str]) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        message = f"expected @attribute <name> <type>, found {shown(line)}"
        raise FormatError(path, number, message)
    name, kind = _unquoted(match[1]), match[2].strip()
    if name in drop:
        return Attribute(name, number, is_dropped=True)
    if _NUMERIC.fullmatch(kind):
        return Attribute(name, number)
    listed = kind[1:-1].strip() if kind.startswith("{") else ""
    values = [_unquoted(match[1]) for match in _NOMINAL.finditer(listed)]
    if not values or _NOMINAL.sub("", listed) or len({*values}) < len(values):
        message = f"attribute {shown(name)} has the type {shown(kind)}, which is neither numeric"
        advice = "nor a list of different values; the option `drop` leaves an attribute out"
        raise FormatError(path, number, f"{message} {advice}")
    return Attribute(name, number, tuple(values))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text


def _checked_row(path: Path, number: int, line: str) -> str:
    """Return a row as liac-arff reads it rightly."""
    if _WEIGHT.search(line):
        raise FormatError(path, number, "a weight {...} after a row; weights are not read")
    if line.startswith("{"):
        return line
    if "," not in line:
        line = line.replace("\t", ",")
    if _BLANK_WITHIN.search(line) and not re.search(_QUOTED, line):
        raise FormatError(path, number, "blanks between values; ARFF has commas")
    return line


def _sparse(rows: Sequence[dict[int, float]], width: int) -> sparse.csr_matrix:
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([j for row in rows for j in row], dtype=np.int64)
    data = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    return sparse.csr_matrix((data, indices, indptr), shape=(len(rows), width))


def _check_absent_value(path: Path, attributes: Sequence[Attribute]) -> None:
    """Refuse a sparse file whose rows leave out another value than 0, the first one listed."""
    for attribute in attributes:
        if attribute.values and not attribute.words and float(attribute.values[0]) != 0:
            message = f"attribute {shown(attribute.name)}: sparse rows leave out the first value,"
            raise FormatError(path, attribute.line, f"{message} which must be 0")


def _check_same_attributes(first: Rows, other: Rows) -> None:
    if len(other.attributes) != len(first.attributes):
        message = f"{len(other.attributes)} attributes, but {first.path} has"
        raise FormatError(other.path, None, f"{message} {len(first.attributes)}")
    for attribute, expected in zip(other.attributes, first.attributes, strict=True):
        if (attribute.name, attribute.words) != (expected.name, expected.words):
            message = f"attribute {shown(attribute.name)} has another name or other values than in"
            raise FormatError(other.path, attribute.line, f"{message} {first.path}")


def _split_columns(rows: Rows, names: Sequence[str]) -> Table:
    position = {attribute.name: j for j, attribute in enumerate(rows.attributes)}
    if missing := [name for name in names if name not in position]:
        raise FormatError(rows.path, None, f"no attribute for the label {shown(missing[0])}")
    labels = [position[name] for name in names]
    Y = rows.values[:, labels].toarray()
    for column, j in enumerate(labels):
        attribute = rows.attributes[j]
        if attribute.is_dropped or len(attribute.words) > 2:
            message = f"the label {shown(attribute.name)} is dropped or has more than two values"
            raise FormatError(rows.path, attribute.line, message)
        Y[:, column] = _positive(attribute, Y[:, column])
    features = [j for j, a in enumerate(rows.attributes) if not a.is_dropped and j not in {*labels}]
    return Table(rows.path, _features(rows, features), Y)


def _positive(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    """Return 1 where a label is given, for labels that are two words, or -1 and 1."""
    if {*attribute.values} == {"-1", "1"}:
        return np.where(values == -1, 0, values)
    if not attribute.words:
        return values
    said = [i for i, word in enumerate(attribute.words) if word.lower() in _YES]
    yes = said[0] if len(said) == 1 else len(attribute.words) - 1
    logger.info("the label %s is %r", attribute.name, attribute.words[yes])
    return (values == yes).astype(np.float64)


def _features(rows: Rows, columns: Sequence[int]) -> sparse.csr_matrix:
    """Return columns of the file; one of more than two words becomes a 0/1 column for each."""
    words = [len(rows.attributes[j].words) for j in columns]
    if max(words, default=0) <= 2:
        X = rows.values[:, columns]
    else:
        found = []
        for j, count in zip(columns, words, strict=True):
            column = rows.values[:, [j]]
            is_word = column.toarray() == np.arange(count) if count > 2 else column
            found.append(sparse.csc_matrix(is_word, dtype=np.float64))
        X = sparse.hstack(found, format="csr")
    X.eliminate_zeros()
    X.sort_indices()
    return X


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
