"""The features of the networks of all draws as a data set."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from toplabel.reproduction.config.entry import Entry, Split
from toplabel.reproduction.data.parts import Loaded, Part, Prepared
from toplabel.reproduction.data.prepare import finish
from toplabel.reproduction.networks.extraction import extract
from toplabel.reproduction.networks.images import Images, class_names, draw_images
from toplabel.reproduction.networks.network import FEATURES, build, load_weights

_BATCH = 1000
_NOT_COMPARABLE = "features of a small network of this project, on other data than the papers'"


def extract_features(
    images: Prepared,
    entry: Entry,
    weights: Mapping[str, str | os.PathLike[str]],
    seed: int,
    folder: str | os.PathLike[str],
) -> Prepared:
    """Return the features of the networks of all draws as a data set, a split each.

    `weights` are the files of the networks by the names of the draws; the seed is that of the run.
    The rows are mapped into memory from `folder`, which the caller removes.
    """
    torch.set_num_threads(1)
    parts: dict[str, Part] = {}
    for split, path in weights.items():
        both = draw_images(images, entry.network, f"{entry.name}/{split}", seed)
        model = build(entry.network, both[0].inputs.shape[2:])
        load_weights(model, path)
        for role, part in zip(("train", "test"), both, strict=True):
            name = f"{split}_{role}"
            extract(model, FEATURES, _batches(part), folder, name)
            X = np.load(Path(folder) / f"{name}.npy", mmap_mode="r")
            parts[name] = Part(X=X, y=part.classes.numpy())
    splits = [Split(split, f"{split}_train", None, f"{split}_test") for split in weights]
    loaded = Loaded(parts, class_names(images, entry.network), splits)
    return finish(entry, loaded, {}, entry.not_comparable or _NOT_COMPARABLE)


def _batches(part: Images) -> Iterator[tuple[Tensor, Tensor]]:
    return zip(part.inputs.split(_BATCH), part.classes.split(_BATCH), strict=True)
