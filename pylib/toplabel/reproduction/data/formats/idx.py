"""IDX, the binary format of MNIST: a file of images and a file of labels for each part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from toplabel.reproduction.data.formats.source import FormatError, Source, read_bytes
from toplabel.reproduction.data.parts import Loaded, Part

_UNSIGNED_BYTE = 0x08
_DIMENSIONS = 8  # images have two to four


def load(source: Source, labels: Mapping[str, str]) -> Loaded:
    """Read pairs of IDX files of unsigned bytes.

    Parameters
    ----------
    source : Source
        Multiclass; the file of a part has its images, (n, ...), which become the rows of X as they
        are.
    labels : mapping of str to str
        For each part the name of the file with its labels, (n,), which lies beside that of the
        images. The classes are the values that occur, in ascending order.

    Raises
    ------
    FormatError
        With the file: not IDX, not of unsigned bytes, cut off or too long, without its labels;
        numbers of images and labels that differ.
    """
    images, values = {}, {}
    for name, path in source.parts.items():
        labels_path = source.beside(name, labels)
        images[name] = _read(path)
        values[name] = _read(labels_path)
        if values[name].ndim != 1 or len(values[name]) != len(images[name]):
            message = f"{values[name].shape} labels for {len(images[name])} images of {path.name}"
            raise FormatError(labels_path, None, message)
    classes = np.unique(np.concatenate(list(values.values())))
    parts = {
        name: Part(
            X=images[name].reshape(len(images[name]), -1).astype(np.float64),
            y=np.searchsorted(classes, values[name]).astype(np.int64),
        )
        for name in source.parts
    }
    return Loaded(parts=parts, class_names=[str(label) for label in classes])


def _read(path: Path) -> np.ndarray:
    """Return the array of a file: two zero bytes, the type, the number of dimensions, the sizes,
    the numbers.
    """
    content = read_bytes(path)
    if len(content) < 4 or content[:2] != b"\0\0" or content[3] == 0:
        raise FormatError(path, None, "not an IDX file")
    if content[2] != _UNSIGNED_BYTE:
        raise FormatError(path, None, f"type 0x{content[2]:02x}; only unsigned bytes are read")
    if content[3] > _DIMENSIONS:
        raise FormatError(path, None, f"{content[3]} dimensions; at most {_DIMENSIONS} are read")
    start = 4 + 4 * content[3]
    if len(content) < start:
        raise FormatError(path, None, "cut off in its header")
    shape = [int(size) for size in np.frombuffer(content[4:start], ">u4")]
    if len(content) - start != math.prod(shape):
        message = f"{len(content) - start} numbers, but the header says {tuple(shape)}"
        raise FormatError(path, None, message)
    if 0 in shape:
        raise FormatError(path, None, "no row in it")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
