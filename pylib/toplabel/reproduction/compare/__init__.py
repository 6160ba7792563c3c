"""Measured numbers beside published ones: cells, verdicts, claims, tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CompareTask:
    """What the frame of cells depends on besides results: the checkout, and what a run adds to it."""

    checkout: str
    own: Mapping[str, Any]
