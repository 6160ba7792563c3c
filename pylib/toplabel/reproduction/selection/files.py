"""Files of records of arrays (.npz), whole or not at all, with sums.

The arrays of a file are the fields of a dataclass, in their order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from toplabel.reproduction.files import FileError, read_npz, remade, write_npz

Record = TypeVar("Record")
Path = str | os.PathLike[str]


def write_records(records: Iterable[Any], path: Path) -> None:
    """Write the fields of the i-th record as the arrays ``<i>.<field>``; None is left out."""
    arrays = {
        f"{i}.{field.name}": np.asarray(getattr(record, field.name))
        for i, record in enumerate(records)
        for field in fields(record)
        if getattr(record, field.name) is not None
    }
    write_npz(path, arrays)


def read_records(kind: type[Record], path: Path) -> list[Record]:
    """Read what `write_records` wrote; a FileError names a file of another version."""
    found: dict[int, dict[str, Any]] = {}
    try:
        for key, array in read_npz(path).items():
            index, _, name = key.partition(".")
            found.setdefault(int(index), {})[name] = array if array.ndim else array.item()
        return [kind(**found[i]) for i in range(len(found))]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: arrays of another version; {remade(path)}") from None
