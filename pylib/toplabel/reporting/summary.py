"""``python -m toplabel.reporting.summary COMPARISON PICTURE``: a comparison.csv at a glance.

Prints its counts as a table in Markdown, which stands in reports/summary/README.md, and draws the agreement chart, the
picture of README.md. Tests hold both to the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from toplabel.reporting.agreement import draw, lanes_of_cells
from toplabel.reporting.labels import VERDICTS, paper_label, table_order
from toplabel.tables.collected import COMPARISON


def table(cells: pd.DataFrame) -> str:
    """Count the compared cells by published table, data set and verdict.

    Parameters
    ----------
    cells : DataFrame
        comparison.csv.

    Returns
    -------
    str
        A table in Markdown, the last row for all.
    """
    cells = cells[cells["verdict"] != ""]
    shown = [verdict for key, verdict in VERDICTS.items() if (cells["verdict"] == key).any()]
    groups = cells.groupby(["source", "table", "dataset"])["verdict"]
    rows = [
        _row(f"{paper_label(source)}, Table {number}", dataset, verdicts, shown)
        for (source, number, dataset), verdicts in sorted(
            groups, key=lambda group: (*table_order(*group[0][:2]), group[0][2])
        )
    ]
    head = _line(["table", "data set", *(verdict.word for verdict in shown), "compared"])
    rule = "|" + "---|" * (len(shown) + 3)
    return "\n".join([head, rule, *rows, _row("**all**", "", cells["verdict"], shown)])


def _row(table: str, dataset: str, verdicts: pd.Series, shown: list) -> str:
    counts = [str(int((verdicts == one.key).sum())) for one in shown]
    return _line([table, dataset, *counts, str(len(verdicts))])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    found = COMPARISON.read_text(Path(sys.argv[1]))
    Path(sys.argv[2]).write_text(draw(lanes_of_cells(found), standalone=True), encoding="utf-8")
    print(table(found))
