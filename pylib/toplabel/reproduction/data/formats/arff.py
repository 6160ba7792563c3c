"""Mulan's form of multilabel data: an ARFF file per part, dense or sparse, and an XML file of
labels.

The XML says which attributes are labels. They are found by name: in yeast and enron their order
differs from that of the columns, and neither file need put them last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    check_claim,
    is_finite,
    parse_numbers,
    parse_xml,
    read_bytes,
    read_lines,
    shown,
)
from toplabel.reproduction.data.parts import Loaded, Part

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"]\S*)\s+(\S.*)", re.IGNORECASE)
_NOMINAL_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
_DENSE_VALUE = re.compile(rf"(?:^|(?<=,))((?:{_QUOTED}|[^,'\"])*)")
_PAIR = rf"(\d+)\s+({_QUOTED}|[^\s,'\"{{}}]+)"
_SPARSE_PAIR = re.compile(_PAIR)
_SPARSE_ROW = re.compile(rf"\{{\s*(?:{_PAIR}\s*(?:,\s*{_PAIR}\s*)*)?\}}")
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    """A column: its name, its line in the header, and its values when it is nominal.

    Words stand in the table by their positions, which are then the values.
    """

    path: Path
    line: int
    name: str
    values: tuple[float, ...] | None = None
    words: dict[str, str] | None = None  # the position of each, as text
    dropped: bool = False

    def __str__(self) -> str:
        return f"attribute {shown(self.name)}"

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Return an error in a row, or in the line where it is declared."""
        return FormatError(self.path, line or self.line, f"{self}{message}")


