"""Numbers of the kept run stand beside those of a run, and count for nothing but themselves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from markup import render

from toplabel._core.files import FileError
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.kept import load_kept
from toplabel.reproduction.report.pdf import write_pdf
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.tables.collected import COMPARISON

KEPT = Path(__file__).resolve().parents[2] / SUMMARY


@pytest.fixture(scope="module")
def kept_cells() -> pd.DataFrame:
    """The kept run's cells as they stand in its file."""
    return pd.read_csv(KEPT / "comparison.csv", dtype=str, keep_default_na=False)


def grid_cells(site):
    return [cell for grid in site.grids() for cell in grid.all("td", "kept")]


def test_an_empty_run_shows_every_kept_number_and_scores_none(empty_results, kept_cells):
    of_tables = kept_cells[
        kept_cells["source"].eq("tpami2017") & kept_cells["table"].isin(["3", "7"])
    ]
    site = render(empty_results, KEPT)
    shown = grid_cells(site)
    assert len(shown) == len(of_tables) == 312
    printed = Counter(cell.all("small", "p")[0].all("span")[0].text for cell in shown)
    assert printed == Counter(of_tables["published"])
    header = site["index"].all("header")[0].text
    assert "None of the 571 " in site["index"].all("h1")[0].text
    assert "measured 1\u202f333 of " in header
    assert score_of(load_inputs(empty_results, kept_folder=KEPT).comparison)["comparable"] == 0


def test_a_number_of_the_run_is_never_replaced(small_results, small_cells):
    inputs = load_inputs(small_results, kept_folder=KEPT)
    own = inputs.comparison["measured"].notna()
    assert own.sum() == 4
    assert inputs.comparison.loc[own, "kept"].isna().all()
    assert (inputs.comparison.loc[own, "kept_verdict"] == "").all()
    assert inputs.comparison.loc[~own, "kept"].notna().sum() == 14
    without = load_inputs(small_results).comparison
    columns = [name for name in COMPARISON.names if name in without]
    pd.testing.assert_frame_equal(without[columns], inputs.comparison[columns])


def test_the_score_of_a_run_is_its_own(small_results):
    alone = render(small_results)
    headline = alone["index"].all("h1")[0].text
    beside = render(small_results, KEPT)
    assert beside["index"].all("h1")[0].text == headline
    assert len(grid_cells(beside)) == 14
    assert not grid_cells(alone)
    assert all("kept run, 2" in cell.attributes["title"] for cell in grid_cells(beside))


def test_kept_numbers_come_with_their_reasons_and_winners(empty_results):
    text = render(empty_results, KEPT)["index"].text
    assert "of cells that this run did not measure" in text
    assert "in the kept run, the best is also the paper's best in" in text


def test_the_document_says_whose_numbers_are_muted(empty_results, tmp_path):
    write_pdf(load_inputs(empty_results, kept_folder=KEPT), tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").stat().st_size > 10_000


def test_a_folder_without_a_kept_run_is_none_and_a_damaged_one_an_error(tmp_path):
    assert load_kept(tmp_path) is None
    for name in ("comparison.csv", "claims.csv", "run.json"):
        (tmp_path / name).write_bytes((KEPT / name).read_bytes())
    kept = load_kept(tmp_path)
    assert len(kept.cells) == score_of(kept.cells)["comparable"]
    assert kept.claims["claim"].size > 10
    assert kept.winners.empty
    assert kept.differences.empty
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(FileError, match=r"run\.json.*; `git checkout reports/summary` brings"):
        load_kept(tmp_path)
    (tmp_path / "run.json").unlink()
    assert load_kept(tmp_path) is None


def test_kept_cells_have_their_best_and_their_deviations(empty_results):
    site = render(empty_results, KEPT)
    shown = grid_cells(site)
    assert any("best" in one.classes for cell in shown for one in cell.all("span"))
    assert any("±" in cell.text or "sd" in cell.text for cell in shown)


def test_a_note_counts_rows_of_the_whole_block(empty_results):
    text = render(empty_results, KEPT).text
    assert "3 of 9 rows were not measured: published by other authors" in text
    assert "3 of 3 rows" not in text
