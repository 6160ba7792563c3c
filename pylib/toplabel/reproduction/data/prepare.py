"""From raw files or a generator to the prepared form."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from toplabel.reproduction.config.entry import Divide, Entry, RawFile
from toplabel.reproduction.data.embedded import EMBEDDED
from toplabel.reproduction.data.fetch import NOT_COMPARABLE, check_sum, sha256_of
from toplabel.reproduction.data.formats import Source
from toplabel.reproduction.data.formats.numpy_files import open_npz
from toplabel.reproduction.data.formats.source import damage
from toplabel.reproduction.data.parts import Loaded, Part, Prepared
from toplabel.reproduction.data.reading import read
from toplabel.reproduction.data.rows import Rows, RowsOf, take
from toplabel.reproduction.data.statistics import (
    check_row_count,
    compare_with_paper,
    norm_advice,
    statistics,
)
from toplabel.reproduction.data.transform import transform
from toplabel.reproduction.data.validation import validate_prepared
from toplabel.reproduction.seeds import seed_of

if TYPE_CHECKING:
    from toplabel.reproduction.config.protocols import Axis

_DENSE_DENSITY = 0.2


def prepare(entry: Entry, raw_folder: str | os.PathLike[str], grid: Axis | None = None) -> Prepared:
    """Make a data set from its registry entry.

    Parameters
    ----------
    entry : Entry
    raw_folder : path-like
        ``data/raw``; what `fetch` left in its folder ``<set>``. Not looked at for embedded sets.
    grid : Axis, optional
        The grid of C, to which `meta` says if the norms of the rows do not suit it.

    Returns
    -------
    Prepared
        Validated; `meta` has title, protocol, features, published_key, not_comparable (why its
        results are not put beside published ones, or ""), options, raw (sum, size and address of
        each file), statistics, paper (see `compare_with_paper`) and advice (see `norm_advice`).

    Raises
    ------
    ValueError
        One line: a missing raw file or one with another sum, a malformed file (file and line), a
        data set that `validate_prepared` refuses, or whose number of training rows contradicts the
        paper (unless it is marked as not comparable).
    """
    if not entry.is_readable:
        raise ValueError(f"data set '{entry.name}' waits for {entry.waits_for}")
    raw: dict[str, Any] = {}
    folder = Path(raw_folder) / entry.folder
    if entry.embedded is not None:
        loaded = EMBEDDED[entry.embedded](**entry.options)
    else:
        loaded, raw = _load_files(entry, folder)
    if entry.divide is not None:
        loaded = divide(entry.folder, loaded, entry.divide, folder)
    splits = list(entry.splits) or loaded.splits
    used = {part for split in splits for part in (split.train, split.val, split.test) if part}
    parts = {name: part for name, part in loaded.parts.items() if name in used}
    if entry.transform == "standardise":
        parts = store(parts, entry.storage)  # centred where they are dense
    if entry.transform is not None:
        parts = transform(f"data set '{entry.name}'", parts, splits, entry.transform)
    loaded = Loaded(store(parts, entry.storage), loaded.class_names, splits)
    return finish(entry, loaded, raw, entry.not_comparable or _mark(folder), grid)


def finish(
    entry: Entry,
    loaded: Loaded,
    raw: dict[str, Any],
    not_comparable: str,
    grid: Axis | None = None,
) -> Prepared:
    """Check what a data set holds, and describe it.

    Parameters
    ----------
    entry : Entry
    loaded : Loaded
        The parts and the splits that are used.
    raw : dict
        What is known of each raw file.
    not_comparable : str
        Why results are not put beside published ones, or "".
    grid : Axis, optional
        As in `prepare`.

    Raises
    ------
    ValueError
        As `prepare`.
    """
    prepared = Prepared(
        name=entry.name,
        task=entry.task,
        n_classes=len(loaded.class_names),
        class_names=loaded.class_names,
        parts=loaded.parts,
        splits=loaded.splits,
    )
    validate_prepared(prepared)
    measured = statistics(prepared)
    if not not_comparable:
        check_row_count(entry.name, measured, entry.statistics)
    keys = ("title", "protocol", "features", "published_key", "options")
    meta = {key: getattr(entry, key) for key in keys} | {
        "not_comparable": not_comparable,
        "raw": raw,
        "statistics": measured,
        "paper": compare_with_paper(measured, entry.statistics),
        "advice": norm_advice(measured, grid) if grid and not entry.C_scale else "",
    }
    return replace(prepared, meta=meta)


def _mark(folder: Path) -> str:
    """Return why the files of a folder are not comparable; empty when they are."""
    path = folder / NOT_COMPARABLE
    if not path.is_file():
        return ""
    return (
        " ".join(path.read_text(encoding="utf-8-sig", errors="replace").split())
        or f"marked by {NOT_COMPARABLE}"
    )


def _load_files(entry: Entry, folder: Path) -> tuple[Loaded, dict[str, Any]]:
    raw, parts, labels = {}, {}, None
    for registered in entry.files:
        form = _form(entry, registered, folder)
        paths = [folder / file.name for file in form]
        for file, path in zip(form, paths, strict=True):
            raw[file.name] = _checked(file, path)
        parts |= dict.fromkeys(registered.holds, paths[0])
        if registered.role == "labels":
            labels = paths[0]
    source = Source(parts=parts, task=entry.task, labels=labels)
    return read(entry.format, source, entry.options), raw


def _form(entry: Entry, file: RawFile, folder: Path) -> tuple[RawFile, ...]:
    """Return the form in which a file stands."""
    for form in entry.forms(file):
        if all((folder / member.name).is_file() for member in form):
            return form
    raise ValueError(
        f"data set '{entry.name}': {folder / file.name} is missing; fetch it again with"
        f" `snakemake --cores 1 --force results/{entry.name}/fetch.json`"
    )


def _checked(file: RawFile, path: Path) -> dict[str, Any]:
    """Return what is known of a raw file, after its sum was compared with the registry's."""
    sha256, size = sha256_of(path)
    check_sum(file, sha256, size, str(path))
    return {"sha256": sha256, "size": size, "url": file.url, "checked": file.sha256 is not None}


