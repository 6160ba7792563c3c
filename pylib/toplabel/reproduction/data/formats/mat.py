"""MATLAB files: version 5 (and 4) through SciPy, version 7.3, which is HDF5, through h5py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import io, sparse

from toplabel.reproduction.data.formats import arrays, hdf5
from toplabel.reproduction.data.formats.source import FormatError, Source, check_claim, damage
from toplabel.reproduction.data.parts import Loaded


def load(
    source: Source, X: str = "X", labels: str | None = None, transposed: bool = False
) -> Loaded:
    """Read MATLAB files, as `arrays.load`; X may be sparse.

    Parameters
    ----------
    source, X, labels
        As for `arrays.load`.
    transposed : bool
        The features are (d, n), one example per column.
    """
    return arrays.load(_read_transposed if transposed else read, source, X, labels)


def _read_transposed(path: Path, names: Sequence[str]) -> list[np.ndarray | sparse.spmatrix]:
    X, labels = read(path, names)
    return [X.T, labels]


def read(path: Path, names: Sequence[str]) -> list[np.ndarray | sparse.spmatrix]:
    """Return variables of a file of either version.

    Raises
    ------
    FormatError
        With the file: no MATLAB file, damaged, without the variable, or with another than a matrix
        of real numbers; a version 7.3 file where h5py is not installed.
    """
    if is_hdf5(path):
        # MATLAB writes its columns as the rows of HDF5.
        return [array.T for array in hdf5.read(path, names)]
    with damage(path, "MATLAB file"):
        found = {name: (shape, kind) for name, shape, kind in io.whosmat(path)}
        arrays.check_names(path, names, found)
        for name in names:
            shape, kind = found[name]
            if kind != "sparse":
                check_claim(path, math.prod(map(int, shape)), f"{name!r}:")
        content = io.loadmat(path, variable_names=names)
        return [_array(path, name, content[name]) for name in names]


def is_hdf5(path: Path) -> bool:
    """Return whether a MATLAB file has the version 7.3."""
    with path.open("rb") as stream:
        return stream.read(19) == b"MATLAB 7.3 MAT-file"


def _array(path: Path, name: str, value) -> np.ndarray | sparse.spmatrix:
    if sparse.issparse(value) or (isinstance(value, np.ndarray) and value.dtype.kind in "biuf"):
        return value
    kind = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
    raise FormatError(path, None, f"{name!r} is no matrix of real numbers, but {kind}")
