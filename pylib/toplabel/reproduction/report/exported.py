"""CSV files that leave the results folder: a spreadsheet takes no cell of them for a formula."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

from toplabel._core.files import atomic_path

_FIRST = ("=", "+", "-", "@", "\t", "\r")


def without_formulas(text: str) -> str:
    """Return a CSV file in which a text that begins like a formula has a ' before it; numbers, and
    a file without such a text, stay as they are.
    """
    rows = list(csv.reader(io.StringIO(text, newline="")))
    safe = [[_safe(cell) for cell in row] for row in rows]
    if safe == rows:
        return text
    out = io.StringIO(newline="")
    csv.writer(out).writerows(safe)  # lines as in RFC 4180, so that a lone \\r is quoted
    return out.getvalue()


def _safe(cell: str) -> str:
    if not cell.startswith(_FIRST):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def export(source: Path, target: Path) -> None:
    """Copy a file of the results, a CSV file without formulas."""
    with atomic_path(target) as path:
        if source.suffix == ".csv":
            path.write_text(without_formulas(source.read_text("utf-8")), "utf-8", newline="")
        else:
            shutil.copyfile(source, path)
