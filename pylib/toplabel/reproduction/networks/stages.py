"""The stages of a draw: train the network, fine-tune it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from toplabel.reproduction.config.entry import Network
from toplabel.reproduction.config.method import Method
from toplabel.reproduction.data.parts import Prepared
from toplabel.reproduction.networks.images import Images, draw_images
from toplabel.reproduction.networks.network import build, load_weights, save_weights
from toplabel.reproduction.networks.training import Course, scores, train
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.selection.evaluation import TestMetric
from toplabel.reproduction.selection.measures import all_values

_FINE_TUNING_RATE = 0.005  # the same for each loss
_CHECKED = 1000  # inputs that say whether the training diverged


def train_network(
    images: Prepared, network: Network, name: str, seed: int, path: str | os.PathLike[str]
) -> None:
    """Train the network of a draw with softmax, and write its weights to an .npz file.

    `name` is data set and draw, as "digits_network/d0"; the seed is that of the run.
    """
    torch.set_num_threads(1)
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
    network: Network,
    method: Method,
    dataset: str,
    split: str,
    weights: str | os.PathLike[str],
    metrics: Sequence[str],
    budget: str,
    seed: int,
    path: str | os.PathLike[str],
) -> list[TestMetric]:
    """Train the network of a draw further with the loss of a method, and measure it.

    0 epochs are the network as it was. `weights` is the file of the network, the seed that of the
    run. The caller writes the rows to `path`, beside which the checkpoint lies.
    """
    torch.set_num_threads(1)
    start = time.perf_counter()
    name = f"{dataset}/{split}"
    train_part, test_part = draw_images(images, network, name, seed)
    model = build(network, train_part.inputs.shape[2:])
    load_weights(model, weights)
    # Every loss sees the batches in the same order.
    course = Course(
        *(method.loss, method.smallest_k, method.gamma, method.epochs),
        *(_FINE_TUNING_RATE, seed_of("fine-tune", name, seed)),
    )
    train(model, train_part, course, network, _checkpoint(path))
    truth, found = test_part.classes.numpy(), scores(model, test_part)
    values = all_values(list(metrics), truth, found, np.empty(0))[0]
    seconds = round(time.perf_counter() - start, 6)
    return [
        TestMetric(
            *(dataset, method.name, split, metric, float(value)),
            *(np.nan, np.nan, np.nan, np.nan),  # C, theta, threshold, relative gap
            epochs=method.epochs,
            status="uncertified",
            seconds=seconds,
            budget=budget,
            gradient_norm=np.nan,
            selected_k=np.nan,
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
