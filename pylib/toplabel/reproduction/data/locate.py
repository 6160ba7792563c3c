"""Where raw files stand: ``data/raw/<set>/``, the mirror folders, the files that a checkout ships.

Planning a run reads this module, so it imports the formats, which need SciPy, only where a file
asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from toplabel._core.files import one_line
from toplabel.reproduction.config.entry import Entry, RawFile

SUFFIXES = ("", ".xz", ".gz", ".bz2")
"""Of a plain file and of the compressions."""
SHIPPED = "data/embedded"
"""The folder of the checkout with the raw files that it ships."""
MIRROR_VARIABLE = "TOPLABEL_MIRROR"
_SHOWN = 3  # of the names of missing files
_MAYBE_HDF5 = (".h5", ".mat")


class FetchError(ValueError):
    """A raw file is not available."""


def mirror_folders(
    configured: Iterable[str | os.PathLike[str]], root: str | os.PathLike[str]
) -> list[Path]:
    """Return the folders to look for raw files in, the first to be asked first.

    These are the folders of TOPLABEL_MIRROR, the configured ones, and that with the files that the
    checkout ships.

    Parameters
    ----------
    configured : iterable of path-like
        ``mirrors`` of the configuration. TOPLABEL_MIRROR may name several folders, separated as in
        PATH.
    root : path-like
        The checkout.
    """
    named = os.environ.get(MIRROR_VARIABLE, "").split(os.pathsep)
    folders = [Path(os.path.expanduser(name)) for name in (*named, *configured) if str(name)]
    return list(dict.fromkeys([*folders, Path(root) / SHIPPED]))


def available(
    entry: Entry, raw_folder: str | os.PathLike[str], mirrors: Sequence[str | os.PathLike[str]] = ()
) -> tuple[bool, str]:
    """Say whether a data set is available without network, and if not, why.

    Only checks that files exist, not their content: cheap enough for planning.

    Returns
    -------
    bool
    str
        The reason, one line; empty when the set is available.
    """
    if not entry.is_readable:
        return False, f"waits for {entry.waits_for}"
    folders = folders_of(entry, raw_folder, mirrors)
    try:
        forms = {file: form_of(entry, file, folders) for file in entry.files}
    except FetchError as error:
        return False, str(error)
    missing = [file for file, form in forms.items() if form is None]
    if not missing:
        members = [member for form in forms.values() for member in form]
        reason = _lacking_reader(entry, [find(member, folders)[0] for member in members])
        return not reason, reason
    names = _named(entry, missing)
    reason = f"{names} not found in data/raw, {SHIPPED} or a mirror ({MIRROR_VARIABLE})"
    return False, f"{reason}; waits for {entry.waits_for}" if entry.waits_for else reason


def folder_of(
    entry: Entry, raw_folder: str | os.PathLike[str], mirrors: Sequence[str | os.PathLike[str]]
) -> Path | None:
    """Return the folder, of data/raw and the mirrors, that has the first file of a data set; None
    where none has.
    """
    for folder in map(Path, (raw_folder, *mirrors)):
        if entry.files and form_of(entry, entry.files[0], [folder / entry.folder]):
            return folder
    return None


def folders_of(
    entry: Entry, raw_folder: str | os.PathLike[str], mirrors: Sequence[str | os.PathLike[str]]
) -> list[Path]:
    return [Path(folder) / entry.folder for folder in (raw_folder, *mirrors)]


def find(file: RawFile, folders: Iterable[Path]) -> tuple[Path, str] | None:
    """Return the first copy of a file, and the suffix of its compression.

    Raises
    ------
    FetchError
        When a folder cannot be looked into.
    """
    for folder in folders:
        for suffix in SUFFIXES:
            candidate = folder / (file.name + suffix)
            try:
                if candidate.is_file():
                    return candidate, suffix
            except OSError as error:
                shown = one_line(str(folder))
                raise FetchError(f"{shown}: cannot be looked into ({error.strerror})") from None
    return None


def form_of(entry: Entry, file: RawFile, folders: Iterable[Path]) -> tuple[RawFile, ...] | None:
    """Return the form in which a file stands in the first folder that has one.

    Raises
    ------
    FetchError
        When that folder has two of them: they may differ.
    """
    for folder in folders:
        there = [
            form for form in entry.forms(file) if all(find(member, [folder]) for member in form)
        ]
        if len(there) > 1:
            names = " and ".join(form[0].name for form in there)
            raise FetchError(
                f"data set '{entry.name}': {folder} has {names}; remove what is not meant"
            )
        if there:
            return there[0]
    return None


def _named(entry: Entry, files: Sequence[RawFile]) -> str:
    """Return files and their other forms, in words; of many, the first ones."""
    shown = [_forms_named(entry, file) for file in files[:_SHOWN]]
    more = len(files) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _forms_named(entry: Entry, file: RawFile) -> str:
    others = [form[0].name for form in entry.forms(file) if form[0] != file]
    if not others:
        return file.name
    suffixes = ", ".join(Path(name).suffix for name in others[1:])
    return f"{others[0]} (or {suffixes}, or {file.name})"


def _lacking_reader(entry: Entry, paths: Iterable[Path]) -> str:
    """Return why files that are there cannot be read."""
    asked = [path for path in paths if entry.format == "hdf5" or path.suffix in _MAYBE_HDF5]
    if not asked:
        return ""
    from toplabel.reproduction.data.formats import hdf5, mat

    if hdf5.is_installed():
        return ""
    for path in asked:
        if entry.format == "hdf5" or path.suffix == ".h5" or mat.is_hdf5(path):
            return f"{path.name} {hdf5.NEEDED}"
    return ""
