"""Writers of small files of arrays, for the tests of the formats."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from scipy import io

HAS_H5PY = importlib.util.find_spec("h5py") is not None
needs_h5py = pytest.mark.skipif(not HAS_H5PY, reason="h5py, an optional dependency, is not there")


def write_hdf5(path, arrays):
    """Write arrays as data sets of an HDF5 file."""
    import h5py

    with h5py.File(path, "w") as content:
        for name, array in arrays.items():
            content[name] = array


WRITERS = {
    "mat": io.savemat,
    "npz": lambda path, arrays: np.savez(path, **arrays),
    "hdf5": write_hdf5,
}
