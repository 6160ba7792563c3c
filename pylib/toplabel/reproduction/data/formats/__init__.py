"""File formats: a name in the registry -> a loader.

To add a format, write a module with ``load(source, **options) -> Loaded`` that raises `FormatError`
with file and line, enter it in `FORMATS`, and describe its options in
`toplabel.reproduction.config.formats`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from toplabel.reproduction.data.formats import (
    arff,
    arrays,
    coco,
    features,
    hdf5,
    idx,
    libsvm,
    mat,
    numpy_files,
    uci_csv,
    voc,
)
from toplabel.reproduction.data.formats.source import FormatError, Source
from toplabel.reproduction.data.parts import Loaded

FORMATS: dict[str, Callable[..., Loaded]] = {
    "libsvm": libsvm.load,
    "mulan_arff": arff.load,
    "idx": idx.load,
    "uci_csv": uci_csv.load,
    "mat": mat.load,
    "npz": partial(arrays.load, numpy_files.read_npz),
    "npy": numpy_files.load_npy,
    "hdf5": partial(arrays.load, hdf5.read),
    "features": features.load,
    "voc": voc.load,
    "coco": coco.load,
}

__all__ = ["FORMATS", "FormatError", "Source"]
