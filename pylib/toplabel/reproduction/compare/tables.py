"""Tables that are printed as they stand: results/tables/<name>.csv and .json."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from toplabel.reproduction.files import write_json
from toplabel.reproduction.frames import write_frame


@dataclass(frozen=True)
class PrintedTable:
    """A table to print, the first column as row headings.

    `page` is a page of the report (`toplabel.reproduction.report.pages`); empty for that of the
    data sets in the column "data set", if there is one, or else of the figures. `lead` is the first
    sentence of that page, where the table answers what the page is about.
    """

    title: str
    caption: str
    frame: pd.DataFrame
    page: str = ""
    lead: str = ""


def write_table(table: PrintedTable, csv: str) -> None:
    """Write the .csv of a table and, beside it, the .json with its words; each whole or not at all."""
    path = Path(csv)
    write_frame(table.frame, path)
    about = {name: getattr(table, name) for name in ("title", "caption", "page", "lead")}
    write_json(path.with_suffix(".json"), {"name": path.stem} | about)
