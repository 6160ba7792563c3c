"""Grids: a table as the papers print it, methods down, metrics across, one block per data set."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.reporting import numbers
from toplabel.reproduction.reporting.kept import as_own
from toplabel.reproduction.reporting.labels import metric_label


@dataclass(frozen=True)
class GridCell:
    """One cell, as text. `state` is "measured", "kept" (by the kept run alone), "published" or
    "empty".

    `found` is the number under another reading of the protocol; `choice` is the title of the
    reading that the cell depends on and that printed test numbers had a part in.
    """

    state: str
    ours: str = ""
    ours_std: str = ""
    published: str = ""
    published_std: str = ""
    difference: str = ""
    verdict: str = ""
    record: str = ""
    best_ours: bool = False
    best_published: bool = False
    found: str = ""
    found_verdict: str = ""
    choice: str = ""


@dataclass(frozen=True)
class GridColumn:
    label: str
    lower_is_better: bool


@dataclass(frozen=True)
class GridRow:
    label: str
    key: str
    cells: list[GridCell]

    @property
    def measured(self) -> bool:
        return any(cell.state == "measured" for cell in self.cells)

    @property
    def kept(self) -> bool:
        """True where a number is the kept run's."""
        return any(cell.state == "kept" for cell in self.cells)


@dataclass(frozen=True)
class Block:
    """A grid with a heading: a data set, or a whole table with data sets across."""

    title: str
    key: str
    columns: list[GridColumn]
    rows: list[GridRow]

    @property
    def measured(self) -> bool:
        return any(row.measured for row in self.rows)

    @property
    def kept(self) -> bool:
        """True where a number is the kept run's."""
        return any(row.kept for row in self.rows)

    @property
    def compared(self) -> bool:
        """Whether a number of ours stands beside a published one."""
        return any(cell.ours and cell.published for row in self.rows for cell in row.cells)

    @property
    def spread(self) -> bool:
        """Whether a number of ours has a deviation."""
        return any(
            cell.ours_std or "sd" in cell.difference for row in self.rows for cell in row.cells
        )


ROW_KEYS = ["method", "k", "gamma", "kernel"]


def build_blocks(
    cells: pd.DataFrame, label_of: Callable[[pd.Series], str], title_of: Callable[[str], str]
) -> list[Block]:
    """Arrange the cells of one table.

    Parameters
    ----------
    cells : DataFrame
        Rows of `ReportInputs.comparison` with a column `record` (the anchor of a cell's record, or
        empty), in the order in which they are printed.
    label_of : callable
        From a row to the label of its method.
    title_of : callable
        From the key of a data set to its title.

    Returns
    -------
    list of Block
        One per data set (and features); a table with one metric for several data sets has these
        across, as NIPS 2012 prints its Table 2.
    """
    cells = _with_lines(_with_references(as_own(cells)))
    metrics = cells.groupby(["dataset", "features"], sort=False)["metric"].unique()
    alike = {tuple(found) for found in metrics}
    if len(metrics) > 1 and len(alike) == 1 and len(next(iter(alike))) == 1:
        across = cells.assign(across=cells["dataset"] + _features(cells))
        titles = {a: _block_title(r, title_of) for a, r in _first(across, "across").items()}
        metric = str(cells["metric"].iloc[0])
        columns = {a: GridColumn(title, lower_is_better(metric)) for a, title in titles.items()}
        return [_block(metric_label(metric), metric, across, columns, label_of)]
    blocks = []
    for _, part in cells.groupby(["dataset", "features"], sort=False):
        part = part.assign(across=part["metric"])
        columns = {m: GridColumn(metric_label(m), lower_is_better(m)) for m in _metrics(part)}
        first = part.iloc[0]
        blocks.append(
            _block(_block_title(first, title_of), first["dataset"], part, columns, label_of)
        )
    return blocks


def _metrics(cells: pd.DataFrame) -> list[str]:
    """Return the metrics in the order of the methods' rows; a reference may have but one of
    them.
    """
    methods = cells.loc[cells["method"] != "reference", "metric"]
    return list(dict.fromkeys([*methods, *cells["metric"]]))


