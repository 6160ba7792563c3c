"""The stages of a draw: train the network, fine-tune it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import torch

from toplabel.reproduction.data.parts import Prepared
from toplabel.reproduction.networks import FineTuneTask, NetworkTask
from toplabel.reproduction.networks.images import Images, draw_images
from toplabel.reproduction.networks.network import build, load_weights, save_weights
from toplabel.reproduction.networks.training import Course, scores, train
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.selection.evaluation import TestMetric
from toplabel.reproduction.selection.measures import all_values
from toplabel.reproduction.selection.task import with_meaning

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
