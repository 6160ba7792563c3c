"""Config documents against their closed JSON schemas, with errors of one line."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import jsonschema
from jsonschema import Draft202012Validator, validators

from toplabel.config.documents import read_yaml


def validate(document: Any, schema: str | os.PathLike[str] | Mapping[str, Any], name: str) -> None:
    """Check a document against a schema.

    Parameters
    ----------
    document : object
        What a YAML file holds.
    schema : path-like or mapping
        The schema, or the YAML file that holds it.
    name : str
        What the error calls the document: its path.

    Raises
    ------
    ValueError
        One line: the document, the dotted key, what is wrong.
    """
    if not isinstance(schema, Mapping):
        schema = read_yaml(schema)
    validator = Validator(schema)
    errors = [_deepest(error) for error in validator.iter_errors(document)]
    if errors:
        first = min(errors, key=lambda error: [str(part) for part in error.absolute_path])
        key = ".".join(str(part) for part in first.absolute_path)
        message = " ".join(first.message.split())
        raise ValueError(f"{name}: {key + ': ' if key else ''}{message}")


def _deepest(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """The most telling part of a oneOf/anyOf error."""
    return jsonschema.exceptions.best_match([error]) or error


def _is_integer(_, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_, value: object) -> bool:
    real = isinstance(value, (int, float)) and not isinstance(value, bool)
    return real and abs(value) <= sys.float_info.max


#: JSON schema with whole numbers that are written as such (not 1e3), and without NaN and infinity.
Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer).redefine(
        "number", _is_number
    ),
)
