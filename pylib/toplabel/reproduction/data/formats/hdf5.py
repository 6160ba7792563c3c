"""HDF5 files through h5py, which is an optional dependency."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from toplabel.reproduction.data.formats.arrays import check_names
from toplabel.reproduction.data.formats.source import FormatError, check_claim, damage

NEEDED = "needs h5py, which is not installed: pip install 'toplabel[hdf5]'"


def is_installed() -> bool:
    """Return whether h5py is there."""
    return importlib.util.find_spec("h5py") is not None


def read(path: Path, names: Sequence[str]) -> list[np.ndarray]:
    """Return data sets of a file by their paths in it.

    One that is neither chunked nor compressed is mapped into memory, others are read.

    Raises
    ------
    FormatError
        With the file: no HDF5 file, damaged, without the data set, or one whose numbers do not all
        stand in the file; h5py is not installed.
    """
    if not is_installed():
        raise FormatError(path, None, NEEDED)
    import h5py

    with damage(path, "HDF5 file"), h5py.File(path, "r") as content:
        found: list[str] = []
        content.visit(found.append)  # which follows no soft or external link
        check_names(path, names, found)
        return [_array(path, name, content[name]) for name in names]


def _array(path: Path, name: str, data) -> np.ndarray:
    import h5py

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
