"""MATLAB files: version 5 (and 4) through SciPy, version 7.3, which is HDF5, through h5py."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from scipy import io, sparse

from toplabel.reproduction.datasets.formats import hdf5
from toplabel.reproduction.datasets.formats.arrays import PartArrays, assemble, label_name, pick
from toplabel.reproduction.datasets.formats.source import FormatError, Source, check_claim, damage
from toplabel.reproduction.datasets.parts import Loaded


def load(
    source: Source, X: str = "X", labels: str | None = None, transposed: bool = False
) -> Loaded:
    """Read MATLAB files.

    Parameters
    ----------
    source : Source
        Several parts may share a file.
    X : str
        The variable of the features, (n, d) dense or sparse; "{part}" in it stands for the name of
        the part.
    labels : str, optional
        The variable of the labels, likewise: classes (n, 1) or (1, n), whole numbers, or label sets
        (n, m) of 0 and 1. By default ``y`` for classes and ``Y`` for label sets.
    transposed : bool
        The features are (d, n), one example per column.

    Raises
    ------
    FormatError
        With the file: no MATLAB file, damaged, without the variable, or with arrays that do not fit
        (see `arrays.assemble`); a version 7.3 file where h5py is not installed.
    """
    labels = label_name(labels, source.task)
    tables = {part: read(path, part, X, labels) for part, path in source.parts.items()}
    if transposed:
        tables = {part: PartArrays(t.path, t.X.T, t.labels) for part, t in tables.items()}
    return assemble(tables, source.task)


def read(path: Path, part: str, X: str, labels: str) -> PartArrays:
    """Return the arrays of one part, of either version."""
    if is_hdf5(path):
        # MATLAB writes its columns as the rows of HDF5.
        table = hdf5.read(path, part, X, labels)
        return PartArrays(path, table.X.T, table.labels.T)
    with damage(path, "MATLAB file"):
        found = {name: (shape, kind) for name, shape, kind in io.whosmat(path)}
        wanted = [pick(path, name, part, found) for name in (X, labels)]
        for name in wanted:
            shape, kind = found[name]
            if kind != "sparse":
                check_claim(path, math.prod(map(int, shape)), f"{name!r}:")
        content = io.loadmat(path, variable_names=wanted)
        return PartArrays(path, *(_array(path, name, content[name]) for name in wanted))


def is_hdf5(path: Path) -> bool:
    """Return whether a MATLAB file has the version 7.3."""
    with path.open("rb") as stream:
        return stream.read(19) == b"MATLAB 7.3 MAT-file"


def _array(path: Path, name: str, value) -> np.ndarray | sparse.spmatrix:
    if sparse.issparse(value) or (isinstance(value, np.ndarray) and value.dtype.kind in "biuf"):
        return value
    kind = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
    raise FormatError(path, None, f"{name!r} is no matrix of real numbers, but {kind}")
