"""What a job asks a scheduler for: memory and time, from the kept run, or from the prepared set, the
method and the grids.

A scheduler kills a job that takes more, and it is started again with twice as much of that
(`toplabel.reproduction.workflow.slurm.growth`); one that asks for too much waits, and keeps others
waiting. docs/cluster.md has measured beside asked.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
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
    """Rows of the largest part of a prepared set, its m and d, the stored feature values of that
    part, and the features of all parts in MB.
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
        try:
            found = read_json(_there(meta))
        except FileError:
            return cls()
        parts, folder = found["parts"], Path(meta).parent
        largest = max(parts, key=lambda name: parts[name]["n_rows"])
        value = 8 if parts[largest]["storage"] == "dense" else 12  # CSR has a column beside each
        return cls(
            parts[largest]["n_rows"],
            found["n_classes"],
            parts[largest]["n_features"],
            _stored(folder, largest) / value,
            _stored(folder, "*") / 1e6,
        )

    def first(self, rows: int | None) -> Size:
        """Return the size of at most so many rows; the stored features are as they were. None
        stands for all.
        """
        if rows is None or rows >= self.rows:
            return self
        return replace(self, rows=rows, entries=self.entries * rows / self.rows)


def _there(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that is there; Snakemake asks again when it is not."""
    if not Path(path).is_file():
        raise FileNotFoundError(2, "not made yet", str(path))
    return Path(path)


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
    """Return memory in MB with its margin, and seconds of a core, of a job of a stage that trains,
    cuts or evaluates a cell, or of the rule agree.
    """
    dataset = wildcards.dataset
    task = plan.task(stage, dataset, wildcards.get("method", "svm_ova"))  # of the rule agree
    method, budget, count = task.method, task.budget, 1.0
    if stage in ("tune", "tune_block"):
        count = _VISITED * fits(method, budget, size.rows, block=stage == "tune_block")
        count *= len(plan.splits_of(dataset, wildcards.part))
    elif stage == "train":
        count = len(plan.split_names(dataset)) * len(plan.protocol_of(dataset).metrics)
    elif stage == "agree":
        count = _AGREEING
    if stage == "tune_block":
        size = size.first(budget.screen_rows)
    return memory_mb(size, method, budget), fit_seconds(size, method, count)


def training_needs(plan: Plan, rule: str) -> dict[str, Need]:
    """Return ``mem_mb`` and ``runtime`` (minutes) of a rule that `estimate` knows."""

    def guess(wildcards: Any, input: Any) -> tuple[float, float]:
        mb, seconds = estimate(plan, rule, wildcards, Size.of(input.meta))
        return mb, _BASE_MINUTES + _SLACK * seconds / 60

    return _needs(plan, rule, guess)


def preparing_needs(plan: Plan, rule: str) -> dict[str, Need]:
    """Return the same of a rule that reads raw files into numbers."""
    return _needs(plan, rule, lambda _, input: (preparing_mb(input.receipt), _PREPARING_MINUTES))


def fixed_needs(plan: Plan, rule: str, mem_mb: int, minutes: int) -> dict[str, Need]:
    """Return the same of a rule whose jobs are all alike."""
    return _needs(plan, rule, lambda *_: (mem_mb, minutes))


def preparing_mb(receipt: str) -> float:
    """Return memory of the rule prepare: raw files, read into numbers."""
    try:
        files = read_json(_there(receipt)).values()
    except FileError:
        files = ()
    return _BASE_MB + _RAW_COPIES * sum(file["size"] for file in files) / 1e6


def _needs(plan: Plan, rule: str, guess: Callable[..., tuple[float, float]]) -> dict[str, Need]:
    """Return what a rule asks for, which grows with what earlier attempts ended for; the time of a
    job that the kept run has is from there, and its memory at least that.
    """

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        _, peak = kept_jobs(plan.root, plan.budget).get(_benchmark(rule, wildcards), (0.0, 0.0))
        asked = max(_KEPT_MARGIN * (peak + _TWO_SNAKEMAKES), guess(wildcards, input)[0])
        return ceil(asked * growth(rule, wildcards, attempt, _begun())[1])

    def runtime(wildcards: Any, input: Any, attempt: int) -> int:
        kept = kept_jobs(plan.root, plan.budget).get(_benchmark(rule, wildcards))
        asked = _KEPT_MINUTES + _SLOWER * kept[0] / 60 if kept else guess(wildcards, input)[1]
        return ceil(asked * growth(rule, wildcards, attempt, _begun())[0])

    return {"mem_mb": memory, "runtime": runtime}


def _begun() -> float:
    """Return when the run began, in seconds since the epoch."""
    return LOCK.stat().st_mtime if LOCK.is_file() else 0.0


def _benchmark(rule: str, wildcards: Iterable[str]) -> str:
    """Return stage and names of a job, as `kept_jobs` has them."""
    names = [_FOLDERS.get(rule, rule), *wildcards]
    if rule == "tune_block":
        names[-2:] = [".block".join(names[-2:])]
    return "/".join(names)


@cache
def kept_jobs(root: Path, budget: str) -> dict[str, tuple[float, float]]:
    """Return seconds and peak memory in MB of the jobs of the kept run, by
    ``<stage>/<set>/<method>/<part>``; none where that run had another budget. Damaged rows are left
    out.
    """
    names, found = ("stage", "dataset", "method", "part"), {}
    with suppress(FileError, OSError, KeyError, ValueError):
        if read_json(root / SUMMARY / "run.json", ["budget"])["budget"] == budget:
            with (root / SUMMARY / "jobs.csv").open(newline="", encoding="utf-8") as stream:
                for row in csv.DictReader(stream):
                    with suppress(ValueError):
                        took = float(row["seconds"]), float(row["peak_mb"])
                        found["/".join(filter(None, map(row.get, names)))] = took
    return found
