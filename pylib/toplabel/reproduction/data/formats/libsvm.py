"""LIBSVM text: ``label index:value ...`` a line; ``label,label index:value ...`` for label sets.

A file of the extreme classification repository begins with a line that has the numbers of its rows,
features and labels, which are then counted from 0.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel._core.files import reason
from toplabel.reproduction.data.formats.source import FormatError, Source
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded

Size = Annotated[int, Field(gt=0, le=2 * 10**9)]  # indices of LIBSVM text end at 2^31 - 1
_SIZES = re.compile(rb"[0-9]+ ([0-9]+) ([0-9]+)")


def load(
    source: Source,
    n_features: Size | None = None,
    index_base: Literal[0, 1] | None = None,
    n_classes: Size | None = None,
    label_base: int | None = None,
) -> Loaded:
    """Read LIBSVM files; without `n_features` rows are as wide as the largest index of all parts.

    Indices begin with `index_base`, by default 0 where some row has that index, else 1. Label sets
    are numbered from `label_base`. Its default 0 is taken only where some row has that label:
    otherwise labels that are numbered from 1 would get a class without any row.
    """
    is_multilabel = source.task == "multilabel"
    sizes = [_sizes(path) for path in source.parts.values()] if is_multilabel else []
    has_sizes = bool(sizes) and None not in sizes
    if has_sizes:
        (n_features, n_classes), index_base, label_base = sizes[0], 0, 0
    read = partial(load_svmlight_file, multilabel=is_multilabel, zero_based=True)
    tables = {
        name: Table(path, *_read(path, read, int(has_sizes))) for name, path in source.parts.items()
    }
    tables = _numbered(tables, n_features, index_base)
    if not is_multilabel:
        return assemble(tables, source.task)
    names, labels = _label_sets(tables, n_classes, label_base)
    tables = {name: table._replace(labels=labels[name]) for name, table in tables.items()}
    return assemble(tables, source.task, names)


def _numbered(
    tables: Mapping[str, Table], n_features: int | None, index_base: int | None
) -> dict[str, Table]:
    """Return the tables with the first index as column 0, all of the same width."""
    widest = max(tables.values(), key=lambda table: table.X.shape[1])
    first = min(int(table.X.indices.min(initial=1)) for table in tables.values())
    last = widest.X.shape[1] - 1
    base = first if index_base is None else index_base
    width = n_features or last + 1 - base
    if first < base or last >= base + width:
        message = f"indices {first} to {last} are not in {base}..{base + width - 1}"
        raise widest.error(f"{message} (options `index_base`, `n_features`)")
    numbered = {}
    for name, table in tables.items():
        rows = table.X.data, table.X.indices - base, table.X.indptr
        X = sparse.csr_matrix(rows, shape=(table.X.shape[0], width))
        numbered[name] = table._replace(X=X)
    return numbered


def _read(path: Path, read: Callable[[Any], Any], skipped: int) -> tuple[sparse.csr_matrix, Any]:
    """Return the features and labels of a file, whose first lines may be skipped."""
    try:
        with path.open("rb") as stream:
            for _ in range(skipped):
                stream.readline()
            X, labels = read(stream)
    except Exception as error:
        raise _located(path, read, skipped) or FormatError(path, None, reason(error)) from None
    if not X.shape[0]:
        raise FormatError(path, None, "no row in it")
    return X, labels


def _sizes(path: Path) -> tuple[int, int] | None:
    """Return the numbers of features and labels that the first line states, if it does."""
    with path.open("rb") as stream:
        match = _SIZES.fullmatch(stream.readline().strip())
    return (int(match[1]), int(match[2])) if match else None


def _located(path: Path, read: Callable[[Any], Any], skipped: int) -> FormatError | None:
    """Return the error of the first line that cannot be read by itself, if there is one."""
    with path.open("rb") as stream:
        for number, line in islice(enumerate(stream, start=1), skipped, None):
            try:
                read(io.BytesIO(line))
            except Exception as error:
                return FormatError(path, number, reason(error))
    return None


def _label_sets(
    tables: Mapping[str, Table], n_classes: int | None, label_base: int | None
) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the names of the labels, and the indicator of each part."""
    first = next(iter(tables.values()))
    found = sorted({label for t in tables.values() for labels in t.labels for label in labels})
    if not found or any(label % 1 for label in found):
        raise first.error("no row has a label, or a label is no whole number")
    if label_base is None and found[0] > 0:
        why = f"no row has the label 0, the smallest is {found[0]:g}"
        raise first.error(f"{why}; state the first label's number, option `label_base`")
    base = label_base or 0
    last = base + n_classes - 1 if n_classes else int(found[-1])
    if found[0] < base or found[-1] > last:
        message = f"labels {found[0]:g} to {found[-1]:g} are not in {base}..{last}"
        raise first.error(f"{message} (options `label_base`, `n_classes`)")
    coder = MultiLabelBinarizer(classes=np.arange(base, last + 1), sparse_output=True).fit(None)
    indicators = {
        name: coder.transform(table.labels).astype(np.uint8) for name, table in tables.items()
    }
    return [str(label) for label in coder.classes_], indicators
