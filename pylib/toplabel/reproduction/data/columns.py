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
    shown = [*columns]
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 5], *shown[-5:]]
    if not shown:
        return []
    rows = [("column", "read as", "distinct", "missing", "first values", "becomes")]
    rows += [(c.name, c.kind, str(c.distinct), str(c.missing), c.first, c.use) for c in shown]
    widths = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    hidden = len(columns) - len(shown)
    return [*lines, f"({hidden} columns between them are left out here)"] if hidden else lines
