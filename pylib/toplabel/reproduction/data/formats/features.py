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

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.formats import hdf5, libsvm, mat, numpy_files
from toplabel.reproduction.data.formats.arrays import PartArrays, assemble
from toplabel.reproduction.data.formats.source import Source
from toplabel.reproduction.data.parts import Loaded

_READERS = {".npz": numpy_files.read_npz, ".mat": mat.read, ".h5": hdf5.read}


def load(source: Source, n_features: int | None = None, label_base: int | None = None) -> Loaded:
    """Read the parts, each in its own form.

    Parameters
    ----------
    source : Source
        The path of a part ends in .npz, .npy, .mat or .h5; any other is LIBSVM text.
    n_features : int, optional
        Of LIBSVM text; without it, the largest index of any part.
    label_base : int, optional
        Of LIBSVM text with label sets: the number of the first label.

    Raises
    ------
    FormatError
        As the formats raise it.
    """
    tables, texts = {}, set()
    for part, path in source.parts.items():
        if path.suffix in _READERS:
            names = "X", "Y" if source.task == "multilabel" else "y"
            tables[part] = PartArrays(path, *_READERS[path.suffix](path, names))
        elif path.suffix == ".npy":
            labels = path.with_name(f"{path.stem}_labels.npy")
            tables[part] = numpy_files.read_npy(path, labels)
        else:
            texts.add(part)
            tables[part] = _read_libsvm(Source({part: path}, source.task), n_features, label_base)
    # LIBSVM text does not say how many columns it has: those beyond the last entry are zero.
    width = max((t.X.shape[1] for t in tables.values() if t.X.ndim == 2), default=0)
    for part in texts:
        tables[part] = tables[part]._replace(X=_widened(tables[part].X, width))
    return assemble(tables, source.task)


def _widened(X: sparse.csr_matrix, width: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


def _read_libsvm(source: Source, n_features: int | None, label_base: int | None) -> PartArrays:
    loaded = libsvm.load(source, n_features=n_features, label_base=label_base)
    ((name, part),) = loaded.parts.items()
    numbers = part.Y if part.y is None else np.array(loaded.class_names, dtype=int)[part.y]
    return PartArrays(source.parts[name], part.X, numbers)