def _with_references(cells: pd.DataFrame) -> pd.DataFrame:
    """Put the references of a data set to its only features: results of others name none."""
    named = cells[cells["features"] != ""].groupby("dataset")["features"].unique()
    only = {dataset: found[0] for dataset, found in named.items() if len(found) == 1}
    lost = (cells["features"] == "") & (cells["method"] == "reference")
    features = cells["features"].mask(lost, [only.get(d, "") for d in cells["dataset"]])
    return cells.assign(features=features)


def _with_lines(cells: pd.DataFrame) -> pd.DataFrame:
    """Number cells that share a key, as the papers' several references for one data set do."""
    keys = ["dataset", "features", *ROW_KEYS, "metric"]
    return cells.assign(line=cells.groupby(keys, sort=False).cumcount())


def _features(cells: pd.DataFrame) -> pd.Series:
    return cells["features"].where(cells["features"] == "", " " + cells["features"])


def _first(cells: pd.DataFrame, column: str) -> dict[str, pd.Series]:
    return {row[column]: row for _, row in cells.drop_duplicates(column).iterrows()}


def _block_title(row: pd.Series, title_of: Callable[[str], str]) -> str:
    title = title_of(row["dataset"])
    return f"{title}, {row['features']}" if row["features"] else title


def _block(
    title: str,
    key: str,
    cells: pd.DataFrame,
    columns: dict[str, GridColumn],
    label_of: Callable[[pd.Series], str],
) -> Block:
    best = _best_cells(cells)
    rows = []
    for row_key, part in cells.groupby([*ROW_KEYS, "line"], sort=False):
        by_column = {r["across"]: r for _, r in part.iterrows()}
        found = [_cell(by_column.get(a), best) for a in columns]
        method, k, gamma, kernel, _ = row_key
        words = [method, f"k={k}" if k else "", f"gamma={gamma}" if gamma else "", kernel]
        rows.append(GridRow(label_of(part.iloc[0]), " ".join(w for w in words if w), found))
    return Block(title, key, list(columns.values()), rows)


def _best_cells(cells: pd.DataFrame) -> dict[str, set]:
    """Find the best of each column, ours and published apart, ties at the printed digits included.

    The references, results of other authors, do not compete; the papers print them in the heading.
    """
    competing = cells[cells["method"] != "reference"]
    best: dict[str, set] = {"measured": set(), "published": set()}
    for _, part in competing.groupby("across", sort=False):
        for side, chosen in best.items():
            values = part[side].dropna()
            if len(values) < 2:
                continue
            metric = part["metric"].iloc[0]
            digits = max(numbers.decimals_of(metric, t) for t in part["published_text"])
            values = values.round(digits)
            winner = values.min() if lower_is_better(metric) else values.max()
            chosen.update(values.index[values == winner])
    return best


def _cell(row: pd.Series | None, best: dict[str, set]) -> GridCell:
    if row is None:
        return GridCell("empty")
    texts = cell_texts(row)
    state = "measured" if texts["ours"] else "published"
    return GridCell(
        state=state if math.isnan(row["kept"]) else "kept",
        record=row["record"],
        verdict=row["verdict"],
        best_ours=row.name in best["measured"],
        best_published=row.name in best["published"],
        found=numbers.fixed(
            row["found"], numbers.decimals_of(row["metric"], row["published_text"])
        ),
        found_verdict=row["found_verdict"],
        choice=row["choice"] if row["verdict"] else "",
        **texts,
    )


def cell_texts(row: pd.Series) -> dict[str, str]:
    """Return the numbers of a cell as text: ours, published, their deviations, the difference.

    Of a cell within the spread the deviation, which decides its verdict, stands with the
    difference.
    """
    decimals = numbers.decimals_of(row["metric"], row["published_text"])
    deviation = numbers.fixed(row["measured_std"], decimals)
    difference = numbers.signed(row["difference"], decimals)
    spread = row["verdict"] == "spread"
    return {
        "ours": numbers.fixed(row["measured"], decimals),
        "ours_std": "" if spread else deviation,
        "published": _as_printed(row["published_text"], row["published"], decimals),
        "published_std": _as_printed(row["std_text"], row["std"], decimals),
        "difference": f"{difference}, sd {deviation}" if spread else difference,
    }


def _as_printed(text: str, value: float, decimals: int) -> str:
    """Keep the digits that stand in the file, unless a number was written with too many or too
    few.
    """
    _, point, fraction = text.partition(".")
    if not point and text.isdigit():
        return text
    return text if len(fraction) == decimals else numbers.fixed(value, decimals)