def divide(name: str, loaded: Loaded, how: Divide, folder: Path | None = None) -> Loaded:
    """Cut one part into several.

    The rows of each new part keep their order. A random or stratified division depends on `name`
    alone, so that sets with one folder of raw files are divided alike; a stratified one gives each
    part its share of each class, to within a row. A listed one takes the rows that an .npz file in
    `folder` names for each part, from 0.

    Raises
    ------
    ValueError
        When the numbers of rows do not add up, the shares exceed 1, a stratified division is
        asked of a set without class indices, or a list names a row that is not there, or twice.
    """
    where = f"data set '{name}', divide"
    whole = loaded.parts[how.part]
    if whole.groups is not None:
        raise ValueError(f"{where}: the part '{how.part}' has regions and cannot be cut")
    if how.method == "in_order":
        chosen = _in_order(where, how, whole.n_instances)
    elif how.method == "listed":
        chosen = _listed(folder / how.file, how, whole.n_instances)
    else:
        chosen = _by_share(where, how, whole, seed_of(name, "divide"))
    parts = {key: part for key, part in loaded.parts.items() if key != how.part}
    for key, rows in chosen.items():
        parts[key] = Part(
            X=take(whole.X, rows),
            y=None if whole.y is None else whole.y[rows],
            Y=None if whole.Y is None else whole.Y[rows],
        )
    return replace(loaded, parts=parts)


