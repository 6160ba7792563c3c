"""IDX, the binary format of MNIST: a file of images and a file of labels for each part."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from toplabel.reproduction.config.model import FileName
from toplabel.reproduction.data.formats.source import FormatError, Source
from toplabel.reproduction.data.formats.tables import Table, assemble
from toplabel.reproduction.data.parts import Loaded


def load(source: Source, labels: Mapping[str, FileName]) -> Loaded:
    """Read pairs of IDX files of unsigned bytes: images (n, ...), which become rows, and labels."""
    tables = {}
    for part, path in source.parts.items():
        beside = source.beside(part, labels)
        images = _read(path)
        tables[part] = Table(path, images.reshape(len(images), -1), _read(beside), beside)
    return assemble(tables, source.task)


def _read(path: Path) -> np.ndarray:
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
