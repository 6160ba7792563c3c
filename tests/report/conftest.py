"""Results folders and reports that several tests look at, made once."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from markup import Site, render
from synthetic import (
    SVG,
    default_cells,
    measure,
    published_cells,
    write_figure_files,
    write_results,
)


@pytest.fixture(scope="session")
def cells() -> pd.DataFrame:
    """All published cells, those of our methods on five data sets measured."""
    return default_cells()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory, cells: pd.DataFrame) -> Path:
    """A whole results folder with a figure. Tests do not change it."""
    folder = write_results(tmp_path_factory.mktemp("run") / "results", cells)
    write_figure_files(
        folder, "rings", SVG, title="Rings", alt="Two rings", source="TPAMI 2017, Fig. 4"
    )
    return folder


@pytest.fixture(scope="session")
def site(results: Path) -> Site:
    """The HTML report of `results`."""
    return render(results)


@pytest.fixture
def small_cells() -> pd.DataFrame:
    """The cells of TPAMI Table 3, four of them measured."""
    cells = published_cells("tpami2017_table03.csv")
    return measure(cells, cells["method"].isin(["svm_multi", "lr_multi"]))


@pytest.fixture
def small_results(tmp_path: Path, small_cells: pd.DataFrame) -> Path:
    """A small results folder, for tests that change it."""
    return write_results(tmp_path / "results", small_cells)


@pytest.fixture
def empty_results(tmp_path: Path) -> Path:
    """A results folder of a run that measured nothing."""
    return write_results(tmp_path / "results", published_cells("tpami2017_table0[37].csv"))
