"""ARFF files: Mulan's form of multilabel data, an ARFF file for each part and an XML file that names the
labels, and Weka's, one attribute of which is the class.

Labels are found by name: in yeast and enron their order in the XML differs from that of the columns,
and neither file need put them last. liac-arff splits the rows. The header is read here, since
liac-arff cuts the decimals of INTEGER attributes and knows neither dates nor KEEL's ranges.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import arff
import numpy as np
import pandas as pd
from pydantic import PositiveInt
from scipy import sparse

from toplabel.reproduction.data.formats.common import (
    ColumnName,
    ColumnPlace,
    FormatError,
    Source,
    Table,
    assemble,
    check_names,
    parse_xml,
    read_text,
    shown,
)
from toplabel.reproduction.data.parts import LoadedSet, not_finite

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s'\"{{][^\s{{]*)(?:\s+|(?=\{{))(\{{.*\}}|[a-z].*)", re.IGNORECASE
)
_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
_NUMERIC = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # KEEL adds a range
_NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)
_UNCOMMENTED = re.compile(rf"(?:{_QUOTED}|[^%'\"])*")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}$")
_SKIPPED = ("@relation", "@inputs", "@outputs")
_YES = ("1", "true", "yes", "y", "t", "on", "present", "positive", "pos", "+")

logger = logging.getLogger(__name__)


class Attribute(NamedTuple):
    """A column: its name, and its values when it is nominal.

    `words` are the values unless all are numbers, which stand for themselves.
    """

    name: str
    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    is_dropped: bool = False


class _Content(NamedTuple):
    """A file: the attributes that are kept, the rows with words as positions, their lines and ids."""

    attributes: list[Attribute]
    rows: sparse.csr_matrix
    lines: np.ndarray
    ids: np.ndarray | None = None


def load(
    source: Source,
    label: ColumnPlace | None = None,
    first_labels: PositiveInt | None = None,
    last_labels: PositiveInt | None = None,
    drop: tuple[ColumnName, ...] = (),
    encoding: str | None = None,
) -> LoadedSet:
    """Read ARFF files with label sets, or with one class a row.

    Classes are in the order of the XML file, or without one in that of the attributes. Features are
    numeric, or nominal: two words become 0 and 1 in the order of the header, more words a 0/1 column
    for each. A label of two words is 1 for the word that says yes, or else for the second.

    The attribute of the class is `label`, a name or a number, by default the last one, as in Weka. The
    label sets are named by the XML file of the source, or are so many attributes, the `first_labels` or
    the `last_labels`. Attributes in `drop` are left out, whatever their type.
    """
    is_set = source.task == "multilabel"
    n_given = sum(option is not None for option in (source.labels, first_labels, last_labels))
    if n_given != (1 if is_set else 0) or (is_set and label is not None):
        options = "the XML file of the labels, or one of the options first_labels and last_labels"
        message = f"label sets need {options}" if is_set else "classes need the option label alone"
        raise ValueError(f"the format 'mulan_arff': {message}")
    read = {part: _read(path, drop, encoding) for part, path in source.parts.items()}
    first, attributes = next(iter(source.parts.values())), next(iter(read.values())).attributes
    for part, content in read.items():
        others = [(a.name, a.words) for a in content.attributes]
        if others != [(a.name, a.words) for a in attributes]:
            raise FormatError(source.parts[part], None, f"its attributes are not those of {first}")
    kept = [attribute.name for attribute in attributes]
    if not is_set:
        place = -1 if label is None else label
        if isinstance(place, int) and -len(kept) <= place < len(kept):
            place = kept[place]
        names = [str(place)]
    elif source.labels:
        names = read_labels(source.labels)
    else:
        names = kept[:first_labels] if first_labels else kept[-last_labels:]
    tables = {part: _table(source.parts[part], read[part], names, is_set) for part in read}
    return assemble(tables, source.task, names)


def read_labels(path: Path) -> list[str]:
    """Return the names of the labels in a Mulan XML file, nested ones (a hierarchy) included."""
    root = parse_xml(path.read_bytes(), path)
    elements = [element for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    names = [element.get("name", "") for element in elements]
    if not names or not all(names):
        raise FormatError(path, None, "no <label> in it, or one without a name")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise FormatError(path, None, f"the label {shown(twice[0])} stands twice")
    return names


def _read(path: Path, drop: Sequence[str], encoding: str | None) -> _Content:
    """Return the content of a file, without gaps."""
    lines = [_uncommented(line) for line in read_text(path, encoding).splitlines()]
    start, attributes = _read_header(path, lines, drop)
    places = np.array([number for number, line in enumerate(lines, 1) if line and number > start])
    n = len(places)
    if not n:
        raise FormatError(path, None, "no row after @data")
    is_sparse = next(filter(None, lines[start:])).startswith("{")
    header = ["@relation r", *map(_declaration, range(len(attributes)), attributes), "@data"]
    rows = (
        _checked_row(path, number, line) for number, line in enumerate(lines[start:], start + 1)
    )
    kind = arff.COO if is_sparse else arff.DENSE
    try:
        decoded = arff.ArffDecoder().decode(chain(header, rows), True, kind)["data"]
    except arff.ArffException as error:
        number = error.line - len(header) + start
        raise FormatError(path, number, error.message.replace("%d", str(number))) from None
    kept = [j for j, attribute in enumerate(attributes) if not attribute.is_dropped]
    ids = None
    if is_sparse:
        _check_first_values(path, attributes)
        values, row, column = map(np.array, decoded, (object, np.intp, np.intp))
        is_kept = np.isin(column, kept)
        entries = values[is_kept].astype(np.float64), (row[is_kept], column[is_kept])
        table = sparse.csr_matrix(entries, shape=(n, len(attributes)))[:, kept]
    else:
        frame = pd.DataFrame(decoded, dtype=object)
        dropped = frame.drop(columns=kept)
        ids = next((dropped[j].to_numpy(str) for j in dropped if dropped[j].is_unique), None)
        table = sparse.csr_matrix(frame[kept].to_numpy(np.float64))
    content = _Content([attributes[j] for j in kept], table, places, ids)
    _refuse_gaps(path, content)
    return content


def _declaration(place: int, attribute: Attribute) -> str:
    """Return the line for liac-arff, which then gives words as their positions, and gaps as None."""
    kind = "STRING" if attribute.is_dropped else "REAL"
    if attribute.words:
        escaped = (re.sub(r"([\\'])", r"\\\1", word) for word in attribute.words)
        kind = "{" + ",".join(f"'{word}'" for word in escaped) + "}"
    return f"@attribute a{place} {kind}"


def _check_first_values(path: Path, attributes: Sequence[Attribute]) -> None:
    """Refuse sparse rows that leave out another number than 0."""
    for name, values, words, _ in attributes:
        if values and not words and float(values[0]) != 0:
            message = f"attribute {name!r}: sparse rows leave out its first value, which must be 0"
            raise FormatError(path, None, message)


def _refuse_gaps(path: Path, content: _Content) -> None:
    """Refuse the first value that is missing or infinite."""
    if bad := not_finite(content.rows):
        row, column, value = bad
        name = content.attributes[column].name
        what = "has no value ('?')" if np.isnan(value) else f"is {value}"
        advice = f"`drop: [{name}]` leaves the attribute out; saved as CSV, `missing` fills gaps"
        message = f"attribute {shown(name)} {what}; {advice}"
        raise FormatError(path, int(content.lines[row]), message)


def _uncommented(line: str) -> str:
    """Return a line without a comment, which begins with % outside of quotes."""
    line = line.strip()
    return _UNCOMMENTED.match(line)[0].rstrip() if "%" in line else line


def _read_header(
    path: Path, lines: Sequence[str], drop: Sequence[str]
) -> tuple[int, list[Attribute]]:
    """Return how many lines the header has, and the attributes."""
    attributes: dict[str, Attribute] = {}
    for number, line in enumerate(lines, start=1):
        if not line or line.lower().startswith(_SKIPPED):
            continue
        if line.lower() == "@data":
            check_names(path, [*attributes], drop, "attribute")
            return number, [*attributes.values()]
        attribute = _parse_attribute(path, number, line, drop)
        if attribute.name in attributes:
            raise FormatError(path, number, f"attribute {shown(attribute.name)} is there twice")
        attributes[attribute.name] = attribute
    raise FormatError(path, None, "no @data line; the file is truncated or no ARFF")


def _parse_attribute(path: Path, number: int, line: str, drop: Sequence[str]) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise FormatError(path, number, f"expected @attribute <name> <type>, found {shown(line)}")
    name, kind = _unquoted(match[1]), match[2].strip()
    if name in drop:
        return Attribute(name, is_dropped=True)
    if _NUMERIC.fullmatch(kind):
        return Attribute(name)
    listed = kind[1:-1].strip() if kind.startswith("{") else ""
    values = tuple(_unquoted(match[1]) for match in _VALUE.finditer(listed))
    if not values or _VALUE.sub("", listed) or len({*values}) < len(values):
        message = f"attribute {shown(name)} has the type {shown(kind)}, which is neither numeric"
        advice = "nor a list of different values; the option `drop` leaves an attribute out"
        raise FormatError(path, number, f"{message} {advice}")
    is_numeric = all(map(_NUMBER.fullmatch, values))
    return Attribute(name, values, () if is_numeric else values)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text


def _checked_row(path: Path, number: int, line: str) -> str:
    """Return a row with commas between its values."""
    if _WEIGHT.search(line):
        raise FormatError(path, number, "a weight {...} after a row; weights are not read")
    return line if "," in line or line.startswith("{") else line.replace("\t", ",")


def _table(path: Path, content: _Content, names: Sequence[str], is_set: bool) -> Table:
    """Return the features and the labels of a file, which are the attributes of these names."""
    position = {attribute.name: j for j, attribute in enumerate(content.attributes)}
    check_names(path, [*position], names, "attribute for the label")
    places = [position[name] for name in names]
    labels = content.rows[:, places].toarray()
    if is_set:
        for column, j in enumerate(places):
            attribute = content.attributes[j]
            if len(attribute.words) > 2:
                message = f"label {shown(attribute.name)} has more than two values"
                raise FormatError(path, None, message)
            labels[:, column] = _is_positive(attribute, labels[:, column])
    elif words := content.attributes[places[0]].words:
        labels = np.array(words)[labels.astype(int)]
    return Table(path, _features(content, places), labels, ids=content.ids)


def _features(content: _Content, labels: Sequence[int]) -> sparse.csr_matrix:
    """Return the features of a file, whose labels have these numbers."""
    columns = [j for j in range(len(content.attributes)) if j not in labels]
    X = content.rows[:, columns]
    n_words = [len(content.attributes[j].words) for j in columns]
    if max(n_words, default=0) > 2:
        coded = [_coded(X[:, [j]], n) for j, n in enumerate(n_words)]
        X = sparse.hstack(coded, format="csr")
    X.eliminate_zeros()
    X.sort_indices()
    return X


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


def _coded(column: sparse.csr_matrix, n_words: int) -> sparse.csc_matrix:
    """Return a column of numbers as it is, and a 0/1 column for each of more than two words."""
    is_word = column.toarray() == np.arange(n_words) if n_words > 2 else column
    return sparse.csc_matrix(is_word, dtype=np.float64)
