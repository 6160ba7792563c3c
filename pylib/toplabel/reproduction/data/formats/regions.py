"""Features of the regions of images, and the labels of images from their objects (TPAMI section 6.3).

An image has several rows of features, and an index says which row is of which image. A part P stands
in one of these forms:

=================================  ==============================================================
``P.npz``, ``P.h5``                features ``X`` (rows, d); ``image`` (rows,), the number of each
                                   row's image, from 0; ``images`` (n,), the images' names, or their
                                   numbers in the annotations
``P.npy`` and ``P_regions.npz``    the features alone, mapped into memory; the other two arrays
=================================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toplabel.reproduction.data.formats.arrays import READERS, read_npy, read_npz
from toplabel.reproduction.data.formats.source import FormatError
from toplabel.reproduction.data.formats.tables import features_of
from toplabel.reproduction.data.parts import Part
from toplabel.reproduction.data.rows import Rows

_NO_LABEL = -1  # the single label of an image without an object


class Object(NamedTuple):
    """An object of an image: its class and its size, in pixels squared."""

    label: str
    size: float


class Regions(NamedTuple):
    """The regions of one part: features, the image 0..n-1 of each row, and the images' names."""

    path: Path
    X: Rows
    groups: np.ndarray
    images: list[str]

    def labelled(self, objects: Mapping[str, Sequence[Object]], classes: Sequence[str]) -> Part:
        """Return the part, labelled by the objects of its images.

        ``Y`` says whether an image has an object of a class; ``y`` is the class of its largest
        object, of equally large ones the first, and -1 for an image without one.
        """
        index = {name: j for j, name in enumerate(classes)}
        Y = np.zeros((len(self.images), len(classes)), dtype=np.uint8)
        y = np.full(len(self.images), _NO_LABEL, dtype=np.int64)
        for i, image in enumerate(self.images):
            if image not in objects:
                raise FormatError(self.path, None, f"the image {image!r} has no annotation")
            for found in objects[image]:
                Y[i, index[found.label]] = 1
            if objects[image]:
                y[i] = index[max(objects[image], key=lambda found: found.size).label]
        return Part(X=self.X, y=y, Y=Y, groups=self.groups)


def read_regions(path: Path) -> Regions:
    """Read the features of a part, and which image each row is of."""
    names = ("image", "images")
    if path.suffix == ".npy":
        X = read_npy(path)
        path = path.with_name(f"{path.stem}_regions.npz")
        image, images = read_npz(path, names)
    else:
        X, image, images = READERS.get(path.suffix, read_npz)(path, ("X", *names))
    X = features_of(path, X)
    if images.ndim != 1 or images.dtype.kind not in "iuUSO":
        raise FormatError(path, None, "'images' must hold the names of n images, or whole numbers")
    listed = [item.decode() if isinstance(item, bytes) else str(item) for item in images.tolist()]
    if len({*listed}) < len(listed):
        raise FormatError(path, None, "'images' has a name twice")
    if image.shape != (X.shape[0],) or image.dtype.kind not in "iu":
        message = f"'image' must hold {X.shape[0]} whole numbers, one for each row of X"
        raise FormatError(path, None, message)
    if not np.array_equal(np.unique(image), np.arange(len(listed))):
        message = f"'image' must have each number of 0..{len(listed) - 1}, and no other"
        raise FormatError(path, None, message)
    return Regions(path, X, image.astype(np.int64), listed)