def _in_order(where: str, how: Divide, n: int) -> dict[str, np.ndarray]:
    counts = list(how.into.values())
    if any(count != int(count) for count in counts) or sum(counts) != n:
        raise ValueError(f"{where}: the numbers of rows {counts} do not add up to {n}")
    pieces = np.split(np.arange(n), np.cumsum(counts[:-1]).astype(int))
    return dict(zip(how.into, pieces, strict=True))


def _listed(path: Path, how: Divide, n: int) -> dict[str, np.ndarray]:
    chosen = {}
    with open_npz(path) as lists:
        for key in how.into:
            if key not in lists.files:
                raise ValueError(f"{path}: no list of rows for the part '{key}'")
            with damage(path, ".npz file"):
                rows = lists[key].ravel()
            if rows.dtype.kind not in "iu" or not len(rows):
                raise ValueError(f"{path}: '{key}' must hold row numbers, not {rows.dtype}")
            if rows.min() < 0 or rows.max() >= n:
                found = rows.min() if rows.min() < 0 else rows.max()
                raise ValueError(f"{path}: '{key}' names the row {found}; rows are 0..{n - 1}")
            if len(np.unique(rows)) != len(rows):
                raise ValueError(f"{path}: '{key}' names a row twice")
            chosen[key] = rows.astype(np.int64)
    return chosen


def _by_share(where: str, how: Divide, whole: Part, seed: int) -> dict[str, np.ndarray]:
    shares = np.array(list(how.into.values()))
    if shares.sum() > 1 + 1e-9:
        raise ValueError(f"{where}: the shares {shares.tolist()} exceed 1")
    if how.method == "stratified" and whole.y is None:
        raise ValueError(f"{where}: a stratified division needs classes; use random")
    strata = whole.y if how.method == "stratified" else np.zeros(whole.n_instances, dtype=int)
    rng = np.random.default_rng(seed)
    pieces: dict[str, list[np.ndarray]] = {key: [] for key in how.into}
    for stratum in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == stratum))
        ends = np.round(np.cumsum(shares) * len(rows)).astype(int)
        for key, piece in zip(how.into, np.split(rows, ends), strict=False):
            pieces[key].append(piece)
    return {key: np.sort(np.concatenate(rows)) for key, rows in pieces.items()}


def store(parts: dict[str, Part], storage: str) -> dict[str, Part]:
    """Choose dense or CSR features, the same for all parts; float32 if all are, else float64.

    "auto" takes CSR up to a density of 0.2: there an epoch on CSR rows was 1.2 to 8 times faster
    than one in dense blocks, for 6 to 500 classes and 50 to 1500 features. Rows that are still in
    a file are dense and stay there.
    """
    if storage == "auto":
        storage = "dense" if _is_dense(parts.values()) else "csr"
    single = all(part.X.dtype == np.float32 for part in parts.values())
    convert, dtype = _dense if storage == "dense" else _csr, np.float32 if single else np.float64
    return {name: replace(part, X=convert(part.X, dtype)) for name, part in parts.items()}


def _is_dense(parts: Collection[Part]) -> bool:
    if any(map(_is_in_file, parts)):
        return True
    size = sum(part.n_rows * part.n_features for part in parts)
    return sum(map(_stored, parts)) > _DENSE_DENSITY * size


def _is_in_file(part: Part) -> bool:
    return isinstance(part.X, RowsOf | np.memmap)


def _stored(part: Part) -> int:
    return part.X.nnz if sparse.issparse(part.X) else int(np.count_nonzero(part.X))


def _dense(X: Rows, dtype: type) -> np.ndarray | RowsOf:
    if isinstance(X, RowsOf | np.memmap):
        return X if X.dtype == dtype else RowsOf(X, dtype=dtype)
    X = X.toarray() if sparse.issparse(X) else X
    return np.ascontiguousarray(X, dtype=dtype)


def _csr(X: Rows, dtype: type) -> sparse.csr_matrix:
    X = sparse.csr_matrix(X if sparse.issparse(X) else np.asarray(X), dtype=dtype)
    X.sum_duplicates()
    return X
