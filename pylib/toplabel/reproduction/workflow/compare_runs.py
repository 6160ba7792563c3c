"""Do two runs agree? The collected files byte by byte, without the columns that hold wall times.

``python -m toplabel.reproduction.workflow.compare_runs A/comparison.csv B/comparison.csv`` prints
the first difference and exits with 1 when there is one.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Sequence

#: Columns that need not agree: those of this name, or that begin with it and a comma or a blank, as
#: "seconds, ours".
_TIMES = re.compile(r"(seconds|ratio)($|[, ])")


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


def main(arguments: Sequence[str]) -> int:
    """Compare two files; the process's exit status."""
    if len(arguments) != 2:
        print(
            "usage: python -m toplabel.reproduction.workflow.compare_runs FIRST.csv SECOND.csv",
            file=sys.stderr,
        )
        return 2
    try:
        found = difference(*arguments)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        print(error, file=sys.stderr)
        return 2
    print(found or "the same, but for wall times")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
