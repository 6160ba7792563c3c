"""Feature vectors that the user extracts, in whichever of five forms they stand in data/raw.

The registry names the parts; a part P is one of the files

=================================  ==============================================================
``P.npz``, ``P.mat``, ``P.h5``     features ``X`` (n, d); classes ``y`` (n,) or label sets ``Y``
                                   (n, m) of 0 and 1
``P.npy`` and ``P_labels.npy``     the same two arrays; the first is mapped into memory, so that it
                                   may be larger than that
the registered name, ``P.libsvm``  LIBSVM text
=================================  ==============================================================
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse

from toplabel.reproduction.datasets.formats import hdf5, libsvm, mat, numpy_files
from toplabel.reproduction.datasets.formats.arrays import PartArrays, assemble, label_name
from toplabel.reproduction.datasets.formats.source import Source
from toplabel.reproduction.datasets.parts import Loaded

_ARRAYS = (".npz", ".npy", ".mat", ".h5")  # whose shapes are known


def load(source: Source, n_features: int | None = None) -> Loaded:
    """Read the parts, each in its own form.

    Parameters
    ----------
    source : Source
        The path of a part ends in .npz, .npy, .mat or .h5; any other is LIBSVM text.
    n_features : int, optional
        Of LIBSVM text; without it, the largest index of any part.

    Raises
    ------
    FormatError
        As the formats raise it.
    """
    labels = label_name(None, source.task)
    tables = {
        part: _read(path, part, source, labels, n_features) for part, path in source.parts.items()
    }
    return assemble(_of_one_width(tables), source.task)


def _of_one_width(tables: dict[str, PartArrays]) -> dict[str, PartArrays]:
    """LIBSVM text does not say how many columns it has: those beyond the last entry of a part are
    zero.
    """
    texts = {name: table for name, table in tables.items() if table.path.suffix not in _ARRAYS}
    if not texts:
        return tables
    width = max(table.X.shape[1] for table in tables.values() if table.X.ndim == 2)
    return tables | {
        name: replace(table, X=_widened(table.X, width)) for name, table in texts.items()
    }


def _widened(X: sparse.csr_matrix, width: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


def _read(path: Path, part: str, source: Source, labels: str, n_features: int | None) -> PartArrays:
    match path.suffix:
        case ".npz":
            return numpy_files.read_npz(path, part, "X", labels)
        case ".npy":
            return numpy_files.read_npy(path, path.with_name(f"{path.stem}_labels.npy"))
        case ".mat":
            return mat.read(path, part, "X", labels)
        case ".h5":
            return hdf5.read(path, part, "X", labels)
        case _:
            return _read_libsvm(Source({part: path}, source.task), n_features)


def _read_libsvm(source: Source, n_features: int | None) -> PartArrays:
    loaded = libsvm.load(source, n_features=n_features)
    ((name, part),) = loaded.parts.items()
    numbers = part.Y if part.y is None else np.array(loaded.class_names, dtype=int)[part.y]
    return PartArrays(source.parts[name], part.X, numbers)
