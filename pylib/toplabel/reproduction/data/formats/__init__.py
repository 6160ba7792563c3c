"""Readers of file formats: a name in the registry -> a function.

To add a format, write a module with ``load(source, **options) -> LoadedSet`` that hands its arrays to
`common.assemble` and raises `FormatError`, and enter it in `FORMATS` and in
`toplabel.reproduction.config.entry`. Its options are checked by the annotations of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from toplabel.reproduction.data.formats import arff, arrays, libsvm, regions, table
from toplabel.reproduction.data.formats.common import FormatError, Source
from toplabel.reproduction.data.parts import LoadedSet

FORMATS: dict[str, Callable[..., LoadedSet]] = {
    "libsvm": libsvm.load,
    "mulan_arff": arff.load,
    "idx": arrays.load_idx,
    "table": table.load,
    "mat": arrays.load_mat,
    "npz": arrays.load_npz,
    "hdf5": partial(arrays.load, arrays.read_hdf5),
    "npy": arrays.load_npy,
    "voc": regions.load_voc,
    "coco": regions.load_coco,
}

__all__ = ["FORMATS", "FormatError", "Source"]
