"""Images in folders, a folder for each class, as batches for a network that was trained on
ImageNet.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from toplabel._core.files import FileError

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".ppm", ".webp"})
# Of the images of ImageNet, in [0, 1]: what torchvision's networks expect.
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def listed(folder: Path) -> list[tuple[Path, int]]:
    """Return the images in folders of classes, both in the order of their names; classes are
    counted from 0.
    """
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder")
    classes = sorted(path for path in folder.iterdir() if path.is_dir())
    images = [
        (path, number)
        for number, of_class in enumerate(classes)
        for path in sorted(of_class.rglob("*"))
        if path.suffix.lower() in SUFFIXES
    ]
    if not images:
        raise FileError(f"{folder}: holds no images in folders of classes")
    return images


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
