"""Mulan's form of multilabel data: an ARFF file per part, dense or sparse, and an XML file of
labels.

The XML says which attributes are labels. They are found by name: in yeast and enron their order
differs from that of the columns, and neither file need put them last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from toplabel.reproduction.datasets.formats.source import (
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
from toplabel.reproduction.datasets.parts import Loaded, Part

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"]\S*)\s+(\S.*)", re.IGNORECASE)
_NOMINAL_VALUE = re.compile(rf"\s*({_QUOTED}|[^,'\"\s]+)\s*(?:,|$)")
_VALUE = re.compile(rf"(?:^|(?<=,))((?:{_QUOTED}|[^,'\"])*)")
_SPARSE_ROW = re.compile(r"\{\s*(?:\d+\s+[^\s,]+\s*(?:,\s*\d+\s+[^\s,]+\s*)*)?\}")
_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    """A column: its name, its line in the header, and its values when it is nominal.

    Words stand in the table by their positions, which are then the values.
    """

    name: str
    line: int
    values: tuple[float, ...] | None
    words: dict[str, str] | None = None  # the position of each, as text
    dropped: bool = False


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
    _check_same_attributes(list(tables.values()))
    names = listed or _names_by_position(next(iter(tables.values())), first_labels, last_labels)
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
    seen: set[str] = set()
    for name in names:
        if name is None:
            raise FormatError(path, None, "a <label> without a name")
        if name in seen:
            raise FormatError(path, None, f"the label {shown(name)} occurs twice")
        seen.add(name)
    return list(names)


def _names_by_position(table: _Table, first: int | None, last: int | None) -> list[str]:
    names = [attribute.name for attribute in table.attributes if not attribute.dropped]
    count = first or last
    if count >= len(names):
        message = f"{len(names)} attributes; with {count} labels there is no feature"
        raise FormatError(table.path, None, message)
    return names[:first] if first else names[-last:]


def _read(path: Path, drop: tuple[str, ...]) -> _Table:
    lines = read_lines(path)
    attributes = _read_header(path, lines, drop)
    coded = {j: a for j, a in enumerate(attributes) if a.dropped or a.words is not None}
    numbers: list[np.ndarray] = []
    columns: list[np.ndarray] = []
    row_lines: list[int] = []
    is_sparse = False
    for line, text in lines:
        text = text.strip()
        if not text or text.startswith("%"):
            continue
        if not row_lines:
            is_sparse = text.startswith("{")
        if is_sparse:
            index, values = _parse_sparse_row(path, line, text, attributes, coded)
            columns.append(index)
        else:
            values = _parse_dense_row(path, line, text, attributes, coded)
        numbers.append(values)
        row_lines.append(line)
    if not row_lines:
        raise FormatError(path, None, "no row after @data")
    matrix = _as_csr(numbers, columns if is_sparse else None, len(attributes))
    table = _Table(path, attributes, matrix, row_lines, is_sparse)
    _check_nominal(table)
    return table


def _read_header(path: Path, lines, drop: tuple[str, ...]) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    seen: dict[str, int] = {}
    for line, text in lines:
        text = text.strip()
        keyword = text.split(None, 1)[0].lower() if text else ""
        if not text or text.startswith("%") or keyword == "@relation":
            continue
        if keyword == "@data":
            if not attributes:
                raise FormatError(path, line, "@data without any @attribute before it")
            for name in drop:
                if name not in seen:
                    raise FormatError(path, None, f"no attribute {shown(name)}, which `drop` names")
            return attributes
        attribute = _parse_attribute(path, line, text, drop)
        if attribute.name in seen:
            first = seen[attribute.name]
            raise FormatError(
                path, line, f"attribute {shown(attribute.name)} is already declared in line {first}"
            )
        seen[attribute.name] = line
        attributes.append(attribute)
    raise FormatError(path, None, "no @data line; the file is truncated or no ARFF")


def _parse_attribute(path: Path, line: int, text: str, drop: tuple[str, ...]) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise FormatError(path, line, f"expected @attribute <name> <type>, found {text[:60]!r}")
    name, kind = _unquote(match[1]), match[2].strip()
    if name in drop:
        return _Attribute(name, line, None, dropped=True)
    if kind.lower() in _NUMERIC:
        return _Attribute(name, line, None)
    if kind.startswith("{"):
        listed = _parse_domain(path, line, name, kind)
        if all(map(is_finite, listed)):
            return _Attribute(name, line, tuple(parse_numbers(listed, path, line).tolist()))
        words = {word: str(position) for position, word in enumerate(listed)}
        return _Attribute(name, line, tuple(map(float, range(len(listed)))), words)
    raise FormatError(
        path,
        line,
        f"attribute {shown(name)} has the type {shown(kind)}, which is neither numeric nor nominal; "
        "name it in the option `drop` to leave it out",
    )


def _parse_domain(path: Path, line: int, name: str, kind: str) -> list[str]:
    if not kind.endswith("}"):
        raise FormatError(path, line, f"attribute {shown(name)}: no closing brace in {shown(kind)}")
    inner, values, position = kind[1:-1].strip(), [], 0
    while position < len(inner):
        match = _NOMINAL_VALUE.match(inner, position)
        if match is None:
            raise FormatError(
                path, line, f"attribute {shown(name)}: malformed values {shown(kind)}"
            )
        values.append(_unquote(match[1]))
        position = match.end()
    if not values:
        raise FormatError(path, line, f"attribute {shown(name)}: no values in {shown(kind)}")
    return values


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


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
            listed = ",".join(attribute.words)
            what = f"is {shown(tokens[place])}, not one of {{{shown(listed)}}}"
            raise FormatError(path, line, f"attribute {shown(attribute.name)} {what}")
    return parse_numbers(
        tokens, path, line, lambda place: f"attribute {shown(attributes[place].name)}"
    )


def _parse_dense_row(
    path: Path, line: int, text: str, attributes: list[_Attribute], coded: dict
) -> np.ndarray:
    if text.startswith("{"):
        raise FormatError(path, line, "a sparse row among dense ones")
    quoted = "'" in text or '"' in text  # a comma may stand inside
    found = _VALUE.findall(text) if quoted else text.split(",")
    tokens = [_unquote(token.strip()) for token in found]
    if len(tokens) != len(attributes):
        raise FormatError(path, line, f"{len(tokens)} values for {len(attributes)} attributes")
    return _numbers(path, line, tokens, attributes, coded)


def _parse_sparse_row(
    path: Path, line: int, text: str, attributes: list[_Attribute], coded: dict
) -> tuple[np.ndarray, np.ndarray]:
    if not _SPARSE_ROW.fullmatch(text):
        if not text.startswith("{"):
            raise FormatError(path, line, "a dense row among sparse ones")
        if not text.endswith("}"):
            raise FormatError(path, line, "a sparse row without its closing brace")
        raise FormatError(path, line, f"malformed sparse row {text[:60]!r}")
    tokens = [_unquote(token) for token in text[1:-1].replace(",", " ").split()]
    columns = parse_numbers(tokens[0::2], path, line)
    descending = np.flatnonzero(columns[1:] <= columns[:-1])
    if descending.size:
        index = int(columns[descending[0] + 1])
        raise FormatError(path, line, f"index {index} is not above the index before it")
    if columns.size and columns[-1] >= len(attributes):
        last = len(attributes) - 1
        raise FormatError(path, line, f"index {int(columns[-1])} is outside 0..{last}")
    columns = columns.astype(np.int64)
    named = [attributes[j] for j in columns]
    there = {i: coded[j] for i, j in enumerate(columns) if j in coded} if coded else {}
    return columns, _numbers(path, line, tokens[1::2], named, there)


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
            message = (
                f"attribute {shown(attribute.name)}: sparse rows leave out the first value, "
                f"{attribute.values[0]:g}; only 0 can be left out"
            )
            raise FormatError(table.path, attribute.line, message)
        by_domain.setdefault(attribute.values, []).append(column)
    for domain, members in by_domain.items():
        _check_domain(table, domain, members)


def _check_domain(table: _Table, domain: tuple[float, ...], members: list[int]) -> None:
    columns = table.values[:, members].tocoo()
    bad = ~np.isin(columns.data, domain)
    rows, members_of, found = columns.row[bad], columns.col[bad], columns.data[bad]
    if not rows.size and 0 not in domain:  # the zeros of a dense file are not stored
        rows, members_of = np.nonzero(columns.toarray() == 0)
        found = np.zeros(len(rows))
    if rows.size:
        attribute = table.attributes[members[members_of[0]]]
        listed = ",".join(f"{value:g}" for value in domain)
        message = f"attribute {shown(attribute.name)} is {found[0]:g}, not one of {{{listed}}}"
        raise FormatError(table.path, table.lines[rows[0]], message)


def _check_same_attributes(tables: list[_Table]) -> None:
    first = tables[0]
    expected = [attribute.name for attribute in first.attributes]
    for table in tables[1:]:
        found = [attribute.name for attribute in table.attributes]
        if len(found) != len(expected):
            message = f"{len(found)} attributes, but {first.path} has {len(expected)}"
            raise FormatError(table.path, None, message)
        for attribute, name in zip(table.attributes, expected, strict=True):
            if attribute.name != name:
                message = f"attribute {shown(attribute.name)} where {first.path} has {name!r}"
                raise FormatError(table.path, attribute.line, message)
        for attribute, expects in zip(table.attributes, first.attributes, strict=True):
            if attribute.words != expects.words:
                message = f"attribute {shown(attribute.name)} has other values than in {first.path}"
                raise FormatError(table.path, attribute.line, message)


def _split_columns(table: _Table, label_names: list[str]) -> Part:
    position = {attribute.name: j for j, attribute in enumerate(table.attributes)}
    missing = [name for name in label_names if name not in position]
    if missing:
        message = f"no attribute for the label {shown(missing[0])} of the XML"
        raise FormatError(table.path, None, message)
    labels = [position[name] for name in label_names]
    is_feature = np.ones(len(table.attributes), dtype=bool)
    is_feature[labels] = False
    check_claim(table.path, table.values.shape[0] * len(labels), "the label sets:")
    Y = table.values[:, labels].toarray()
    for name in label_names:
        if (words := table.attributes[position[name]].words) is not None:
            message = f"label {shown(name)} has the values {{{','.join(words)}}}, not 0 and 1"
            raise FormatError(table.path, table.attributes[position[name]].line, message)
    bad = np.argwhere((Y != 0) & (Y != 1))
    if bad.size:
        row, column = bad[0]
        message = f"label {shown(label_names[column])} is {Y[row, column]:g}, not 0 or 1"
        raise FormatError(table.path, table.lines[row], message)
    is_feature[[attribute.dropped for attribute in table.attributes]] = False
    X = _features(table, np.flatnonzero(is_feature))
    X.eliminate_zeros()
    X.sort_indices()
    return Part(X=sparse.csr_matrix(X), Y=Y.astype(np.uint8))


def _features(table: _Table, columns: np.ndarray) -> sparse.csr_matrix:
    """Return columns of the table, with a 0/1 column for each word where there are more than two."""
    several = [len(table.attributes[j].words or ()) > 2 for j in columns]
    if not any(several):
        return table.values[:, columns]
    found = []
    for j, expanded in zip(columns, several, strict=True):
        column = table.values[:, [j]]
        if expanded:
            column = column.toarray() == np.arange(len(table.attributes[j].words))
        found.append(sparse.csc_matrix(column, dtype=np.float64))
    return sparse.hstack(found, format="csr")
