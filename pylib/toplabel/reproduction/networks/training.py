"""Training of a network by stochastic gradient descent, resumable after each epoch."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.data.parts import Prepared
from toplabel.reproduction.files import FileError, read_npz, write_npz
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.networks import FineTuneTask, NetworkTask
from toplabel.reproduction.networks.network import (
    Images,
    arrays_of,
    build,
    draw_images,
    load_weights,
    save_weights,
)
from toplabel.reproduction.selection import with_meaning
from toplabel.reproduction.selection.evaluation import TestMetric
from toplabel.reproduction.selection.measures import all_values
from toplabel.torch import Loss

_TEST_BATCH = 1000
_MOMENTUM = 0.9
_WEIGHT_DECAY = 5e-4


@dataclass(frozen=True)
class Course:
    """How a network is trained: loss, epochs, and a learning rate, which stays as it is.

    The seed is of the order of the batches.
    """

    loss: str
    k: int
    gamma: float
    epochs: int
    rate: float
    seed: int


def train(
    network: nn.Module, images: Images, course: Course, options: Network, checkpoint: Path
) -> None:
    """Train a network in place, going on from a checkpoint of the same training if there is one.

    The same arguments give the same weights, whether the training was interrupted or not, on one
    thread of one kind of processor. The checkpoint, written after each epoch, is left to the caller
    to remove, once the result is written. Of the options the batch is used.
    """
    criterion = Loss(course.loss, k=course.k, gamma=course.gamma)
    descent = Descent(network, course.rate)
    start = [*network.state_dict().values(), images.inputs, images.classes]
    known = {"options": asdict(options), "start": _sum_of(start)}
    about = json.dumps(asdict(course) | known, sort_keys=True)
    done = _resume(network, descent, checkpoint, about)
    network.train()
    for epoch in range(done, course.epochs):
        generator = torch.Generator().manual_seed(seed_of("epoch", course.seed, epoch))
        for rows in torch.randperm(len(images.classes), generator=generator).split(options.batch):
            network.zero_grad()
            criterion(network(images.inputs[rows]), images.classes[rows]).backward()
            descent.step()
        _save(network, descent, checkpoint, about, epoch + 1)


class Descent:
    """Stochastic gradient descent with momentum, as `torch.optim.SGD`; no decay of biases.

    Making one of `torch.optim` imports PyTorch's compiler, a second of processor time for each of
    many short jobs.
    """

    def __init__(self, network: nn.Module, rate: float):
        self._parameters = dict(network.named_parameters())
        self._rate = rate
        self.velocity = {
            name: torch.zeros_like(weights) for name, weights in self._parameters.items()
        }

    @torch.no_grad()
    def step(self) -> None:
        """Go a step along the gradients."""
        for name, weights in self._parameters.items():
            decay = 0.0 if name.endswith("bias") else _WEIGHT_DECAY
            velocity = self.velocity[name].mul_(_MOMENTUM)
            velocity.add_(weights.grad).add_(weights, alpha=decay)
            weights.sub_(velocity, alpha=self._rate)


def scores(network: nn.Module, images: Images) -> np.ndarray:
    """Return scores of inputs, (n, m), float64; one that is not finite is a ValueError."""
    network.eval()
    with torch.inference_mode():
        parts = [network(batch) for batch in images.inputs.split(_TEST_BATCH)]
    values = torch.cat(parts).double().numpy()
    if not np.isfinite(values).all():
        raise ValueError("the training of the network diverged; lower its learning rate")
    return values


def _sum_of(tensors: Iterable[Tensor]) -> str:
    digest = hashlib.sha256()
    for tensor in tensors:
        digest.update(tensor.detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _save(network: nn.Module, descent: Descent, path: Path, about: str, epochs: int) -> None:
    arrays = arrays_of(network.state_dict(), "weights.") | arrays_of(descent.velocity, "velocity.")
    write_npz(path, {"about": np.array(about), "epochs": np.array(epochs), **arrays})


def _resume(network: nn.Module, descent: Descent, path: Path, about: str) -> int:
    """Take up a checkpoint of the same training that is not damaged; return its epochs, else 0."""
    if not path.is_file():
        return 0
    try:
        arrays = read_npz(path)
    except FileError:
        return 0
    if str(arrays.get("about")) != about:
        return 0
    network.load_state_dict(_tensors(arrays, "weights."))
    descent.velocity = _tensors(arrays, "velocity.")
    return int(arrays["epochs"])


def _tensors(arrays: Mapping[str, np.ndarray], prefix: str) -> dict[str, Tensor]:
    chosen = {name: array for name, array in arrays.items() if name.startswith(prefix)}
    return {name.removeprefix(prefix): torch.from_numpy(array) for name, array in chosen.items()}


_FINE_TUNING_RATE = 0.005  # the same for each loss
_CHECKED = 1000  # inputs that say whether the training diverged


def train_network(images: Prepared, task: NetworkTask, path: str | os.PathLike[str]) -> None:
    """Train the network of a draw with softmax, and write its weights to an .npz file."""
    torch.set_num_threads(1)
    network, name, seed = task.network, task.name, task.seed
    train_part, _ = draw_images(images, network, name, seed)
    model = build(network, train_part.inputs.shape[2:], seed_of("network", name, seed))
    course = Course("lr_multi", 1, 0.0, network.epochs, network.rate, seed_of("train", name, seed))
    checkpoint = _checkpoint(path)
    train(model, train_part, course, network, checkpoint)
    scores(model, Images(train_part.inputs[:_CHECKED], train_part.classes[:_CHECKED]))
    save_weights(model, path)
    _remove(checkpoint)


def fine_tune(
    images: Prepared,
    task: FineTuneTask,
    weights: str | os.PathLike[str],
    path: str | os.PathLike[str],
) -> list[TestMetric]:
    """Train the network of a draw further with a loss, and measure it.

    `weights` is the file of the network. The caller writes the rows to `path`, beside which the
    checkpoint lies.
    """
    torch.set_num_threads(1)
    start = time.perf_counter()
    train_part, test_part = draw_images(images, task.network, task.name, task.seed)
    model = build(task.network, train_part.inputs.shape[2:])
    load_weights(model, weights)
    # Every loss sees the batches in the same order.
    order = seed_of("fine-tune", task.name, task.seed)
    course = Course(task.loss, task.k, task.gamma, task.epochs, _FINE_TUNING_RATE, order)
    train(model, train_part, course, task.network, _checkpoint(path))
    truth, test_scores = test_part.classes.numpy(), scores(model, test_part)
    metrics = with_meaning(task.metrics, task.network.classes)
    values = all_values(metrics, truth, test_scores, np.empty(0))[0]
    seconds = round(time.perf_counter() - start, 6)
    return [
        TestMetric(
            dataset=task.dataset,
            method=task.method,
            split=task.draw,
            metric=metric,
            value=float(value),
            C=None,
            candidate=None,
            theta=None,
            threshold=None,
            relative_gap=np.nan,
            epochs=task.epochs,
            status="uncertified",
            seconds=seconds,
            budget=task.budget,
            gradient_norm=np.nan,
            selected_k=None,
        )
        for metric, value in zip(metrics, values, strict=True)
    ]


def remove_checkpoint(path: str | os.PathLike[str]) -> None:
    """Remove the checkpoint beside a file, once that is written."""
    _remove(_checkpoint(path))


def _checkpoint(path: str | os.PathLike[str]) -> Path:
    return Path(path).with_suffix(".checkpoint.npz")


def _remove(checkpoint: Path) -> None:
    for file in (checkpoint, checkpoint.with_name(f"{checkpoint.name}.sha256")):
        file.unlink(missing_ok=True)
