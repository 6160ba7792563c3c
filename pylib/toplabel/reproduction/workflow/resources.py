"""What a job needs: memory and time, from the prepared set, the method and the grids.

A scheduler kills a job that takes more, and it is started again with twice as much of that
(`toplabel.reproduction.workflow.slurm.growth`); one that asks for too much waits, and keeps others
waiting. The benchmark files of the rules are what the factors are compared with.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from toplabel._core.files import FileError, read_json
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Budget
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.runlock import LOCK
from toplabel.reproduction.workflow.slurm import growth

# Fitted to benchmark files and to the seconds of tuned cells; docs/cluster.md has measured beside
# asked.
_BASE_MB = 500  # a script with its libraries 110 to 180, and on a cluster two Snakemakes of 140
_MARGIN = 1.2
_ARRAYS = 11  # of n x m float64: duals, scores, their copies, models of a kernel
_RAW_COPIES = 10  # a raw file as numbers, with copies
_BASE_MINUTES = 20
_SLACK = 2.0  # how much slower a node may be, and a method than the others
_KEPT_MINUTES = 5  # beside the time of a job of the kept run
_SLOWER = 3.0  # than the machine of the kept run a node may be
_KEPT_MARGIN = 1.1  # of its memory
_TWO_SNAKEMAKES = 280  # MB beside a script on a cluster
_PREPARING_MINUTES = 120
_FOLDERS = {  # of benchmark files, where they are not called as the rule
    "tune_block": "tune",
    "train_network": "network",
    "extract_features": "extract",
    "study_calibration": "calibration",
}
_BASELINE = 2.0  # how much longer others' methods take than our solver
_VISITED = 0.25  # of a grid, since paths over C end early
_EPOCHS = 100  # of a fit, on average along a path
_EPOCHS_OF_SETS = 800  # the same of label sets
_EPOCHS_OF_KERNELS = 20  # the same with a kernel
_PER_PRODUCT = 5e-10  # seconds of a multiplication and an addition, where a row comes from memory
_PER_KERNEL_PRODUCT = 5e-11  # the same in products of matrices
_PER_SCORE = 1e-8  # seconds of a proximal map, for each of its scores
_AGREEING = 16  # fits of the rule agree

Need = Callable[..., int]
"""A function of wildcards, input and attempt, as Snakemake calls it."""


@dataclass(frozen=True)
class Size:
    """Of a prepared set.

    Attributes
    ----------
    rows, classes, columns : int
        Rows of the largest part, m, and d.
    entries : float
        Stored feature values of that part: rows times features, or those that a sparse matrix has.
    features_mb : float
        All parts in memory.
    """

    rows: int = 0
    classes: int = 0
    columns: int = 0
    entries: float = 0.0
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
        path = Path(meta)
        if not path.is_file():
            raise FileNotFoundError(2, "not prepared yet", str(meta))
        try:
            found = read_json(path)
        except FileError:
            return cls()
        parts = found["parts"]
        stored = {name: _stored(path.parent, name) for name in parts}
        largest = max(parts, key=lambda name: parts[name]["n_rows"])
        dense = parts[largest]["storage"] == "dense"
        return cls(
            rows=parts[largest]["n_rows"],
            classes=found["n_classes"],
            columns=parts[largest]["n_features"],
            entries=stored[largest] / (8 if dense else 12),  # CSR has a column beside each value
            features_mb=sum(stored.values()) / 1e6,
        )

    def first(self, rows: int | None) -> Size:
        """Return the size of at most so many rows; the stored features are as they were. None
        stands for all.
        """
        if rows is None or rows >= self.rows:
            return self
        return replace(self, rows=rows, entries=self.entries * rows / self.rows)


def _stored(folder: Path, part: str) -> int:
    """Return bytes of the features of a part, in memory: the arrays of a sparse matrix are
    compressed on disk.
    """
    found = sum(path.stat().st_size for path in folder.glob(f"X_{part}.npy"))
    for path in folder.glob(f"X_{part}.npz"):
        with suppress(BadZipFile), ZipFile(path) as arrays:
            found += sum(array.file_size for array in arrays.infolist())
    return found


def memory_mb(size: Size, method: Method, budget: Budget) -> float:
    """Return memory of a job that trains or evaluates, in MB.

    Features twice, dense ones for a kernel, arrays of n x m numbers (duals, scores, models), and
    Gram matrices.
    """
    features = 2 * size.features_mb
    if method.kernel == "rbf":
        features = max(features, 16 * size.rows * size.columns / 1e6)
    arrays = 8 * _ARRAYS * size.rows * size.classes
    gram = _gram_bytes(method, budget) * size.rows**2
    return _BASE_MB + _MARGIN * (features + (arrays + gram) / 1e6)


def _gram_bytes(method: Method, budget: Budget) -> int:
    """Return bytes for each pair of rows: a matrix of our solver, or three of the simplex coding
    with its eigenvectors.
    """
    if method.kernel != "rbf":
        return 0
    if method.baseline:
        return 24
    return 4 if budget.gram_dtype == "float32" else 8


def fits(method: Method, budget: Budget, rows: int, block: bool = False) -> int:
    """At most how many fits a tuning job has, where so many rows train: widths times C times folds
    times k, again for a finer grid.
    """
    widths, blocks = len(budget.thetas(method.tunes_width)), budget.blocks(method.tunes_width)
    points = (len(budget.C.exponents()) + 2 * budget.extend) * (budget.fold_count(rows) or 1)
    if block:
        return -(-widths // blocks) * points
    finer = 2 if budget.refine is not None else 1
    return widths * points * finer * max(1, len(method.ks))


def fit_seconds(size: Size, method: Method, count: float) -> float:
    """Time of so many fits, in seconds of a core."""
    scores = size.rows * size.classes
    epochs = _EPOCHS_OF_SETS if method.task == "multilabel" else _EPOCHS
    product = _PER_PRODUCT * size.entries * size.classes
    if method.kernel == "rbf":
        epochs = _EPOCHS if method.baseline else _EPOCHS_OF_KERNELS
        product = _PER_KERNEL_PRODUCT * scores * size.rows
    found = count * epochs * (product + _PER_SCORE * scores)
    return _BASELINE * found if method.baseline else found


def estimate(plan: Plan, stage: str, wildcards: Any, size: Size) -> tuple[float, float]:
    """Return memory in MB with its margin, and seconds of a core, of a job that trains, cuts or
    evaluates a cell.

    Parameters
    ----------
    plan : Plan
    stage : {"tune", "tune_block", "train", "threshold", "evaluate", "agree"}
    wildcards : object
        With `dataset`, `method` but for agree, and `part` where it tunes.
    size : Size
        Of the prepared set.
    """
    dataset = wildcards.dataset
    if stage == "agree":
        method, budget = plan.methods["svm_ova"], plan.budget_of(dataset)
        return memory_mb(size, method, budget), fit_seconds(size, method, _AGREEING)
    task = plan.task(stage, dataset, wildcards.method)
    method, budget = task.method, task.budget
    count = 1.0
    if stage in ("tune", "tune_block"):
        count = _VISITED * fits(method, budget, size.rows, block=stage == "tune_block")
        count *= len(plan.splits_of(dataset, wildcards.part))
    elif stage == "train":
        count = len(plan.split_names(dataset)) * len(plan.protocol_of(dataset).metrics)
    if stage == "tune_block":
        size = size.first(budget.screen_rows)
    return memory_mb(size, method, budget), fit_seconds(size, method, count)


def training_needs(plan: Plan, rule: str) -> dict[str, Need]:
    """Return ``mem_mb`` and ``runtime`` (minutes) of a rule that `estimate` knows."""

    def guess(wildcards: Any, input: Any) -> tuple[float, float]:
        return estimate(plan, rule, wildcards, Size.of(input.meta))

    return _needs(
        plan,
        rule,
        lambda wildcards, input: guess(wildcards, input)[0],
        lambda wildcards, input: _BASE_MINUTES + _SLACK * guess(wildcards, input)[1] / 60,
    )


def preparing_needs(plan: Plan, rule: str) -> dict[str, Need]:
    """Return the same of a rule that reads raw files into numbers."""
    return _needs(plan, rule, preparing_mb, lambda *_: _PREPARING_MINUTES)


def fixed_needs(plan: Plan, rule: str, mem_mb: int, minutes: int) -> dict[str, Need]:
    """Return the same of a rule whose jobs are all alike."""
    return _needs(plan, rule, lambda *_: mem_mb, lambda *_: minutes)


def preparing_mb(wildcards: Any, input: Any) -> float:
    """Return memory of the rule prepare: raw files, read into numbers."""
    if not Path(input.receipt).is_file():
        raise FileNotFoundError(2, "not fetched yet", str(input.receipt))
    try:
        receipt: Mapping[str, Any] = read_json(input.receipt)
    except FileError:
        receipt = {}
    return _BASE_MB + _RAW_COPIES * sum(file["size"] for file in receipt.values()) / 1e6


def _needs(
    plan: Plan, rule: str, mb: Callable[..., float], minutes: Callable[..., float]
) -> dict[str, Need]:
    """Return what a rule asks for, which grows with what earlier attempts ended for; the time of a
    job that the kept run has is from there, and its memory at least that.
    """

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        _, peak = _kept(plan.root, plan.budget).get(_benchmark(rule, wildcards), (0.0, 0.0))
        least = _KEPT_MARGIN * (peak + _TWO_SNAKEMAKES)
        return ceil(
            max(least, mb(wildcards, input)) * growth(rule, wildcards, attempt, _begun())[1]
        )

    def runtime(wildcards: Any, input: Any, attempt: int) -> int:
        kept = _kept(plan.root, plan.budget).get(_benchmark(rule, wildcards))
        asked = _KEPT_MINUTES + _SLOWER * kept[0] / 60 if kept else minutes(wildcards, input)
        return ceil(asked * growth(rule, wildcards, attempt, _begun())[0])

    return {"mem_mb": memory, "runtime": runtime}


def _begun() -> float:
    """Return when the run began, in seconds since the epoch."""
    return LOCK.stat().st_mtime if LOCK.is_file() else 0.0


def _benchmark(rule: str, wildcards: Iterable[str]) -> str:
    """Return stage and names of a job, as `_kept` has them."""
    names = [_FOLDERS.get(rule, rule), *wildcards]
    if rule == "tune_block":
        names[-2:] = [".block".join(names[-2:])]
    return "/".join(names)


@cache
def _kept(root: Path, budget: str) -> dict[str, tuple[float, float]]:
    """Return seconds and peak memory in MB of the kept jobs; none where they had other grids."""
    with suppress(FileError, OSError, KeyError, ValueError):
        if read_json(root / SUMMARY / "run.json")["budget"] == budget:
            with (root / SUMMARY / "jobs.csv").open(newline="", encoding="utf-8") as stream:
                rows = list(csv.DictReader(stream))
            names = ("stage", "dataset", "method", "part")
            return {
                "/".join(filter(None, map(row.get, names))): (
                    float(row["seconds"]),
                    float(row["peak_mb"]),
                )
                for row in rows
            }
    return {}
