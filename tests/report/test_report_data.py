"""The PDF, the data of the report, and the RO-Crate that names every file with its sum."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sample_run import ROOT, RUN, Sample, cells

from toplabel.reproduction import sources
from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.report.background import last_error


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed")
def test_the_document_shows_the_numbers(whole: Sample) -> None:
    command = ["pdftotext", "-layout", whole.reports / "toplabel.pdf", "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    for number in ("77.0 (76.5)", "91.2 (91.0)", "found 63.1", "(62.8)", "88.8"):
        assert number in text
    assert "2 of 4 published numbers" in text
    assert "^{" not in text


def test_report_json_is_the_tree_of_the_pages(whole: Sample) -> None:
    report = json.loads((whole.reports / "data/report.json").read_text("utf-8"))
    assert report["run"] == RUN
    assert (report["score"]["comparable"], report["score"]["match"]) == (4, 2)
    assert {f"{page['name']}.html" for page in report["pages"]} == {
        path.name for path in whole.reports.glob("*.html")
    }
    assert report["inputs"]["letter"][0]["sha256"] == "00ff"
    sections = [section for page in report["pages"] for section in page["sections"]]
    parts = [part for section in sections for part in section["parts"]]
    for table in (part for part in parts if part["kind"] == "table"):
        assert all(row.keys() == {"cells", "anchor"} for row in table["rows"])
    rows = [row for part in parts if part["kind"] == "grid" for row in part["rows"]]
    assert rows
    for row in rows:
        for cell in row["cells"]:
            assert {"state", "ours", "published", "verdict", "reason"} <= cell.keys()


def test_the_data_are_the_cells(whole: Sample) -> None:
    assert len(read_cells(whole.reports / "data/cells.csv")) == len(cells())


def test_a_changed_template_makes_the_report_run_again(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(sources, "_content", lambda path: asked.append(path.name) or "")
    sources.fingerprint.__wrapped__("write_report.py", ROOT)
    assert {"page.html.j2", "report.typ", "report.css"} <= {*asked}


def entities(folder: Path) -> dict[str, dict[str, Any]]:
    crate = json.loads((folder / "ro-crate-metadata.json").read_text("utf-8"))
    assert crate["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    found = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(found) == len(crate["@graph"])
    return found


def references(value: Any) -> list[str]:
    """All identifiers that the properties of an entity point to."""
    if isinstance(value, list):
        return [one for part in value for one in references(part)]
    if isinstance(value, dict):
        return [value["@id"]] if set(value) == {"@id"} else []
    return []


def test_a_crate_follows_the_profile_of_workflow_runs(whole: Sample) -> None:
    found = entities(whole.reports)
    root = found["./"]
    assert "https://w3id.org/ro/wfrun/workflow/0.5" in references(root["conformsTo"])
    workflow = found[root["mainEntity"]["@id"]]
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert found[workflow["programmingLanguage"]["@id"]]["name"] == "Snakemake"
    assert workflow["version"].endswith("with uncommitted changes")
    run = found["#run"]
    assert run["@type"] == "CreateAction"
    assert run["instrument"] == root["mainEntity"]
    assert run["actionStatus"] == {"@id": "http://schema.org/CompletedActionStatus"}
    times = ("2026-03-01T11:47:26+00:00", "2026-03-01T12:00:00+00:00")
    assert (run["startTime"], run["endTime"]) == times
    assert {"https://example.org/letter.data", "#config"} <= set(references(run["object"]))
    assert found["#raw-letter-own.txt"]["sha256"] == "11ee"
    for entity in found.values():
        for value in entity.values():
            assert all(one in found or one.startswith("http") for one in references(value))


def test_a_crate_has_every_file_with_its_sum(whole: Sample) -> None:
    found, folder = entities(whole.reports), whole.reports
    there = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    del there["ro-crate-metadata.json"]
    for name, path in there.items():
        if not name.endswith(".sha256"):
            content = path.read_bytes()
            assert found[name]["sha256"] == hashlib.sha256(content).hexdigest()
            assert found[name]["contentSize"] == str(len(content))
    assert (folder / "code/Snakefile").read_bytes() == (ROOT / "Snakefile").read_bytes()


def test_a_run_that_did_not_finish_is_no_completed_action(sample: Sample) -> None:
    sample.write(missing=["letter/lr_ova/evaluation.csv"])
    status = entities(sample.reports)["#run"]["actionStatus"]
    assert status == {"@id": "http://schema.org/FailedActionStatus"}


def test_the_last_error_of_a_cell_is_read_from_its_logs(tmp_path: Path) -> None:
    log = tmp_path / "tune/one/mine/all.log"
    log.parent.mkdir(parents=True)
    log.write_text("10:00 INFO started\n10:01 ERROR no gradient\n10:02 INFO ended\n")
    assert last_error(tmp_path, "one/mine") == "no gradient"
    assert last_error(tmp_path, "one/other") == ""


def test_the_code_of_the_user_stands_in_the_report(sample: Sample, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "losses").mkdir(parents=True)
    files = [folder / "own.yaml", folder / "losses/mine.py"]
    for path in files:
        path.write_text(f"# {path.name}\n")
    sample.write(own_code=files)
    copies = sample.reports / "code/own"
    assert (copies / "own.yaml").read_text() == "# own.yaml\n"
    assert (copies / "losses/mine.py").is_file()
