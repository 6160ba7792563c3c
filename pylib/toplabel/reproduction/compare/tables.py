"""Tables that are printed as they stand: results/tables/<name>.csv and .json."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from toplabel._core.files import write_json
from toplabel.reproduction.frames import write_frame


@dataclass(frozen=True)
class PrintedTable:
    """A table to print, the first column as row headings.

    `source` and `table` are those of a published table as in data/published, `study` is the study
    that it belongs to; each is empty without one.
    """

    name: str
    title: str
    caption: str
    source: str
    table: str
    study: str
    frame: pd.DataFrame


def write_tables(tables: Iterable[PrintedTable], folder: str | os.PathLike[str]) -> None:
    """Write <name>.csv and <name>.json of each table, each whole or not at all."""
    for table in tables:
        write_frame(table.frame, Path(folder) / f"{table.name}.csv")
        names = ("name", "title", "caption", "source", "table", "study")
        about = {name: getattr(table, name) for name in names}
        write_json(Path(folder) / f"{table.name}.json", about)
