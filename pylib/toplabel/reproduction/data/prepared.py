"""The prepared form of a data set: what every later stage reads.

A folder holds ``X_<part>.npy`` (or CSR ``X_<part>.npz``), ``Y_<part>.npz``, ``columns.csv`` of a set
that was a table, and ``meta.json``. The last is written last: its presence says that the rest is whole.
It has the sums of the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Column, Part, PreparedSet
from toplabel.reproduction.files import (
    FileError,
    PathLike,
    atomic_path,
    check_file,
    checked,
    file_sum,
    has_sum,
    read_json,
    read_npz,
    write_json,
)
from toplabel.reproduction.frames import read_rows, write_rows

_META_FILE = "meta.json"
_RESERVED = ("name", "task", "class_names", "parts", "splits")
_LABELS = [field.name for field in fields(Part) if field.name != "X"]


def save_prepared(prepared: PreparedSet, folder: PathLike) -> None:
    """Write a data set; ``meta.json`` is removed first and written last.

    The same data set gives the same bytes. A folder that cannot be written is a `FileError`.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _META_FILE).unlink(missing_ok=True)
        for stale in (*folder.glob("X_*.np[yz]"), *folder.glob("Y_*.npz")):
            stale.unlink()
        parts = {name: _save_part(folder, name, part) for name, part in prepared.parts.items()}
        save_columns(prepared.columns, folder)
    except OSError as error:
        reason = error.strerror or f"{error}: is the disk full?"
        raise FileError(f"{folder}: cannot be written ({reason})") from error
    record = {key: getattr(prepared, key) for key in _RESERVED}
    record |= {"parts": parts, "splits": [vars(split) for split in prepared.splits]}
    write_json(folder / _META_FILE, record | prepared.meta, allow_nan=False)


def _save_part(folder: Path, name: str, part: Part) -> dict[str, Any]:
    storage = "csr" if sparse.issparse(part.X) else "dense"
    labels = {key: value for key in _LABELS if (value := getattr(part, key)) is not None}
    files = _files(folder, name, storage)
    with atomic_path(files["X"]) as path:
        if storage == "csr":
            sparse.save_npz(path, sparse.csr_matrix(part.X))
        else:
            with path.open("wb") as stream:
                np.save(stream, np.ascontiguousarray(part.X))
    with atomic_path(files["Y"]) as path:
        np.savez_compressed(path, **labels)
    return {
        "n_instances": part.n_instances,
        "n_rows": part.n_rows,
        "n_features": part.n_features,
        "storage": storage,
        "labels": list(labels),
        "sha256": {key: file_sum(path) for key, path in files.items()},
    }


def _files(folder: Path, name: str, storage: str) -> dict[str, Path]:
    """Return the files of a part: features and labels."""
    suffix = "npz" if storage == "csr" else "npy"
    return {"X": folder / f"X_{name}.{suffix}", "Y": folder / f"Y_{name}.npz"}


def load_prepared(folder: PathLike) -> PreparedSet:
    """Read what `save_prepared` wrote; every byte is compared with the sums in ``meta.json``.

    Dense features are mapped into memory (read-only). A `FileError` names a file that
    is missing or not what was written.
    """
    folder = Path(folder)
    check_prepared(folder)
    record = read_meta(folder)
    known = {key: record.pop(key) for key in _RESERVED}
    shapes, splits = known.pop("parts"), known.pop("splits")
    parts = {name: _load_part(folder, name, shape) for name, shape in shapes.items()}
    return PreparedSet(
        **known, parts=parts, splits=[Split(**split) for split in splits], meta=record
    )


def _load_part(folder: Path, name: str, shape: dict[str, Any]) -> Part:
    files = _files(folder, name, shape["storage"])
    if shape["storage"] == "csr":
        X = sparse.csr_matrix(sparse.load_npz(files["X"]))
    else:
        X = np.load(files["X"], mmap_mode="r")
    labels = read_npz(files["Y"], folder / _META_FILE)
    return Part(X=X, **{key: labels[key] for key in shape["labels"]})


def check_prepared(folder: PathLike) -> None:
    """Compare the files of a prepared set with the sums in its ``meta.json``; a `FileError` names
    the first that is not what was written.
    """
    meta = Path(folder) / _META_FILE
    for name, shape in read_meta(folder)["parts"].items():
        for key, path in _files(Path(folder), name, shape["storage"]).items():
            check_file(path, shape["sha256"][key], meta)


def damaged_files(results: PathLike) -> tuple[str, list[str]]:
    """Return how many files and prepared sets a folder of results has, and the errors of the damaged.

    The hidden files that killed writers leave (`files.atomic_path`) are no results.
    """
    paths = (path for path in sorted(Path(results).rglob("[!.]*")) if path.is_file())
    files = [path for path in paths if path.suffix != ".sha256" and has_sum(path)]
    sets = sorted(path.parent for path in Path(results).glob("*/data/meta.json"))
    checks = [(checked, path) for path in files] + [(check_prepared, folder) for folder in sets]
    errors = []
    for check, path in checks:
        try:
            check(path)
        except FileError as error:
            errors.append(str(error))
    return f"{len(files):,} files and {len(sets):,} prepared sets", errors


def read_meta(folder: PathLike) -> dict[str, Any]:
    """Return the content of the ``meta.json`` of a prepared set; the other files are not looked at."""
    path = Path(folder) / _META_FILE
    if not path.is_file():
        raise FileError(f"{path}: missing, so the data set is not prepared")
    return read_json(path)


def not_comparable(folder: PathLike) -> str:
    """Return the reason why results on a prepared set are not put beside published ones, or ""."""
    is_there = (Path(folder) / _META_FILE).is_file()
    return read_meta(folder).get("not_comparable", "") if is_there else ""


_FILE = "columns.csv"
_LISTED = 40  # columns that are printed


def save_columns(columns: Sequence[Column], folder: PathLike) -> None:
    """Write the columns of a prepared set beside it, or remove those of an earlier one."""
    path = Path(folder) / _FILE
    if columns:
        write_rows(Column, columns, path)
    else:
        path.unlink(missing_ok=True)


def load_columns(folder: PathLike) -> list[Column]:
    """Return the columns of a prepared set; those of a format without columns are none."""
    path = Path(folder) / _FILE
    return read_rows(Column, path) if path.is_file() else []


def columns_text(columns: Sequence[Column]) -> list[str]:
    """Return the lines of a table of columns; of very many columns the first and the last ones."""
    shown = [*columns]
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 5], *shown[-5:]]
    if not shown:
        return []
    rows = [("column", "read as", "distinct", "missing", "first values", "becomes")]
    rows += [(c.name, c.kind, str(c.distinct), str(c.missing), c.first, c.use) for c in shown]
    widths = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    hidden = len(columns) - len(shown)
    return [*lines, f"({hidden} columns between them are left out here)"] if hidden else lines
