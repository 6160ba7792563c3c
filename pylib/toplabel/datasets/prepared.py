"""The prepared form of a data set: what every later stage reads.

A folder holds ``X_<part>.npy`` (or CSR ``X_<part>.npz``), ``Y_<part>.npz`` and ``meta.json``. The
last is written last: its presence says that the rest is whole.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from toplabel.config.splits import Split
from toplabel.datasets.rows import Rows, write_npy
from toplabel.datasets.validation import validate_prepared
from toplabel.files import atomic_path

Task = Literal["multiclass", "multilabel"]

_PART_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_META_FILE = "meta.json"
_RESERVED = ("name", "task", "n_classes", "class_names", "parts", "splits")


@dataclass(frozen=True)
class Part:
    """Rows that belong together: a training part, a test part.

    Attributes
    ----------
    X : ndarray or csr_matrix of shape (rows, d), float64 or float32
        One feature vector a row; a read-only memory map after `load_prepared`. Before it is saved it
        may be `RowsOf` a file.
    y : ndarray of shape (n,), int64, or None
        Class indices 0..m-1; beside an empty label set -1, no single label.
    Y : ndarray of shape (n, m), uint8, or None
        0/1 indicator of the label sets.
    groups : ndarray of shape (rows,), int64, or None
        The instance 0..n-1 that a row belongs to; None: row i is instance i.
    """

    X: Rows
    y: np.ndarray | None = None
    Y: np.ndarray | None = None
    groups: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Number of feature vectors."""
        return int(self.X.shape[0])

    @property
    def n_instances(self) -> int:
        """Number of labelled instances; fewer than rows when an instance has several regions."""
        labels = self.y if self.y is not None else self.Y
        return self.n_rows if labels is None else int(labels.shape[0])

    @property
    def n_features(self) -> int:
        """Length of a feature vector."""
        return int(self.X.shape[1])


@dataclass(frozen=True)
class Loaded:
    """What a format loader or an embedded set hands over.

    Attributes
    ----------
    parts : dict of str to Part
    class_names : list of str
        In the order of the class indices.
    splits : list of Split
        Empty when the registry says what is trained and tested on.
    """

    parts: dict[str, Part]
    class_names: list[str]
    splits: list[Split] = field(default_factory=list)


@dataclass(frozen=True)
class Prepared:
    """A data set ready to train on.

    Attributes
    ----------
    name : str
    task : {"multiclass", "multilabel"}
    n_classes : int
    class_names : list of str
    parts : dict of str to Part
    splits : list of Split
    meta : dict
        JSON-like; ``statistics`` is what was measured, ``raw`` the sums of the raw files.
    """

    name: str
    task: Task
    n_classes: int
    class_names: list[str]
    parts: dict[str, Part]
    splits: list[Split]
    meta: dict[str, Any] = field(default_factory=dict)


def save_prepared(prepared: Prepared, folder: str | os.PathLike[str]) -> None:
    """Validate and write a data set; ``meta.json`` goes away first and comes back last.

    The same data set gives the same bytes.

    Raises
    ------
    ValueError
        When `validate_prepared` finds fault, a part's name cannot be a file name, or `meta` uses a
        key that the form itself needs.
    """
    validate_prepared(prepared)
    _check_storable(prepared)
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
    with atomic_path(folder / _META_FILE) as path:
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8")


def _check_storable(prepared: Prepared) -> None:
    for name in prepared.parts:
        if not _PART_NAME.fullmatch(name):
            raise ValueError(
                f"data set '{prepared.name}': the part name {name!r} may hold only "
                "letters, digits, '_' and '-'"
            )
    taken = [key for key in prepared.meta if key in _RESERVED]
    if taken:
        raise ValueError(f"data set '{prepared.name}': meta may not hold the key {taken[0]!r}")


def _save_part(folder: Path, name: str, part: Part) -> dict[str, Any]:
    is_sparse = sparse.issparse(part.X)
    with atomic_path(folder / f"X_{name}.{'npz' if is_sparse else 'npy'}") as path:
        if is_sparse:
            sparse.save_npz(path, sparse.csr_matrix(part.X))
        else:
            write_npy(path, part.X)
    labels = {
        key: value for key in ("y", "Y", "groups") if (value := getattr(part, key)) is not None
    }
    with atomic_path(folder / f"Y_{name}.npz") as path:
        np.savez_compressed(path, **labels)
    return {
        "n_instances": part.n_instances,
        "n_rows": part.n_rows,
        "n_features": part.n_features,
        "storage": "csr" if is_sparse else "dense",
        "labels": list(labels),
    }


def load_prepared(folder: str | os.PathLike[str], mmap: bool = True) -> Prepared:
    """Read what `save_prepared` wrote.

    Parameters
    ----------
    folder : path-like
    mmap : bool
        Map dense features into memory (read-only) instead of reading them.

    Raises
    ------
    ValueError
        When ``meta.json`` is missing or the files do not fit it.
    """
    folder = Path(folder)
    record = _read_meta(folder / _META_FILE)
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
    """Why results on a prepared set are not put beside published ones; empty when they are."""
    path = Path(folder) / _META_FILE
    return _read_meta(path).get("not_comparable", "") if path.is_file() else ""


def _read_meta(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path}: missing, so the data set is not prepared") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None


def _load_part(folder: Path, name: str, shape: dict[str, Any], mmap: bool) -> Part:
    is_sparse = shape["storage"] == "csr"
    path = folder / f"X_{name}.{'npz' if is_sparse else 'npy'}"
    try:
        X = _load_csr(path) if is_sparse else np.load(path, mmap_mode="r" if mmap else None)
        path = folder / f"Y_{name}.npz"
        with np.load(path) as labels:
            arrays = {key: labels[key] for key in shape["labels"]}
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: missing or damaged ({error})") from None
    part = Part(X=X, **arrays)
    found = (part.n_instances, part.n_rows, part.n_features)
    promised = (shape["n_instances"], shape["n_rows"], shape["n_features"])
    if found != promised:
        raise ValueError(
            f"{path}: {_META_FILE} promises n, rows, d = {promised}, the files hold {found}"
        )
    return part


def _load_csr(path: Path) -> sparse.csr_matrix:
    return sparse.csr_matrix(sparse.load_npz(path))
