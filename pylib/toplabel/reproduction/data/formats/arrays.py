"""Files that hold arrays: NumPy's .npz and .npy, MATLAB's .mat, HDF5, and IDX, the format of MNIST.

Nothing is unpickled, and no array of HDF5 is read whose numbers stand in another file or were never
written.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from scipy import io, sparse

from toplabel.reproduction.config.documents import FileName
from toplabel.reproduction.data.formats.common import FormatError, Source, Table, assemble, damage
from toplabel.reproduction.data.parts import LoadedSet

Read = Callable[[Path, Sequence[str]], Sequence[Any]]


def load(read: Read, source: Source, X: str = "X", labels: str | None = None) -> LoadedSet:
    """Read files that hold arrays under names: features (n, d), and labels, by default ``y`` for
    classes (n,) and ``Y`` for label sets (n, m).

    Several parts may share a file: "{part}" in a name stands for that of the part.
    """
    names = X, labels or ("Y" if source.task == "multilabel" else "y")
    tables = {
        part: Table(path, *read(path, [name.replace("{part}", part) for name in names]))
        for part, path in source.parts.items()
    }
    return assemble(tables, source.task)


def load_npz(source: Source, X: str = "X", labels: str | None = None) -> LoadedSet:
    """Read .npz files as `load` does; ``class_names`` (m,) of the first names the classes 0..m-1, or
    the columns of the label sets.
    """
    loaded = load(read_npz, source, X, labels)
    path = next(iter(source.parts.values()))
    with damage(path, ".npz file"), np.load(path, allow_pickle=False) as stored:
        if "class_names" not in stored.files:
            return loaded
        names = stored["class_names"].astype(str).tolist()
    try:
        numbers = [int(name) for name in loaded.class_names]
    except ValueError:
        message = "'class_names' names the classes 0..m-1, but the labels are words themselves"
        raise FormatError(path, None, f"{message}: {', '.join(loaded.class_names)}") from None
    if min(numbers) < 0 or max(numbers) >= len(names):
        message = f"'class_names' has {len(names)} names, but there are the classes"
        raise FormatError(path, None, f"{message} {min(numbers)} to {max(numbers)}")
    return replace(loaded, class_names=[names[number] for number in numbers])


def load_mat(
    source: Source, X: str = "X", labels: str | None = None, transposed: bool = False
) -> LoadedSet:
    """Read MATLAB files as `load` does; X may be sparse, with `transposed` it is (d, n)."""
    return load(_read_transposed if transposed else read_mat, source, X, labels)


def load_npy(source: Source) -> LoadedSet:
    """Read features P.npy, which are mapped into memory, and beside them the labels P_labels.npy."""
    tables = {}
    for part, path in source.parts.items():
        labels = path.with_name(f"{path.stem}_labels.npy")
        tables[part] = Table(path, read_npy(path), read_beside(path, "labels"), labels)
    return assemble(tables, source.task)


def read_npz(path: Path, names: Sequence[str]) -> list[np.ndarray | sparse.spmatrix]:
    """Return arrays of an .npz file by their names.

    A file P.npz of `scipy.sparse.save_npz` holds the features alone; the labels stand beside it in
    P_labels.npy, or sparse in P_labels.npz.
    """
    with damage(path, ".npz file"), np.load(path, allow_pickle=False) as stored:
        if "indptr" in stored.files and names[0] not in stored.files:
            labels = path.with_name(f"{path.stem}_labels.npz")
            if labels.is_file():
                return [_read_sparse(path), _read_sparse(labels)]
            return [_read_sparse(path), read_beside(path, "labels")]
        _check_names(path, names, stored.files)
        arrays = [stored[name] for name in names]
        for name, array in zip(names, arrays, strict=True):
            if not isinstance(array, np.ndarray):  # the bytes of a member of another kind
                raise FormatError(path, None, f"{name!r} is no array")
        return arrays


def _read_sparse(path: Path) -> sparse.spmatrix:
    """Return the matrix of a file of `scipy.sparse.save_npz`."""
    with damage(path, ".npz file"):
        matrix = sparse.load_npz(path)
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)  # SciPy may crash on an index out of range
        return matrix


def read_npy(path: Path) -> np.ndarray:
    """Return the array of an .npy file, mapped into memory."""
    with damage(path, ".npy file"):
        return np.lib.format.open_memmap(path, mode="r")


def read_beside(path: Path, what: str) -> np.ndarray:
    """Return the array of the file P_<what>.npy beside that of the rows of a part, P."""
    path = path.with_name(f"{path.stem}_{what}.npy")
    if not path.is_file():
        message = f"needed for the {what}, but `files` does not name it: {{name: {path.name}}}"
        raise FormatError(path, None, message)
    return np.array(read_npy(path))


def read_mat(path: Path, names: Sequence[str]) -> list[np.ndarray | sparse.spmatrix]:
    """Return variables of a MATLAB file of the versions 4, 5 or 7.3, which is HDF5."""
    with path.open("rb") as stream:
        if stream.read(19) == b"MATLAB 7.3 MAT-file":
            # MATLAB writes its columns as the rows of HDF5.
            return [array.T for array in read_hdf5(path, names)]
    with damage(path, "MATLAB file"), warnings.catch_warnings():
        # SciPy 1.18 says that sparse matrices become sparse arrays: either will do.
        warnings.filterwarnings("ignore", ".*spmatrix")
        _check_names(path, names, [name for name, _, _ in io.whosmat(path)])
        content = io.loadmat(path, variable_names=names)
        for matrix in filter(sparse.issparse, map(content.get, names)):
            matrix.check_format(full_check=True)  # SciPy may crash on an index out of range
    return [content[name] for name in names]


def _read_transposed(path: Path, names: Sequence[str]) -> list[np.ndarray | sparse.spmatrix]:
    X, labels = read_mat(path, names)
    return [X.T, labels]


def read_hdf5(path: Path, names: Sequence[str]) -> list[np.ndarray]:
    """Return arrays of an HDF5 file by their paths in it.

    An array that is neither chunked nor compressed is mapped into memory, others are read.
    """
    with damage(path, "HDF5 file"), h5py.File(path, "r") as content:
        paths: list[str] = []
        content.visit(paths.append)  # which follows no soft or external link
        _check_names(path, names, paths)
        return [_array(path, name, content[name]) for name in names]


def _array(path: Path, name: str, data: Any) -> np.ndarray:
    if not isinstance(data, h5py.Dataset):
        # MATLAB writes sparse matrices and structures as groups.
        raise FormatError(path, None, f"{name!r} is a group, no array of numbers")
    if data.is_virtual or data.external:
        message = f"{name!r} refers to other arrays or files; store the numbers themselves"
        raise FormatError(path, None, message)
    if data.chunks:
        pieces = math.prod(-(-n // size) for n, size in zip(data.shape, data.chunks, strict=True))
        is_written = data.id.get_num_chunks() == pieces
    else:
        is_written = data.id.get_space_status() != h5py.h5d.SPACE_STATUS_NOT_ALLOCATED
    if not is_written:
        raise FormatError(path, None, f"{name!r}: pieces of it were never written")
    offset = data.id.get_offset()  # None when chunked, compact or empty
    if offset is None or data.dtype.kind not in "biuf" or not data.shape:
        return np.asarray(data[()])
    return np.memmap(path, data.dtype, mode="r", offset=offset, shape=data.shape)


def _check_names(path: Path, names: Sequence[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            there = ", ".join(known) or "nothing"
            raise FormatError(path, None, f"{name!r} is not in it; it has: {there}")


def load_idx(source: Source, labels: Mapping[str, FileName]) -> LoadedSet:
    """Read pairs of IDX files of unsigned bytes: images (n, ...), which become rows, and labels."""
    tables = {}
    for part, path in source.parts.items():
        beside = source.beside(part, labels)
        images = _read_idx(path)
        tables[part] = Table(path, images.reshape(len(images), -1), _read_idx(beside), beside)
    return assemble(tables, source.task)


def _read_idx(path: Path) -> np.ndarray:
    """Return the array of a file: two zero bytes, the type, the number of dimensions, the sizes,
    the numbers.
    """
    content = path.read_bytes()
    start = 4 + 4 * content[3] if len(content) > 4 else 4
    if content[:3] != b"\0\0\x08" or len(content) < start:
        raise FormatError(path, None, "not an IDX file of unsigned bytes")
    shape = tuple(map(int, np.frombuffer(content[4:start], ">u4")))
    if len(content) - start != math.prod(shape) or 0 in shape or not shape:
        message = f"{len(content) - start} numbers, but the header says {shape}"
        raise FormatError(path, None, message)
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
