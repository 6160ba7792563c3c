"""From the objects of images to label sets and the label of the largest object (TPAMI section
6.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from toplabel.reproduction.datasets.formats.regions import NO_LABEL


@dataclass(frozen=True)
class Object:
    """An object that counts: its class and its size in the image, in pixels squared."""

    label: str
    size: float


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
        The class of the largest object, of equally large ones the first; `NO_LABEL` for an image
        without an object.
    """
    index = {name: j for j, name in enumerate(classes)}
    Y = np.zeros((len(images), len(classes)), dtype=np.uint8)
    y = np.full(len(images), NO_LABEL, dtype=np.int64)
    for i, objects in enumerate(images):
        for found in objects:
            Y[i, index[found.label]] = 1
        if objects:
            y[i] = index[max(objects, key=lambda found: found.size).label]
    return Y, y
