"""What a job asks a scheduler for: memory, from the prepared set, the method and the grids.

A scheduler kills a job that takes more, and it is started again with twice as much (`attempt`); one
that asks for too much waits, and keeps others waiting. docs/cluster.md has measured beside asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Budget
from toplabel.reproduction.workflow.plan import Plan

_BASE_MB = 500  # a script with its libraries 110 to 180, and on a cluster two Snakemakes of 140
_MARGIN = 1.2
_ARRAYS = 11  # of n x m float64: duals, scores, their copies, models of a kernel
_RAW_COPIES = 10  # a raw file as numbers, with copies

Need = Callable[..., int]
"""A function of wildcards, input and attempt, as Snakemake calls it."""


@dataclass(frozen=True)
class Size:
    """Rows of the largest part of a prepared set, its m and d, and the features of all parts in
    MB.
    """

    rows: int = 0
    classes: int = 0
    columns: int = 0
    features_mb: float = 0.0

    @classmethod
    def of(cls, meta: str | os.PathLike[str]) -> Size:
        """Return the size of the set that a ``meta.json`` describes; zeros for a damaged one, since
        the job itself will say so.

        Raises
        ------
        FileNotFoundError
            It is not prepared yet. Snakemake asks again when it is.
        """
        try:
            found = read_json(_there(meta))
        except FileError:
            return cls()
        parts = found["parts"].values()
        return cls(
            max(part["n_rows"] for part in parts),
            found["n_classes"],
            max(part["n_features"] for part in parts),
            _stored(Path(meta).parent) / 1e6,
        )


def _there(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that is there; Snakemake asks again when it is not."""
    if not Path(path).is_file():
        raise FileNotFoundError(2, "not made yet", str(path))
    return Path(path)


def _stored(folder: Path) -> int:
    """Return bytes of all features in memory: the arrays of a sparse matrix are compressed on
    disk.
    """
    found = sum(path.stat().st_size for path in folder.glob("X_*.npy"))
    for path in folder.glob("X_*.npz"):
        with suppress(BadZipFile), ZipFile(path) as arrays:
            found += sum(array.file_size for array in arrays.infolist())
    return found


def memory_mb(size: Size, method: Method, budget: Budget) -> float:
    """Return memory of a job that trains or evaluates, in MB.

    Features twice, dense ones for a kernel, arrays of n x m numbers (duals, scores, models), and
    for a kernel the Gram matrix of our solver, or three of the simplex coding with its
    eigenvectors.
    """
    features = 2 * size.features_mb
    gram = 0
    if method.kernel == "rbf":
        features = max(features, 16 * size.rows * size.columns / 1e6)
        entry = 24 if method.baseline else 4 if budget.gram_dtype == "float32" else 8
        gram = entry * size.rows**2
    arrays = 8 * _ARRAYS * size.rows * size.classes
    return _BASE_MB + _MARGIN * (features + (arrays + gram) / 1e6)


def training_mb(plan: Plan, stage: str) -> Need:
    """Return ``mem_mb`` of the rule of a stage that trains, cuts or evaluates a cell."""

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        size, dataset = Size.of(input.meta), wildcards.dataset
        task = plan.task(stage, dataset, wildcards.get("method", "svm_ova"))  # of the rule agree
        if stage == "tune_block" and task.budget.screen_rows is not None:
            size = replace(size, rows=min(size.rows, task.budget.screen_rows))
        return round(memory_mb(size, task.method, task.budget) * 2 ** (attempt - 1))

    return memory


def preparing_mb(wildcards: Any, input: Any, attempt: int) -> int:
    """Return memory of the rule prepare: raw files, read into numbers."""
    try:
        receipt = read_json(_there(input.receipt))
    except FileError:
        receipt = {}
    raw_mb = sum(file["size"] for file in receipt.values()) / 1e6
    return round((_BASE_MB + _RAW_COPIES * raw_mb) * 2 ** (attempt - 1))


def doubled(amount: int) -> Need:
    """Return an amount for the first attempt, doubled with each other."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)
