"""Keeping the numbers of a whole run."""

import sys
from pathlib import Path

import pytest

from samples_of_results import MEASURED, PUBLISHED, frame, number
from toplabel.reproduction.compare.cells import COLUMNS, KEPT, read_cells, write_cells
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.files import FileError, write_json
from toplabel.reproduction.frames import empty_frame, write_frame

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks/evidence"))
from summary import keep


@pytest.fixture
def results(tmp_path):
    """A results folder of two numbers, and an empty summary beside it."""
    folder = tmp_path / "results"
    rows = [
        number(PUBLISHED, 76.5),
        number(MEASURED, 76.4, printed="76.5", verdict="match", budget="standard", study="a;b"),
        number(MEASURED, 90.0, "top3", source="", budget="standard", study="a;b"),
    ]
    write_cells(frame(*rows), folder / "cells.csv")
    write_frame(empty_frame(CLAIMS), folder / "claims.csv", CLAIMS)
    write_job(folder / "benchmarks/tune/letter/svm_multi/main.tsv")
    stage = {"stage": "tune", "jobs": 3, "hours": 1.25, "longest_seconds": 9, "peak_mb": 80}
    run = {"created": "2026-11-24T01:02:03+00:00", "budget": "standard", "versions": {}}
    run |= {"machine": {"cpu": "a processor", "cores": 2, "memory_gib": 23.5, "host": "mine"}}
    run |= {"git": {"commit": "0123456789abcdef"}}
    run |= {"blas": [], "jobs": [stage]}
    write_json(folder / "run.json", run)
    write_cells(empty_frame(COLUMNS), tmp_path / "summary/cells.csv")
    return folder


def write_job(path):
    path.parent.mkdir(parents=True)
    path.write_text("s\tmax_rss\n9\t80\n", encoding="utf-8")


def test_the_measured_numbers_are_kept_without_the_machine(results, tmp_path):
    keep(results, tmp_path / "summary")
    cells = read_cells(tmp_path / "summary/cells.csv")
    assert cells["run"].tolist() == [KEPT] * 2
    assert cells["value"].tolist() == [76.4, 90.0]
    assert (tmp_path / "summary/claims.csv").is_file()
    text = (tmp_path / "summary/run.json").read_text()
    assert "mine" not in text
    jobs = (tmp_path / "summary/jobs.csv").read_text().splitlines()
    assert jobs[1] == "a,tune,letter,svm_multi,main,9.0,80.0"


def test_a_run_that_lacks_kept_numbers_is_refused(results, tmp_path):
    keep(results, tmp_path / "summary")
    cells = read_cells(results / "cells.csv")
    write_cells(cells.iloc[:2], results / "cells.csv")
    with pytest.raises(FileError, match="letter, svm_multi, top3"):
        keep(results, tmp_path / "summary")
    keep(results, tmp_path / "summary", lacking=True)


@pytest.mark.parametrize("budget", ["quick", "paper"])
def test_a_run_of_several_budgets_or_of_the_quick_one_is_refused(results, tmp_path, budget):
    cells = read_cells(results / "cells.csv")
    write_cells(cells.assign(budget=["", budget, "standard"]), results / "cells.csv")
    with pytest.raises(FileError, match="budget"):
        keep(results, tmp_path / "summary")
