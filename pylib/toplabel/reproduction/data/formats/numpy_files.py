"""NumPy files: .npz with features and labels, .npy with features that are mapped into memory."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from toplabel.reproduction.data.formats.arrays import PartArrays, assemble, check_names
from toplabel.reproduction.data.formats.source import (
    FormatError,
    Source,
    check_claim,
    damage,
    shown,
)
from toplabel.reproduction.data.parts import Loaded


def read_npz(path: Path, names: Sequence[str]) -> list[np.ndarray]:
    """Return arrays of an .npz file by their names.

    Raises
    ------
    FormatError
        With the file: no .npz file, damaged, without the array, or with an array of Python objects.
    """
    with damage(path, ".npz file"), open_npz(path) as stored:
        check_names(path, names, stored.files)
        return [stored[name] for name in names]


def open_npz(path: Path):
    """Open an .npz file; objects, which could run code, are never read.

    Raises
    ------
    FormatError
        When it is none, or claims far more than it holds.
    """
    with damage(path, ".npz file"):
        stored = np.load(path, mmap_mode="r")  # which is for a file of one array
        if not isinstance(stored, np.lib.npyio.NpzFile):
            raise FormatError(path, None, "one array (.npy), not a file of several (.npz)")
        names = map(posixpath.normpath, stored.files)
        for name, count in Counter(names).most_common(1):
            if count > 1:
                raise FormatError(path, None, f"the array {shown(name)} is in it {count} times")
        for member in stored.zip.infolist():
            check_claim(path, member.file_size, f"{member.filename!r}:")
            with stored.zip.open(member) as content:  # which NumPy would return as bytes
                if content.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
                    raise FormatError(path, None, f"{shown(member.filename)} is no array")
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
        With the file: no .npy file, cut off, without its labels, or with arrays that do not fit
        (see `arrays.assemble`).
    """
    tables = {
        part: read_npy(path, source.beside(part, labels)) for part, path in source.parts.items()
    }
    return assemble(tables, source.task)


def read_npy(path: Path, labels_path: Path) -> PartArrays:
    """Return the features of one part as a memory map, and its labels."""
    labels = np.array(read_array(labels_path))
    return PartArrays(path, read_array(path), labels, labels_path)


def read_array(path: Path) -> np.memmap:
    """Return the array of an .npy file, mapped into memory: one that is larger than its file is
    none.

    Raises
    ------
    FormatError
        When it is none.
    """
    with damage(path, ".npy file"):
        array = np.load(path, mmap_mode="r")
    if not isinstance(array, np.ndarray):
        array.close()
        raise FormatError(path, None, "a file of several arrays (.npz), not of one (.npy)")
    return array
