"""A sum over the sources that a stage depends on.

Snakemake sees a changed script, and not a changed package or C library. Every rule has the fingerprint
of its stage among its params, so that a change of the sources makes the stage run again, and nothing
else does: not a touched file, not a change of another stage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_CORE = (
    "csrc/include/*.h",
    "csrc/src/*.[ch]",
    "toplabel/_arrays.py",
    "toplabel/_lib.py",
    "toplabel/kernels.py",
    "toplabel/losses.py",
    "toplabel/solver.py",
    "toplabel/seeds.py",
)
_MEASURES = (
    "toplabel/metrics/*.py",
    "toplabel/thresholds.py",
    "toplabel/selection/measures.py",
)
_FITTING = (
    "toplabel/selection/fitting.py",
    "toplabel/selection/folds.py",
    "toplabel/selection/grids.py",
    "toplabel/selection/problems.py",
)

# Patterns by stage, relative to the checkout (those in _OF_CHECKOUT) or to the package's folder.
STAGES: dict[str, tuple[str, ...]] = {
    "fetch": (
        "workflow/scripts/fetch_raw.py",
        "toplabel/datasets/fetch.py",
        "toplabel/datasets/registry.py",
    ),
    "prepare": (
        "workflow/scripts/prepare_dataset.py",
        "toplabel/datasets/*.py",
        "toplabel/datasets/formats/*.py",
        "toplabel/seeds.py",
    ),
    "tune": (
        "workflow/scripts/tune_*.py",
        "workflow/scripts/refine_grid.py",
        *_CORE,
        *_MEASURES,
        *_FITTING,
        "toplabel/selection/tuning.py",
        "toplabel/selection/results.py",
        "toplabel/selection/choice.py",
    ),
    "select": (
        "workflow/scripts/select_best.py",
        "toplabel/selection/choice.py",
        "toplabel/selection/measures.py",
        "toplabel/selection/results.py",
    ),
    "train": (
        "workflow/scripts/train_final.py",
        *_CORE,
        *_FITTING,
        "toplabel/selection/final.py",
    ),
    "threshold": (
        "workflow/scripts/set_cutoffs.py",
        *_MEASURES,
        "toplabel/selection/cutoffs.py",
        "toplabel/selection/evaluation.py",
        "toplabel/selection/final.py",
    ),
    "evaluate": (
        "workflow/scripts/evaluate_test.py",
        *_MEASURES,
        "toplabel/selection/evaluation.py",
        "toplabel/selection/final.py",
        "toplabel/selection/fitting.py",
    ),
    "datasets": (
        "workflow/scripts/collect_datasets.py",
        "toplabel/datasets/statistics.py",
    ),
    "compare": ("workflow/scripts/compare_published.py", "toplabel/studies/*.py"),
    "tables": ("workflow/scripts/make_table.py", "toplabel/studies/*.py"),
    "figures": (
        "workflow/scripts/draw_*.py",
        "toplabel/selection/curves.py",
        "toplabel/reporting/figures.py",
        "toplabel/reporting/labels.py",
        "toplabel/reporting/style.py",
    ),
    "report": (
        "workflow/scripts/write_*.py",
        "toplabel/reporting/*.py",
        "toplabel/reporting/templates/*",
    ),
    "run": ("workflow/scripts/describe_run.py", "toplabel/workflow/machine.py"),
}
_EVERY_STAGE = ("toplabel/files.py", "toplabel/workflow/jobs.py")
_OF_CHECKOUT = ("csrc/", "workflow/")


@cache
def fingerprint(stage: str, root: Path, package: Path | None = None) -> str:
    """The sum of a stage: 16 hexadecimal digits of SHA-256 over names and contents.

    Parameters
    ----------
    stage : str
        A key of `STAGES`.
    root : Path
        The checkout.
    package : Path, optional
        The folder that holds the package ``toplabel``; by default where this module lies.
    """
    package = package or Path(__file__).resolve().parents[2]
    patterns = (*_EVERY_STAGE, *STAGES[stage])
    of_checkout = [pattern for pattern in patterns if pattern.startswith(_OF_CHECKOUT)]
    others = [pattern for pattern in patterns if not pattern.startswith(_OF_CHECKOUT)]
    both = f"{sum_of(root, of_checkout)} {sum_of(package, others)}"
    return hashlib.sha256(both.encode()).hexdigest()[:16]


@cache
def _content(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def sum_of(base: Path, patterns: Iterable[str]) -> str:
    """16 hexadecimal digits of SHA-256 over names and contents of the files below a folder."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in patterns for path in base.glob(pattern)}):
        if path.is_file():
            digest.update(f"{path.relative_to(base).as_posix()}\n".encode())
            digest.update(_content(path))
    return digest.hexdigest()[:16]
