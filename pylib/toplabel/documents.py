"""YAML documents, with errors of one line that name the file and the line, and what their schemas call a number."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, validators

_MERGE = "tag:yaml.org,2002:merge"


class _UniqueKeyLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML without the silent rule that the last of two equal keys wins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: list[Any] = []
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:  # its keys give way to those that stand here
                continue
            seen.append(key := self.construct_object(key_node, deep=True))
            if seen.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is given twice", key_node.start_mark
                )
        return super().construct_mapping(node, deep=deep)


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Read a YAML file.

    Raises
    ------
    ValueError
        One line with the file: it cannot be read, is not UTF-8 or not YAML (with the line), or gives a key twice.
    """
    path = Path(path)
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_UniqueKeyLoader)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 (byte {error.start})") from None
    except (ValueError, TypeError, AttributeError) as error:  # a date or a number that is none
        raise ValueError(f"{path}: {' '.join(str(error).split())}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        kind = "" if isinstance(error, yaml.constructor.ConstructorError) else "not YAML: "
        problem = getattr(error, "problem", None) or error
        raise ValueError(f"{path}{line}: {kind}{' '.join(str(problem).split())}") from None


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
