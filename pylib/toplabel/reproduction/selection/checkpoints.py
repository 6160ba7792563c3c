"""Finished paths over C of a tuning job, from which a job that was killed goes on."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from toplabel.reproduction.files import FileError, read_records, write_records
from toplabel.reproduction.selection.tuned import Point

WORTH_KEEPING = 10.0
"""Seconds of fits: a shorter path is computed again."""


class Checkpoints:
    """A folder with a file for each finished path, which the job removes when it ends well.

    `identity` is all that the numbers depend on (data, method, budget, code), with a `repr` that
    tells it: a path that was saved under another identity is not found.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: object) -> None:
        self._folder = Path(folder)
        self._identity = repr(identity)

    def load(self, key: object) -> list[Point] | None:
        """Return the points of a path; None if it is not there, or damaged."""
        try:
            return read_records(Point, self._path(key))
        except FileError:
            return None

    def save(self, key: object, points: Sequence[Point]) -> None:
        """Save a path, if it took long enough."""
        if sum(point.seconds for point in points) >= WORTH_KEEPING:
            write_records(points, self._path(key))

    def remove(self) -> None:
        """Remove the folder: the job's own result is there."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(f"{self._identity}\n{key!r}".encode()).hexdigest()
        return self._folder / f"{digest[:24]}.npz"
