"""YAML documents, read and checked against a model, with errors of one line that name file, key and
value.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from toplabel._core.files import one_line

_BYTES = 2**20  # of a document; ours have up to 60 KB
_DEPTH = 50  # of nested lists and mappings
_NODES = 10**5  # with those that an alias repeats; ours have up to 5,000
_MERGE, _TEXT = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:str"
_SHOWN = 60  # characters of a value in an error
_MAPPING = "{value} is not a mapping of keys to values"
_MESSAGES = {  # by pydantic's type of error; the others keep its message
    "bool_type": "{value} is not true or false",
    "dataclass_type": _MAPPING,
    "dict_type": _MAPPING,
    "finite_number": "{value} is not a finite number",
    "float_type": "{value} is not a number",
    "greater_than": "{value} is not above {gt:g}",
    "greater_than_equal": "{value} is below {ge:g}",
    "int_type": "{value} is not a whole number",
    "less_than": "{value} is not below {lt:g}",
    "less_than_equal": "{value} is above {le:g}",
    "literal_error": "{value} is not one of {expected}",
    "mapping_type": _MAPPING,
    "string_pattern_mismatch": "{value} does not match {pattern}",
    "string_too_long": "{value} has more than {max_length} characters",
    "string_too_short": "{value} is empty",
    "string_type": "{value} is not text",
    "too_short": "{value} has fewer entries than {min_length}",
    "tuple_type": "{value} is not a list",
    "union_tag_invalid": "{tag!r} is not one of {expected_tags}",
    "value_error": "{error}",
}


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML of bounded depth and size, whose keys are text, each of them given once."""

    _depth = 0

    def descend_resolver(self, parent: yaml.Node | None, index: Any) -> None:
        """Count the depth of nested lists and mappings: the parser in C has no limit but the
        stack.
        """
        self._depth += 1
        if self._depth > _DEPTH:
            raise _refused(f"nested deeper than {_DEPTH} levels", parent)
        super().descend_resolver(parent, index)

    def ascend_resolver(self) -> None:
        self._depth -= 1
        super().ascend_resolver()

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None and _count(node, {}) > _NODES:
            raise _refused(f"more than {_NODES:,} values, aliases written out", node)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:  # explicit keys override merged ones
                continue
            key = self.construct_object(key_node)
            if key in seen:
                raise _refused(f"the key {_shown(key)} is given twice", key_node)
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def _refused(problem: str, node: yaml.Node | None) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node and node.start_mark)


def _count(node: yaml.Node, known: dict[int, int]) -> int:
    """Return the number of nodes below one, with those that aliases repeat; refuse keys that are
    not text.
    """
    if id(node) not in known:
        known[id(node)] = _NODES + 1  # a node below itself: a cycle
        below = node.value if isinstance(node, yaml.CollectionNode) else ()
        if isinstance(node, yaml.MappingNode):
            for key, _ in node.value:  # before a dict is built: numbers can be made to collide
                if key.tag not in (_TEXT, _MERGE):
                    plain = isinstance(key, yaml.ScalarNode)
                    what = _shown(key.value) if plain else "a list or mapping"
                    raise _refused(f"a key must be text, not {what}", key)
            below = (child for pair in node.value for child in pair)
        known[id(node)] = 1 + sum(_count(child, known) for child in below)
    return known[id(node)]


