"""The results of a run, from their files to the frame of cells and the papers' claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.bootstrap import draw_rows
from toplabel.reproduction.compare.cells import build, read_cells
from toplabel.reproduction.compare.claims import judge
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.selection.evaluation import TestMetric, load_metrics


def compare_results(
    catalogue: Catalogue, paths: Iterable[str | Path], kept: Path | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare results with the papers.

    Parameters
    ----------
    catalogue : Catalogue
    paths : iterable of path-like
        results/<set>/<method>/evaluation.csv. A ranks.npz beside it gives intervals over test rows;
        the prepared set in results/<set>/data says whether its results may be compared.
    kept : Path, optional
        The cells of the kept run.

    Returns
    -------
    cells, claims : DataFrame
        The frame of the run (`compare.cells`), and what became of the papers' claims
        (`compare.claims`).
    """
    paths = sorted(map(Path, paths))
    ranks = (path.with_name("ranks.npz") for path in paths)
    draws = draw_rows(path for path in ranks if path.is_file())
    folders = {path.parts[-3]: path.parents[1] / "data" for path in paths}
    why = {name: text for name, folder in folders.items() if (text := not_comparable(folder))}
    before = read_cells(kept) if kept is not None and kept.is_file() else None
    columns = [field.name for field in fields(TestMetric)]
    evaluations = pd.DataFrame(load_metrics(paths), columns=columns)
    cells = build(catalogue, evaluations, draws, why, before)
    return cells, judge(cells, catalogue, draws)
