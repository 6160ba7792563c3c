"""Grids of numbers: a table as the papers print it, methods down, metrics across, one grid per data
set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.report.text import compact, fixed, metric_label, signed
from toplabel.reproduction.report.tree import Column, Grid, GridCell, GridRow

_METHOD = ["method", "k", "gamma", "kernel"]
_STATES = ("measured", "kept", "published")
Record = Mapping[Any, Any]
"""A row of the wide frame."""


def build_grids(cells: pd.DataFrame, title_of: Callable[[str], str]) -> list[Grid]:
    """Return the cells of one table in the grids and columns that the wide frame names.

    `cells` are rows of `toplabel.reproduction.compare.wide` with the column `record`, in the order in
    which they are printed; `title_of` gives the title of a data set by its name.
    """
    return [_grid(part, title_of) for _, part in cells.groupby("grid", sort=False)]


def _title(row: Record, title_of: Callable[[str], str]) -> str:
    title = title_of(row["dataset"])
    return f"{title}, {row['features']}" if row["features"] else title


def _grid(cells: pd.DataFrame, title_of: Callable[[str], str]) -> Grid:
    """Return the grid of some cells: of one data set, or of one metric where it has no name."""
    records = cells.to_dict("records")
    first = records[0]
    is_of_metric = not first["grid"]
    columns: dict[str, Column] = {}
    lines: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        title = _title(record, title_of) if is_of_metric else metric_label(record["metric"])
        column = Column(title, lower_is_better(record["metric"]))
        columns.setdefault(record["column"], column)
        lines.setdefault(tuple(record[name] for name in _METHOD), []).append(record)
    for name in cells.loc[cells["rows_low"].notna() & cells["measured"].notna(), "column"]:
        columns[name].interval = True
    rows = [_row(line, [*columns]) for line in lines.values()]
    return Grid(
        title=metric_label(first["metric"]) if is_of_metric else _title(first, title_of),
        columns=[*columns.values()],
        rows=rows,
        state=min((row.state for row in rows), key=_STATES.index),
        printed=bool(cells["published"].notna().any()),
        spread=bool(cells["std"].notna().any()),
    )


def _row(records: Sequence[Record], columns: Sequence[str]) -> GridRow:
    """Return the numbers of one method, a cell for each column."""
    made = {record["column"]: grid_cell(record) for record in records}
    return GridRow(
        label=records[0]["label"],
        state=min((cell.state for cell in made.values()), key=_STATES.index),
        cells=[made.get(name, GridCell()) for name in columns],
        seconds=compact(records[0]["row_seconds"], 3),
    )


def grid_cell(row: Record) -> GridCell:
    """Return a cell as text."""
    decimals = decimals_of(row["metric"], row["printed"])
    # Rounded first: subtracting left errors in the last digits, which would decide a half.
    difference = signed(round(row["difference"], 10), decimals)
    ends = [fixed(row[name], decimals) for name in ("rows_low", "rows_high")]
    return GridCell(
        state=row["state"],
        ours=fixed(row["measured"], decimals),
        std=fixed(row["std"], decimals),
        published=row["printed"],
        published_std=fixed(row["published_std"], decimals),
        difference=difference,
        interval=" to ".join(filter(None, ends)),
        verdict=row["verdict"],
        found=fixed(row["found"], decimals),
        found_verdict=row["found_verdict"],
        choice=row["choice"] if row["verdict"] else "",
        best=bool(row["best"]),
        best_published=bool(row["best_published"]),
        stopped=bool(row["stopped"]),
        record=row["record"],
    )
