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

from toplabel.reproduction.data.formats.common import FormatError, Source, Table, assemble
from toplabel.reproduction.data.formats.text import has_mark, read_text, refuse_other_kind
from toplabel.reproduction.data.parts import Loaded, not_finite
from toplabel.reproduction.files import reason

Size = Annotated[int, Field(gt=0, le=2 * 10**9)]  # indices of LIBSVM text end at 2^31 - 1
_SIZES = re.compile(rb"([0-9]+) [0-9]+ [0-9]+")


def load(source: Source, n_features: Size | None = None) -> Loaded:
    """Read LIBSVM files; without `n_features` rows are as wide as the largest index of all parts.

    Indices begin with 0 where some row has that index, else with 1. The labels of sets are the
    numbers that occur in some row.
    """
    is_multilabel = source.task == "multilabel"
    read = partial(load_svmlight_file, multilabel=is_multilabel, zero_based=True)
    tables = {}
    for name, path in source.parts.items():
        refuse_other_kind(path)
        stated = _stated_rows(path)
        if stated is not None and not is_multilabel:
            message = (
                "numbers of rows, features and labels: a file of label sets (`task: multilabel`)"
            )
            raise FormatError(path, 1, message)
        tables[name] = Table(path, *_read(path, read, int(stated is not None)))
        n = tables[name].X.shape[0]
        if stated not in (None, n):
            raise FormatError(
                path, 1, f"it names {stated} rows, but {n} follow; is the file whole?"
            )
    for table in tables.values():
        _check_finite(table)
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


def _read(path: Path, read: Callable[[Any], Any], skipped: int) -> tuple[sparse.csr_matrix, Any]:
    """Return the features and labels of a file, whose first lines may be skipped."""
    try:
        with _opened(path) as stream:
            for _ in range(skipped):
                stream.readline()
            X, labels = read(stream)
    except FormatError:
        raise
    except Exception as error:
        raise _located(path, read, skipped) or FormatError(path, None, reason(error)) from None
    if not X.shape[0]:
        raise FormatError(path, None, "no row in it")
    return X, labels


def _opened(path: Path) -> BinaryIO:
    """Open a file as UTF-8 without a byte order mark."""
    return io.BytesIO(read_text(path).encode()) if has_mark(path) else path.open("rb")


def _check_finite(table: Table) -> None:
    """Refuse NaN and infinity, with the line and the index as it stands there."""
    bad = not_finite(table.X)
    if bad is None:
        return
    row, index, value = bad
    with _opened(table.path) as stream:
        rows = (number for number, line in enumerate(stream, 1) if line.partition(b"#")[0].strip())
        skipped = int(_stated_rows(table.path) is not None)
        line = next(islice(rows, row + skipped, None), None)
    message = f"the value of index {index} is {value}; features must be finite"
    raise FormatError(table.path, line, message)


def _stated_rows(path: Path) -> int | None:
    """Return the number of rows where the first line states it, with those of features and labels."""
    with _opened(path) as stream:
        match = _SIZES.fullmatch(stream.readline().strip())
    return int(match[1]) if match else None


def _located(path: Path, read: Callable[[Any], Any], skipped: int) -> FormatError | None:
    """Return the error of the first line that cannot be read by itself, if there is one."""
    with _opened(path) as stream:
        for number, line in islice(enumerate(stream, start=1), skipped, None):
            try:
                read(io.BytesIO(line))
            except Exception as error:
                return FormatError(path, number, reason(error))
    return None
