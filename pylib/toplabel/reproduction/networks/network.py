"""The network, and the file of its weights."""

from __future__ import annotations

import math
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.files import FileError, read_npz, write_npz
from toplabel.reproduction.jobs import seed_of

FEATURES = "rectified"
"""The name of the layer whose output the features are: the last but one, after its ReLU."""
_CHANNELS = (8, 16)  # of the two convolutions


def build(network: Network, shape: Sequence[int], seed: int = 0) -> nn.Sequential:
    """Return a network for inputs of some height and width.

    Its initial weights depend on the seed alone; PyTorch's own generator stays as it was.
    """
    first, second = _CHANNELS
    height, width = ((side + 3) // 4 for side in shape)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = OrderedDict(
            convolution1=nn.Conv2d(1, first, 3, stride=2, padding=1),
            relu1=nn.ReLU(),
            convolution2=nn.Conv2d(first, second, 3, stride=2, padding=1),
            relu2=nn.ReLU(),
            flat=nn.Flatten(),
            features=nn.Linear(second * height * width, network.width),
            rectified=nn.ReLU(),
            classifier=nn.Linear(network.width, network.classes),
        )
    return nn.Sequential(layers)


def save_weights(network: nn.Module, path: str | os.PathLike[str]) -> None:
    """Write the weights as an .npz file, the same bytes for the same weights."""
    write_npz(path, arrays_of(network.state_dict()))


def load_weights(network: nn.Module, path: str | os.PathLike[str]) -> None:
    """Take the weights that `save_weights` wrote; a damaged or other file is a FileError."""
    arrays = read_npz(path)
    try:
        network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    except RuntimeError as error:
        words = " ".join(str(error).split())
        raise FileError(f"{path}: of another network ({words}); delete it to train again") from None


def arrays_of(tensors: Mapping[str, Tensor], prefix: str = "") -> dict[str, np.ndarray]:
    """Return tensors as arrays, with a prefix of their names."""
    return {f"{prefix}{name}": tensor.detach().numpy().copy() for name, tensor in tensors.items()}


@dataclass(frozen=True)
class Images:
    """Inputs of shape (n, 1, height, width), float32, and their classes (n,), int64."""

    inputs: Tensor
    classes: Tensor


def class_names(prepared: Prepared, network: Network) -> list[str]:
    """Return names of the classes of the network, of pairs "first second".

    A number of them that is not that of the entry of the registry is a ValueError.
    """
    names = prepared.class_names
    if network.pairs:
        names = [f"{first} {second}" for first in names for second in names]
    if len(names) != network.classes:
        raise ValueError(
            f"network.classes: {network.classes}, but '{prepared.name}' gives {len(names)}"
        )
    return names


def draw_images(
    prepared: Prepared, network: Network, name: str, seed: int
) -> tuple[Images, Images]:
    """Return the inputs that a draw trains and tests on, of disjoint images.

    `prepared` has the images, one a row; its first split is taken. Grey values are divided by the
    largest absolute one of the training images. The rows depend on the seed of the run and on
    `name`, data set and draw. Rows that are no square images, or fewer than are asked for, are a
    ValueError.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    largest = float(max(abs(train.X.min()), abs(train.X.max()))) or 1.0
    sizes = {"train": (train, network.n_train), "test": (test, network.n_test)}
    train_images, test_images = (
        _draw(prepared, part, count, largest, network.pairs, seed_of("images", name, seed, role))
        for role, (part, count) in sizes.items()
    )
    return train_images, test_images


def _draw(
    prepared: Prepared, part: Part, count: int | None, largest: float, pairs: bool, seed: int
) -> Images:
    side = math.isqrt(part.n_features)
    if side * side != part.n_features or part.groups is not None or part.y is None:
        raise ValueError(
            f"data set '{prepared.name}': rows of {part.n_features} numbers are no square images of one label each"
        )
    rng = np.random.default_rng(seed)
    if pairs:
        rows = rng.integers(0, part.n_rows, (count, 2))
    elif count is None:
        rows = np.arange(part.n_rows)[:, None]
    elif count <= part.n_rows:
        rows = np.sort(rng.permutation(part.n_rows)[:count])[:, None]
    else:
        raise ValueError(
            f"data set '{prepared.name}': a draw asks for {count} images of {part.n_rows}"
        )
    pixels = [_pixels(part, column, side) for column in rows.T]
    inputs = np.concatenate(pixels, axis=2)[:, None] / np.float32(largest)
    classes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        classes = classes * prepared.n_classes + part.y[column]
    return Images(torch.from_numpy(inputs), torch.from_numpy(classes))


def _pixels(part: Part, rows: np.ndarray, side: int) -> np.ndarray:
    X = part.X[rows]
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return dense.astype(np.float32).reshape(-1, side, side)
