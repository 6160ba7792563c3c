"""Published data sets to train on, from data/raw or a mirror; never from the network."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from toplabel.bench.shapes import Shape
from toplabel.datasets.fetch import available, fetch, mirror_folders
from toplabel.datasets.formats import FORMATS, Source
from toplabel.datasets.registry import load_registry

#: The checkout that this file lies in, when the package is installed editable.
CHECKOUT = Path(__file__).resolve().parents[3]
_UNREGISTERED_FORMAT = {"news20": "libsvm"}


@dataclass(frozen=True)
class RealSet:
    """The training part of a registered set, and how it is trained on.

    `divisor` scales the features; C is the power of ten of best held-out accuracy (`toplabel.bench.calibrate`), but for
    mnist the one below, with which a fit takes seconds.
    """

    C: float
    divisor: float = 1.0
    dense: bool = True


SETS = {
    "letter": RealSet(C=10.0),
    "mnist": RealSet(C=0.01, divisor=255.0),
    "news20": RealSet(C=0.01, dense=False),
}


class Unavailable(ValueError):
    """A set that is not at hand; the message says why."""


def load(name: str) -> Shape:
    """Read the training part of a set.

    Parameters
    ----------
    name : str
        A key of `SETS`.

    Raises
    ------
    Unavailable
        No file, or not the registered one.
    """
    how = SETS[name]
    try:
        entry = load_registry(CHECKOUT / "config/datasets.yaml")[name]
        # Only the files of the training part: the test part of news20 is nowhere to be had.
        labels = entry.options.get("labels", {}).get("train")
        files = tuple(f for f in entry.files if f.part == "train" or f.name == labels)
        form = entry.format or _UNREGISTERED_FORMAT[name]
        entry = replace(entry, files=files, format=form, waits_for=None)
        mirrors = mirror_folders()
        at_hand, reason = available(entry, "data/raw", mirrors)
        if not at_hand:
            raise Unavailable(reason)
        with tempfile.TemporaryDirectory() as folder:
            paths = fetch(entry, folder, [Path("data/raw"), *mirrors], network=False)
            parts = {f.part: p for f, p in zip(files, paths, strict=True) if f.part}
            loaded = FORMATS[form](Source(parts=parts, task=entry.task), **entry.options)
    except ValueError as error:
        raise Unavailable(str(error)) from None
    part = loaded.parts["train"]
    X = part.X.toarray() if how.dense and not isinstance(part.X, np.ndarray) else part.X
    X = X / how.divisor if how.divisor != 1.0 else X
    return Shape(name, X, part.y, len(loaded.class_names), how.C)
