"""Features of the regions of images, as ``format: voc`` and ``coco`` read them (TPAMI section 6.3)."""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import torch
from PIL import Image
from torch import Tensor, nn

from toplabel.reproduction.files import FileError, atomic_path, file_sum
from toplabel.reproduction.networks.extraction import extract, step_at

_SUFFIXES = (".jpg", ".jpeg", ".png")
_COCO = re.compile(r"^COCO_[a-z]+\d+_0*(\d+)$")  # whose images have numbers in the annotations
_MEAN = (0.485, 0.456, 0.406)  # of ImageNet, as torchvision has them
_DEVIATION = (0.229, 0.224, 0.225)


class OnnxNetwork(nn.Module):
    """A network in an ONNX file, run by onnxruntime; its one layer, the first output, is ""."""

    def __init__(self, path: str | os.PathLike[str]):
        import onnxruntime

        super().__init__()
        providers = onnxruntime.get_available_providers()
        self._session = onnxruntime.InferenceSession(os.fspath(path), providers=providers)
        total = torch.tensor([*bytes.fromhex(file_sum(path))], dtype=torch.uint8)
        self.register_buffer("sha256", total)  # for the sum of the weights

    def forward(self, inputs: Tensor) -> Tensor:
        name = self._session.get_inputs()[0].name
        return torch.from_numpy(self._session.run(None, {name: inputs.cpu().numpy()})[0])


def extract_regions(
    network: nn.Module,
    layer: str,
    images: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    part: str,
    *,
    within: str = "",
    sizes: Sequence[int] = (256, 384, 512),
    flip: bool = True,
    pool: int | None = None,
    window: int | None = None,
    step: int | Mapping[int, int] = 1,
    mean: Sequence[float] = _MEAN,
    deviation: Sequence[float] = _DEVIATION,
    device: str = "cpu",
) -> Path:
    """Write a row of features for each region of images.

    An image is resized so that its smaller side has each of the `sizes`, and mirrored (`flip`).
    Regions are windows of the layer's maps (`pool`), of the image itself (`window`), or the whole
    image. ``<part>.npy`` has the rows, ``<part>_labels.npy`` the number of each row's image, from 0,
    and ``<part>_images.npy`` the names of the images. A call that was killed goes on when it is made
    again.

    Parameters
    ----------
    network, layer, folder, part, device
        As in `toplabel.reproduction.networks.extraction.extract`; an ONNX file is an `OnnxNetwork`
        with the layer "".
    images : path
        A folder, or a .tar or .zip file, with JPEG and PNG files at any depth, of which those in
        folders with the name `within` count, as JPEGImages.
    pool : int, optional
        The side of a window of maps: 7 for pool5 of a ResNet, whose maps are those of layer4.
    window : int, optional
        The side of a window of the image, in pixels, for a network that takes inputs of one size.
    step : int or mapping
        Between two windows, in places of the maps or in pixels, or that for each size, where not 1.
    mean, deviation : sequence of float
        Of the colours red, green and blue in 0..1, by which inputs are standardised.

    Returns
    -------
    Path
        Of ``<part>.json``, as of `extract`.
    """
    if window is not None and (pool is not None or window > min(sizes)):
        raise ValueError(f"window must be at most {min(sizes)}, the smallest size, without pool")
    files = _images(Path(images), within)
    with atomic_path(Path(folder) / f"{part}_images.npy") as temporary:
        np.save(temporary, np.array([*files]))
    colours = torch.tensor([mean, deviation], dtype=torch.float32)[:, :, None, None]

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        for number, read in enumerate(files.values()):
            with read() as stream, Image.open(stream) as opened:
                image = opened.convert("RGB")
            for size in sizes:
                scaled = (torch.from_numpy(_resized(image, size)) - colours[0]) / colours[1]
                inputs = torch.stack([scaled, scaled.flip(2)] if flip else [scaled])
                if window is not None:
                    inputs = _crops(inputs, window, step_at(size, step))
                yield inputs, torch.full((len(inputs),), number)

    return extract(network, layer, batches(), folder, part, pool=pool, step=step, device=device)


def _images(path: Path, within: str) -> dict[str, Callable[[], IO[bytes]]]:
    """Return the images of a folder or an archive in the order of their names, and what opens each."""
    opened: dict[str, Callable[[], IO[bytes]]] = {}
    for name, read in _files(path):
        stem, suffix = os.path.splitext(os.path.basename(name))
        counts = within in ("", *Path(name).parts) and not stem.startswith(".")
        if suffix.lower() not in _SUFFIXES or not counts:
            continue
        stem = _COCO.sub(r"\1", stem)
        if stem in opened:
            raise FileError(f"{path}: several images have the name {stem}; say which by `within`")
        opened[stem] = read
    if not opened:
        raise FileError(f"{path}: no JPEG or PNG file in it" + f" within {within}" * bool(within))
    return dict(sorted(opened.items()))


def _files(path: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    if path.is_dir():
        for file in path.rglob("*"):
            # mypy does not see that the mode is a binary one.
            yield str(file.relative_to(path)), partial(open, file, "rb")  # type: ignore[misc]
    elif path.suffix == ".zip":
        zipped = zipfile.ZipFile(path)
        for name in zipped.namelist():
            yield name, partial(zipped.open, name)
    else:
        archive = tarfile.open(path)  # noqa: SIM115 - open while its images are read
        for member in archive:
            yield member.name, partial(archive.extractfile, member)


def _resized(image: Image.Image, size: int) -> np.ndarray:
    """Return an image whose smaller side has a number of pixels, (3, height, width), in 0..1."""
    factor = size / min(image.size)
    width, height = (max(size, round(factor * side)) for side in image.size)
    pixels = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)) / np.float32(255)


def _crops(inputs: Tensor, side: int, step: int) -> Tensor:
    """Return the windows of images, one after the other."""
    windows = inputs.unfold(2, side, step).unfold(3, side, step)
    return windows.permute(0, 2, 3, 1, 4, 5).flatten(0, 2).contiguous()
