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
_STATES = ("measured", "kept", "published", "empty")


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
        return [_grid(metric_label(metric), metric, across, columns)]
    grids = []
    for (dataset, features), part in cells.groupby(sets, sort=False):
        metrics = part["metric"].unique()
        columns = {one: Column(metric_label(one), lower_is_better(one)) for one in metrics}
        title = _title(dataset, features, title_of)
        grids.append(_grid(title, dataset, part.assign(across=part["metric"]), columns))
    return grids


def _title(dataset: str, features: str, title_of: Callable[[str], str]) -> str:
    return f"{title_of(dataset)}, {features}" if features else title_of(dataset)


def _grid(title: str, key: str, cells: pd.DataFrame, columns: Mapping[str, Column]) -> Grid:
    cells = cells.assign(
        best=_best(cells, "measured"),
        best_published=_best(cells, "published"),
        near=_near_best(cells),
    )
    for across in cells.loc[cells["rows_low"].notna() & cells["measured"].notna(), "across"]:
        columns[across].interval = True
    groups: dict[tuple, list[dict[str, Any]]] = {}
    for row in cells.to_dict("records"):
        groups.setdefault(tuple(row[name] for name in _ROW), []).append(row)
    rows = []
    for (method, k, gamma, kernel), part in groups.items():
        by_column = {row["across"]: row for row in part}
        found = [grid_cell(by_column[one]) if one in by_column else GridCell() for one in columns]
        words = [method, k and f"k={k}", gamma and f"gamma={gamma}", kernel]
        seconds = max((row["seconds"] for row in part), key=lambda one: (one == one, one))
        rows.append(
            GridRow(
                label=part[0]["label"],
                key=" ".join(filter(None, words)),
                state=min((one.state for one in found), key=_STATES.index),
                cells=found,
                seconds=numbers.compact(seconds, 3),
            )
        )
    return Grid(
        title=title,
        key=key,
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


def _near_best(cells: pd.DataFrame) -> pd.Series:
    """Return which cells lie within the interval over test rows of the best one of their column."""
    near = pd.Series(False, index=cells.index)
    for _, part in cells[cells["measured"].notna()].groupby("across", sort=False):
        lower = lower_is_better(part["metric"].iloc[0])
        best = part.loc[part["measured"].idxmin() if lower else part["measured"].idxmax()]
        near[part.index] = part["measured"].between(best["rows_low"], best["rows_high"])
    return near


def grid_cell(row: Mapping[str, Any]) -> GridCell:
    """Return a cell as text.

    Of a cell within the spread of draws the deviation, which decides its verdict, stands with the
    difference.
    """
    decimals = numbers.decimals_of(row["metric"], row["printed"])
    deviation = numbers.fixed(row["std"], decimals)
    # Rounded first: subtracting left errors in the last digits, which would decide a half.
    difference = numbers.signed(round(row["difference"], 10), decimals)
    spread = row["verdict"] == "spread"
    ends = (numbers.fixed(row[name], decimals) for name in ("rows_low", "rows_high"))
    return GridCell(
        state=row["state"],
        ours=numbers.fixed(row["measured"], decimals),
        std="" if spread else deviation,
        published=_as_printed(row["printed"], row["published"], decimals),
        published_std=numbers.fixed(row["published_std"], decimals),
        difference=f"{difference}, sd {deviation}" if spread else difference,
        interval=" to ".join(filter(None, ends)),
        verdict=row["verdict"],
        found=numbers.fixed(row["found"], decimals),
        found_verdict=row["found_verdict"],
        choice=row["choice"] if row["verdict"] else "",
        best=bool(row.get("best", False)),
        best_published=bool(row.get("best_published", False)),
        near=bool(row.get("near", False)),
        stopped=bool(row["stopped"]),
        record=row.get("record", ""),
    )


def _as_printed(text: str, value: float, decimals: int) -> str:
    """Return a printed number with its own digits, unless the file has too many or too few."""
    _, point, fraction = text.partition(".")
    kept = text.isdigit() if not point else len(fraction) == decimals
    return text if kept else numbers.fixed(value, decimals)
