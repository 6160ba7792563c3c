"""Read the raw files of a data set in a child process: libraries may crash on a damaged file, or
ask for all memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toplabel.reproduction.data.child import ChildError, Limits, in_child
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source
from toplabel.reproduction.data.parts import Loaded

_SECONDS = 600  # of computing, and
_BYTES_PER_SECOND = (
    100_000  # a second more for so many bytes: the slowest reader takes a tenth of it
)


def read(name: str, source: Source, options: Mapping[str, Any]) -> Loaded:
    """Read the parts of a data set.

    Parameters
    ----------
    name : str
        A key of `FORMATS`.
    source : Source
    options : mapping
        Of the format.

    Returns
    -------
    Loaded

    Raises
    ------
    ValueError
        As the format raises it: a `FormatError` for a file that does not follow it.
    FormatError
        With the file: its reader crashed, needs more memory than the machine has, or does not end.
    """
    limits = _limits(source)
    try:
        return in_child(_load, name, source, options, limits=limits)
    except ChildError as error:
        raise FormatError(_culprit(name, source, options, limits), None, str(error)) from None


def _load(name: str, source: Source, options: Mapping[str, Any]) -> Loaded:
    return FORMATS[name](source, **options)


def _limits(source: Source) -> Limits:
    size = sum(path.stat().st_size for path in source.parts.values())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Limits(memory, _SECONDS + size // _BYTES_PER_SECOND)


def _culprit(name: str, source: Source, options: Mapping[str, Any], limits: Limits) -> Path | str:
    """Return the file whose part cannot be read even alone, or else all of them."""
    if len(set(source.parts.values())) > 1:
        for part, path in source.parts.items():
            try:
                in_child(_load, name, replace(source, parts={part: path}), options, limits=limits)
            except ChildError:
                return path
            except ValueError:
                continue
    return ", ".join(str(path) for path in dict.fromkeys(source.parts.values()))
