"""HDF5 files through h5py, which is an optional dependency."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from toplabel.reproduction.datasets.formats.arrays import PartArrays, assemble, label_name, pick
from toplabel.reproduction.datasets.formats.source import FormatError, Source, check_claim, damage
from toplabel.reproduction.datasets.parts import Loaded

NEEDED = "needs h5py, which is not installed: pip install 'toplabel[hdf5]'"


def load(source: Source, X: str = "X", labels: str | None = None) -> Loaded:
    """Read HDF5 files.

    Parameters
    ----------
    source : Source
        Several parts may share a file.
    X : str
        The path of the features in the file, (n, d); "{part}" in it stands for the name of the
        part. A data set that is neither chunked nor compressed is mapped into memory, others are
        read.
    labels : str, optional
        The path of the labels, likewise: classes (n,), whole numbers, or label sets (n, m) of 0 and
        1. By default ``y`` for classes and ``Y`` for label sets.

    Raises
    ------
    FormatError
        With the file: no HDF5 file, damaged, without the data set, or with arrays that do not fit
        (see `arrays.assemble`); h5py is not installed.
    """
    labels = label_name(labels, source.task)
    tables = {part: read(path, part, X, labels) for part, path in source.parts.items()}
    return assemble(tables, source.task)


def is_installed() -> bool:
    """Return whether h5py is there."""
    return importlib.util.find_spec("h5py") is not None


def read(path: Path, part: str, X: str, labels: str) -> PartArrays:
    """Return the arrays of one part."""
    return PartArrays(path, *read_arrays(path, (X, labels), part))


def read_arrays(path: Path, names: Iterable[str], part: str = "") -> list[np.ndarray]:
    """Return data sets of a file by their paths in it, "{part}" standing for the part.

    Raises
    ------
    FormatError
        As `load`.
    """
    if not is_installed():
        raise FormatError(path, None, NEEDED)
    import h5py

    with damage(path, "HDF5 file"), h5py.File(path, "r") as content:
        return [_array(path, content, name, part) for name in names]


def _array(path: Path, content, name: str, part: str) -> np.ndarray:
    import h5py

    found: list[str] = []
    content.visit(found.append)  # which follows no soft or external link
    name = pick(path, name, part, found)
    data = content[name]
    if not isinstance(data, h5py.Dataset):
        # MATLAB writes sparse matrices and structures as groups.
        raise FormatError(path, None, f"{name!r} is a group, no array of numbers")
    check_claim(path, data.dtype.itemsize * (data.size or 0), f"{name!r}:")
    _check_stored(path, name, data)
    offset = data.id.get_offset()  # None when chunked, compact or empty
    if offset is None or data.dtype.kind not in "biuf" or not data.shape:
        return np.asarray(data[()])
    return np.memmap(path, data.dtype, mode="r", offset=offset, shape=data.shape)


def _check_stored(path: Path, name: str, data) -> None:
    """Refuse an array whose numbers do not all stand in the file: HDF5 reads others, or zeros."""
    from h5py import h5d

    layout = data.id.get_create_plist().get_layout()
    if layout == h5d.VIRTUAL or data.external:
        message = f"{name!r} refers to other arrays or files; store the numbers themselves"
        raise FormatError(path, None, message)
    expected, stored = 1, 1
    if layout == h5d.CHUNKED:
        sizes = zip(data.shape, data.chunks, strict=True)
        expected = math.prod(-(-length // chunk) for length, chunk in sizes)
        stored = data.id.get_num_chunks()
    elif data.size and data.id.get_space_status() == h5d.SPACE_STATUS_NOT_ALLOCATED:
        stored = 0
    if stored != expected:
        message = f"{name!r}: {expected - stored} of its {expected} pieces were never written"
        raise FormatError(path, None, message)
