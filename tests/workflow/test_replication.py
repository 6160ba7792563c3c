"""The replication paper: its numbers are those of the kept run, and its prose has none."""

import re
import shutil
import subprocess
from importlib import resources

import pytest
from running import ROOT

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.report.pdf import write_document
from toplabel.reproduction.tables.table import read_csv, write_csv
from toplabel.reproduction.workflow.replication import facts_of, main


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    path = tmp_path_factory.mktemp("paper") / "replication.pdf"
    facts, picture, created = facts_of(ROOT)
    write_document("replication.typ", facts, {"agreement.svg": picture}, created, path)
    return facts, path


def test_the_prose_of_the_template_has_no_digit():
    templates = resources.files("toplabel.reproduction.report").joinpath("templates")
    text = templates.joinpath("replication.typ").read_text("utf-8")
    text = text.partition("= What was claimed")[2]
    text = re.sub(r"\$[^$]*\$", "", text)  # formulas
    text = re.sub(r"\b(tpami2017|cvpr2016|nips2015|nips2012)\b", "", text)  # keys of references
    text = re.sub(
        r"\((?:[\d.]*fr|auto)[^)]*\)(?: \* \d|( \+ \(auto,\) \* \d))?", "", text
    )  # columns
    text = re.sub(r"size: [\d.]+pt|width: 100%", "", text)
    assert not re.findall(r".*\d.*", text)


def test_it_is_the_same_document_for_the_same_run(paper, tmp_path):
    facts, path = paper
    again, picture, created = facts_of(ROOT)
    assert again == facts
    again_path = tmp_path / "again.pdf"
    write_document("replication.typ", again, {"agreement.svg": picture}, created, again_path)
    assert again_path.read_bytes() == path.read_bytes()


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_its_numbers_are_those_of_the_kept_run_and_it_has_eight_to_twelve_pages(paper):
    facts, path = paper
    text = subprocess.run(
        ["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True
    ).stdout
    assert 8 <= text.count("\f") <= 12
    words = " ".join(text.split())
    cells = read_csv(ROOT / SUMMARY / "comparison.csv")
    counts = cells["verdict"].value_counts()
    assert f"{counts['close']} more are close" in words
    assert f"{counts['spread']} lie within the spread" in words
    far = sum(counts[name] for name in ("higher", "lower", "off"))
    assert f"and {far} are not reproduced" in words
    readings = read_csv(ROOT / SUMMARY / "readings.csv")
    found = (readings["found_verdict"] == "match").sum()
    assert f"{found} under the found one" in words
    assert all(one["outcome"] in words for one in facts["claims"])


def test_another_kept_run_has_other_numbers(paper, tmp_path):
    for name in ("config", "data/published"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / SUMMARY, tmp_path / SUMMARY)
    path = tmp_path / SUMMARY / "comparison.csv"
    cells = read_csv(path)
    first = cells.index[cells["verdict"] == "match"][0]
    cells.loc[first, "verdict"] = "off"
    write_csv(cells, path)
    before, after = paper[0]["score"], facts_of(tmp_path)[0]["score"]
    assert int(after["far"]) == int(before["far"]) + 1
    assert after["match"] != before["match"]


def test_a_wrong_file_is_one_line(tmp_path, monkeypatch, capsys):
    for name in ("config", "data/published", SUMMARY):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "config/notes.yaml"
    path.write_text(path.read_text("utf-8").replace("what:", "waht:", 1), encoding="utf-8")
    assert main() == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "config/notes.yaml" in error
    assert "waht" in error
    shutil.copy(ROOT / "config/notes.yaml", path)
    (tmp_path / SUMMARY / "readings.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert main() == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "readings.csv" in error
