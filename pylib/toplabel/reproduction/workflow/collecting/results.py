"""Measured numbers beside published ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.bootstrap import RowDraws, draw_rows
from toplabel.reproduction.compare.cells import build
from toplabel.reproduction.compare.views import compared, comparison, evaluation
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.report.labels import paper_label
from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION


def build_cells(
    catalogue: Catalogue,
    paths: Iterable[str],
    draws: RowDraws | None = None,
    kept: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Build the frame of a run from results/<set>/<method>/evaluation.csv."""
    paths = sorted(paths)
    folders = {path.parts[-3]: path.parents[1] / "data" for path in map(Path, paths)}
    why = {name: text for name, folder in folders.items() if (text := not_comparable(folder))}
    return build(catalogue, TEST_METRICS.read_all(paths), draws, why, kept)


def ranks_beside(paths: Iterable[str]) -> list[Path]:
    """Return the files of ranks that stand beside evaluation.csv."""
    files = (Path(path).with_name("ranks.npz") for path in paths)
    return [file for file in files if file.is_file()]


def compare_results(
    catalogue: Catalogue, paths: Iterable[str], intervals: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return evaluation.csv and comparison.csv of some results; without `intervals` no test rows
    are drawn.
    """
    paths = sorted(paths)
    cells = build_cells(catalogue, paths, draw_rows(ranks_beside(paths)) if intervals else None)
    return evaluation(cells)[EVALUATION.names], comparison(cells)[COMPARISON.names]


def printed_beside(catalogue: Catalogue, paths: Iterable[str]) -> pd.DataFrame:
    """Return what the papers print of the cells of one data set, where several do, the first of
    them.

    Returns
    -------
    DataFrame
        Columns `method` (as here), `metric`, `published` (a number), `printed_in` (the table).
    """
    cells = compared(build_cells(catalogue, paths))
    cells = cells.drop_duplicates(["config_method", "metric"])
    tables = zip(cells["source"], cells["table"], strict=True)
    return pd.DataFrame(
        {
            "method": cells["config_method"],
            "metric": cells["metric"],
            "published": cells["printed"].astype(float),
            "printed_in": [f"{paper_label(source)}, Table {table}" for source, table in tables],
        }
    )
