"""The pages of the HTML report: which there are, and what the front page and the page of the
missing say.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from markup import Site, render
from synthetic import RUN, SVG, write_figure_files

from toplabel.reproduction.tables.collected import DIFFERENCES, FAILURES


def test_a_page_a_study_and_the_others(site: Site) -> None:
    assert set(site.pages) == {
        "index",
        "multilabel",
        "papers",
        "figures",
        "data",
        "published",
        "run",
    }
    for name, page in site.pages.items():
        assert len(page.all("h1")) == 1
        nav = page.all("nav")[0]
        current = [a for a in nav.all("a") if a.attributes.get("aria-current") == "page"]
        assert [a.attributes["href"] for a in current] == [f"{name}.html"]
        files = [
            a.attributes["href"] for a in nav.all("a") if a.attributes["href"].endswith(".html")
        ]
        assert set(files) == {f"{other}.html" for other in site.pages}
    assert site["papers"].all("h1")[0].text == "All tables"
    assert "What <the> papers print." in site["papers"].all("header")[0].text


def test_a_table_is_whole_with_the_study_that_has_most_of_it(site: Site) -> None:
    """Table 7 is one of both studies; the other one shows its own rows, and where the table is."""
    whole, part = (
        next(e for e in site[name].all("section") if e.attributes.get("id") == "tpami2017-table7")
        for name in ("papers", "multilabel")
    )
    methods = [{row.all("th")[0].text for row in one.all("tr")} for one in (whole, part)]
    assert {"BR (RBF)", "LRML", "SVMML"} <= methods[0]
    assert methods[1] == {"Method", "SVMML", "SVMML1"} | {"Data set", "Yeast", "Scene"}
    link = next(a for a in part.all("a") if a.text == "another study")
    assert link.attributes["href"] == "papers.html#tpami2017-table7"


def test_pages_of_an_earlier_report_go_and_others_stay(small_results: Path) -> None:
    folder = small_results.parent / "reports"
    render(small_results)
    (folder / "figures.html").write_text((folder / "index.html").read_text("utf-8"), "utf-8")
    (folder / "notes.html").write_text("<p>mine</p>", "utf-8")
    render(small_results)
    assert not (folder / "figures.html").exists()
    assert (folder / "notes.html").exists()


def test_findings_in_words(site: Site) -> None:
    section = site.by_id("findings")
    first, second, third = section.all("li")
    states = [[s.text.strip("✓✗· ") for s in one.all("span", "state")] for one in (first, second)]
    assert states == [["confirmed", "not tested"], ["not tested", "not confirmed"]]
    words = " ".join(p.text for p in first.all("p"))
    assert "Softmax wins for k > 1." in words
    assert "TPAMI 2017, section 6.2" in words
    assert "On Letter, Circle: 2 of 3 comparisons go to " in words
    assert "1 to neither (median difference +0.9 points); 2 of 2 agree with the papers" in words
    assert "30 of 32 comparisons go to" in words
    assert "On digits: the difference is 1.0 point in favour of" in second.text
    drawn = [image.attributes["alt"] for image in section.all("img", "claim")]
    assert drawn == [
        "Median difference in points: the papers +1.1, same data +0.9",
        "Median difference in points: the papers +1.1, other data −1.0",
    ]
    assert third.inside("details")
    assert "Both are alike." in third.all("p")[0].text
    assert "within 1 point in 20 of 32 comparisons" in third.all("p")[1].text
    header = site["index"].all("header")[0].text
    said = "Of 3 claims of the papers this run tests 1 on the papers’ own data (1 confirmed) and 1 on other data"
    assert f"{said} (1 not confirmed)." in header


def test_why_numbers_differ(small_results: Path, small_cells: pd.DataFrame) -> None:
    """A group a reason with its evidence, on the front page and beside the table; the unexplained
    are said.
    """
    rows = (
        small_cells[small_cells["measured"] != ""].iloc[:3].assign(verdict=["off", "off", "higher"])
    )
    texts = {"reason": ["why", "why", ""], "title": ["Its <draw>", "Its <draw>", ""]}
    texts |= {"why": ["It varies.", "It varies.", ""], "evidence": ["Seen twice."] * 2 + [""]}
    texts["experiment"] = ["It was tried: 1 match."] * 2 + [""]
    DIFFERENCES.write(rows.assign(**texts)[DIFFERENCES.names], small_results / "differences.csv")
    site = render(small_results)
    front = site.by_id("differences")
    assert "2 off, 1 higher, in 1 group; 1 higher without a known reason." in front.text
    assert front.all("a")[0].attributes["href"] == "papers.html#tpami2017-table3"
    groups = [
        part.all("ul", "reasons")[0].all("li") for part in (front, site.by_id("tpami2017-table3"))
    ]
    for first, second in groups:
        assert first.all("b")[0].text == "2 off"
        assert "Its <draw>." in first.text
        assert "Seen twice. It was tried: 1 match." in first.all("details")[0].text
        assert "Without a known reason" in second.text
        assert not second.all("details")


def test_winners(site: Site) -> None:
    matrix, names = site.by_id("winners").all("table")
    assert [cell.text for cell in matrix.all("td")] == ["● the same", "○ another"]
    hint = "Here SVM Multi (0.4 ahead), in the paper SVM Multi."
    assert matrix.all("td")[0].all("span")[0].attributes["title"] == hint
    row = names.all("tbody")[0].all("tr")[0]
    link = row.all("a")[0]
    assert (link.text, link.attributes["href"]) == (
        "TPAMI 2017, Table 3",
        "papers.html#tpami2017-table3",
    )
    assert row.all("td")[-1].text == "1 of 2"
    assert "in 1 of 2 columns" in site.by_id("winners").text


def test_coverage_lists_every_table_and_figure(site: Site) -> None:
    rows = site.by_id("coverage").all("tbody")[0].all("tr")
    shown = {row.all("th")[0].text: [cell.text for cell in row.all("td")] for row in rows}
    assert shown["TPAMI 2017, Table 7"][1] == "yes"
    assert shown["TPAMI 2017, Table 7"][2].endswith("of 553 cells measured")
    assert shown["TPAMI 2017, Table 10"][1] == "no"
    assert "raw file voc2007.tar.bz2 is in no mirror" in shown["TPAMI 2017, Table 10"][2]
    assert shown["TPAMI 2017, Fig. 3a"][1:] == ["no", "not part of this run"]
    assert {f"TPAMI 2017, Table {n}" for n in range(1, 13)} <= set(shown)


def test_a_run_that_failed_says_so(small_results: Path) -> None:
    assert "did not finish" not in render(small_results).text
    log = small_results / "logs" / "train.log"
    log.parent.mkdir()
    log.write_text("x", encoding="utf-8")
    rows = [("circle", "lr_multi", "LR^{Multi}", "train", "no <space> left", "logs/train.log")]
    rows += [("circle", name, name, "", "not begun", "") for name in ("svm_ova", "lr_ova")]
    FAILURES.write(FAILURES.frame(rows), small_results / "failures.csv")
    site = render(small_results)
    alert = site["index"].all("p", "alert")[0]
    assert "3 results are missing that it asked for" in alert.text
    assert alert.all("a")[0].attributes["href"] == "data.html#failures"
    cells = site.by_id("failures").all("td")
    assert [cell.text for cell in cells[1:3]] == ["train", "no <space> left"]
    assert cells[3].all("a")[0].attributes["href"] == "data/logs/train.log"
    # Methods that ended alike share a row.
    assert [cell.text for cell in cells[4:]] == ["svm_ova, lr_ova", "", "not begun", ""]


def test_a_smoke_test_says_so(small_results: Path) -> None:
    run = RUN | {"budget": "quick"}
    (small_results / "run.json").write_text(json.dumps(run), encoding="utf-8")
    assert "numbers say nothing about the methods" in render(small_results)["index"].text


def test_a_figure_stands_with_the_study_of_its_set_or_on_its_own_page(small_results: Path) -> None:
    pages = {
        "topk_circle": "papers",
        "tpami2017_figure04": "papers",
        "gaps": "run",
        "tpami2017_figure03a": "speed",
        "nips2012_figure01": "figures",  # nothing of its study was measured
        "mine": "calibration",
    }
    for name in pages:
        page = {"page": "calibration"} if name == "mine" else {}
        write_figure_files(small_results, name, SVG, title="T", alt="A", **page)
    site = render(small_results)
    found = {
        figure.attributes["id"].removeprefix("figure-"): name
        for name, page in site.pages.items()
        for figure in page.all("figure")
    }
    assert found == pages | {"agreement": "index"}
    # With the table of its data set.
    assert site.by_id("figure-topk_circle").parent.attributes["id"] == "tpami2017-table3"
