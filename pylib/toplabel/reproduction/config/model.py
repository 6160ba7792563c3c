"""What all models of the config have in common, and the types of their fields.

A model is a frozen dataclass whose fields are checked: nothing is converted but whole numbers to
real ones and lists to tuples, and an unknown key is an error. A field's description stands in its
``Field``, from where it goes to docs/config-reference.md
(`toplabel.reproduction.config.reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
    model_validator,
)
from pydantic.dataclasses import dataclass

from toplabel.reproduction.config.documents import Fault, unknown

model = dataclass(
    frozen=True,
    config=ConfigDict(
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        allow_inf_nan=False,
        # A job gets its models checked, so it need not build what would check them again.
        defer_build=True,
    ),
)
"""The decorator that makes a class a model."""


GIVEN = {"minItems": 1}
"""``json_schema_extra`` of a field that may be left out, and then means all or none, but not be
empty.
"""


@model
class Closed:
    """The base of all models; an unknown key is an error that proposes known ones."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            fields = {field.alias or name: field for name, field in cls.__pydantic_fields__.items()}
            if wrong := [key for key in values if key not in fields]:
                keys = [key for key, field in fields.items() if not field.exclude]
                raise ValueError(unknown("key", str(wrong[0]), keys))
            for key, value in values.items():
                if fields[key].json_schema_extra is GIVEN and not value:
                    raise Fault(key, f"{value!r} is empty; leave the key out")
        return values


def _unique(values: tuple[Any, ...]) -> tuple[Any, ...]:
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{value!r} is given twice")
        seen.add(value)
    return values


def _with_names(rows: Any) -> Any:
    """Return each row with its key as its name."""
    if not isinstance(rows, Mapping):
        return rows
    return {name: with_name(row, name, f"{name}: ") for name, row in rows.items()}


def with_name(row: Any, name: str, where: str = "") -> Any:
    """Return a row with the name that it has by its key, or by its file."""
    if not isinstance(row, Mapping):
        return row
    if "name" in row:
        raise ValueError(f"{where}unknown key 'name'; its name is '{name}'")
    return {**row, "name": name}


Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Count = Annotated[int, Strict(), Field(ge=1)]
Number = Annotated[float, Strict()]
Positive = Annotated[float, Strict(), Field(gt=0)]
Gap = Annotated[float, Strict(), Field(gt=0, lt=1)]
Text = Annotated[str, StringConstraints(min_length=1)]
# File systems take names of 255 bytes; suffixes are added.
FileName = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=200)
]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
Part = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?$")]
"""A name, or that part of what it names which is of one data set: ``multiclass/letter``."""
RowName = Annotated[Name, Field(exclude=True, json_schema_extra={"rowName": True})]
"""The name of a row that stands before its colon (`Named`), and is no key of the row."""
Unique = AfterValidator(_unique)
Some = Field(min_length=1)
Named = BeforeValidator(_with_names)
"""Of a mapping of names to rows, which have a `RowName`."""
