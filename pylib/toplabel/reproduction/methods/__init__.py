"""Methods of others that the papers compare with, and that we run ourselves: see docs/protocol.md.

`toplabel.reproduction.config.baselines` names them; `create` imports the module of one only when it
is made: planning a run stays fast, and a change of one baseline trains no other method again.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.methods.models import Trained, Trainer

__all__ = ["BASELINES", "Trained", "Trainer", "create"]


def create(name: str, k: int = 1, params: Mapping[str, Any] | None = None) -> Trainer:
    """Make the trainer of a baseline, one of `BASELINES`, with some of its `options`.

    An unknown baseline or option, and what the trainer refuses, are ValueErrors.
    """
    if name not in BASELINES:
        raise ValueError(f"unknown baseline '{name}'; known: {', '.join(BASELINES)}")
    baseline = BASELINES[name]
    params = dict(params or {})
    if unknown := sorted(set(params) - baseline.options):
        known = ", ".join(sorted(baseline.options)) or "none"
        raise ValueError(f"baseline '{name}': unknown option '{unknown[0]}'; known: {known}")
    arguments = {**baseline.fixed, **params}
    if baseline.top_k:
        arguments["k"] = k
    trainer = getattr(importlib.import_module(baseline.module), baseline.trainer)
    try:
        return trainer(**arguments)
    except TypeError as error:  # an option that is no number
        raise ValueError(f"baseline '{name}': {error}") from None
