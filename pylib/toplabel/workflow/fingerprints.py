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
    "csrc/src/*",
    "toplabel/_arrays.py",
    "toplabel/_lib.py",
    "toplabel/kernels.py",
    "toplabel/losses.py",
    "toplabel/solver.py",
    "toplabel/seeds.py",
)
_DATA = ("toplabel/datasets/*.py", "toplabel/datasets/formats/*.py", "toplabel/seeds.py")
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
_TUNING = ("toplabel/selection/tuning.py", "toplabel/selection/results.py")

# Patterns by stage, relative to the checkout (csrc) or to the folder that holds the package.
STAGES: dict[str, tuple[str, ...]] = {
    "fetch": ("toplabel/datasets/fetch.py", "toplabel/datasets/registry.py"),
    "prepare": _DATA,
    "tune": (*_CORE, *_MEASURES, *_FITTING, *_TUNING, "toplabel/selection/choice.py"),
    "select": (
        "toplabel/selection/choice.py",
        "toplabel/selection/measures.py",
        "toplabel/selection/results.py",
    ),
    "train": (*_CORE, *_FITTING, "toplabel/selection/final.py"),
    "threshold": (
        *_MEASURES,
        "toplabel/selection/cutoffs.py",
        "toplabel/selection/evaluation.py",
        "toplabel/selection/final.py",
    ),
    "evaluate": (
        *_MEASURES,
        "toplabel/selection/evaluation.py",
        "toplabel/selection/final.py",
        "toplabel/selection/fitting.py",
    ),
    "compare": ("toplabel/studies/*.py",),
    "datasets": ("toplabel/datasets/statistics.py",),
    "tables": ("toplabel/studies/*.py",),
    "figures": ("toplabel/reporting/*.py", "toplabel/studies/*.py"),
    "report": ("toplabel/reporting/*.py", "toplabel/reporting/templates/*"),
    "run": ("toplabel/workflow/machine.py",),
}


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
    patterns = STAGES[stage]
    c_sources = [pattern for pattern in patterns if pattern.startswith("csrc/")]
    others = [pattern for pattern in patterns if not pattern.startswith("csrc/")]
    return _digest(sum_of(root, c_sources), sum_of(package, others))


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


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
