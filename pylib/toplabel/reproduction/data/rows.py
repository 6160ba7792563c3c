"""Rows of features that need not be in memory: blocks of them, and rows chosen of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import sparse

_BLOCK_BYTES = 1 << 26  # 64 MiB


class RowsOf:
    """Some rows of an array on disk, gathered and converted when a block of them is asked for.

    Parameters
    ----------
    array : ndarray of shape (N, d)
        A memory map.
    rows : ndarray of shape (n,), optional
        Their numbers, from 0; without it all N in their order.
    dtype : dtype, optional
        What blocks are converted to; without it that of the array.
    """

    ndim = 2

    def __init__(self, array: np.ndarray | RowsOf, rows: np.ndarray | None = None, dtype=None):
        if isinstance(array, RowsOf):
            dtype = dtype or array.dtype
            rows = array._rows if rows is None else array._rows[rows]
            array = array._array
        self._array = array
        self._rows = np.arange(len(array)) if rows is None else rows
        self.dtype = np.dtype(dtype or array.dtype)
        self.shape = (len(self._rows), array.shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, block: slice) -> np.ndarray:
        return np.ascontiguousarray(self._array[self._rows[block]], dtype=self.dtype)

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        whole = self[slice(None)]
        return whole if dtype is None else whole.astype(dtype, copy=False)


Rows = np.ndarray | RowsOf | sparse.csr_matrix


def blocks(X: np.ndarray | RowsOf) -> Iterator[tuple[int, np.ndarray]]:
    """Yield (number of the first row, rows) of dense features, a block at a time."""
    step = max(1, _BLOCK_BYTES // max(1, X.shape[1] * X.dtype.itemsize))
    for start in range(0, X.shape[0], step):
        yield start, X[start : start + step]


def squared_norms(X: Rows) -> np.ndarray:
    """Return the squared Euclidean norm of each row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.concatenate([np.einsum("ij,ij->i", block, block) for _, block in blocks(X)])


def take(X: Rows, rows: np.ndarray) -> Rows:
    """Return rows by their numbers; those of a file stay there."""
    return RowsOf(X, rows) if isinstance(X, RowsOf | np.memmap) else X[rows]


def write_npy(path: Path, X: np.ndarray | RowsOf) -> None:
    """Write dense features as an .npy file, a block at a time: they may be larger than memory."""
    descr = np.lib.format.dtype_to_descr(X.dtype)
    with path.open("wb") as stream:
        header = {"descr": descr, "fortran_order": False, "shape": X.shape}
        np.lib.format.write_array_header_1_0(stream, header)
        for _, block in blocks(X):
            np.ascontiguousarray(block).tofile(stream)
