"""The features of the networks of all draws as a data set."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Loaded, Part, Prepared
from toplabel.reproduction.data.prepare import finish
from toplabel.reproduction.data.statistics import statistics
from toplabel.reproduction.networks import FeaturesTask
from toplabel.reproduction.networks.extraction import extract
from toplabel.reproduction.networks.images import Images, class_names, draw_images
from toplabel.reproduction.networks.network import FEATURES, build, load_weights

_BATCH = 1000
_NOT_COMPARABLE = "features of a small network of this project, on other data than the papers'"


def extract_features(
    images: Prepared,
    task: FeaturesTask,
    weights: Mapping[str, str | os.PathLike[str]],
    folder: str | os.PathLike[str],
) -> Prepared:
    """Return the features of the networks of all draws as a data set, a split each.

    `weights` are the files of the networks by the names of the draws.
    The rows are mapped into memory from `folder`, which the caller removes.
    """
    torch.set_num_threads(1)
    parts: dict[str, Part] = {}
    for split, path in weights.items():
        both = draw_images(images, task.network, f"{task.dataset}/{split}", task.seed)
        model = build(task.network, both[0].inputs.shape[2:])
        load_weights(model, path)
        for role, part in zip(("train", "test"), both, strict=True):
            name = f"{split}_{role}"
            extract(model, FEATURES, _batches(part), folder, name)
            X = np.load(Path(folder) / f"{name}.npy", mmap_mode="r")
            parts[name] = Part(X=X, y=part.classes.numpy())
    splits = [Split(split, f"{split}_train", None, f"{split}_test") for split in weights]
    loaded = Loaded(parts, class_names(images, task.network), splits)
    prepared = finish(task.dataset, "multiclass", loaded)
    meta = {
        "not_comparable": task.not_comparable or _NOT_COMPARABLE,
        "raw": {},
        "statistics": statistics(prepared),
        "advice": [],
    }
    return replace(prepared, meta=meta)


def _batches(part: Images) -> Iterator[tuple[Tensor, Tensor]]:
    return zip(part.inputs.split(_BATCH), part.classes.split(_BATCH), strict=True)
