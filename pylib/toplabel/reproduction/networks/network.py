"""The network, and the file of its weights."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.files import FileError, read_npz, write_npz

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
        network.load_state_dict({name: torch.from_numpy(one) for name, one in arrays.items()})
    except RuntimeError as error:
        words = " ".join(str(error).split())
        raise FileError(f"{path}: of another network ({words}); delete it to train again") from None


def arrays_of(tensors: Mapping[str, Tensor], prefix: str = "") -> dict[str, np.ndarray]:
    """Return tensors as arrays, with a prefix of their names."""
    return {f"{prefix}{name}": one.detach().numpy().copy() for name, one in tensors.items()}
