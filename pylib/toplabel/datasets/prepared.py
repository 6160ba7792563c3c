"""The prepared form of a data set: what every later stage reads.

A folder holds ``X_<part>.npy`` (or CSR ``X_<part>.npz``), ``Y_<part>.npz`` and ``meta.json``. The
last is written last: its presence says that the rest is whole.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn

import numpy as np
from scipy import sparse

from toplabel.datasets.rows import Rows, blocks, write_npy
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
        Class indices 0..m-1.
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
class Split:
    """One experiment: the names of the parts to train, to validate (or None) and to test on."""

    name: str
    train: str
    val: str | None
    test: str


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


def validate_prepared(prepared: Prepared) -> None:
    """Check a data set for everything that would make a solver fail or a score meaningless.

    Raises
    ------
    ValueError
        One line with the data set, the part and what was found: m < 2, names of classes that
        repeat, n = 0, shapes that differ, NaN or infinity, labels out of range, a class of a
        multiclass set without an example in a training part.
    """
    where = f"data set '{prepared.name}'"
    if prepared.task not in ("multiclass", "multilabel"):
        raise ValueError(f"{where}: task must be multiclass or multilabel, not {prepared.task!r}")
    if prepared.n_classes < 2:
        raise ValueError(f"{where}: m = {prepared.n_classes} classes; at least 2 are needed")
    _check_class_names(where, prepared)
    _check_splits(where, prepared)
    for name, part in prepared.parts.items():
        _check_part(f"{where}, part '{name}'", prepared, part)
    widths = {name: part.n_features for name, part in prepared.parts.items()}
    if len(set(widths.values())) > 1:
        raise ValueError(f"{where}: the parts differ in their number of features: {widths}")
    for name in dict.fromkeys(split.train for split in prepared.splits):
        part = prepared.parts[name]
        if part.y is not None:
            _check_every_class(f"{where}, part '{name}'", prepared.class_names, part.y)


def _check_class_names(where: str, prepared: Prepared) -> None:
    if len(prepared.class_names) != prepared.n_classes:
        raise ValueError(
            f"{where}: {len(prepared.class_names)} class names for {prepared.n_classes} classes"
        )
    name, count = Counter(prepared.class_names).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{where}: the class name {name!r} occurs {count} times")


def _check_splits(where: str, prepared: Prepared) -> None:
    if not prepared.splits:
        raise ValueError(f"{where}: no split says what to train and to test on")
    name, count = Counter(split.name for split in prepared.splits).most_common(1)[0]
    if count > 1:
        raise ValueError(f"{where}: the split name {name!r} occurs {count} times")
    for split in prepared.splits:
        for role in ("train", "val", "test"):
            part = getattr(split, role)
            if part is not None and part not in prepared.parts:
                known = ", ".join(prepared.parts)
                raise ValueError(
                    f"{where}, split '{split.name}': {role} names the part '{part}', "
                    f"but the parts are: {known}"
                )


def _check_part(where: str, prepared: Prepared, part: Part) -> None:
    if part.X.ndim != 2 or part.X.dtype not in (np.float64, np.float32):
        raise ValueError(
            f"{where}: X must be 2-D float64 or float32, not {part.X.ndim}-D {part.X.dtype}",
        )
    if part.n_rows == 0 or part.n_instances == 0:
        raise ValueError(f"{where}: n = 0, there is no row")
    if part.n_features == 0:
        raise ValueError(f"{where}: d = 0, there is no feature")
    _check_finite(where, part.X)
    if prepared.task == "multiclass" and part.y is None:
        raise ValueError(f"{where}: a multiclass part needs y")
    if prepared.task == "multilabel" and part.Y is None:
        raise ValueError(f"{where}: a multilabel part needs Y")
    if part.y is not None:
        _check_y(where, part.y, prepared.n_classes)
    if part.Y is not None:
        _check_indicator(where, part.Y, prepared.n_classes)
    if part.y is not None and part.Y is not None and len(part.y) != len(part.Y):
        raise ValueError(f"{where}: {len(part.y)} class indices, but {len(part.Y)} label sets")
    _check_groups(where, part)


def _check_finite(where: str, X: Rows) -> None:
    if sparse.issparse(X):
        bad = np.flatnonzero(~np.isfinite(X.data))
        if bad.size:
            row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
            _refuse_value(where, row, int(X.indices[bad[0]]), X.data[bad[0]])
        return
    for start, block in blocks(X):
        finite = np.isfinite(block)
        if not finite.all():
            row, column = (int(i) for i in np.argwhere(~finite)[0])
            _refuse_value(where, start + row, column, block[row, column])


def _refuse_value(where: str, row: int, column: int, value: float) -> NoReturn:
    raise ValueError(f"{where}: X[{row}, {column}] is {value}; features must be finite")


def _check_y(where: str, y: np.ndarray, n_classes: int) -> None:
    if y.ndim != 1 or y.dtype != np.int64:
        raise ValueError(f"{where}: y must be 1-D int64, not {y.ndim}-D {y.dtype}")
    bad = np.flatnonzero((y < 0) | (y >= n_classes))
    if bad.size:
        raise ValueError(
            f"{where}: y[{bad[0]}] is {y[bad[0]]}; class indices are 0..{n_classes - 1}"
        )


def _check_indicator(where: str, Y: np.ndarray, n_classes: int) -> None:
    if Y.ndim != 2 or Y.dtype != np.uint8:
        raise ValueError(f"{where}: Y must be 2-D uint8, not {Y.ndim}-D {Y.dtype}")
    if Y.shape[1] != n_classes:
        raise ValueError(f"{where}: Y has {Y.shape[1]} columns for {n_classes} classes")
    bad = np.argwhere(Y > 1)
    if bad.size:
        row, column = bad[0]
        raise ValueError(
            f"{where}: Y[{row}, {column}] is {Y[row, column]}; an indicator holds 0 and 1"
        )


def _check_groups(where: str, part: Part) -> None:
    if part.groups is None:
        if part.n_rows != part.n_instances:
            raise ValueError(f"{where}: {part.n_rows} rows of X, {part.n_instances} of labels")
        return
    if part.groups.shape != (part.n_rows,) or part.groups.dtype != np.int64:
        raise ValueError(
            f"{where}: groups must be int64 with one entry a row of X ({part.n_rows}), "
            f"not {part.groups.dtype} of shape {part.groups.shape}"
        )
    bad = np.flatnonzero((part.groups < 0) | (part.groups >= part.n_instances))
    if bad.size:
        raise ValueError(
            f"{where}: groups[{bad[0]}] is {part.groups[bad[0]]}; "
            f"instances are 0..{part.n_instances - 1}"
        )
    missing = np.flatnonzero(np.bincount(part.groups, minlength=part.n_instances) == 0)
    if missing.size:
        raise ValueError(f"{where}: instance {missing[0]} has no row of X")


def _check_every_class(where: str, class_names: list[str], y: np.ndarray) -> None:
    missing = np.flatnonzero(np.bincount(y, minlength=len(class_names)) == 0)
    if missing.size:
        raise ValueError(
            f"{where}: class {class_names[missing[0]]!r} has no training example"
            + (f" (nor have {missing.size - 1} others)" if missing.size > 1 else "")
        )


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
    meta_path = folder / _META_FILE
    try:
        record = json.loads(meta_path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{meta_path}: missing, so the data set is not prepared") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{meta_path}:{error.lineno}: not JSON: {error.msg}") from None
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