def read_yaml(path: str | os.PathLike[str]) -> Any:
    """Read a YAML file.

    Raises
    ------
    ValueError
        One line with the file: it cannot be read, is not UTF-8 or not YAML (with the line), gives a
        key twice, or is larger or deeper than any document of ours.
    """
    path = Path(path)
    try:
        if path.stat().st_size > _BYTES:
            raise ValueError(f"larger than {_BYTES:,} bytes")
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    except FileNotFoundError:
        raise ValueError(f"{path}: no such file") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 (byte {error.start})") from None
    except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError) as error:
        # A date or a number that is none.
        raise ValueError(f"{path}: {' '.join(str(error).split())}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        kind = "" if isinstance(error, yaml.constructor.ConstructorError) else "not YAML: "
        problem = getattr(error, "problem", None) or error
        raise ValueError(
            f"{path}{line}: {kind}{one_line(' '.join(str(problem).split()))}"
        ) from None


class Fault(ValueError):
    """What is wrong with a document, and the key where it is; models raise it where keys do not fit
    each other.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}" if key else message)
        self.key, self.message = key, message


def validate(document: Any, kind: Any, context: Any = None) -> Any:
    """Turn a document into the objects of a model.

    Parameters
    ----------
    document : object
        What a YAML file holds.
    kind : type
        A model (`toplabel.reproduction.config.model`) or a type made of models.
    context : object, optional
        For validators that look something up.

    Raises
    ------
    Fault
    """
    try:
        return _adapter(kind).validate_python(document, context=context)
    except ValidationError as error:
        raise Fault(*_first(error.errors(include_url=False), document)) from None


def check(document: Any, kind: Any, name: str, context: Any = None) -> Any:
    """Validate a document that has a name: its path.

    Raises
    ------
    ValueError
        One line: the document, the key, what is wrong, the value.
    """
    try:
        return validate(document, kind, context)
    except Fault as fault:
        raise ValueError(f"{name}: {one_line(' '.join(str(fault).split()))}") from None


def check_rows(document: Any, kind: Any, name: str, key: str, own: Mapping[str, Any]) -> Any:
    """Validate a registry with the rows that the config of a run adds to it.

    Parameters
    ----------
    document : object
        What the file holds.
    kind : type
    name : str
        The path of the file.
    key : str
        The key of the rows, here and in the config of the run.
    own : mapping by name
        Rows of the config.

    Raises
    ------
    Fault
        Of a row of the config, with its key.
    ValueError
        One line for everything else, as `check`.
    """
    rows = document.get(key) if isinstance(document, Mapping) else None
    if not own or not isinstance(rows, Mapping):
        return check(document, kind, name)
    for row in own:
        if row in rows:
            raise Fault(f"{key}.{row}", f"{name} has this name already")
    try:
        return validate({**document, key: {**rows, **own}}, kind)
    except Fault as fault:
        if any(f"{fault.key}.".startswith(f"{key}.{row}.") for row in own):
            raise
        raise ValueError(f"{name}: {one_line(' '.join(str(fault).split()))}") from None


@cache
def _adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind)


def _first(errors: Sequence[dict[str, Any]], document: Any) -> tuple[str, str]:
    """Return the key and the message of the first error; of the forms that a value may have, that
    of the nearest.
    """
    places = [_place(error["loc"], document) for error in errors]
    same = [i for i, place in enumerate(places) if place[: len(places[0])] == places[0]]
    nearest = max(same, key=lambda i: (len(places[i]), not errors[i]["type"].endswith("_type")))
    key, message = _explain(errors[nearest])
    steps = (*places[nearest], key) if key else places[nearest]
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip("."), message


def _place(loc: Sequence[str | int], document: Any) -> tuple[str | int, ...]:
    """Return the part of a location that stands in the document; the rest names forms and missing
    keys.
    """
    steps = []
    for step in loc:
        if isinstance(document, (dict, list)):
            try:
                document = document[step]
            except (KeyError, IndexError, TypeError):
                continue
            steps.append(step)
    return tuple(steps)


def _explain(error: dict[str, Any]) -> tuple[str, str]:
    """Return the key within the place, if the error names one, and the message."""
    context = error.get("ctx", {})
    if isinstance(fault := context.get("error"), Fault):
        return fault.key, fault.message
    if error["type"] == "missing":
        return "", f"the key '{error['loc'][-1]}' is missing"
    message = _MESSAGES.get(error["type"], "{value}: {msg}")
    return "", message.format(value=_shown(error["input"]), msg=error["msg"], **context)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def unknown(what: str, name: str, known: Collection[str]) -> str:
    """Say that a name is unknown, with the nearest ones that are known, or all of them."""
    near = difflib.get_close_matches(name, [*known], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    return f"unknown {what} '{name}'; {hint}"
