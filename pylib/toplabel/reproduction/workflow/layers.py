"""Which file or option a value of the config comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toplabel.reproduction.config.documents import Fault, validate
from toplabel.reproduction.config.run import RunConfig


def source_of(key: str, layers: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return where a key of the config, ``a.b``, has its value from: the last that has it, or as
    much of it as any.
    """
    steps = re.findall(r"[^.\[\]]+", key)
    for length in range(len(steps), 0, -1):
        for name, content in reversed(layers):
            if _has(content, steps[:length]):
                return name
    return " + ".join(name for name, _ in layers) or "config"


def _has(content: Any, steps: Sequence[str]) -> bool:
    for step in steps:
        if not isinstance(content, Mapping) or step not in content:
            return False
        content = content[step]
    return True


def checked_run(
    config: Mapping[str, Any], layers: Sequence[tuple[str, Mapping[str, Any]]]
) -> RunConfig:
    """Return the config of a run.

    Raises
    ------
    ValueError
        One line that names the layer and the key.
    """
    try:
        return validate(config, RunConfig)
    except Fault as fault:
        raise ValueError(f"{source_of(fault.key, layers)}: {fault}") from None
