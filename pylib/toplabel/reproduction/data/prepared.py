"""The prepared form of a data set: what every later stage reads.

A folder holds ``X_<part>.npy`` (or CSR ``X_<part>.npz``), ``Y_<part>.npz`` and ``meta.json``. The
last is written last: its presence says that the rest is whole. It has the sums of the other files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from toplabel._core.files import (
    FileError,
    atomic_path,
    check_file,
    file_sum,
    read_json,
    read_npz,
    write_json,
)
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.rows import write_npy

_META_FILE = "meta.json"
_RESERVED = ("name", "task", "n_classes", "class_names", "parts", "splits")


def save_prepared(prepared: Prepared, folder: str | os.PathLike[str]) -> None:
    """Write a data set; ``meta.json`` is removed first and written last.

    The same data set gives the same bytes.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _META_FILE).unlink(missing_ok=True)
    for stale in (*folder.glob("X_*.np[yz]"), *folder.glob("Y_*.npz")):
        stale.unlink()
    shapes = {name: _save_part(folder, name, part) for name, part in prepared.parts.items()}
    record = {
        "name": prepared.name,
        "task": prepared.task,
        "n_classes": prepared.n_classes,
        "class_names": prepared.class_names,
        "parts": shapes,
        "splits": [vars(split) for split in prepared.splits],
        **prepared.meta,
    }
    write_json(folder / _META_FILE, record, allow_nan=False)


def _save_part(folder: Path, name: str, part: Part) -> dict[str, Any]:
    is_sparse = sparse.issparse(part.X)
    storage = "csr" if is_sparse else "dense"
    labels = {
        key: value for key in ("y", "Y", "groups") if (value := getattr(part, key)) is not None
    }
    files = _files(folder, name, storage)
    try:
        with atomic_path(files["X"]) as path:
            if is_sparse:
                sparse.save_npz(path, sparse.csr_matrix(part.X))
            else:
                write_npy(path, part.X)
        with atomic_path(files["Y"]) as path:
            np.savez_compressed(path, **labels)
        sums = {key: file_sum(path) for key, path in files.items()}
    except OSError as error:
        reason = error.strerror or f"{error}: is the disk full?"
        raise FileError(f"{folder}: part '{name}' cannot be written ({reason})") from error
    return {
        "n_instances": part.n_instances,
        "n_rows": part.n_rows,
        "n_features": part.n_features,
        "storage": storage,
        "labels": list(labels),
        "sha256": sums,
    }


def _files(folder: Path, name: str, storage: str) -> dict[str, Path]:
    """Return the files of a part: features and labels."""
    suffix = "npz" if storage == "csr" else "npy"
    return {"X": folder / f"X_{name}.{suffix}", "Y": folder / f"Y_{name}.npz"}


def load_prepared(folder: str | os.PathLike[str], mmap: bool = True) -> Prepared:
    """Read what `save_prepared` wrote; every byte is compared with the sums in ``meta.json``.

    Parameters
    ----------
    folder : path-like
    mmap : bool
        Map dense features into memory (read-only) instead of reading them.

    Raises
    ------
    FileError
        When ``meta.json`` is missing or damaged, or a file is not what was written.
    """
    folder = Path(folder)
    record = read_meta(folder)
    parts = {name: _load_part(folder, name, shape, mmap) for name, shape in record["parts"].items()}
    return Prepared(
        name=record["name"],
        task=record["task"],
        n_classes=record["n_classes"],
        class_names=record["class_names"],
        parts=parts,
        splits=[Split(**split) for split in record["splits"]],
        meta={key: value for key, value in record.items() if key not in _RESERVED},
    )


def not_comparable(folder: str | os.PathLike[str]) -> str:
    """Return why results on a prepared set are not put beside published ones, or ""."""
    there = (Path(folder) / _META_FILE).is_file()
    return read_meta(folder).get("not_comparable", "") if there else ""


def read_meta(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what ``meta.json`` says of a prepared set; the other files are not looked at.

    Raises
    ------
    FileError
        When it is missing or damaged.
    """
    path = Path(folder) / _META_FILE
    if not path.is_file():
        raise FileError(f"{path}: missing, so the data set is not prepared")
    return read_json(path)


def check_prepared(folder: str | os.PathLike[str]) -> None:
    """Compare the files of a prepared set with the sums in its ``meta.json``.

    Raises
    ------
    FileError
        For the first that is not what was written.
    """
    for name, shape in read_meta(folder)["parts"].items():
        _check_part(Path(folder), name, shape)


def _check_part(folder: Path, name: str, shape: dict[str, Any]) -> None:
    files = _files(folder, name, shape["storage"])
    for key, promised in shape["sha256"].items():
        check_file(files[key], promised, folder / _META_FILE)


def _load_part(folder: Path, name: str, shape: dict[str, Any], mmap: bool) -> Part:
    files = _files(folder, name, shape["storage"])
    _check_part(folder, name, shape)
    if shape["storage"] == "csr":
        X = sparse.csr_matrix(sparse.load_npz(files["X"]))
    else:
        X = np.load(files["X"], mmap_mode="r" if mmap else None)
    labels = read_npz(files["Y"], folder / _META_FILE)
    return Part(X=X, **{key: labels[key] for key in shape["labels"]})
