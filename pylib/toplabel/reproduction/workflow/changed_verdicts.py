"""Which cells have another verdict in another run, and by how much the numbers differ.

``python -m toplabel.reproduction.workflow.changed_verdicts A/comparison.csv B/comparison.csv``
prints the cells as CSV and, on standard error, how many of those that both measured went from which
verdict to which.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from toplabel._core.files import FileError
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS
from toplabel.reproduction.tables.table import read_csv

_CELL = [*PUBLISHED_KEYS]
_RUN = ["measured", "verdict", "budget", "C", "theta", "seconds"]


def changed(first: pd.DataFrame, second: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the verdicts of two runs.

    Parameters
    ----------
    first, second : DataFrame
        results/comparison.csv of each.

    Returns
    -------
    DataFrame
        One row per published cell that both measured and whose verdicts differ: what names the
        cell, ``published``, and of both runs ``measured``, ``verdict``, ``budget``, ``C``,
        ``theta`` and ``seconds`` with the suffixes ``_a`` and ``_b``.
    DataFrame
        How many cells that both measured have each pair of verdicts, rows those of the first run.
    """
    both = first[[*_CELL, "published", *_RUN]].merge(
        second[[*_CELL, *_RUN]], on=_CELL, suffixes=("_a", "_b")
    )
    both = both[(both["verdict_a"] != "") & (both["verdict_b"] != "")]
    counts = pd.crosstab(both["verdict_a"], both["verdict_b"])
    return both[both["verdict_a"] != both["verdict_b"]].reset_index(drop=True), counts


def _read(path: Path) -> pd.DataFrame:
    """A comparison of this version or another one, with the columns that are compared."""
    found = read_csv(path, (*_CELL, "published", *_RUN))
    if found.duplicated(_CELL).any():
        raise FileError(f"{path}: a cell stands there twice")
    return found


def main(arguments: Sequence[str]) -> int:
    """Compare two files; the process's exit status."""
    if len(arguments) != 2:
        print(
            "usage: python -m toplabel.reproduction.workflow.changed_verdicts A/comparison.csv B/comparison.csv",
            file=sys.stderr,
        )
        return 2
    try:
        cells, counts = changed(*(_read(Path(path)) for path in arguments))
    except FileError as error:
        print(error, file=sys.stderr)
        return 2
    cells.to_csv(sys.stdout, index=False)
    print(counts.to_string(), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
