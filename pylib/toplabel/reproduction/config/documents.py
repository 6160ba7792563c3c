"""YAML files, read and checked against a model; an error is one line with file, key and value."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, dataclass_transform

import yaml
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass

from toplabel.reproduction.files import PathLike, one_line

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader

_SHOWN = 60  # characters of a value in an error
_LISTED = 20  # names in an error
IMPORT_PATH = r"^(\w+(\.\w+)+)?$"
"""The pattern of the import path of a class, or of none."""
_SMALL = "small letters without accents, digits and _, with a letter first"
_ALLOWED = {
    r"^[a-z][a-z0-9_]*$": _SMALL,
    r"^[a-z0-9][a-z0-9_]*$": _SMALL,
    r"^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?$": _SMALL,
    r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$": "letters without accents, digits and _ . + -, no blank and no folder",
    r"^[A-Za-z0-9][A-Za-z0-9_-]*$": "letters without accents, digits, _ and -",
    r"^([A-Za-z0-9][A-Za-z0-9_.-]*)?$": "letters without accents, digits and _ . -",
    r"^[0-9a-f]{64}$": "64 hexadecimal digits",
    IMPORT_PATH: "the import path of a class, as my_module.MyClass",
}
"""Words for what a text with a pattern may be."""


class _Loader(SafeLoader):
    """Safe YAML, in which a key that a mapping has twice is an error."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        if not hasattr(node, "is_flat"):  # a mapping that is merged is seen again, with its merges
            keys: set[str] = set()
            for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
                if key.value in keys:
                    problem = f"the key '{key.value}' is given twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                keys.add(key.value)
        node.is_flat = True
        super().flatten_mapping(node)


def read_yaml(path: PathLike) -> Any:
    """Read a YAML file.

    A file that cannot be read, is no YAML, or has a key twice is a ValueError of one line with
    file and line.
    """
    path = Path(path)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, ValueError) as error:  # also what is not UTF-8, or a date that is none
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f"{path}:{mark.line + 1}" if mark else f"{path}"
        raise ValueError(f"{where}: {one_line(problem or error)}") from None


