"""Config documents against their closed JSON schemas, with errors of one line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import jsonschema

from toplabel.documents import Validator, read_yaml


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
