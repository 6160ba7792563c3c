"""The columns of a table as its reader took them, which `check` and the log print."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from toplabel.reproduction.data.parts import Column
from toplabel.reproduction.frames import read_rows, write_rows

_FILE = "columns.csv"
_LISTED = 40  # columns that are printed


def save_columns(columns: Sequence[Column], folder: str | os.PathLike[str]) -> None:
    """Write the columns of a prepared set beside it, or remove those of an earlier one."""
    path = Path(folder) / _FILE
    if columns:
        write_rows(Column, columns, path)
    else:
        path.unlink(missing_ok=True)


def load_columns(folder: str | os.PathLike[str]) -> list[Column]:
    """Return the columns of a prepared set; those of a format without columns are none."""
    path = Path(folder) / _FILE
    return read_rows(Column, path) if path.is_file() else []


def columns_text(columns: Sequence[Column]) -> list[str]:
    """Return the lines of a table of columns; of very many columns the first and the last ones."""
    import pandas as pd  # which takes half a second, and reading a set does not need it

    shown = [*columns]
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 5], *shown[-5:]]
    if not shown:
        return []
    frame = pd.DataFrame(
        {
            "column": [column.name for column in shown],
            "read as": [column.kind for column in shown],
            "distinct": [column.distinct for column in shown],
            "missing": [column.missing for column in shown],
            "first values": [column.first for column in shown],
            "becomes": [column.use for column in shown],
        }
    )
    width = {name: max(frame[name].astype(str).map(len).max(), len(name)) for name in frame}
    left = {name: f"{{:<{width[name]}}}".format for name in ("column", "read as", "first values")}
    lines = frame.to_string(index=False, formatters=left, justify="left").splitlines()
    hidden = len(columns) - len(shown)
    return [*lines, f"({hidden} columns between them are left out here)"] if hidden else lines
