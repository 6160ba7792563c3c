"""Where raw files stand: ``data/raw/<set>/``, the mirror folders, the files that a checkout ships.

A mirror folder holds ``<set>/<file>``, plain or with .xz, .gz or .bz2 added; a user's own file in
``data/raw/<set>/`` may be compressed, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from toplabel.reproduction.config.entry import Entry, RawFile

SHIPPED = "data/embedded"
"""The folder of the checkout with the raw files that it ships."""
MIRROR_VARIABLE = "TOPLABEL_MIRROR"
NOT_COMPARABLE = "NOT_COMPARABLE.txt"
"""A file beside raw files that are not the papers' features; its text says what they are."""

PathLike = str | os.PathLike[str]


def mirror_folders(configured: Iterable[PathLike], root: PathLike) -> list[Path]:
    """Return the folders to look for raw files in, the first to be asked first.

    These are the folders of the environment variable TOPLABEL_MIRROR (separated as in PATH), the
    configured ones, and the folder with the files that the checkout `root` ships.
    """
    named = os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep)
    folders = [Path(os.path.expanduser(name)) for name in (*named, *configured) if str(name)]
    return list(dict.fromkeys([*folders, Path(root) / SHIPPED]))


def raw_names(
    entry: Entry, raw_folder: PathLike = "data/raw", mirrors: Sequence[PathLike] = ()
) -> list[str]:
    """Return the names of the files in ``data/raw/<set>/`` that a data set is made of.

    Features that the user extracts may stand in several forms (``train.npz``, or ``train.npy`` with
    ``train_labels.npy``): the form that is found is named. `NOT_COMPARABLE` is one of the files
    where it stands beside them.
    """
    folders = folders_of(entry, raw_folder, mirrors)
    names = [name for file in entry.files for name in form_of(entry, file, folders)]
    copies = [copy for name in names if (copy := find(name, folders))]
    is_marked = any((copy.parent / NOT_COMPARABLE).is_file() for copy in copies)
    return [*names, NOT_COMPARABLE] if is_marked else names


def raw_path(entry: Entry, name: str, raw_folder: PathLike = "data/raw") -> Path:
    """Return the path of a raw file of a data set, with the suffix of its compression if it has one.

    A file that is not there has its plain path.
    """
    folder = Path(raw_folder) / entry.folder
    return find(name, [folder]) or folder / name


def raw_file(entry: Entry, name: str) -> RawFile:
    """Return what the registry says of a raw file of a data set."""
    return {file.name: file for file in entry.files}.get(name) or RawFile(name, role="extra")


def find(name: str, folders: Iterable[Path]) -> Path | None:
    """Return the first copy of a file, plain or compressed; None when no folder has one."""
    for folder in folders:
        for suffix in ("", ".xz", ".gz", ".bz2"):
            if (path := folder / (name + suffix)).is_file():
                return path
    return None


def folders_of(entry: Entry, raw_folder: PathLike, mirrors: Sequence[PathLike]) -> list[Path]:
    """Return the folders that may hold the raw files of a data set, ``data/raw/<set>`` first."""
    return [Path(folder) / entry.folder for folder in (raw_folder, *mirrors)]


def form_of(entry: Entry, file: RawFile, folders: Sequence[Path]) -> list[str]:
    """Return the names of the form in which a file stands in the first folder that has one, by
    default those of its first form.
    """
    for folder in folders:
        if there := _forms_in(entry, file, folder):
            return there[0]
    return [member.name for member in entry.forms(file)[0]]


def two_forms(entry: Entry, folders: Sequence[Path]) -> str:
    """Return that a folder has a part in two forms, which may differ, or ""."""
    for folder in folders:
        for file in entry.files:
            if len(there := _forms_in(entry, file, folder)) > 1:
                names = " and ".join(form[0] for form in there)
                return f"{folder} has {names}; remove what is not meant"
    return ""


def _forms_in(entry: Entry, file: RawFile, folder: Path) -> list[list[str]]:
    """Return the names of each form in which a folder has a file."""
    forms = [[member.name for member in form] for form in entry.forms(file)]
    return [form for form in forms if all(find(name, [folder]) for name in form)]
