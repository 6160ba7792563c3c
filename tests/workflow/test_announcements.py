"""What a run says at its start and at its end."""

import csv
import re
import shutil

import pytest
import yaml
from running import ROOT

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.workflow.announcements import closing, opening
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.targets import Targets


@pytest.fixture
def config():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def plan(config, tmp_path, monkeypatch):
    """The default run in an empty folder, without mirror and network."""
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    monkeypatch.chdir(tmp_path)
    return Plan(ROOT, config | {"download": False})


def kept_rows():
    with (ROOT / SUMMARY / "comparison.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def collect(folder, rows):
    """Collected files of a run with these cells."""
    folder.mkdir()
    with (folder / "comparison.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (folder / "run.json").write_text("{}", encoding="utf-8")


def said(plan, cells, asked=()):
    return " ".join(opening(plan, asked, cells, 293, "about 7 min", 2).split())


def test_the_opening_names_data_numbers_and_time(plan):
    text = said(plan, Targets(plan).wanted())
    assert "74 pairs of a method and a data set, on 6 data sets" in text
    assert "516 printed numbers" in text
    assert "circle from a generator" in text
    assert "emotions, landsat, letter, letter_raw, optdigits from data/embedded" in text
    assert "293 jobs, 2 at a time; time left: about 7 min" in text
    assert "Left out" not in text


def test_the_opening_names_what_cannot_be_had(config, plan):
    whole = Plan(ROOT, config | {"studies": ["multilabel"], "download": False})
    text = said(whole, Targets(whole).wanted(), Targets(whole).asked())
    assert re.search(r"Left out, .*: bibtex: .*not found.*yeast: ", text)
    assert "emotions:" not in text


def test_a_run_that_evaluates_nothing_says_how_long_it_takes(plan):
    assert said(plan, []) == "293 jobs, 2 at a time; time left: about 7 min."


def test_the_closing_says_that_the_digits_are_those_of_the_kept_run(plan, tmp_path):
    bare = dict.fromkeys(kept_rows()[0], "") | {"published": "1.0"}
    collect(tmp_path / "results", [*kept_rows()[:400], bare])
    score, beside, reports = closing(plan, True)
    assert score.startswith("Score:   400 of 401 published numbers are measured here: ")
    assert beside.startswith("Beside:  all 400 are those of the kept run (")
    assert "reports/index.html" in reports


def test_the_closing_names_cells_that_differ(plan, tmp_path):
    rows = kept_rows()[:9]
    rows[3]["measured"] = "12.5"
    for row in rows[5:]:
        row["measured"] += "1"
    collect(tmp_path / "results", rows)
    beside = closing(plan, True)[1]
    assert beside.startswith("Beside:  5 of 9 differ from the kept run (")
    assert re.search(r"letter/\w+ top\d+ [\d.]+ -> 12\.5; ", beside)


def test_another_budget_is_not_compared(config, plan, tmp_path):
    collect(tmp_path / "results", kept_rows()[:9])
    other = Plan(ROOT, config | {"budget": "quick", "download": False})
    assert "its digits are not compared" in closing(other, True)[1]


def test_a_cell_that_another_budget_left_is_not_compared(plan, tmp_path):
    rows = kept_rows()[:9]
    rows[3] |= {"measured": "12.5", "budget": "quick"}
    collect(tmp_path / "results", rows)
    assert closing(plan, True)[1].startswith("Beside:  all 8 are those of the kept run (")


def test_the_closing_is_of_the_report_that_was_written_last(plan, tmp_path):
    (tmp_path / "results").mkdir()
    collect(tmp_path / "results/partial", kept_rows()[:3])
    assert "3 of 3 published numbers" in closing(plan, True)[0]


def test_a_target_without_report_says_how_to_see_it(plan):
    (line,) = closing(plan, False)
    assert "`report`" in line


def test_a_report_of_nothing_says_so(plan, tmp_path):
    bare = dict.fromkeys(kept_rows()[0], "") | {"published": "1.0"}
    collect(tmp_path / "results", [bare])
    assert (
        "no printed number was measured; the reports show those of the kept run"
        in closing(plan, True)[1]
    )


def test_without_a_kept_run_there_is_nothing_to_compare_with(config, plan, tmp_path):
    root = tmp_path / "checkout"
    for name in ("config", "data/published"):
        shutil.copytree(ROOT / name, root / name)
    collect(tmp_path / "results", kept_rows()[:3])
    assert "there is no kept run" in closing(Plan(root, config | {"download": False}), True)[1]
