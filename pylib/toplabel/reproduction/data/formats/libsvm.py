"""LIBSVM text: ``label index:value ...`` a line; ``label,label index:value ...`` for label sets.

A file of the extreme classification repository begins with a line that has the numbers of its rows,
features and labels.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import numpy as np
from pydantic import Field
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel.reproduction.data.formats.common import (
    FormatError,
    Source,
    Table,
    assemble,
    marked_encoding,
    read_text,
)
from toplabel.reproduction.data.parts import LoadedSet, not_finite
from toplabel.reproduction.files import reason

Size = Annotated[int, Field(gt=0, le=2 * 10**9)]  # indices of LIBSVM text end at 2^31 - 1
_SIZES = re.compile(rb"([0-9]+) [0-9]+ [0-9]+")


def load(source: Source, n_features: Size | None = None) -> LoadedSet:
    """Read LIBSVM files; without `n_features` rows are as wide as the largest index of all parts.

    Indices begin with 0 where some row has that index, else with 1. The labels of sets are the
    numbers that occur in some row.
    """
    is_multilabel = source.task == "multilabel"
    tables = {name: _read(path, is_multilabel) for name, path in source.parts.items()}
    tables = _numbered(tables, n_features)
    if not is_multilabel:
        return assemble(tables, source.task)
    sets = [labels for table in tables.values() for labels in table.labels]
    known = sorted({label for labels in sets for label in labels})
    if not known or any(label % 1 for label in known):
        message = "no row has a label, or a label is no whole number"
        raise next(iter(tables.values())).error(message)
    coder = MultiLabelBinarizer(classes=known, sparse_output=True).fit(None)
    tables = {
        name: table._replace(labels=coder.transform(table.labels).astype(np.uint8))
        for name, table in tables.items()
    }
    return assemble(tables, source.task, [f"{label:.0f}" for label in known])


def _read(path: Path, is_multilabel: bool) -> Table:
    """Return the features and labels of a file, with indices as they stand in it."""
    read = partial(load_svmlight_file, multilabel=is_multilabel, zero_based=True)
    with _opened(path) as stream:
        sizes = _SIZES.fullmatch(stream.readline().strip())
        if sizes and not is_multilabel:
            message = "numbers of rows, features and labels: a file of label sets"
            raise FormatError(path, 1, f"{message} (`task: multilabel`)")
        if not sizes:
            stream.seek(0)
        try:
            X, labels = read(stream)
        except Exception as error:
            raise _located(path, read, bool(sizes)) or FormatError(
                path, None, reason(error)
            ) from None
    if not X.shape[0]:
        raise FormatError(path, None, "no row in it")
    if sizes and X.shape[0] != int(sizes[1]):
        message = f"it names {int(sizes[1])} rows, but {X.shape[0]} follow; is the file whole?"
        raise FormatError(path, 1, message)
    if bad := not_finite(X):
        row, index, value = bad
        line = _line_of(path, row + bool(sizes))
        message = f"the value of index {index} is {value}; features must be finite"
        raise FormatError(path, line, message)
    return Table(path, X, labels)


def _numbered(tables: Mapping[str, Table], n_features: int | None) -> dict[str, Table]:
    """Return the tables with the first index as column 0, all of the same width."""
    widest = max(tables.values(), key=lambda table: table.X.shape[1])
    base = min(int(table.X.indices.min(initial=1)) for table in tables.values())
    last = widest.X.shape[1] - 1
    width = n_features or last + 1 - base
    if last >= base + width:
        message = f"indices {base} to {last} are not in {base}..{base + width - 1}"
        raise widest.error(f"{message} (option `n_features`)")
    numbered = {}
    for name, table in tables.items():
        rows = table.X.data, table.X.indices - base, table.X.indptr
        X = sparse.csr_matrix(rows, shape=(table.X.shape[0], width))
        numbered[name] = table._replace(X=X)
    return numbered


def _opened(path: Path) -> BinaryIO:
    """Open a file as UTF-8 without a byte order mark."""
    return io.BytesIO(read_text(path).encode()) if marked_encoding(path) else path.open("rb")


def _line_of(path: Path, row: int) -> int | None:
    """Return the line of a row, from 0; lines without a value are no rows."""
    with _opened(path) as stream:
        rows = (number for number, line in enumerate(stream, 1) if line.partition(b"#")[0].strip())
        return next(islice(rows, row, None), None)


def _located(path: Path, read: Callable[[Any], Any], has_sizes: bool) -> FormatError | None:
    """Return the error of the first line that cannot be read by itself, if there is one."""
    with _opened(path) as stream:
        for number, line in islice(enumerate(stream, start=1), int(has_sizes), None):
            try:
                read(io.BytesIO(line))
            except Exception as error:
                return FormatError(path, number, reason(error))
    return None
