"""What a job needs: memory and time, from the prepared set, the method and the grids.

A scheduler kills a job that takes more, and it is started again with twice as much (`attempt`); one that asks for too
much waits, and keeps others waiting. The benchmark files of the rules are what the factors are compared with.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toplabel.config.methods import Method
from toplabel.config.protocols import Budget
from toplabel.files import FileError, read_json
from toplabel.workflow.plan import Plan

_BASE_MB = 800  # the interpreter with its libraries, and what the formula does not know
_MARGIN = 1.3
_RAW_COPIES = 10  # a raw file as numbers, with copies
_BASE_MINUTES = 15
_MOST_MINUTES = 7 * 24 * 60
_SLACK = 4.0  # how much slower a node may be, and a path longer than the average
_BASELINE = 4.0  # how much longer others' methods take than our solver
_EPOCHS = 150  # of a fit, on average along a path; the most are 1,000
_PER_PRODUCT = 1.5e-9  # seconds of a multiplication and an addition
_PER_SCORE = 2e-7  # seconds of a proximal map, for each of its scores
_AGREEING = 20  # fits of the rule agree

Need = Callable[..., int]
"""A function of wildcards, input and attempt, as Snakemake calls it."""


@dataclass(frozen=True)
class Size:
    """Of a prepared set.

    Attributes
    ----------
    rows, classes : int
        Rows of the largest part, and m.
    entries : float
        Stored feature values of that part: rows times features, or those that a sparse matrix has.
    features_mb : float
        All parts on disk.
    """

    rows: int = 0
    classes: int = 0
    entries: float = 0.0
    features_mb: float = 0.0

    @classmethod
    def of(cls, meta: str | os.PathLike[str]) -> Size:
        """Of the set that a ``meta.json`` describes; of a damaged one nothing, since the job itself will say so.

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
            entries=stored[largest] / (8 if dense else 12),  # CSR has a column beside each value
            features_mb=sum(stored.values()) / 1e6,
        )


def _stored(folder: Path, part: str) -> int:
    """Bytes of the features of a part."""
    return sum(path.stat().st_size for path in folder.glob(f"X_{part}.np[yz]"))


def memory_mb(size: Size, method: Method, budget: Budget) -> float:
    """Memory of a job that trains or evaluates, in MB.

    Features twice, a few arrays of n x m numbers (duals, scores and their copies), and Gram matrices.
    """
    gram = _gram_bytes(method, budget) * size.rows**2
    arrays = 32 * size.rows * size.classes
    return _BASE_MB + _MARGIN * (2 * size.features_mb + (arrays + gram) / 1e6)


def _gram_bytes(method: Method, budget: Budget) -> int:
    """Bytes for each pair of rows: a matrix of our solver, or three of the simplex coding with its eigenvectors."""
    if method.kernel != "rbf":
        return 0
    if method.baseline:
        return 24
    return 4 if budget.gram_dtype == "float32" else 8


def fits(method: Method, budget: Budget, block: bool = False) -> int:
    """At most how many fits a tuning job has: widths times C times folds times k, again for a finer grid."""
    widths, blocks = len(budget.thetas(method.tunes_width)), budget.blocks(method.tunes_width)
    points = len(budget.C.exponents()) + 2 * budget.extend
    if block:
        return -(-widths // blocks) * points * (budget.fold_count or 1)
    finer = 2 if budget.refine is not None else 1
    return widths * points * finer * (budget.fold_count or 1) * max(1, len(method.ks))


def runtime_minutes(size: Size, method: Method, count: int) -> float:
    """Time of so many fits, in minutes."""
    scores = size.rows * size.classes
    products = scores * size.rows if method.kernel == "rbf" else size.entries * size.classes
    seconds = count * _EPOCHS * (_PER_PRODUCT * products + _PER_SCORE * scores)
    return _BASE_MINUTES + _SLACK * (_BASELINE if method.baseline else 1) * seconds / 60


def training_needs(plan: Plan, stage: str) -> dict[str, Need]:
    """``mem_mb`` and ``runtime`` of a rule that trains, cuts or evaluates a cell.

    Parameters
    ----------
    plan : Plan
    stage : {"tune", "tune_block", "train", "threshold", "evaluate", "agree"}
    """

    def of(wildcards: Any) -> tuple[Method, Budget]:
        if stage == "agree":
            return plan.methods["svm_ova"], plan.budget_of(wildcards.dataset)
        fit = plan.fit(stage, wildcards.dataset, wildcards.method)
        return fit["method"], fit["budget"]

    def memory(wildcards: Any, input: Any, attempt: int) -> int:
        return round(memory_mb(Size.of(input.meta), *of(wildcards)) * 2 ** (attempt - 1))

    def runtime(wildcards: Any, input: Any, attempt: int) -> int:
        method, budget = of(wildcards)
        count = {
            "tune": fits(method, budget),
            "tune_block": fits(method, budget, block=True),
            "train": len(plan.split_names(wildcards.dataset)) * _final_models(plan, wildcards),
            "agree": _AGREEING,
        }.get(stage, 1)
        found = runtime_minutes(Size.of(input.meta), method, count) * 2 ** (attempt - 1)
        return min(_MOST_MINUTES, round(found))

    return {"mem_mb": memory, "runtime": runtime}


def _final_models(plan: Plan, wildcards: Any) -> int:
    """Models of a split at most: one for each metric."""
    return len(plan.protocol_of(wildcards.dataset).metrics)


def preparing_mb(wildcards: Any, input: Any, attempt: int) -> int:
    """Memory of the rule prepare: raw files, read into numbers."""
    if not Path(input.receipt).is_file():
        raise FileNotFoundError(2, "not fetched yet", str(input.receipt))
    try:
        receipt: Mapping[str, Any] = read_json(input.receipt)
    except FileError:
        receipt = {}
    raw_mb = sum(file["size"] for file in receipt.values()) / 1e6
    return round((_BASE_MB + _RAW_COPIES * raw_mb) * 2 ** (attempt - 1))


def doubled(amount: int) -> Need:
    """An amount for the first attempt, doubled with each other."""
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)
