"""Images in folders, a folder for each class, as batches for a network that was trained on
ImageNet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from toplabel._core.files import FileError

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"})
# Of the images of ImageNet, in [0, 1]: what torchvision's networks expect.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def class_names(folder: Path) -> list[str]:
    """Return the names of the folders of classes, sorted; hidden folders are none."""
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder")
    return sorted(path.name for path in folder.iterdir() if path.is_dir() and _is_shown(path))


def listed(folder: Path, classes: Sequence[str] | None = None) -> list[tuple[Path, int]]:
    """Return the images in folders of classes, both in the order of their names.

    Classes are counted from 0 by their places in `classes`, by default the folders that are there.
    """
    there = class_names(folder)
    classes = there if classes is None else list(classes)
    if unknown := sorted({*there} - {*classes}):
        raise FileError(f"{folder / unknown[0]}: no class of the part that was extracted first")
    images = [
        (path, classes.index(name))
        for name in there
        for path in sorted((folder / name).rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
        if all(map(_is_shown, path.relative_to(folder).parents)) and _is_shown(path)
    ]
    if not images:
        raise FileError(f"{folder}: holds no images in folders of classes")
    return images


def _is_shown(path: Path) -> bool:
    """Return whether a name is not hidden, as .git and the ._1.jpg of macOS are."""
    return not path.name.startswith(".")


def batches(
    images: list[tuple[Path, int]], size: int = 224, n: int = 32
) -> Iterator[tuple[Tensor, Tensor]]:
    """`n` images at a time, float32 (n, 3, size, size), with their classes."""
    for start in range(0, len(images), n):
        block = images[start : start + n]
        yield (
            torch.stack([read(path, size) for path, _ in block]),
            torch.tensor([number for _, number in block]),
        )


def read(path: Path, size: int) -> Tensor:
    """Return the middle square of an image whose shorter side was made 8/7 of `size`, normalised."""
    try:
        with Image.open(path) as file:
            image = file.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise FileError(f"{path}: cannot be read as an image ({error})") from None
    scale = size * 8 / 7 / min(image.size)
    width, height = (max(size, round(side * scale)) for side in image.size)
    left, top = (width - size) // 2, (height - size) // 2
    image = image.resize((width, height), Image.Resampling.BILINEAR)
    image = image.crop((left, top, left + size, top + size))
    pixels = (np.asarray(image, np.float32) / 255 - np.float32(MEAN)) / np.float32(DEVIATION)
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)))
