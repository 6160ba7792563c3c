"""Mulan's form of multilabel data: an ARFF file for each part and an XML file that names the labels.

Labels are found by name: in yeast and enron their order in the XML differs from that of the columns,
and neither file need put them last. liac-arff splits the rows. The header is read here, since
liac-arff cuts the decimals of INTEGER attributes and knows neither dates nor KEEL's ranges.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import arff
import numpy as np
from pydantic import PositiveInt
from scipy import sparse

from toplabel.reproduction.data.formats.source import FormatError, Source, parse_xml, shown
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s'\"{{][^\s{{]*)(?:\s+|(?=\{{))(\{{.*\}}|[a-z].*)", re.IGNORECASE
)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
_NUMERIC = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # KEEL adds a range
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)
_UNCOMMENTED = re.compile(rf"(?:{_QUOTED}|[^%'\"])*")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}$")
_BLANK_WITHIN = re.compile(r"[^\s,]\s+[^\s,]")
_SKIPPED = ("@relation", "@inputs", "@outputs")
_YES = ("1", "true", "yes", "y", "t", "on", "present", "positive")

logger = logging.getLogger(__name__)


class Attribute(NamedTuple):
    """A column: its name, its line in the header, and its values when it is nominal.

    `words` are the values unless all are numbers, which stand for themselves.
    """

    name: str
    line: int
    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    is_dropped: bool = False


class Content(NamedTuple):
    """One file: its attributes, and the rows of all columns, with words as positions."""

    path: Path
    attributes: list[Attribute]
    rows: sparse.csr_matrix


def load(
    source: Source,
    first_labels: PositiveInt | None = None,
    last_labels: PositiveInt | None = None,
    drop: tuple[str, ...] = (),
) -> Loaded:
    """Read ARFF files with label sets.

    Classes are in the order of the XML file, or without one in that of the attributes. Features are
    numeric, or nominal: two words become 0 and 1 in the order of the header, more words a 0/1 column
    for each. A label of two words is 1 for the word that says yes, or else for the second.

    Parameters
    ----------
    source : Source
        With the XML file as `labels`, or else with one of the options:
    first_labels, last_labels : int, optional
        So many attributes, the first or the last ones, are the labels.
    drop : tuple of str
        Attributes that are left out, whatever their type.
    """
    if sum(given is not None for given in (source.labels, first_labels, last_labels)) != 1:
        message = "the XML file of the labels, or one of the options first_labels and last_labels"
        raise ValueError(f"the Mulan format needs {message}")
    contents = {part: read(path, drop) for part, path in source.parts.items()}
    first, *others = contents.values()
    for other in others:
        if [(a.name, a.words) for a in other.attributes] != [
            (a.name, a.words) for a in first.attributes
        ]:
            raise FormatError(other.path, None, f"its attributes are not those of {first.path}")
    if source.labels:
        names = read_labels(source.labels)
    else:
        kept = [attribute.name for attribute in first.attributes if not attribute.is_dropped]
        names = kept[:first_labels] if first_labels else kept[-last_labels:]
    tables = {part: _split_columns(content, names) for part, content in contents.items()}
    return assemble(tables, source.task, names)


def read_labels(path: Path) -> list[str]:
    """Return the names of the labels in a Mulan XML file, nested ones (a hierarchy) included."""
    root = parse_xml(path.read_bytes(), path)
    elements = [element for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    names = [element.get("name", "") for element in elements]
    if not names or not all(names):
        raise FormatError(path, None, "no <label> in it, or one without a name")
    return names


def read(path: Path, drop: Sequence[str] = ()) -> Content:
    """Read one ARFF file."""
    try:
        lines = [_uncommented(line) for line in path.read_text("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise FormatError(path, None, "not UTF-8 text") from None
    attributes, number = _read_header(path, lines, drop)  # `number` of the line read last
    first = next(filter(None, lines[number:]), None)
    if first is None:
        raise FormatError(path, None, "no row after @data")
    is_sparse = first.startswith("{")
    texts = {j: a for j, a in enumerate(attributes) if a.is_dropped or a.words}

    def feed(start: int = number) -> Iterator[str]:
        nonlocal number
        yield "@relation r"
        for j in range(len(attributes)):
            yield f"@attribute a{j} {'STRING' if j in texts else 'REAL'}"
        yield "@data"
        for number, line in enumerate(lines[start:], start=start + 1):
            yield _checked_row(path, number, line)

    form = arff.LOD_GEN if is_sparse else arff.DENSE_GEN
    rows = []
    try:
        for row in arff.ArffDecoder().decode(feed(), return_type=form)["data"]:
            _code_texts(path, number, row, texts)
            rows.append(row)
    except arff.ArffException as error:
        raise FormatError(path, number, error.message.replace("%d", str(number))) from None
    if not is_sparse:
        return Content(path, attributes, sparse.csr_matrix(np.array(rows, dtype=np.float64)))
    for attribute in attributes:
        if attribute.values and not attribute.words and float(attribute.values[0]) != 0:
            message = "sparse rows leave out its first value, which must be 0"
            raise FormatError(path, attribute.line, f"attribute {attribute.name!r}: {message}")
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([j for row in rows for j in row], dtype=np.int64)
    values = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    shape = (len(rows), len(attributes))
    return Content(path, attributes, sparse.csr_matrix((values, columns, indptr), shape=shape))


def _uncommented(line: str) -> str:
    """Return a line without a comment, which begins with % outside of quotes."""
    line = line.strip()
    return _UNCOMMENTED.match(line)[0].rstrip() if "%" in line else line


def _read_header(
    path: Path, lines: Sequence[str], drop: Sequence[str]
) -> tuple[list[Attribute], int]:
    """Return the attributes, and how many lines the header has."""
    found: dict[str, Attribute] = {}
    for number, line in enumerate(lines, start=1):
        if not line or line.lower().startswith(_SKIPPED):
            continue
        if line.lower() == "@data":
            if missing := {*drop} - {*found}:
                message = f"no attribute {shown(min(missing))}, which `drop` names"
                raise FormatError(path, None, message)
            return [*found.values()], number
        attribute = _parse_attribute(path, number, line, drop)
        if attribute.name in found:
            raise FormatError(path, number, f"attribute {shown(attribute.name)} is there twice")
        found[attribute.name] = attribute
    raise FormatError(path, None, "no @data line; the file is truncated or no ARFF")


def _parse_attribute(path: Path, number: int, line: str, drop: Sequence[str]) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise FormatError(path, number, f"expected @attribute <name> <type>, found {shown(line)}")
    name, kind = _unquoted(match[1]), match[2].strip()
    if name in drop:
        return Attribute(name, number, is_dropped=True)
    if _NUMERIC.fullmatch(kind):
        return Attribute(name, number)
    listed = kind[1:-1].strip() if kind.startswith("{") else ""
    values = tuple(_unquoted(match[1]) for match in _VALUE.finditer(listed))
    if not values or _VALUE.sub("", listed) or len({*values}) < len(values):
        message = f"attribute {shown(name)} has the type {shown(kind)}, which is neither numeric"
        advice = "nor a list of different values; the option `drop` leaves an attribute out"
        raise FormatError(path, number, f"{message} {advice}")
    is_numeric = all(map(_NUMBER.fullmatch, values))
    return Attribute(name, number, values, () if is_numeric else values)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text


def _checked_row(path: Path, number: int, line: str) -> str:
    """Return a row in the form that liac-arff reads rightly."""
    if _WEIGHT.search(line):
        raise FormatError(path, number, "a weight {...} after a row; weights are not read")
    if line.startswith("{"):
        return line
    if "," not in line:
        line = line.replace("\t", ",")
    if _BLANK_WITHIN.search(line) and not re.search(_QUOTED, line):
        raise FormatError(path, number, "blanks between values; ARFF has commas")
    return line


def _code_texts(path: Path, number: int, row: Any, texts: Mapping[int, Attribute]) -> None:
    """Replace words of a row by their positions, and what is dropped by 0."""
    for j, attribute in texts.items():
        if isinstance(row, dict) and j not in row:
            continue
        if attribute.words and row[j] not in attribute.words:
            message = f"attribute {shown(attribute.name)} has no value {shown(row[j])}"
            raise FormatError(path, number, message)
        row[j] = float(attribute.words.index(row[j])) if attribute.words else 0.0


def _split_columns(content: Content, names: Sequence[str]) -> Table:
    """Return the features and the label sets of a file."""
    path, attributes, rows = content
    position = {attribute.name: j for j, attribute in enumerate(attributes)}
    if missing := [name for name in names if name not in position]:
        raise FormatError(path, None, f"no attribute for the label {shown(missing[0])}")
    labels = [position[name] for name in names]
    is_label = {*labels}
    Y = rows[:, labels].toarray()
    for column, j in enumerate(labels):
        if attributes[j].is_dropped or len(attributes[j].words) > 2:
            message = f"label {shown(attributes[j].name)} is dropped or has more than two values"
            raise FormatError(path, attributes[j].line, message)
        Y[:, column] = _is_positive(attributes[j], Y[:, column])
    columns = [j for j, a in enumerate(attributes) if not a.is_dropped and j not in is_label]
    if any(len(attributes[j].words) > 2 for j in columns):
        found = [_one_hot(rows[:, [j]], len(attributes[j].words)) for j in columns]
        X = sparse.hstack(found, format="csr")
    else:
        X = rows[:, columns]
    X.eliminate_zeros()
    X.sort_indices()
    return Table(path, X, Y)


def _is_positive(attribute: Attribute, values: np.ndarray) -> np.ndarray:
    """Return 1 where a label is given, for labels that are two words, or -1 and 1."""
    if {*attribute.values} == {"-1", "1"}:
        return np.where(values == -1, 0, values)
    if not attribute.words:
        return values
    said = [i for i, word in enumerate(attribute.words) if word.lower() in _YES]
    yes = said[0] if len(said) == 1 else len(attribute.words) - 1
    logger.info("label %s is given where it is %r", attribute.name, attribute.words[yes])
    return (values == yes).astype(np.float64)


def _one_hot(column: sparse.csr_matrix, n_words: int) -> sparse.csc_matrix:
    """Return a 0/1 column for each of more than two words."""
    is_word = column.toarray() == np.arange(n_words) if n_words > 2 else column
    return sparse.csc_matrix(is_word, dtype=np.float64)
