"""The base of all models of config files, and the types of their fields.

A model is a frozen dataclass whose fields are checked; an unknown key is an error. A field is
described in the text below it, from where the site (docs/site/config_keys.py) takes its page of
keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from toplabel.reproduction.config.documents import unknown

# Most jobs check few models, so none is built before its first use.
_CONFIG = ConfigDict(
    extra="forbid",
    validate_by_name=True,
    validate_by_alias=True,
    allow_inf_nan=False,
    defer_build=True,
)
model = dataclass(frozen=True, config=_CONFIG)
"""The decorator that makes a class a model."""


@model
class Closed:
    """The base of all models: an unknown key is an error that proposes the known ones."""

    @model_validator(mode="before")
    @classmethod
    def _known(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            fields = cls.__pydantic_fields__.items()
            keys = {field.alias or name: field for name, field in fields}
            if wrong := [key for key in values if key not in keys]:
                shown = [key for key, field in keys.items() if not field.exclude]
                raise ValueError(unknown("key", str(wrong[0]), shown))
        return values


def with_name(row: Any, name: str) -> Any:
    """Return a row with the name that it has by its key, or by its file."""
    return {**row, "name": name} if isinstance(row, Mapping) else row


def _with_names(rows: Any) -> Any:
    if not isinstance(rows, Mapping):
        return rows
    return {name: with_name(row, name) for name, row in rows.items()}


def _number(value: Any) -> Any:
    """Return 1e-4, which YAML takes for a text, as the number that it is meant to be."""
    if isinstance(value, Mapping):
        return {key: _number(one) for key, one in value.items()}
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
