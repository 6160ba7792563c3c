"""A prepared set that is another one with a split for each draw of its folds; the two share their
files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from toplabel._core.files import FileError, write_json
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.prepared import read_meta

_META = "meta.json"


def redraw(
    base: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    name: str,
    title: str,
    splits: Sequence[Split],
) -> None:
    """Write the prepared form of a set with other splits; ``meta.json`` is removed first and
    written last.

    Its arrays are hard links to those of `base`, or copies where the file system has none.

    Parameters
    ----------
    base, folder : path-like
        The prepared set that is there, and the one to write.
    name, title : str
    splits : sequence of Split
        Of the parts of `base`.

    Raises
    ------
    FileError
        When `base` is not there, or the folder cannot be written.
    """
    base, folder = Path(base), Path(folder)
    meta = read_meta(base)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _META).unlink(missing_ok=True)
        for path in base.glob("[XY]_*.np[yz]"):
            _share(path, folder / path.name)
    except OSError as error:
        raise FileError(f"{folder}: cannot be written ({error.strerror or error})") from error
    own = {"name": name, "title": title, "published_key": name, "splits": [*map(vars, splits)]}
    write_json(folder / _META, meta | own, allow_nan=False)


def _share(path: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)