@dataclass
class _Table:
    """One file: all columns as a CSR matrix, and the line that each row stands on."""

    path: Path
    attributes: list[_Attribute]
    values: sparse.csr_matrix
    lines: list[int]
    is_sparse: bool


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
        With file and line: a malformed header or row, too few values (a truncated file), NaN,
        infinity or '?', a value that the header does not list; a label of the XML that is no
        attribute; parts with different attributes; no more attributes than labels.
    """
    if sum(given is not None for given in (source.labels, first_labels, last_labels)) != 1:
        raise ValueError(
            "the Mulan format needs the XML file of the labels, or one of the options "
            "first_labels and last_labels"
        )
    if source.task != "multilabel":
        raise ValueError(f"the Mulan format holds multilabel sets, not {source.task} ones")
    listed = read_labels(source.labels) if source.labels else None
    tables = {name: _read(path, drop) for name, path in source.parts.items()}
    first, *others = tables.values()
    for table in others:
        _check_same_attributes(first, table)
    names = listed or _names_by_position(first, first_labels, last_labels)
    parts = {name: _split_columns(table, names) for name, table in tables.items()}
    return Loaded(parts=parts, class_names=names)


def read_labels(path: Path) -> list[str]:
    """Return names of the labels in a Mulan XML file, nested ones (a hierarchy) included.

    Raises
    ------
    FormatError
        For XML that does not parse, without a label, or with a label twice.
    """
    root = parse_xml(read_bytes(path), path)
    elements = [element for element in root.iter() if element.tag.rpartition("}")[2] == "label"]
    names = [element.get("name") for element in elements]
    if not names:
        raise FormatError(path, None, "no <label> in it")
    if None in names:
        raise FormatError(path, None, "a <label> without a name")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise FormatError(path, None, f"the label {shown(name)} occurs {count} times")
    return names


def _names_by_position(table: _Table, first: int | None, last: int | None) -> list[str]:
    names = [attribute.name for attribute in table.attributes if not attribute.dropped]
    count = first or last
    if count >= len(names):
        message = f"{len(names)} attributes; with {count} labels there is no feature"
        raise FormatError(table.path, None, message)
    return names[:first] if first else names[-last:]


def _read(path: Path, drop: Collection[str]) -> _Table:
    lines = (
        (line, stripped)
        for line, text in read_lines(path)
        if (stripped := text.strip()) and not stripped.startswith("%")
    )
    attributes = _read_header(path, lines, drop)
    coded = {j: a for j, a in enumerate(attributes) if a.dropped or a.words is not None}
    numbers: list[np.ndarray] = []
    columns: list[np.ndarray] = []
    row_lines: list[int] = []
    is_sparse = False
    for line, text in lines:
        is_sparse = text.startswith("{") if not row_lines else is_sparse
        if text.startswith("{") != is_sparse:
            kinds = ("a dense", "sparse") if is_sparse else ("a sparse", "dense")
            raise FormatError(path, line, "{} row among {} ones".format(*kinds))
        if is_sparse:
            index, tokens = _sparse_row(path, line, text, len(attributes))
            columns.append(index)
            named = [attributes[j] for j in index]
            there = {i: coded[j] for i, j in enumerate(index) if j in coded} if coded else {}
        else:
            tokens = _dense_row(path, line, text, len(attributes))
            named, there = attributes, coded
        numbers.append(_numbers(path, line, tokens, named, there))
        row_lines.append(line)
    if not row_lines:
        raise FormatError(path, None, "no row after @data")
    matrix = _as_csr(numbers, columns if is_sparse else None, len(attributes))
    table = _Table(path, attributes, matrix, row_lines, is_sparse)
    _check_nominal(table)
    return table


def _read_header(
    path: Path, lines: Iterator[tuple[int, str]], drop: Collection[str]
) -> list[_Attribute]:
    seen: dict[str, _Attribute] = {}
    for line, text in lines:
        keyword = text.split(None, 1)[0].lower()
        if keyword == "@relation":
            continue
        if keyword == "@data":
            if not seen:
                raise FormatError(path, line, "@data without any @attribute before it")
            if missing := [name for name in drop if name not in seen]:
                message = f"no attribute {shown(missing[0])}, which `drop` names"
                raise FormatError(path, None, message)
            return [*seen.values()]
        attribute = _parse_attribute(path, line, text, drop)
        if attribute.name in seen:
            first = seen[attribute.name].line
            raise attribute.error(f" is already declared in line {first}")
        seen[attribute.name] = attribute
    raise FormatError(path, None, "no @data line; the file is truncated or no ARFF")


def _parse_attribute(path: Path, line: int, text: str, drop: Collection[str]) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise FormatError(path, line, f"expected @attribute <name> <type>, found {text[:60]!r}")
    attribute, kind = _Attribute(path, line, _unquote(match[1])), match[2].strip()
    if attribute.name in drop:
        return replace(attribute, dropped=True)
    if kind.lower() in _NUMERIC:
        return attribute
    if not kind.startswith("{"):
        raise attribute.error(
            f" has the type {shown(kind)}, which is neither numeric nor nominal; "
            "name it in the option `drop` to leave it out"
        )
    listed = _parse_domain(attribute, kind)
    if all(map(is_finite, listed)):
        return replace(attribute, values=tuple(map(float, listed)))
    words = {word: str(position) for position, word in enumerate(listed)}
    return replace(attribute, values=tuple(map(float, range(len(listed)))), words=words)


def _parse_domain(attribute: _Attribute, kind: str) -> list[str]:
    if not kind.endswith("}"):
        raise attribute.error(f": no closing brace in {shown(kind)}")
    values = _matches(_NOMINAL_VALUE, kind[1:-1].strip())
    if values is None:
        raise attribute.error(f": malformed values {shown(kind)}")
    if not values:
        raise attribute.error(f": no values in {shown(kind)}")
    listed = [_unquote(match[1]) for match in values]
    value, count = Counter(listed).most_common(1)[0]
    if count > 1:
        raise attribute.error(f": the value {shown(value)} is listed {count} times")
    return listed


def _matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]] | None:
    """Return matches that follow each other to the end of a text; None if it is none of them."""
    found, position = [], 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None:
            return None
        found.append(match)
        position = match.end()
    return found


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _dense_row(path: Path, line: int, text: str, width: int) -> list[str]:
    quoted = "'" in text or '"' in text  # a comma may stand inside
    found = _DENSE_VALUE.findall(text) if quoted else text.split(",")
    if len(found) != width:
        raise FormatError(path, line, f"{len(found)} values for {width} attributes")
    return [_unquote(token.strip()) for token in found]


def _sparse_row(path: Path, line: int, text: str, width: int) -> tuple[np.ndarray, list[str]]:
    if not _SPARSE_ROW.fullmatch(text):
        if not text.endswith("}"):
            raise FormatError(path, line, "a sparse row without its closing brace")
        raise FormatError(path, line, f"malformed sparse row {text[:60]!r}")
    pairs = _SPARSE_PAIR.findall(text)
    columns = parse_numbers([index for index, _ in pairs], path, line)
    descending = np.flatnonzero(columns[1:] <= columns[:-1])
    if descending.size:
        index = int(columns[descending[0] + 1])
        raise FormatError(path, line, f"index {index} is not above the index before it")
    if columns.size and columns[-1] >= width:
        raise FormatError(path, line, f"index {int(columns[-1])} is outside 0..{width - 1}")
    return columns.astype(np.int64), [_unquote(value) for _, value in pairs]


def _numbers(
    path: Path, line: int, tokens: list[str], attributes: list[_Attribute], coded: dict
) -> np.ndarray:
    """Return the values of some attributes; words by their positions, what is dropped as 0.

    `coded` has the attributes to replace by their places among the tokens.
    """
    for place, attribute in coded.items():
        if attribute.dropped:
            tokens[place] = "0"
        elif (position := attribute.words.get(tokens[place])) is not None:
            tokens[place] = position
        else:
            listed = shown(",".join(attribute.words))
            raise attribute.error(f" is {shown(tokens[place])}, not one of {{{listed}}}", line)
    return parse_numbers(tokens, path, line, lambda place: str(attributes[place]))


def _as_csr(
    numbers: list[np.ndarray], columns: list[np.ndarray] | None, width: int
) -> sparse.csr_matrix:
    if columns is None:
        return sparse.csr_matrix(np.array(numbers))
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in numbers])])
    data = (np.concatenate(numbers), np.concatenate(columns), indptr)
    return sparse.csr_matrix(data, shape=(len(numbers), width))


def _check_nominal(table: _Table) -> None:
    """Refuse values that the header does not list, and sparse files whose absent value is not 0."""
    by_domain: dict[tuple[float, ...], list[int]] = {}
    for column, attribute in enumerate(table.attributes):
        if attribute.values is None:
            continue
        if table.is_sparse and attribute.values[0] != 0:
            raise attribute.error(
                f": sparse rows leave out the first value, {attribute.values[0]:g}; "
                "only 0 can be left out"
            )
        by_domain.setdefault(attribute.values, []).append(column)
    for domain, members in by_domain.items():
        columns = table.values[:, members]
        # Zeros are not stored: where they are no value, all of the table is looked at.
        block = columns.tocoo() if 0 in domain else columns.toarray()
        bad = np.flatnonzero(~np.isin(block.data if 0 in domain else block.ravel(), domain))
        if bad.size:
            row, column = divmod(bad[0], len(members))
            if 0 in domain:
                row, column = block.row[bad[0]], block.col[bad[0]]
            listed = ",".join(f"{value:g}" for value in domain)
            message = f" is {columns[row, column]:g}, not one of {{{listed}}}"
            raise table.attributes[members[column]].error(message, table.lines[row])


def _check_same_attributes(first: _Table, table: _Table) -> None:
    if len(table.attributes) != len(first.attributes):
        message = f"{len(table.attributes)} attributes, but {first.path} has"
        raise FormatError(table.path, None, f"{message} {len(first.attributes)}")
    for attribute, expected in zip(table.attributes, first.attributes, strict=True):
        if attribute.name != expected.name:
            raise attribute.error(f" where {first.path} has {expected.name!r}")
        if attribute.words != expected.words:
            raise attribute.error(f" has other values than in {first.path}")


def _split_columns(table: _Table, label_names: list[str]) -> Part:
    position = {attribute.name: j for j, attribute in enumerate(table.attributes)}
    missing = [name for name in label_names if name not in position]
    if missing:
        message = f"no attribute for the label {shown(missing[0])} of the XML"
        raise FormatError(table.path, None, message)
    labels = [position[name] for name in label_names]
    for label in (table.attributes[j] for j in labels):
        if label.words is not None or label.dropped:
            what = f"has the values {{{','.join(label.words)}}}" if label.words else "is dropped"
            message = f"label {shown(label.name)} {what}, not 0 and 1"
            raise FormatError(table.path, label.line, message)
    check_claim(table.path, table.values.shape[0] * len(labels), "the label sets:")
    Y = table.values[:, labels].toarray()
    bad = np.argwhere((Y != 0) & (Y != 1))
    if bad.size:
        row, column = bad[0]
        message = f"label {shown(label_names[column])} is {Y[row, column]:g}, not 0 or 1"
        raise FormatError(table.path, table.lines[row], message)
    is_label = {*labels}
    kept = [j for j, a in enumerate(table.attributes) if not a.dropped and j not in is_label]
    X = _features(table, kept)
    X.eliminate_zeros()
    X.sort_indices()
    return Part(X=sparse.csr_matrix(X), Y=Y.astype(np.uint8))


def _features(table: _Table, columns: list[int]) -> sparse.csr_matrix:
    """Return columns of the table; one of more than two words becomes a 0/1 column for each."""
    words = [len(table.attributes[j].words or ()) for j in columns]
    if max(words, default=0) <= 2:
        return table.values[:, columns]
    found = []
    for j, count in zip(columns, words, strict=True):
        column = table.values[:, [j]]
        if count > 2:
            column = column.toarray() == np.arange(count)
        found.append(sparse.csc_matrix(column, dtype=np.float64))
    return sparse.hstack(found, format="csr")
