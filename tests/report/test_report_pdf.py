"""The PDF report: a document, the same bytes each time, never markup from the data."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest
import typst
from synthetic import RUN, SVG, write_figure_files, write_table_files

from toplabel._core.files import FileError
from toplabel.reproduction.report import pdf
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.pdf import write_pdf
from toplabel.reproduction.report.tree import build_tree
from toplabel.reproduction.tables.collected import FAILURES


def render(folder: Path, name: str = "toplabel.pdf") -> bytes:
    out = folder.parent / "reports" / name
    write_pdf(load_inputs(folder), out)
    return out.read_bytes()


def text_of(path: Path, kept: str = "") -> str:
    """The text, its spaces made one; `kept` is a kind of space that stays."""
    tool = shutil.which("pdftotext")
    if tool is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    done = subprocess.run([tool, path, "-"], capture_output=True, check=True)
    text = done.stdout.decode("utf-8")
    return kept.join(" ".join(part.split()) for part in (text.split(kept) if kept else [text]))


def test_same_inputs_same_bytes(small_results: Path, tmp_path: Path) -> None:
    write_figure_files(small_results, "rings", SVG, title="Rings", alt="Two rings")
    first = render(small_results)
    assert first.startswith(b"%PDF-")
    assert first == render(small_results, "again.pdf")
    moved = tmp_path / "elsewhere" / "results"
    shutil.copytree(small_results, moved)
    assert first == render(moved)


def test_archival_and_accessible(small_results: Path) -> None:
    write_figure_files(small_results, "rings", SVG, title="Rings", alt="Two rings")
    document = render(small_results)
    for claim in (b"<pdfaid:part>2<", b"<pdfaid:conformance>A<", b"<pdfuaid:part>1<"):
        assert claim in document


def test_the_date_is_that_of_the_run(small_results: Path) -> None:
    assert b"D:20260301" in render(small_results)
    (small_results / "run.json").write_text('{"created": null}')
    run = RUN | {"created": None}
    pd.Series(run).to_json(small_results / "run.json")
    undated = render(small_results)
    assert undated.startswith(b"%PDF-")
    assert b"D:2026" not in undated


def test_whole_document(results: Path) -> None:
    out = results.parent / "reports" / "whole.pdf"
    write_pdf(load_inputs(results), out)
    text = text_of(out)
    for words in (
        "published numbers are measured here:",
        "1 Findings",
        "Softmax wins for k > 1. TPAMI 2017, section 6.2 [1]. ✓ confirmed, same data. On Letter, Circle: 2 of 3",
        "2 of 3 comparisons go to LR",
        "Not tested in this run: Both are alike.",
        "Table 1: Who wins where",
        "2 Protocol",
        "The budget is “standard”",
        "Table 2: Score by published table",
        "TPAMI 2017, Table 7 [1]: Multilabel classification.",
        "Figure 2: Rings.",
        "Certificates",
        "raw file aloi.tar.bz2 is in no mirror",
        "An x86-64 processor, 2 cores, 24 GiB",
        "[1] M. Lapin, M. Hein, and B. Schiele, “Analysis and Optimization of Loss Functions",
        "“Multiclass Learning with Simplex Coding,” in Advances in Neural Information",
    ):
        assert words in text
    assert "0.352" in text  # yeast, lr_ml, rank loss as published
    last = text_of(out, "\f").strip("\f").split("\f")[-1]
    assert all(f"[{number}] " in last for number in range(1, 8))  # no page for one reference


def test_a_figure_stands_with_the_table_of_its_set_and_a_claim_has_its_drawing(
    results: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(results, tmp_path / "results")
    write_figure_files(folder, "topk_circle", SVG, title="Against k", alt="A")
    inputs = load_inputs(folder)
    content = pdf.content_of(build_tree(inputs))
    pictures = pdf.pictures_of(inputs, content)
    sections = [one for page in content["pages"] for one in page["sections"]]
    found = {one["origin"]: [f["title"] for f in one["figures"]] for one in sections}
    assert found.pop("TPAMI 2017, Table 3") == ["Against k"]
    assert not any(found.values())
    drawn = [one["anchor"] for one in content["findings"] if one["tested"]]
    assert drawn
    for anchor in drawn:
        assert content["said"][anchor].startswith("Median difference in points: ")
        root = ET.fromstring(pictures[f"{anchor}.svg"])
        assert root.find("{http://www.w3.org/2000/svg}style") is not None


def test_the_last_rows_of_a_table_stay_together(tmp_path: Path) -> None:
    """On a page of a dozen rows, whatever their number: two pages at the ends of which three rows
    stand.
    """
    parts = resources.files("toplabel.reproduction.report").joinpath("templates/parts.typ")
    (tmp_path / "parts.typ").write_text(parts.read_text("utf-8"), encoding="utf-8")
    (tmp_path / "content.json").write_text('{"verdicts": []}', encoding="utf-8")
    left = set()
    for number in range(12, 26):
        rows = ", ".join(f"[row{i}], [x]" for i in range(number))
        (tmp_path / "t.typ").write_text(
            '#import "parts.typ": *\n#set page(width: 8cm, height: 8cm, margin: 1cm)\n'
            f"#ruled(columns: (auto, auto), header: ([A], [B]), {rows})\n",
            encoding="utf-8",
        )
        (tmp_path / "t.pdf").write_bytes(typst.compile(tmp_path / "t.typ", format="pdf"))
        pages = text_of(tmp_path / "t.pdf", "\f").split("\f")
        counts = [page.count("row") for page in pages if page]
        assert sum(counts) == number
        left.add(counts[-1])
    assert min(left) >= 3
    assert len(left) > 3  # the end of a page was met


def test_a_run_that_failed_says_so(small_results: Path) -> None:
    whole = render(small_results)
    rows = [("circle", "lr_multi", "LR^{Multi}", "train", "no #space left", "logs/train.log")]
    FAILURES.write(FAILURES.frame(rows), small_results / "failures.csv")
    assert render(small_results) != whole
    text = text_of(small_results.parent / "reports" / "toplabel.pdf")
    assert "The run did not finish." in text
    assert "no #space left" in text


def test_a_label_in_a_plain_table_loses_its_markup(small_results: Path) -> None:
    frame = pd.DataFrame({"method": ["SVM^{Multi}_{1}"], "value": ["1"]})
    write_table_files(small_results, "t", frame, title="Plain")
    render(small_results)
    text = text_of(small_results.parent / "reports" / "toplabel.pdf")
    assert "^{" not in text
    assert "_{" not in text


def test_nothing_measured(empty_results: Path) -> None:
    document = render(empty_results)
    assert document.startswith(b"%PDF-")
    text = text_of(empty_results.parent / "reports" / "toplabel.pdf")
    assert "None of the 571 published numbers was measured in this run." in text
    assert "No table has a measurement in this run." in text


def test_data_is_never_markup(small_results: Path, small_cells: pd.DataFrame) -> None:
    evil = '#panic("x") *b* $x$ @ref <script> \\ ` [ ] {'
    sets = pd.read_csv(small_results / "datasets.csv", dtype=str, keep_default_na=False)
    sets.loc[sets["dataset"] == "circle", ["title", "licence"]] = evil
    sets.to_csv(small_results / "datasets.csv", index=False)
    small_cells.assign(method=evil + small_cells["method"]).to_csv(
        small_results / "comparison.csv", index=False
    )
    write_figure_files(small_results, "f", SVG, title=evil, caption=evil, alt=evil)
    write_table_files(small_results, "t", pd.DataFrame({evil: [evil]}), title=evil, caption=evil)
    assert render(small_results).startswith(b"%PDF-")
    text = text_of(small_results.parent / "reports" / "toplabel.pdf")
    assert text.count('#panic("x")') > 5
    assert "<script>" in text


def test_letters_that_no_font_has(small_results: Path) -> None:
    sets = pd.read_csv(small_results / "datasets.csv", dtype=str, keep_default_na=False)
    sets["title"] = "文字"
    sets.to_csv(small_results / "datasets.csv", index=False)
    assert render(small_results).startswith(b"%PDF-")


def test_a_figure_that_is_no_svg(small_results: Path) -> None:
    write_figure_files(small_results, "page", "<html/>")
    with pytest.raises(FileError, match=r"figures/page\.svg: the outermost element is not <svg>"):
        render(small_results)
    assert not (small_results.parent / "reports" / "toplabel.pdf").exists()