class Fault(ValueError):
    """Error of a document, and the key where it is.

    Models raise it, with a key of their own, where their keys do not fit each other.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(one_line(f"{key}: {message}" if key else message))
        self.key, self.message = key, message

    def below(self, key: str) -> Fault:
        """Return the fault of a document that stands under a key of another one."""
        return Fault(f"{key}.{self.key}".strip("."), self.message)


def validate(document: Any, kind: Any) -> Any:
    """Turn a document into the objects of a model, or of a type made of models; else a `Fault`."""
    try:
        return _adapter(kind).validate_python(document)
    except ValidationError as error:
        raise fault_of(error, document) from None


def check(document: Any, kind: Any, name: str) -> Any:
    """Validate a document as `validate`; a ValueError begins with its name, which is its path."""
    try:
        return validate(document, kind)
    except Fault as fault:
        raise ValueError(f"{name}: {fault}") from None


def check_rows(
    document: Any,
    kind: Any,
    name: str,
    key: str,
    own: Mapping[str, Any],
    whole: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> Any:
    """Validate a registry with the rows that the config of a run adds under the same key.

    `whole` writes out rows that are given in short. What is wrong with the file is a ValueError, as
    of `check`, and what is wrong with the rows of the config a `Fault`.
    """
    rows = document.get(key) if isinstance(document, Mapping) else None
    if not isinstance(rows, Mapping):
        return check(document, kind, name)
    try:
        known = whole(rows)
        registry = validate({**document, key: known}, kind)
    except Fault as fault:
        raise ValueError(f"{name}: {fault}") from None
    if taken := [row for row in {**own, **whole(own)} if row in {**rows, **known}]:
        raise Fault(f"{key}.{taken[0]}", f"{name} has this name already")
    return validate({**document, key: whole({**rows, **own})}, kind) if own else registry


@cache
def _adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind)


def fault_of(error: ValidationError, document: Any) -> Fault:
    """Return the deepest fault of a document, with all that pydantic says of its place.

    A value that may have several forms has an error for each of them.
    """
    said: dict[tuple[str | int, ...], list[Fault]] = {}
    for detail in error.errors(include_url=False):
        said.setdefault(_place(detail["loc"], document), []).append(_explain(detail))
    place = max(said, key=len)
    key = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in place).lstrip(".")
    messages = dict.fromkeys(fault.message for fault in said[place])
    return Fault(said[place][0].key, " or: ".join(messages)).below(key)


def _place(loc: Sequence[str | int], document: Any) -> tuple[str | int, ...]:
    """Return the steps of a location that are in the document; others name forms of a value."""
    steps = []
    for step in loc:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            continue
        steps.append(step)
    return tuple(steps)


def _explain(error: Mapping[str, Any]) -> Fault:
    """Return the fault that an error reports, with the key within its place if it names one."""
    cause = error.get("ctx", {}).get("error")
    if cause is not None:
        return cause if isinstance(cause, Fault) else Fault("", str(cause))
    if error["type"].startswith("missing"):
        return Fault("", f"the key '{error['loc'][-1]}' is missing")
    value = repr(error["input"])
    shown = value if len(value) <= _SHOWN else f"{value[: _SHOWN - 3]}..."
    if error["type"] == "literal_error":
        known = [*filter(None, re.findall(r"'([^']*)'", error["ctx"]["expected"]))]
        return Fault("", unknown("value", str(error["input"]), known))
    if words := _ALLOWED.get(error.get("ctx", {}).get("pattern")):
        return Fault("", f"expected {words}, got {shown}")
    message = re.sub(r"dictionary( or an instance of \w+)?", "mapping", error["msg"])
    message = f"{message[0].lower()}{message[1:].replace('tuple', 'list')}, got {shown}"
    if error["type"] == "string_type" and isinstance(error["input"], bool | int | float | date):
        kinds = {bool: "true or false (yes, no, on, off)", date: "a date"}
        message += f", which YAML takes for {kinds.get(type(error['input']), 'a number')}; quote it"
    return Fault("", message)


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """Say that a name is unknown, with the nearest known ones, or the first of all known ones."""
    if near := difflib.get_close_matches(name, [*known], n=3):
        return f"unknown {what} '{name}'; did you mean {' or '.join(near)}?"
    names = [*known] if len(known) <= _LISTED else [*[*known][:_LISTED], "..."]
    return f"unknown {what} '{name}'; known: {', '.join(names) or 'none'}"


Model = TypeVar("Model")

# Most jobs check few models, so none is built before its first use.
_CONFIG = ConfigDict(
    extra="forbid",
    validate_by_name=True,
    validate_by_alias=True,
    allow_inf_nan=False,
    defer_build=True,
)


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def model(cls: type[Model]) -> type[Model]:
    """Return a class as a model: a frozen dataclass whose fields are checked."""
    return cast("type[Model]", dataclass(frozen=True, config=_CONFIG)(cls))


@model
class ConfigModel:
    """The base of all models: an unknown key is an error that proposes the known ones."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            fields = cls.__pydantic_fields__  # type: ignore[attr-defined]  # of `model`
            keys = {field.alias or name: field for name, field in fields.items()}
            if wrong := [key for key in values if key not in keys]:
                shown = [key for key, field in keys.items() if not field.exclude]
                raise ValueError(unknown("key", str(wrong[0]), shown))
        return values


def _with_names(rows: Any) -> Any:
    """Return rows with the names that they have by their keys."""
    if not isinstance(rows, Mapping):
        return rows
    return {
        name: {**row, "name": name} if isinstance(row, Mapping) else row
        for name, row in rows.items()
    }


def _number(value: Any) -> Any:
    """Return 1e-4, which YAML takes for a text, as the number that it is meant to be."""
    if isinstance(value, Mapping):
        return {key: _number(item) for key, item in value.items()}
    is_number = isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value)
    return float(value) if is_number else value


Value = Annotated[Any, BeforeValidator(_number)]
"""A value that a class of scikit-learn or of the user gets as it stands."""
Gap = Annotated[float, Field(gt=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
# File systems take names of 255 bytes; suffixes are added.
FileName = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=200),
    AfterValidator(lambda name: re.sub(r"\.(gz|bz2|xz)$", "", name)),
]
"""The name of a raw file; the suffix of a compression is no part of it."""
Part = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?$")]
"""A name, or the part of what it names that is of one data set, as multiclass/letter."""
RowName = Annotated[Name, Field(exclude=True, json_schema_extra={"rowName": True})]
"""The name of a row, which stands before its colon (`Named`) and is no key of the row."""
Some = Field(min_length=1)
Named = BeforeValidator(_with_names)
"""For a mapping of names to rows that have a `RowName`."""
