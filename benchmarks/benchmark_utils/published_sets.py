"""Published data sets to train on, from data/raw or a mirror; never from the network."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmark_utils.problems import BenchProblem
from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.fetch import (
    FetchTask,
    Places,
    fetch_file,
    mirror_folders,
    missing_reason,
)
from toplabel.reproduction.data.prepare import read_files

#: The checkout that this file lies in.
CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class PublishedSet:
    """The training part of a registered set, and how it is trained on.

    `divisor` scales the features; C is the power of ten of best held-out accuracy, but for mnist the
    one below, with which a fit takes seconds. `format` is that of a set that the registry has none
    for.
    """

    C: float
    divisor: float = 1.0
    dense: bool = True
    format: str = ""


PUBLISHED = {
    "letter": PublishedSet(C=10.0),
    "mnist": PublishedSet(C=0.01, divisor=255.0),
    "news20": PublishedSet(C=0.01, dense=False, format="libsvm"),
}


class Unavailable(ValueError):
    """A set whose files are missing; the message says why."""


def gather(entry: Entry, folders: list[Path], target: Path) -> None:
    """Copy the raw files of a set to `target`, each from the first of some folders that has it.

    Raises
    ------
    Unavailable
        A file that no folder has.
    FetchError
        Not the registered file.
    """
    if reason := missing_reason(entry, target, folders):
        raise Unavailable(reason)
    places = Places(tuple(map(str, folders)), download=False)
    for file in entry.files:
        task = FetchTask(entry.name, entry.folder, file, entry.waits_for)
        fetch_file(task, target / entry.folder / file.name, places)


def load(name: str) -> BenchProblem:
    """Read a set of `PUBLISHED`.

    Raises
    ------
    Unavailable
        No file, or not the registered one.
    """
    how = PUBLISHED[name]
    try:
        entry = load_registry(CHECKOUT / "config/datasets.yaml")[name]
        # Only the files of the training part: the test part of news20 is no longer available.
        labels = entry.options.get("labels", {}).get("train")
        files = tuple(f for f in entry.files if f.part == "train" or f.name == labels)
        form = entry.format or how.format
        entry = replace(entry, files=files, format=form, waits_for=None)
        folders = [Path("data/raw"), *mirror_folders((), CHECKOUT)]
        with tempfile.TemporaryDirectory() as folder:
            gather(entry, folders, Path(folder))
            loaded, _ = read_files(PrepareTask.of(entry), Path(folder))
    except ValueError as error:
        raise Unavailable(str(error)) from None
    part = loaded.parts["train"]
    X = part.X.toarray() if how.dense and not isinstance(part.X, np.ndarray) else part.X
    X = X / how.divisor if how.divisor != 1.0 else X
    return BenchProblem(name, X, part.y, len(loaded.class_names), how.C)
