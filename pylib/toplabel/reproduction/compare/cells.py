"""The long frame of a run: every printed, measured and kept number as a row, ``results/cells.csv``.

A row is a number beside a place in the papers' tables. `compare.build` makes the frame, and
`compare.wide` makes of it the wide frame that the report prints. Its columns, in groups:

**The place.** `source` (nips2012, nips2015, cvpr2016 or tpami2017) and `table` (its number) name
the published table, `dataset`, `features`, `method`, `k`, `gamma`, `kernel` and `metric` the cell
in it, as data/published has them. Of a measured number that no paper prints source and table are
empty, `dataset` is the name in config/datasets.yaml, and the method stands under its canonical key
(`config.keys`). A number that is printed in several places has a row for each.

**The number.** `run` says whose it is: "published", "measured" (by this run) or "kept" (by the last
whole run of the project, from reports/summary/cells.csv). `reading` is empty for a number as the
protocol states it. It is the name of a reading of config/notes.yaml where another protocol, which
the papers' numbers suggest, was followed; and "variant" for a variant of the method (`variant_of`).
`value` is the number with all its digits, `std` its deviation over `splits` (n - 1). `printed` is
the printed text, in the rows of measured numbers too.

**The comparison**, of measured and kept numbers that a paper prints. `difference` is measured minus
printed; `verdict` is a key of `compare.verdicts.VERDICTS`. `rows_low` and `rows_high` are the 95 %
interval over test rows (`compare.intervals`), of every top-k accuracy on one split; `seeds`,
`seeds_mean` and `seeds_std` say what other draws of the folds gave. `in_rows` and `in_seeds` are
"true" where the printed number, as rounded, lies in that interval, or in the 95 % prediction
interval of a further draw; else "false", or "" where it is not known.

**Notes.** `reason` is the name of the reason in config/notes.yaml why a number is not reproduced,
`choice` that of the reading that it follows and in whose choice printed test numbers had a part.
`note` says in words why a printed number has no measured one, or a measured one is compared with
none, where that is known.

**How it was measured.** `config_dataset` and `config_method` are the names in config/datasets.yaml
and methods.yaml, so results/<config_dataset>/<config_method> holds the files of the number.
`label`, `variant_of`, `study` (joined by ";"); `budget`; `C`, `theta`, `threshold` and `selected_k`
as selected, of several splits the lower median; `relative_gap` and `gradient_norm`, the worst;
`epochs` and `seconds`, summed; `status`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.frames import read_frame, write_frame

PLACE = [
    "source",
    "table",
    "dataset",
    "features",
    "method",
    "k",
    "gamma",
    "kernel",
    "metric",
]
"""The columns that name a printed number."""
INTERVALS: Mapping[str, type] = {
    "rows_low": float,
    "rows_high": float,
    "in_rows": str,
    "seeds": int,
    "seeds_mean": float,
    "seeds_std": float,
    "in_seeds": str,
}
"""The columns of the intervals of a measured number; the wide frame has them, too."""
FIT: Mapping[str, type] = {
    "C": float,
    "theta": float,
    "threshold": float,
    "selected_k": int,
    "relative_gap": float,
    "gradient_norm": float,
    "epochs": int,
    "seconds": float,
}
"""The columns of how it was trained, which the wide frame has, too."""
COLUMNS: Mapping[str, type] = {
    **dict.fromkeys([*PLACE, "run", "reading"], str),
    "value": float,
    "std": float,
    "splits": int,
    "printed": str,
    "difference": float,
    "verdict": str,
    **INTERVALS,
    **dict.fromkeys(["reason", "choice", "note", "config_dataset", "config_method"], str),
    **dict.fromkeys(["label", "variant_of", "study", "budget"], str),
    **FIT,
    "status": str,
}
"""The columns of the frame."""
PUBLISHED, MEASURED, KEPT = "published", "measured", "kept"
VARIANT = "variant"
CELL = ["config_dataset", "config_method", "metric"]
"""The columns that name a measurement, wherever it is printed."""


def write_cells(cells: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame with the columns `COLUMNS`."""
    write_frame(cells, path, COLUMNS)


def read_cells(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write_cells` wrote: text, "" where empty, and numbers, NaN where empty."""
    return read_frame(path, COLUMNS)


def with_columns(frame: pd.DataFrame, columns: Mapping[str, type] = COLUMNS) -> pd.DataFrame:
    """Return a frame with all columns; those that it lacks are empty."""
    missing = {name: kind for name, kind in columns.items() if name not in frame}
    return frame.assign(**{name: _empty(kind) for name, kind in missing.items()})


def _empty(kind: type) -> str | float:
    return "" if kind is str else math.nan


# Parts of the frame: every function takes it and returns a new one. -------------------------------


def compared(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return the numbers of a run, as the protocol states, that a paper prints."""
    chosen = (cells["run"] == run) & (cells["reading"] == "") & (cells["source"] != "")
    return cells[chosen].reset_index(drop=True)


def measurements(cells: pd.DataFrame, run: str = MEASURED) -> pd.DataFrame:
    """Return each number of a run once, printed or not, at the first place that prints it."""
    chosen = cells[(cells["run"] == run) & (cells["reading"] == "")]
    return chosen.drop_duplicates(CELL).reset_index(drop=True)
