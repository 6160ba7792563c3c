"""Small networks of images: their inputs, weights, training and fine-tuning."""

from __future__ import annotations

import math
import os
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.data.parts import Part, PreparedSet, dense
from toplabel.reproduction.files import read_npz, write_npz
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.networks import FineTuneTask, NetworkTask
from toplabel.reproduction.selection import with_meaning
from toplabel.reproduction.selection.evaluation import TestMetric
from toplabel.reproduction.selection.measures import all_values
from toplabel.torch import Loss

_CHANNELS = (8, 16)  # of the two convolutions
_TEST_BATCH = 1000
_MOMENTUM = 0.9
_WEIGHT_DECAY = 5e-4
_FINE_TUNING_RATE = 0.005  # the same for each loss
_CHECKED = 1000  # inputs that say whether the training diverged


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
    write_npz(path, {name: tensor.numpy() for name, tensor in network.state_dict().items()})


def load_weights(network: nn.Module, path: str | os.PathLike[str]) -> None:
    """Take the weights that `save_weights` wrote; a damaged file is a FileError."""
    arrays = read_npz(path)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})


@dataclass(frozen=True)
class Images:
    """Inputs of shape (n, 1, height, width), float32, and their classes (n,), int64."""

    inputs: Tensor
    classes: Tensor


def class_names(prepared: PreparedSet, network: Network) -> list[str]:
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
    prepared: PreparedSet, network: Network, name: str, seed: int
) -> tuple[Images, Images]:
    """Return the inputs that a draw trains and tests on, of disjoint images of the first split.

    Grey values are divided by the largest absolute one of the training images. The rows depend on the
    seed of the run and on `name`, data set and draw.
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
    prepared: PreparedSet, part: Part, count: int | None, largest: float, pairs: bool, seed: int
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
    pixels = [dense(part.X[column]).astype(np.float32).reshape(-1, side, side) for column in rows.T]
    inputs = np.concatenate(pixels, axis=2)[:, None] / np.float32(largest)
    classes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        classes = classes * prepared.n_classes + part.y[column]
    return Images(torch.from_numpy(inputs), torch.from_numpy(classes))


def train(
    network: nn.Module,
    images: Images,
    loss: Loss,
    *,
    epochs: int,
    batch: int,
    rate: float,
    seed: int,
) -> None:
    """Train a network in place, at a learning rate that stays as it is.

    The seed is of the order of the batches. The weights are the same each time, on one thread of
    one kind of processor.
    """
    velocity = {name: torch.zeros_like(weights) for name, weights in network.named_parameters()}
    network.train()
    for epoch in range(epochs):
        generator = torch.Generator().manual_seed(seed_of("epoch", seed, epoch))
        for rows in torch.randperm(len(images.classes), generator=generator).split(batch):
            network.zero_grad()
            loss(network(images.inputs[rows]), images.classes[rows]).backward()
            descend(network, velocity, rate)


@torch.no_grad()
def descend(network: nn.Module, velocity: Mapping[str, Tensor], rate: float) -> None:
    """Take a step along the gradients, as `torch.optim.SGD` with momentum; no decay of biases.

    Making one of `torch.optim` imports PyTorch's compiler, a second of processor time for each of
    many short jobs.
    """
    for name, weights in network.named_parameters():
        decay = 0.0 if name.endswith("bias") else _WEIGHT_DECAY
        velocity[name].mul_(_MOMENTUM).add_(weights.grad).add_(weights, alpha=decay)
        weights.sub_(velocity[name], alpha=rate)


def scores(network: nn.Module, images: Images) -> np.ndarray:
    """Return outputs for inputs, (n, m), float64; one that is not finite is a ValueError."""
    network.eval()
    with torch.inference_mode():
        parts = [network(batch) for batch in images.inputs.split(_TEST_BATCH)]
    values = torch.cat(parts).double().numpy()
    if not np.isfinite(values).all():
        raise ValueError("the training of the network diverged; lower its learning rate")
    return values


def train_network(images: PreparedSet, task: NetworkTask, path: str | os.PathLike[str]) -> None:
    """Train the network of a draw with softmax, and write its weights to an .npz file."""
    torch.set_num_threads(1)
    network, name, seed = task.network, task.name, task.seed
    train_part, _ = draw_images(images, network, name, seed)
    model = build(network, train_part.inputs.shape[2:], seed_of("network", name, seed))
    train(
        model,
        train_part,
        Loss("lr_multi"),
        epochs=network.epochs,
        batch=network.batch,
        rate=network.rate,
        seed=seed_of("train", name, seed),
    )
    scores(model, Images(train_part.inputs[:_CHECKED], train_part.classes[:_CHECKED]))
    save_weights(model, path)


def fine_tune(
    images: PreparedSet, task: FineTuneTask, weights: str | os.PathLike[str]
) -> list[TestMetric]:
    """Train the network of a draw further with a loss, and measure it; `weights` is its file."""
    torch.set_num_threads(1)
    start = time.perf_counter()
    train_part, test_part = draw_images(images, task.network, task.name, task.seed)
    model = build(task.network, train_part.inputs.shape[2:])
    load_weights(model, weights)
    train(
        model,
        train_part,
        Loss(task.loss, k=task.k, gamma=task.gamma),
        epochs=task.epochs,
        batch=task.network.batch,
        rate=_FINE_TUNING_RATE,
        seed=seed_of("fine-tune", task.name, task.seed),  # each loss sees the same batches
    )
    truth, test_scores = test_part.classes.numpy(), scores(model, test_part)
    metrics = with_meaning(task.metrics, task.network.classes)
    values = all_values(metrics, truth, test_scores, np.empty(0))[0]
    seconds = round(time.perf_counter() - start, 6)
    unused = dict.fromkeys(("C", "candidate", "theta", "threshold", "selected_k"))
    return [
        TestMetric(
            dataset=task.dataset,
            method=task.method,
            split=task.draw,
            metric=metric,
            value=float(value),
            relative_gap=np.nan,
            epochs=task.epochs,
            status="uncertified",
            seconds=seconds,
            budget=task.budget,
            gradient_norm=np.nan,
            **unused,
        )
        for metric, value in zip(metrics, values, strict=True)
    ]
