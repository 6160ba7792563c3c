"""Grids of numbers: a table as the papers print it, methods down, metrics across, one grid per data
set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.report import numbers
from toplabel.reproduction.report.labels import metric_label
from toplabel.reproduction.report.tree import Column, Grid, GridCell, GridRow

_ROW = ["method", "k", "gamma", "kernel"]
_STATES = ("measured", "kept", "published")


def build_grids(cells: pd.DataFrame, title_of: Callable[[str], str]) -> list[Grid]:
    """Arrange the cells of one table, one grid for each data set and its features.

    A table with a single metric for several data sets has these across, as NIPS 2012 prints its
    Table 2.

    Parameters
    ----------
    cells : DataFrame
        Rows of `toplabel.reproduction.report.shown.shown_cells` with the column `record`, in the
        order in which they are printed.
    title_of : callable
        From the name of a data set to its title.
    """
    sets = ["dataset", "features"]
    if cells["metric"].nunique() == 1 and len(cells[sets].drop_duplicates()) > 1:
        metric = str(cells["metric"].iloc[0])
        across = cells.assign(across=cells["dataset"] + " " + cells["features"])
        heads = {
            row["across"]: _title(row["dataset"], row["features"], title_of)
            for row in across.drop_duplicates("across").to_dict("records")
        }
        lower = lower_is_better(metric)
        columns = {key: Column(title, lower) for key, title in heads.items()}
        return [_grid(metric_label(metric), across, columns)]
    grids = []
    for (dataset, features), part in cells.groupby(sets, sort=False):
        metrics = part["metric"].unique()
        columns = {one: Column(metric_label(one), lower_is_better(one)) for one in metrics}
        title = _title(dataset, features, title_of)
        grids.append(_grid(title, part.assign(across=part["metric"]), columns))
    return grids


def _title(dataset: str, features: str, title_of: Callable[[str], str]) -> str:
    return f"{title_of(dataset)}, {features}" if features else title_of(dataset)


def _grid(title: str, cells: pd.DataFrame, columns: Mapping[str, Column]) -> Grid:
    cells = cells.assign(best=_best(cells, "measured"), best_published=_best(cells, "published"))
    for across in cells.loc[cells["rows_low"].notna() & cells["measured"].notna(), "across"]:
        columns[across].interval = True
    rows = []
    for _, part in cells.groupby(_ROW, sort=False):
        made = {row["across"]: grid_cell(row) for row in part.to_dict("records")}
        state = min((one.state for one in made.values()), key=_STATES.index)
        found = [made.get(name, GridCell()) for name in columns]
        seconds = numbers.compact(part["seconds"].max(), 3)
        rows.append(GridRow(part["label"].iloc[0], state, found, seconds))
    return Grid(
        title=title,
        columns=list(columns.values()),
        rows=rows,
        state=min((row.state for row in rows), key=_STATES.index),
        printed=bool(cells["published"].notna().any()),
        spread=bool(cells["std"].notna().any()),
    )


def _best(cells: pd.DataFrame, side: str) -> pd.Series:
    """Return which cells are the best of their column, ties at the printed digits included."""
    best = pd.Series(False, index=cells.index)
    for _, part in cells[cells[side].notna()].groupby("across", sort=False):
        metric = part["metric"].iloc[0]
        digits = max(numbers.decimals_of(metric, text) for text in part["printed"])
        values = part[side].round(digits)
        winner = values.min() if lower_is_better(metric) else values.max()
        best[values.index[values == winner]] = len(values) > 1
    return best


def grid_cell(row: Mapping[str, Any]) -> GridCell:
    """Return a cell as text."""
    decimals = numbers.decimals_of(row["metric"], row["printed"])
    # Rounded first: subtracting left errors in the last digits, which would decide a half.
    difference = numbers.signed(round(row["difference"], 10), decimals)
    ends = (numbers.fixed(row[name], decimals) for name in ("rows_low", "rows_high"))
    return GridCell(
        state=row["state"],
        ours=numbers.fixed(row["measured"], decimals),
        std=numbers.fixed(row["std"], decimals),
        published=row["printed"],
        published_std=numbers.fixed(row["published_std"], decimals),
        difference=difference,
        interval=" to ".join(filter(None, ends)),
        verdict=row["verdict"],
        found=numbers.fixed(row["found"], decimals),
        found_verdict=row["found_verdict"],
        choice=row["choice"] if row["verdict"] else "",
        best=bool(row.get("best", False)),
        best_published=bool(row.get("best_published", False)),
        stopped=bool(row["stopped"]),
        record=row.get("record", ""),
    )
