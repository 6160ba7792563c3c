"""Features of images: ``python -m toplabel.features --help``; docs/pytorch.md has examples."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

import torch
from torch import nn

from toplabel._core.files import atomic_path
from toplabel.features.extraction import extract
from toplabel.features.images import batches, class_names, listed


def network_of(name: str, weights: Path | None) -> nn.Module:
    """Return the network that ``module:function`` makes, with weights from a file."""
    module, _, function = name.partition(":")
    try:
        network = getattr(import_module(module), function)()
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"--network must be module:function, got {name!r} ({error})") from None
    if weights is not None:
        try:
            network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
        except (OSError, RuntimeError, ValueError) as error:
            raise ValueError(f"--weights {weights}: {' '.join(str(error).split())[:300]}") from None
    return network


def _classes(given: argparse.Namespace) -> list[str]:
    """Return the names of the classes, those of the part that was extracted first."""
    path = given.folder / "classes.json"
    if path.is_file():
        return json.loads(path.read_text(encoding="utf-8"))
    classes = class_names(given.images)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(classes), encoding="utf-8")
    return classes


def main(arguments: list[str] | None = None) -> None:
    """Extract the features of a folder of images."""
    parser = argparse.ArgumentParser(prog="python -m toplabel.features", description=__doc__)
    parser.add_argument("images", type=Path, help="a folder with a folder of images for each class")
    parser.add_argument("folder", type=Path, help="where to write, as data/raw/indoor67")
    parser.add_argument("part", help="the part, as train or test")
    parser.add_argument("--network", default="torchvision.models:vgg16", help="module:function")
    parser.add_argument("--weights", type=Path, help="its state_dict, as torch.save writes it")
    parser.add_argument("--layer", default="classifier.3", help="%(default)s is fc7 of VGG-16")
    parser.add_argument("--size", type=int, default=224, help="pixels of a side (%(default)s)")
    parser.add_argument("--batch", type=int, default=32, help="images at a time (%(default)s)")
    parser.add_argument("--rectify", action="store_true", help="max{0, output}")
    parser.add_argument("--normalise", action="store_true", help="to Euclidean norm 1")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args(arguments)
    try:
        sidecar = extract(
            network_of(given.network, given.weights),
            given.layer,
            batches(listed(given.images, _classes(given)), given.size, given.batch),
            given.folder,
            given.part,
            rectify=given.rectify,
            normalise=given.normalise,
            device=given.device,
        )
    except ValueError as error:  # FileError is one
        sys.exit(f"toplabel.features: {error}")
    print(sidecar)


if __name__ == "__main__":
    main()
