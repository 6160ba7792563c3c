"""Finished paths over C of a tuning job, so that a job that was killed goes on after the last of
them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from toplabel._core.files import FileError, read_npz, write_npz
from toplabel.reproduction.selection.results import Point

_NUMBERS = ("theta", "C", "relative_gap", "epochs", "seconds")  # of a point; `values` is an array
WORTH_KEEPING = 10.0
"""Seconds of fits: a shorter path is computed again."""


class Checkpoints:
    """A folder with a file for each finished path, which the job removes when it ends well.

    `identity` is all that the numbers depend on (data, method, budget, code), with a `repr` that
    tells it: a path that was saved under another identity is not found. Paths of fewer seconds of
    fits than `worth` are not saved.
    """

    def __init__(
        self, folder: str | os.PathLike[str], identity: object, worth: float = WORTH_KEEPING
    ) -> None:
        self._folder = Path(folder)
        self._identity = repr(identity)
        self._worth = worth

    def load(self, key: object) -> list[Point] | None:
        """Return the points of a path; None if it is not there, or damaged."""
        try:
            arrays = read_npz(self._path(key))
        except FileError:
            return None
        numbers = zip(*(arrays[name].tolist() for name in _NUMBERS), strict=True)
        return [
            Point(theta, C, values, gap, int(epochs), seconds)
            for (theta, C, gap, epochs, seconds), values in zip(
                numbers, arrays["values"], strict=True
            )
        ]

    def save(self, key: object, points: Sequence[Point]) -> None:
        """Save a path, if it took long enough."""
        if sum(point.seconds for point in points) < self._worth:
            return
        arrays = {name: np.array([getattr(one, name) for one in points]) for name in _NUMBERS}
        self._folder.mkdir(parents=True, exist_ok=True)
        write_npz(self._path(key), arrays | {"values": np.stack([one.values for one in points])})

    def remove(self) -> None:
        """Remove the folder: the job's own result is there."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(f"{self._identity}\n{key!r}".encode()).hexdigest()
        return self._folder / f"{digest[:24]}.npz"
