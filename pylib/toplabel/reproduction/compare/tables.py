"""Tables to print: results/tables/<name>.csv and .json.

A published table shows what the paper prints of the data sets that were measured, with our numbers
beside it; a study's own table shows its data sets of which those tables print nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel._core.files import write_json
from toplabel.reproduction.compare.published import TableText
from toplabel.reproduction.config.datasets import NONE_REGISTERED, Registry
from toplabel.reproduction.config.keys import key_of
from toplabel.reproduction.config.studies import Study, table_name
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.tables.collected import GRID

_SET = ["dataset", "features"]


@dataclass(frozen=True)
class PrintedTable:
    """A table to print.

    `source` and `table` are those of a published table, as in data/published, empty for a study's
    own. `study` has the names of its studies, joined by ";". The frame of a grid has the columns of
    `GRID`, one row per cell.
    """

    name: str
    title: str
    caption: str
    source: str
    table: str
    study: str
    frame: pd.DataFrame


def published_table(
    source: str,
    table: str,
    comparison: pd.DataFrame,
    collected: pd.DataFrame,
    studies: Iterable[Study],
    texts: Mapping[str, TableText],
    registry: Registry = NONE_REGISTERED,
) -> PrintedTable:
    """Make one published table, reduced to the data sets with a measurement in it.

    Methods that were measured on these sets in the table's metrics, but are not in the table,
    follow the printed ones of their set; variants of methods do not. When nothing was measured, all
    of the table is there. `texts` are titles and captions by short name. A table that does not
    exist is a ValueError.
    """
    cells = comparison[(comparison["source"] == source) & (comparison["table"] == table)]
    if cells.empty:
        raise ValueError(f"no published table {source},{table}")
    name = table_name(source, table)
    touched = cells.loc[cells["measured"].notna(), _SET].drop_duplicates()
    parts = [cells]
    if len(touched):
        beside = [
            dataset
            for dataset in _compared(comparison, collected)
            if registry.is_compared(dataset, source)
        ]
        ours = collected[collected["dataset"].isin(beside) & (collected["variant_of"] == "")]
        parts = [
            part
            for identity in touched.itertuples(index=False)
            for part in _block(cells, ours, identity, registry)
        ]
    text = texts.get(name, TableText(name, ""))
    listed = ";".join(study.name for study in studies if name in study.tables)
    return PrintedTable(name, text.title, text.caption, source, table, listed, _finished(parts))


def own_table(
    study: Study,
    comparison: pd.DataFrame,
    collected: pd.DataFrame,
    layout: tuple[str, str] | None = None,
    texts: Mapping[str, TableText] | None = None,
) -> PrintedTable | None:
    """Make the table of a study's data sets that the tables which it reproduces print nothing of.

    `layout` is source and table of a published table whose metrics the table has, in their order;
    average precisions of classes (``ap_*``) stand for those of the set's own classes. Without it
    there is every metric. None when there is no such data set.
    """
    places = comparison[["source", "table"]].itertuples(index=False)
    compared = _compared(
        comparison[[table_name(*one) in study.tables for one in places]], collected
    )
    pairs = [pair for pair in study.pairs if pair[0] not in compared]
    mine = collected[pd.MultiIndex.from_frame(collected[["dataset", "method"]]).isin(pairs)]
    name, title, caption = study.name, study.title, study.description
    if layout is not None:
        name = f"{study.name}_{table_name(*layout)}"
        mine = _laid_out(mine, comparison, layout)
        of = (texts or {}).get(table_name(*layout))
        title += f", as Table {layout[1]}"
        caption = f"In the layout of Table {layout[1]}" + (f" ({of.title})" if of else "")
        caption += ", which is about other data: the numbers are not comparable with its."
    if mine.empty:
        return None
    frame = _finished([_as_cells(mine)])
    return PrintedTable(name, title, caption.strip(), "", "", study.name, frame)


def _laid_out(
    mine: pd.DataFrame, comparison: pd.DataFrame, layout: tuple[str, str]
) -> pd.DataFrame:
    """Return the metrics of a published table in its order, methods in theirs."""
    source, table = layout
    cells = comparison[(comparison["source"] == source) & (comparison["table"] == table)]
    order = {name: i for i, name in enumerate(dict.fromkeys(map(_kind, cells["metric"])))}
    place = mine["metric"].map(lambda metric: order.get(_kind(metric), -1))
    first = mine.groupby(["dataset", "method"], sort=False).ngroup()
    ranked = mine.assign(first=first, place=place)[place >= 0]
    return ranked.sort_values(["first", "place"], kind="stable")[mine.columns]


def _kind(metric: str) -> str:
    return "ap_" if metric.startswith("ap_") else metric


def write_tables(tables: Iterable[PrintedTable], folder: str | os.PathLike[str]) -> None:
    """Write <name>.csv and <name>.json of each table, each whole or not at all."""
    for table in tables:
        write_frame(table.frame, Path(folder) / f"{table.name}.csv")
        names = ("name", "title", "caption", "source", "table", "study")
        about = {name: getattr(table, name) for name in names}
        write_json(Path(folder) / f"{table.name}.json", about)


def _compared(comparison: pd.DataFrame, collected: pd.DataFrame) -> set[str]:
    """Return the data sets that have a result beside a published one."""
    used = set(comparison.loc[comparison["measured"].notna(), "file"])
    return set(collected.loc[collected["file"].isin(used), "dataset"])


def _block(
    cells: pd.DataFrame, collected: pd.DataFrame, identity, registry: Registry
) -> list[pd.DataFrame]:
    """Return one data set of a published table: the printed cells, then what we have besides."""
    printed = cells[(cells[_SET] == list(identity)).all(axis=1)]
    names = collected["dataset"].map(registry.published_key)
    ours = collected[
        (names == identity.dataset)
        & (collected["features"] == identity.features)
        & collected["metric"].isin(printed["metric"])
    ]
    known = {key_of(row) for row in printed.to_dict("records")}
    extra = ours[[key_of(row, "loss") not in known for row in ours.to_dict("records")]]
    if extra.empty:
        return [printed]
    head = {"source": printed["source"].iat[0], "table": printed["table"].iat[0]}
    return [printed, _as_cells(extra).assign(dataset=identity.dataset, **head)]


def _as_cells(collected: pd.DataFrame) -> pd.DataFrame:
    """Return collected rows with the columns of the comparison, no number published."""
    frame = collected.drop(columns=["method"]).rename(
        columns={"loss": "method", "std": "measured_std"}
    )
    empty = ("source", "table", "published", "std", "verdict", "reason", "in_rows", "in_seeds")
    unknown = ("difference", "seeds", "seeds_mean", "seeds_std")
    frame = frame.assign(**dict.fromkeys(unknown, np.nan), **dict.fromkeys(empty, ""))
    return frame[GRID.names]


def _finished(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Join the parts of a table."""
    parts = [part if "label" in part else part.assign(label="") for part in parts]
    return pd.concat(parts, ignore_index=True)[GRID.names]
