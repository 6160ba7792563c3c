"""From raw files or a generator to the prepared form."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError, validate_call
from scipy import sparse

from toplabel.reproduction.config.documents import fault_of
from toplabel.reproduction.config.entry import Entry
from toplabel.reproduction.data.divide import cross_validated, divide
from toplabel.reproduction.data.embedded import EMBEDDED
from toplabel.reproduction.data.fetch import raw_path, read_raw
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source
from toplabel.reproduction.data.overview import disagreements
from toplabel.reproduction.data.parts import Loaded, Part, Prepared, Rows
from toplabel.reproduction.data.statistics import advice, norm_advice, statistics
from toplabel.reproduction.data.transform import transform
from toplabel.reproduction.data.validation import validate_prepared

if TYPE_CHECKING:
    from toplabel.reproduction.config.protocols import Axis

_DENSE_DENSITY = 0.2


def prepare(
    entry: Entry,
    raw_folder: str | os.PathLike[str],
    grid: Axis | None = None,
    is_own: bool = False,
) -> Prepared:
    """Make a data set from its registry entry.

    The raw files stand in the folder ``<set>`` of `raw_folder`, plain or compressed. `grid` is the
    grid of C, for advice where the norms of the rows do not suit it; a set of the user's own gets
    more advice.

    Raises
    ------
    ValueError
        One line: a missing raw file or one with another sum, a malformed file, a data set that
        `validate_prepared` refuses, or whose number of training rows contradicts the paper (unless
        it is marked as not comparable).
    """
    if entry.embedded is not None:
        loaded, raw = _with_options(entry, EMBEDDED[entry.embedded]), {}
    else:
        loaded, raw = _read_checked(entry, Path(raw_folder))
    splits = list(entry.splits) or loaded.splits
    if entry.folds is not None:
        loaded = cross_validated(entry.folder, loaded, splits)
    used = {part for split in splits for part in (split.train, split.val, split.test) if part}
    parts = {name: part for name, part in loaded.parts.items() if name in used}
    if entry.transform == "standardise":
        parts = store(parts)  # centred where they are dense
    if entry.transform is not None:
        parts = transform(f"data set '{entry.name}'", parts, splits, entry.transform)
    if entry.bias:
        parts = {name: replace(part, X=_with_ones(part.X)) for name, part in parts.items()}
    loaded = Loaded(store(parts), loaded.class_names, splits)
    return finish(entry, loaded, raw, entry.not_comparable or "", grid, is_own)


def finish(
    entry: Entry,
    loaded: Loaded,
    raw: dict[str, Any],
    not_comparable: str,
    grid: Axis | None = None,
    is_own: bool = False,
) -> Prepared:
    """Check what a data set holds, and describe it.

    `meta` has its title, `not_comparable` (why results are not put beside published ones, or ""),
    `raw` (sum, size and address of each raw file), its statistics, and advice (sentences).
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
    for key, text, reason in disagreements(measured, entry.statistics):
        if key == "n_train" and reason is None and not not_comparable:
            raise ValueError(f"data set '{entry.name}': {text}")
    norms = norm_advice(measured, grid) if grid and not entry.C_scale else ""
    meta = {
        "title": entry.title,
        "not_comparable": not_comparable,
        "raw": raw,
        "statistics": measured,
        "advice": [*([norms] if norms else []), *(advice(prepared) if is_own else [])],
    }
    return replace(prepared, meta=meta)


def _read_checked(entry: Entry, raw_folder: Path) -> tuple[Loaded, dict[str, Any]]:
    """Read and divide the raw files of a set; return what is known of each, too.

    Their sums are compared with the registry before anything is parsed. Compressed files are
    unpacked into a temporary folder. Features that are mapped into memory from there stay readable
    when it is gone.
    """
    raw = {}
    with tempfile.TemporaryDirectory(prefix="toplabel-raw-") as temporary:
        folder = Path(temporary)
        for file in entry.files:
            path = raw_path(entry, file, raw_folder)
            if not path.is_file():
                raise ValueError(f"data set '{entry.name}': {path} is missing")
            if path.name == file.name:
                (folder / file.name).symlink_to(path.resolve())
                sha256, size = read_raw(file, path)
            else:
                with (folder / file.name).open("wb") as stream:
                    sha256, size = read_raw(file, path, stream.write)
            checked = file.sha256 is not None
            raw[file.name] = {"sha256": sha256, "size": size, "url": file.url, "checked": checked}
        try:
            return read_files(entry, folder), raw
        except FormatError as error:
            place = str(raw_folder / entry.folder)
            raise ValueError(str(error).replace(temporary, place)) from None


def read_files(entry: Entry, folder: Path) -> Loaded:
    """Read the raw files of a data set, uncompressed in one folder, and divide a part if need be."""
    parts = {part: folder / file.name for file in entry.files for part in file.holds}
    labels = next((folder / file.name for file in entry.files if not file.holds), None)
    loaded = _with_options(entry, FORMATS[entry.format], Source(parts, entry.task, labels))
    if entry.divide is not None:
        return divide(entry.folder, loaded, entry.divide)
    return loaded


def _with_options(entry: Entry, make: Callable[..., Loaded], *source: Source) -> Loaded:
    """Call a reader or a generator with the options of an entry, once they fit its arguments."""
    try:
        return validate_call(make)(*source, **entry.options)
    except ValidationError as error:
        fault = fault_of(error, entry.options).below("options")
        raise ValueError(f"data set '{entry.name}': {fault}") from None


def store(parts: dict[str, Part]) -> dict[str, Part]:
    """Choose dense or CSR features, the same for all parts; float32 if all are, else float64.

    They are CSR up to a density of 0.2: there an epoch on CSR rows was 1.2 to 8 times faster than
    one in dense blocks, for 6 to 500 classes and 50 to 1500 features. A memory map stays one.
    """
    convert = _dense if _is_dense(parts.values()) else _csr
    single = all(part.X.dtype == np.float32 for part in parts.values())
    dtype = np.float32 if single else np.float64
    return {name: replace(part, X=convert(part.X, dtype)) for name, part in parts.items()}


def _is_dense(parts: Collection[Part]) -> bool:
    if any(isinstance(part.X, np.memmap) for part in parts):
        return True
    stored = sum(
        part.X.nnz if sparse.issparse(part.X) else int(np.count_nonzero(part.X)) for part in parts
    )
    return stored > _DENSE_DENSITY * sum(part.n_rows * part.n_features for part in parts)


def _with_ones(X: Rows) -> Rows:
    """Return features with a column of ones as the last."""
    ones = np.ones((X.shape[0], 1), dtype=X.dtype)
    return sparse.hstack([X, ones], "csr") if sparse.issparse(X) else np.hstack([X, ones])


def _dense(X: Rows, dtype: type) -> np.ndarray:
    X = X.toarray() if sparse.issparse(X) else X
    return X if X.dtype == dtype and X.flags.c_contiguous else np.ascontiguousarray(X, dtype=dtype)


def _csr(X: Rows, dtype: type) -> sparse.csr_matrix:
    X = sparse.csr_matrix(X if sparse.issparse(X) else np.asarray(X), dtype=dtype)
    X.sum_duplicates()
    return X
