"""Measured numbers beside published ones."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel._core.files import FileError
from toplabel.reproduction.compare.bootstrap import RowDraws, draws_of_means
from toplabel.reproduction.compare.collection import collect
from toplabel.reproduction.compare.comparison import compare
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.report.labels import paper_label
from toplabel.reproduction.selection.ranks import load_ranks
from toplabel.reproduction.tables.cells import TEST_METRICS


def compare_results(
    catalogue: Catalogue, paths: Iterable[str], intervals: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Collect results/<set>/<method>/evaluation.csv and put them beside the published numbers.

    Without `intervals` no test rows are drawn.
    """
    paths = sorted(paths)
    collected = collect(
        TEST_METRICS.read_all(paths),
        catalogue.methods,
        catalogue.studies.values(),
        {name: entry.features for name, entry in catalogue.registry.items()},
        draw_rows(paths) if intervals else None,
    )
    folders = {path.parts[-3]: path.parents[1] / "data" for path in map(Path, paths)}
    why = {name: text for name, folder in folders.items() if (text := not_comparable(folder))}
    published = load_published(catalogue.published)
    published = published.rename(columns={"printed": "published"})
    return collected, compare(collected, published, catalogue.registry, why)


def draw_rows(paths: Iterable[str]) -> RowDraws:
    """Return the top-k accuracies of cells on drawn test rows, as far as ``ranks.npz`` stands
    beside evaluation.csv.

    All methods of a data set have the same draws. A set with several splits has none: their spread
    is measured.
    """
    sets = groupby(sorted(map(Path, paths)), key=lambda path: path.parts[-3])
    return {key: draws for dataset, cells in sets for key, draws in _drawn(dataset, cells).items()}


def _drawn(dataset: str, cells: Iterable[Path]) -> RowDraws:
    """`draw_rows` of one data set."""
    hits, splits, rows = {}, set(), {}
    for path in cells:
        file = path.with_name("ranks.npz")
        for one in load_ranks(file) if file.is_file() else ():
            splits.add(one.split)
            rows.setdefault(len(one.above), file)
            hits |= {(dataset, path.parts[-2], str(m)): one.hits(m) for m in one.metric}
    if len(splits) != 1:
        return {}
    if len(rows) > 1:
        (some, first), (others, second), *_ = rows.items()
        raise FileError(
            f"{second}: {others} test rows, but {first} has {some}; the data set was prepared anew between them: "
            "remove the folder of the older one, and run again"
        )
    draws = 100.0 * draws_of_means(np.column_stack([*hits.values()]), dataset, *splits)
    return dict(zip(hits, draws.T, strict=True))


def printed_beside(catalogue: Catalogue, paths: Iterable[str]) -> pd.DataFrame:
    """Return what the papers print of the cells of one data set, where several do, the first of
    them.

    Returns
    -------
    DataFrame
        Columns `method` (as here), `metric`, `published` (a number), `printed_in` (the table).
    """
    cells = compare_results(catalogue, paths, intervals=False)[1]
    cells = cells[cells["file"] != ""].drop_duplicates(["file", "metric"])
    tables = zip(cells["source"], cells["table"], strict=True)
    return pd.DataFrame(
        {
            "method": cells["file"].str.split("/").str[1],
            "metric": cells["metric"],
            "published": cells["published"].astype(float),
            "printed_in": [f"{paper_label(source)}, Table {table}" for source, table in tables],
        }
    )
