"""Do two runs agree? The collected files field by field, but for the columns of wall times.

``python -m toplabel.reproduction.workflow.compare_runs A/comparison.csv B/comparison.csv`` prints
the first difference and exits with 1 when there is one. Then it prints the cells whose verdict
changed, as CSV, and how many cells that both measured went from which verdict to which.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Sequence

import pandas as pd

from toplabel._core.files import FileError
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS
from toplabel.reproduction.tables.table import read_csv

#: Columns that need not agree: those of this name, or that begin with it and a comma or a blank, as
#: "seconds, ours".
_TIMES = re.compile(r"(seconds|ratio)($|[, ])")
_CELL = [*PUBLISHED_KEYS]
_RUN = ["measured", "verdict", "budget", "C", "theta", "seconds"]
_USAGE = "usage: python -m toplabel.reproduction.workflow.compare_runs FIRST.csv SECOND.csv"


def difference(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> str:
    """Describe the first difference of two CSV files in one line; empty when they agree.

    Fields are compared as text, so two numbers that differ in the last digit differ.
    """
    ours, theirs = _read(first), _read(second)
    if ours[:1] != theirs[:1]:
        return f"columns: {ours[:1]} against {theirs[:1]}"
    if len(ours) != len(theirs):
        return f"lines: {len(ours)} against {len(theirs)}"
    for line, (a, b) in enumerate(zip(ours, theirs, strict=True), start=1):
        if len(a) != len(b):
            return f"line {line}: {len(a)} fields against {len(b)}"
        for name, x, y in zip(ours[0], a, b, strict=False):
            if x != y and not _TIMES.match(name):
                return f"line {line}, column {name}: {x!r} against {y!r}"
    return ""


def _read(path: str | os.PathLike[str]) -> list[list[str]]:
    with open(path, newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def _changed(first: str, second: str) -> str:
    """Return the cells that both runs measured and judge otherwise, a row each with what both say,
    and how many cells have each pair of verdicts.
    """
    both = _comparison(first).merge(
        _comparison(second)[[*_CELL, *_RUN]], on=_CELL, suffixes=("_a", "_b")
    )
    both = both[(both["verdict_a"] != "") & (both["verdict_b"] != "")]
    counts = pd.crosstab(both["verdict_a"], both["verdict_b"])
    cells = both[both["verdict_a"] != both["verdict_b"]]
    return f"{cells.to_csv(index=False)}\n{counts.to_string()}"


def _comparison(path: str) -> pd.DataFrame:
    """Read a comparison of this version or another one, with the columns that are compared."""
    found = read_csv(path, (*_CELL, "published", *_RUN))
    if found.duplicated(_CELL).any():
        raise FileError(f"{path}: a cell stands there twice")
    return found[[*_CELL, "published", *_RUN]]


def main(arguments: Sequence[str]) -> int:
    """Compare two files; return the exit status."""
    if len(arguments) != 2:
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        found = difference(*arguments)
        print(found or "the same, but for wall times")
        if found and {"verdict", *_CELL} <= {*next(iter(_read(arguments[0])), ())}:
            print(_changed(*arguments))
    except (OSError, ValueError, csv.Error) as error:
        print(error, file=sys.stderr)
        return 2
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
