"""The params of a rule (`toplabel.workflow.plan`) back to objects of `toplabel.selection`."""

from __future__ import annotations

from typing import Any

from toplabel.selection.fitting import Settings
from toplabel.selection.grids import Budget, Protocol, delta_grids, parse_protocol
from toplabel.selection.problems import Method


def protocol_of(params: Any) -> tuple[Protocol, Budget]:
    """The protocol and the budget that the params of a rule describe (`Plan.protocol_slice`)."""
    entry = params.protocol
    deltas = delta_grids(entry["deltas"], "params")
    protocol = parse_protocol(entry["name"], entry["protocol"], deltas, "params")
    return protocol, protocol.budgets[params.budget]


def method_of(params: Any) -> Method:
    """The method that the params of a rule describe."""
    return Method(**params.method)


def settings_of(params: Any) -> Settings:
    """The settings that the params of a rule describe; those it does not need have defaults."""
    return Settings(**params.settings)
