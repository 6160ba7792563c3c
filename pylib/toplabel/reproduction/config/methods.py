"""The registry of methods: ``config/methods.yaml``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from toplabel.reproduction.config.documents import Fault, check_rows, read_yaml, unknown
from toplabel.reproduction.config.keys import Key
from toplabel.reproduction.config.method import KINDS, Method
from toplabel.reproduction.config.model import Closed, Named, Some, model


def whole_rows(rows: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for each method, by its name: with `ks` one for each k, and variants whole."""
    found: dict[str, Any] = {}
    for name, row in rows.items():
        several = isinstance(row, Mapping) and "ks" in row
        found |= _at_each_k(name, row) if several else {name: row}
    return {name: _whole(row, found) for name, row in found.items()}


def _at_each_k(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(row["ks"], list) or "{k}" not in name:
        raise Fault(f"methods.{name}.ks", "should be a list, and the name should have {k} in it")
    rest = {key: value for key, value in row.items() if key != "ks"}
    return {
        _at(name, k): {key: _at(value, k) for key, value in rest.items()} | {"k": k}
        for k in row["ks"]
    }


def _at(value: Any, k: int) -> Any:
    return value.replace("{k}", f"{k}") if isinstance(value, str) else value


def _whole(row: Any, rows: Mapping[str, Any]) -> Any:
    """Return a row with what it does not state from the method that it is a variant of."""
    base = rows.get(row.get("variant_of")) if isinstance(row, Mapping) else None
    if not isinstance(base, Mapping):
        return row
    own = {"label", *(KINDS if any(kind in row for kind in KINDS) else ())}
    return {key: value for key, value in base.items() if key not in own} | row


@model
class MethodsFile(Closed):
    """The registry of methods (config/methods.yaml)."""

    methods: Annotated[Mapping[str, Method], Some, Named]
    """The methods by name, which targets, folders of results and studies use."""

    def __post_init__(self) -> None:
        names: dict[Key, str] = {}
        for name, method in self.methods.items():
            if (other := names.setdefault(method.key, name)) != name:
                raise Fault(f"methods.{name}", f"the same method as '{other}'")
            if (of := method.variant_of) and of not in self.methods:
                raise Fault(f"methods.{name}.variant_of", unknown("method", of, self.methods))


def load_methods(
    path: str | os.PathLike[str], run: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Method]:
    """Read and check the registry of methods, in its order, with the methods of a run's config.

    A ValueError is one line with the file, the key and what is wrong; a `Fault` for rows of `run`.
    """
    own = run.get("methods", {})
    return check_rows(read_yaml(path), MethodsFile, str(path), "methods", own, whole_rows).methods
