"""The machine-readable report: one JSON file with everything, an RO-Crate that names every file
with its sum.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from synthetic import SVG, write_figure_files, write_table_files

from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.tables.collected import FAILURES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(small_results: Path) -> Path:
    """A report with its data, from results with a raw file, a figure and a table."""
    meta = small_results / "circle" / "data" / "meta.json"
    meta.parent.mkdir(parents=True)
    files = {
        "a b.csv": {"sha256": "00ff", "size": 12, "url": "https://example.org/a%20b.csv"},
        "own.npy": {"sha256": "11ee", "size": 8, "url": ""},
    }
    meta.write_text(json.dumps({"raw": files}), encoding="utf-8")
    # A set made of the same file, as medical_645 is.
    twin = small_results / "twin/data/meta.json"
    twin.parent.mkdir(parents=True)
    twin.write_text(meta.read_text(encoding="utf-8"), encoding="utf-8")
    write_figure_files(small_results, "rings", SVG, title="Rings", alt="Two rings")
    write_table_files(small_results, "plain", pd.DataFrame({"x": ["1"]}), title="Plain")
    write_all(small_results)
    return small_results.parent / "reports"


def write_all(results: Path) -> None:
    """Write data, pages and crate, in the order of the workflow."""
    inputs = load_inputs(results)
    reports = results.parent / "reports"
    write_data(inputs, reports / "data")
    write_html(inputs, reports / "index.html")
    write_crate(inputs, reports, ROOT)


def entities(folder: Path) -> dict[str, dict[str, Any]]:
    crate = json.loads((folder / "ro-crate-metadata.json").read_text(encoding="utf-8"))
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


def test_the_report_may_be_moved(small_results: Path, tmp_path: Path) -> None:
    """Every link to a file leads into the folder: it holds what its pages point to."""
    write_table_files(small_results, "plain", pd.DataFrame({"x": ["1"]}), title="Plain")
    log = small_results / "logs/train.log"
    log.parent.mkdir()
    log.write_text("no memory\n", encoding="utf-8")
    failed = dict.fromkeys(FAILURES.names, "") | {
        "dataset": "circle",
        "method": "lr_ova",
        "stage": "train",
    }
    failed |= {"reason": "no memory", "log": "results/logs/train.log"}
    FAILURES.frame([failed]).to_csv(small_results / "failures.csv", index=False)
    write_all(small_results)
    moved = (small_results.parent / "reports").rename(tmp_path / "elsewhere")
    shutil.rmtree(small_results)
    pages = "".join(path.read_text("utf-8") for path in moved.glob("*.html"))
    links = {
        link
        for link in re.findall(r'href="([^"#?]+)', pages)
        if not link.startswith(("http", "data:"))
    }
    assert {
        "data/circle/lr_multi/evaluation.csv",
        "data/tables/plain.csv",
        "data/logs/train.log",
    } <= links
    assert [link for link in links - {"toplabel.pdf"} if not (moved / link).is_file()] == []


def test_one_json_file_with_everything(folder: Path, small_cells: pd.DataFrame) -> None:
    report = json.loads((folder / "data" / "report.json").read_text(encoding="utf-8"))
    assert report["run"]["git"]["commit"].startswith("0123")
    assert report["complete"] is True
    assert report["score"]["published"] == 18
    assert report["score"]["comparable"] == len(report["cells"]) == 4
    cell = report["cells"][0]
    row = small_cells[small_cells["measured"] != ""].iloc[0]
    assert (cell["published"], cell["file"]) == (row["published"], row["file"])
    assert cell["measured"] == float(row["measured"])
    assert cell["theta"] is None
    assert {f["name"]: f["sha256"] for f in report["inputs"]["circle"]} == {
        "a b.csv": "00ff",
        "own.npy": "11ee",
    }
    assert [one["claim"] for one in report["findings"]] == ["c", "a_b", "b"]
    assert sum(one["cells"] for one in report["missing"]) == 14
    for one in (*report["figures"], *report["tables"]):
        assert (folder / "data" / one["data"]).is_file()


def test_the_data_are_the_collected_files(folder: Path) -> None:
    results = folder.parent / "results"
    for name in ("comparison", "evaluation", "datasets", "findings", "winners"):
        copied = (folder / "data" / f"{name}.csv").read_bytes()
        assert copied == (results / f"{name}.csv").read_bytes()
    assert not (folder / "data" / "failures.csv").exists()


def test_what_an_earlier_report_left_goes(folder: Path) -> None:
    results = folder.parent / "results"
    for suffix in ("svg", "csv", "json"):
        (results / "figures" / f"rings.{suffix}").unlink()
    write_data(load_inputs(results), folder / "data")
    assert list((folder / "data" / "figures").iterdir()) == []


def test_a_crate_by_the_specification(folder: Path) -> None:
    found = entities(folder)
    descriptor, root = found["ro-crate-metadata.json"], found["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert references(descriptor["conformsTo"]) == [
        "https://w3id.org/ro/crate/1.1",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    ]
    assert "https://w3id.org/ro/wfrun/workflow/0.5" in references(root["conformsTo"])
    workflow = found[root["mainEntity"]["@id"]]
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert found[workflow["programmingLanguage"]["@id"]]["name"] == "Snakemake"
    assert found["#run"]["instrument"] == root["mainEntity"]
    assert root["@type"] == "Dataset"
    for name in ("name", "description", "datePublished", "license"):
        assert root[name]
    parts = references(root["hasPart"])
    files = {name for name, entity in found.items() if "File" in entity["@type"]}
    assert set(parts) == files  # every file is a part
    outside = ("https://", "http://")
    for entity in found.values():
        for value in entity.values():
            assert all(name in found or name.startswith(outside) for name in references(value))


def test_a_crate_has_every_file_with_its_sum(folder: Path) -> None:
    found = entities(folder)
    there = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    del there["ro-crate-metadata.json"]
    for name, path in there.items():
        content = path.read_bytes()
        assert found[name]["sha256"] == hashlib.sha256(content).hexdigest()
        assert found[name]["contentSize"] == str(len(content))
        assert found[name]["encodingFormat"]
    code = {name for name in there if name.startswith("code/")}
    assert set(references(found["#run"]["result"])) == set(there) - code
    for name in ("code/Snakefile", "code/workflow/scripts/write_crate.py"):
        assert there[name].read_bytes() == (ROOT / name.removeprefix("code/")).read_bytes()


def test_a_crate_names_inputs_code_config_and_environment(folder: Path) -> None:
    found = entities(folder)
    run = found["#run"]
    assert run["@type"] == "CreateAction"
    assert run["actionStatus"] == {"@id": "http://schema.org/CompletedActionStatus"}
    assert (run["startTime"], run["endTime"]) == (
        "2026-03-01T11:47:26+00:00",
        "2026-03-01T12:00:00+00:00",
    )
    inputs = references(run["object"])
    assert {"#set-circle", "#config", "https://example.org/a%20b.csv"} <= set(inputs)
    assert found["https://example.org/a%20b.csv"]["sha256"] == "00ff"
    assert found["#raw-circle-own.npy"]["@type"] == "CreativeWork"  # no address, so no part
    assert '"eps": 0.001' in found["#config"]["value"]
    code = found["code/Snakefile"]
    assert code["version"].startswith("0123456789abcdef")
    assert code["version"].endswith("with uncommitted changes")
    assert "#software-numpy" in references(code["softwareRequirements"])
    assert found["#software-numpy"]["softwareVersion"] == "2.4.6"
    assert found["#fact-machine-cpu"]["value"] == "An x86-64 processor"


def test_the_same_files_give_the_same_crate(folder: Path) -> None:
    before = (folder / "ro-crate-metadata.json").read_bytes()
    write_all(folder.parent / "results")
    assert (folder / "ro-crate-metadata.json").read_bytes() == before


def test_a_run_that_failed_is_no_completed_action(folder: Path) -> None:
    results = folder.parent / "results"
    rows = [("circle", "lr_multi", "LR", "train", "no space left", "logs/train.log")]
    FAILURES.write(FAILURES.frame(rows), results / "failures.csv")
    write_all(results)
    assert entities(folder)["#run"]["actionStatus"] == {
        "@id": "http://schema.org/FailedActionStatus"
    }
    report = json.loads((folder / "data" / "report.json").read_text(encoding="utf-8"))
    assert report["complete"] is False
    assert report["failures"][0]["reason"] == "no space left"


def test_the_front_page_offers_what_is_there(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    for file in (
        "data/comparison.csv",
        "data/report.json",
        "ro-crate-metadata.json",
        "toplabel.pdf",
    ):
        assert f'href="{file}"' in page
