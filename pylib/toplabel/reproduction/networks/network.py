"""The network: its images, the file of its weights, and its training, resumable after each epoch."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError

import numpy as np
import torch
from torch import Tensor, nn

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.files import FileError, atomic_path, read_npz, write_npz
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.networks import FineTuneTask, NetworkTask
from toplabel.reproduction.selection import with_meaning
from toplabel.reproduction.selection.evaluation import TestMetric
from toplabel.reproduction.selection.measures import all_values
from toplabel.torch import Loss

FEATURES = "rectified"
"""The name of the layer whose output the features are: the last but one, after its ReLU."""
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
    """Take the weights that `save_weights` wrote; a damaged or other file is a FileError."""
    arrays = read_npz(path)
    try:
        network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    except RuntimeError as error:
        words = " ".join(str(error).split())
        raise FileError(f"{path}: of another network ({words}); delete it to train again") from None


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

    The weights do not depend on interruptions, on one thread of one kind of processor. The
    checkpoint, written after each epoch, is left to the caller to remove.
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
    content = {"about": about, "epochs": epochs, "velocity": descent.velocity}
    with atomic_path(path) as temporary:
        torch.save(content | {"weights": network.state_dict()}, temporary)


def _resume(network: nn.Module, descent: Descent, path: Path, about: str) -> int:
    """Take up a checkpoint of the same training that is not damaged; return its epochs, else 0."""
    try:
        content = torch.load(path, weights_only=True)
    except (OSError, EOFError, RuntimeError, UnpicklingError):
        return 0
    if content["about"] != about:
        return 0
    network.load_state_dict(content["weights"])
    descent.velocity = content["velocity"]
    return content["epochs"]


def train_network(images: PreparedSet, task: NetworkTask, path: str | os.PathLike[str]) -> None:
    """Train the network of a draw with softmax, and write its weights to an .npz file."""
    torch.set_num_threads(1)
    network, name, seed = task.network, task.name, task.seed
    train_part, _ = draw_images(images, network, name, seed)
    model = build(network, train_part.inputs.shape[2:], seed_of("network", name, seed))
    course = Course("lr_multi", 1, 0.0, network.epochs, network.rate, seed_of("train", name, seed))
    train(model, train_part, course, network, _checkpoint(path))
    scores(model, Images(train_part.inputs[:_CHECKED], train_part.classes[:_CHECKED]))
    save_weights(model, path)
    remove_checkpoint(path)


def fine_tune(
    images: PreparedSet,
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


def remove_checkpoint(path: str | os.PathLike[str]) -> None:
    """Remove the checkpoint beside a file, once that is written."""
    _checkpoint(path).unlink(missing_ok=True)


def _checkpoint(path: str | os.PathLike[str]) -> Path:
    return Path(path).with_suffix(".checkpoint.pt")
