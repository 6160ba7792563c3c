"""Measured numbers beside published ones: cells, verdicts, claims, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toplabel.reproduction.config.protocols import Threshold


@dataclass(frozen=True)
class CompareTask:
    """Params of the comparison, besides results.

    `checkout` has config/, data/published/ and reports/summary/, `own` is what a run adds to its
    registries; `studies` are the studies that the run asks for, in their order, and `threshold` is its
    rule for thresholds.
    """

    checkout: str
    own: Mapping[str, Any]
    studies: tuple[str, ...] = ()
    threshold: Threshold = "tune"
