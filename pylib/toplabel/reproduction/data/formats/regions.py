"""Features of the regions of images: several rows per image, and an index that says which, and the
labels of images from their objects (TPAMI section 6.3).

A part P stands in one of these forms:

=================================  ==============================================================
``P.npz``, ``P.h5``                features ``X`` (rows, d); ``image`` (rows,), the number of each
                                   row's image, from 0; ``images`` (n,), the images' names, or their
                                   numbers in the annotations
``P.npy`` and ``P_regions.npz``    the features alone, mapped into memory; the other two arrays
=================================  ==============================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toplabel.reproduction.data.formats import hdf5, numpy_files
from toplabel.reproduction.data.formats.arrays import features_of
from toplabel.reproduction.data.formats.source import FormatError, shown
from toplabel.reproduction.data.parts import Part
from toplabel.reproduction.data.rows import Rows

_NO_LABEL = -1  # the single label of an image that has no object


class Object(NamedTuple):
    """An object of an image that counts: its class and its size, in pixels squared."""

    label: str
    size: float


class Regions(NamedTuple):
    """The regions of one part: features, the image 0..n-1 of each row, and the images' names."""

    X: Rows
    groups: np.ndarray
    images: list[str]

    def part(self, Y: np.ndarray, y: np.ndarray | None) -> Part:
        """Return the part with the images' label sets (n, m) and, where there are some, single
        labels (n,).
        """
        return Part(X=self.X, y=y, Y=Y, groups=self.groups)


def read_regions(path: Path) -> Regions:
    """Read the features of a part and what image each row is of.

    Parameters
    ----------
    path : Path
        Ends in .npz, .h5 or .npy.

    Raises
    ------
    FormatError
        With the file: it cannot be read, an array is not there or has another shape or type, an
        image has two names or no row, or a row refers to an image that is missing.
    """
    names = ("image", "images")
    index_path = path
    match path.suffix:
        case ".npy":
            X = numpy_files.read_array(path)
            index_path = path.with_name(f"{path.stem}_regions.npz")
            image, images = numpy_files.read_npz(index_path, names)
        case ".h5":
            X, image, images = hdf5.read(path, ("X", *names))
        case _:
            X, image, images = numpy_files.read_npz(path, ("X", *names))
    X = features_of(path, X)
    listed = _names(index_path, images)
    return Regions(X, _groups(index_path, image, X.shape[0], listed), listed)


def _names(path: Path, images: np.ndarray) -> list[str]:
    if images.ndim != 1 or not len(images) or images.dtype.kind not in "iuUSO":
        message = f"'images' has the type {images.dtype} and the shape {images.shape}"
        raise FormatError(path, None, f"{message}; it must hold n names or whole numbers")
    names = [_name(path, item) for item in images.tolist()]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise FormatError(path, None, f"'images' names the image {shown(name)} {count} times")
    return names


def _name(path: Path, item: bytes | str | int) -> str:
    if isinstance(item, str | int):
        return str(item)
    try:
        return item.decode()
    except (AttributeError, UnicodeDecodeError):
        raise FormatError(path, None, f"'images' has {shown(item)}, no name") from None


def _groups(path: Path, image: np.ndarray, n_rows: int, images: list[str]) -> np.ndarray:
    if image.shape != (n_rows,) or image.dtype.kind not in "iu":
        message = f"'image' has the type {image.dtype} and the shape {image.shape}"
        raise FormatError(path, None, f"{message}; it must hold {n_rows} whole numbers, one a row")
    groups = image.astype(np.int64)
    bad = np.flatnonzero((groups < 0) | (groups >= len(images)))
    if bad.size:
        message = f"the row {bad[0]} (from 0) is of the image {groups[bad[0]]}"
        raise FormatError(path, None, f"{message}; images are 0..{len(images) - 1}")
    without = np.flatnonzero(np.bincount(groups, minlength=len(images)) == 0)
    if without.size:
        raise FormatError(path, None, f"the image {images[without[0]]!r} has no row")
    return groups


def labels_of(
    images: Sequence[Sequence[Object]], classes: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Label sets and prominent labels.

    Parameters
    ----------
    images : sequence of sequences of Object
        The objects of each of n images.
    classes : sequence of str
        Names of the m classes.

    Returns
    -------
    Y : ndarray of shape (n, m), uint8
        Whether an image has an object of a class.
    y : ndarray of shape (n,), int64
        The class of the largest object, of equally large ones the first; -1 for an image
        without an object.
    """
    index = {name: j for j, name in enumerate(classes)}
    Y = np.zeros((len(images), len(classes)), dtype=np.uint8)
    y = np.full(len(images), _NO_LABEL, dtype=np.int64)
    for i, objects in enumerate(images):
        for found in objects:
            Y[i, index[found.label]] = 1
        if objects:
            y[i] = index[max(objects, key=lambda found: found.size).label]
    return Y, y
