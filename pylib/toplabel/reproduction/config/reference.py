"""The config's models as a page of documentation, and as JSON schemas for editors."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from toplabel.reproduction.config import formats
from toplabel.reproduction.config.datasets import DatasetsFile
from toplabel.reproduction.config.deviations import DeviationsFile
from toplabel.reproduction.config.differences import DifferencesFile
from toplabel.reproduction.config.findings import FindingsFile
from toplabel.reproduction.config.methods import MethodsFile
from toplabel.reproduction.config.protocols import ProtocolsFile
from toplabel.reproduction.config.readings import ReadingsFile
from toplabel.reproduction.config.run import RunConfig
from toplabel.reproduction.config.studies import Study

FILES = {
    "config/config.yaml": RunConfig,
    "config/datasets.yaml": DatasetsFile,
    "config/methods.yaml": MethodsFile,
    "config/protocols.yaml": ProtocolsFile,
    "config/studies/*.yaml": Study,
    "config/findings.yaml": FindingsFile,
    "config/differences.yaml": DifferencesFile,
    "config/readings.yaml": ReadingsFile,
    "config/deviations.yaml": DeviationsFile,
}
"""The config files and their models."""

_HEAD = """\
# The config files, key by key

`make reference` writes this page from the models of `toplabel.reproduction.config`, and a test
holds it to them. An unknown key, and a value of another kind or out of range, is an error of one
line that names file, key and value. For an editor that completes and checks YAML, `python -m
toplabel.reproduction.config FOLDER` writes the same as JSON schemas.
"""
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
_TYPES = {"integer": "whole number", "number": "number", "boolean": "true or false"}


def schema(model: type) -> dict[str, Any]:
    """Return the JSON schema of a model, without the names that stand before the colon of a row."""
    found = TypeAdapter(model).json_schema()
    for part in (found, *found.get("$defs", {}).values()):
        for name, text in _texts().get(part["title"], {}).items():
            part["properties"][name].setdefault("description", text)
        if part.get("properties", {}).get("name", {}).pop("rowName", False):
            del part["properties"]["name"]
            part["required"] = [key for key in part.get("required", ()) if key != "name"]
    return found


@cache
def _texts() -> dict[str, dict[str, str]]:
    """Return the texts below the fields of the models, by class and field.

    Pydantic could take them as it makes a model, but every job would wait for that.
    """
    found: dict[str, dict[str, str]] = {}
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                bases = [found.get(base.id, {}) for base in node.bases if hasattr(base, "id")]
                found[node.name] = {name: text for base in bases for name, text in base.items()}
                for field, text in pairwise(node.body):
                    if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                        found[node.name][field.target.id] = text.value.value
    return found


def page() -> str:
    """docs/config-reference.md."""
    options = [
        f"### {name}\n\n{_table(schema(model))}"
        for name, model in (formats.FORMATS | formats.EMBEDDED).items()
    ]
    files = [_file(name, model) for name, model in FILES.items()]
    return "\n".join([_HEAD, *files, "## Options of the formats and generators\n", *options])


def _file(name: str, model: type) -> str:
    found = schema(model)
    parts = [f"## {name}\n\n{_table(found)}"]
    for title, part in found.get("$defs", {}).items():
        parts.append(f"### {title}\n\n{_table(part)}")
    return "\n".join(parts)


def _table(part: Mapping[str, Any]) -> str:
    lines = [textwrap.fill(part.get("description", ""), 100, break_on_hyphens=False), ""]
    if part.get("properties"):
        lines += ["| key | value | default | |", "|---|---|---|---|"]
    for key, value in part.get("properties", {}).items():
        default = "required" if key in part.get("required", ()) else _default(value)
        meaning = " ".join(value.get("description", "").split())
        cells = (f"`{key}`", _kind(value), default, meaning)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _default(value: Mapping[str, Any]) -> str:
    default = value.get("default")
    return (
        ""
        if default in (None, "") or isinstance(default, (dict, list))
        else f"`{json.dumps(default, ensure_ascii=False)}`"
    )


def _kind(value: Mapping[str, Any]) -> str:
    """Return what a value may be, in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if forms := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(filter(None, map(_kind, forms))))
    if choices := value.get("enum") or ([value["const"]] if "const" in value else []):
        return ", ".join(f"`{choice}`" for choice in choices if choice != "")
    kind = value.get("type")
    if kind == "null":
        return ""
    if kind == "array":
        least = f", at least {value['minItems']}" if "minItems" in value else ""
        return f"list{least}: {_kind(value.get('items', {}))}"
    rows = [value.get("additionalProperties"), *value.get("patternProperties", {}).values()]
    if kind == "object" and isinstance(rows[-1], Mapping):
        return f"by name: {_kind(rows[-1])}"
    if kind == "string":
        return f"text: `{value['pattern']}`" if "pattern" in value else "text"
    bounds = [f"{word} {value[key]:g}" for key, word in _BOUNDS.items() if key in value]
    return " ".join([_TYPES.get(kind, "mapping"), " and ".join(bounds)]).strip()
