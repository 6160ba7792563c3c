"""NumPy files: .npz with features and labels, .npy with features that are mapped into memory."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from toplabel.datasets.formats.arrays import Table, assemble, label_name, pick
from toplabel.datasets.formats.source import FormatError, Source
from toplabel.datasets.prepared import Loaded

# What NumPy raises for files that are damaged or are none; it evaluates the header of an array.
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    MemoryError,
    RuntimeError,
)
_DAMAGE += (SyntaxError, tokenize.TokenError, zipfile.BadZipFile, zlib.error, struct.error)


def load_npz(source: Source, X: str = "X", labels: str | None = None) -> Loaded:
    """Read .npz files.

    Parameters
    ----------
    source : Source
        Several parts may share a file.
    X : str
        The array of the features, (n, d); "{part}" in it stands for the name of the part.
    labels : str, optional
        The array of the labels, likewise: classes (n,), whole numbers, or label sets (n, m) of 0 and
        1. By default ``y`` for classes and ``Y`` for label sets.

    Raises
    ------
    FormatError
        With the file: no .npz file, damaged, without the array, with arrays of Python objects, or
        with arrays that do not fit (see `arrays.assemble`).
    """
    labels = label_name(labels, source.task)
    tables = {part: read_npz(path, part, X, labels) for part, path in source.parts.items()}
    return assemble(tables, source.task)


def read_npz(path: Path, part: str, X: str, labels: str) -> Table:
    """The arrays of one part of an .npz file."""
    return Table(path, *read_members(path, (X, labels), part))


def read_members(path: Path, names: Iterable[str], part: str = "") -> list[np.ndarray]:
    """Arrays of an .npz file by their names, "{part}" standing for the part.

    Raises
    ------
    FormatError
        As `load_npz`.
    """
    with open_npz(path) as stored:
        picked = [pick(path, name, part, stored.files) for name in names]
        return [_member(path, stored, name) for name in picked]


def open_npz(path: Path):
    """Open an .npz file; objects, which could run code, are never read.

    Raises
    ------
    FormatError
        When it is none.
    """
    stored = _guarded(path, ".npz", lambda: np.load(path))
    if not isinstance(stored, np.lib.npyio.NpzFile):
        raise FormatError(path, None, "one array (.npy), not a file of several (.npz)")
    return stored


def load_npy(source: Source, labels: Mapping[str, str]) -> Loaded:
    """Read pairs of .npy files.

    Parameters
    ----------
    source : Source
        The file of a part has its features, (n, d); it is mapped into memory.
    labels : mapping of str to str
        For each part the name of the file with its labels, beside that of the features: classes
        (n,), whole numbers, or label sets (n, m) of 0 and 1.

    Raises
    ------
    FormatError
        With the file: no .npy file, cut off, without its labels, or with arrays that do not fit (see
        `arrays.assemble`).
    """
    tables = {}
    for part, path in source.parts.items():
        if part not in labels:
            message = f"the option 'labels' names no file for the part '{part}'"
            raise FormatError(path, None, message)
        tables[part] = read_npy(path, path.with_name(labels[part]))
    return assemble(tables, source.task)


def read_npy(path: Path, labels_path: Path) -> Table:
    """The features of one part as a memory map, and its labels."""
    labels = read_array(labels_path)
    return Table(path, read_array(path, "r"), labels, labels_path)


def read_array(path: Path, mmap_mode: str | None = None) -> np.ndarray:
    """The array of an .npy file, in memory or mapped into it.

    Raises
    ------
    FormatError
        When it is none.
    """
    array = _guarded(path, ".npy", lambda: np.load(path, mmap_mode=mmap_mode))
    if not isinstance(array, np.ndarray):
        array.close()
        raise FormatError(path, None, "a file of several arrays (.npz), not of one (.npy)")
    return array


def _member(path: Path, stored, name: str) -> np.ndarray:
    return _guarded(path, ".npz", lambda: stored[name])


def _guarded(path: Path, kind: str, function):
    try:
        return function()
    except _DAMAGE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(path, None, f"no {kind} file, or a damaged one ({reason})") from None
