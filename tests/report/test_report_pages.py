"""What the pages show of a run."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from markup import Element, Site
from sample_run import RUN, Sample, cells, dataset

from samples_of_results import MEASURED
from toplabel.reproduction.report.findings import bases


def row(site: Site, page: str, label: str) -> dict[str, Element]:
    """The cells of a method in the first grid of a page, by the headings of their columns."""
    grid = site[page].all("table", "grid")[0]
    heads = [head.text.strip(" \u00a0↑↓") for head in grid.all("th") if head.inside("thead")]
    for found in grid.all("tr"):
        if found.inside("tbody") and found.all("th")[0].text == label:
            return dict(zip(heads, found.children, strict=False))
    raise AssertionError(f"no row {label}")


def verdicts(cell: Element) -> list[str]:
    return [(one.classes - {"v"}).pop() for one in cell.all("span", "v")]


def test_a_cell_has_ours_the_printed_number_and_the_verdict(site: Site) -> None:
    cell = row(site, "multiclass", "SVMMulti")["Top-1"]
    assert verdicts(cell) == ["match"]
    assert [part in cell.text for part in ("77.0", "76.5", "+0.5")] == [True] * 3
    assert not cell.all("span", "stop")


def test_a_fit_that_did_not_converge_is_marked(site: Site) -> None:
    cell = row(site, "multiclass", "LRMulti")["Top-1"]
    assert cell.all("span", "stop")
    assert verdicts(cell) == ["off"]


def test_a_number_of_the_kept_run_is_muted_and_has_its_verdict(site: Site) -> None:
    cell = row(site, "multiclass", "LRMulti")["Top-2"]
    assert "kept" in cell.classes
    assert "91.2" in cell.text
    assert verdicts(cell) == ["match"]
    assert "75.3" not in cell.text  # where this run has a number, the kept one is not shown


def test_a_found_reading_stands_below_the_stated_one(site: Site) -> None:
    cell = row(site, "multiclass", "top-3 Enttr")["Top-1"]
    assert verdicts(cell) == ["off", "match"]
    assert "63.1" in cell.all("small", "found")[0].text


def test_what_nobody_measured_stands_in_parentheses_and_what_is_quoted_below(site: Site) -> None:
    cell = row(site, "multiclass", "LRMulti")["Top-3"]
    assert sorted(cell.text) == sorted("(95.2)")
    assert not cell.all("a")
    assert "Letter Top-1 97.98" in site["multiclass"].text


def test_a_number_leads_to_its_record_and_its_file(site: Site) -> None:
    link = row(site, "multiclass", "SVMMulti")["Top-1"].all("a")[0]
    record = site.by_id(link.attributes["href"].removeprefix("#"))
    addresses = [one.attributes["href"] for one in record.all("a")]
    assert addresses == ["data/letter/svm_multi/evaluation.csv"]
    assert "1.0e−04" in record.text
    assert "76.98" in record.text


def notes(site: Site, page: str) -> dict[str, str]:
    """The notes of a page by the words that they begin with."""
    found = (note for note in site[page].all("p", "note") if note.children)
    return {note.children[0].text: note.own_text.strip() for note in found}


def test_a_table_says_why_numbers_of_it_are_not_reproduced(site: Site) -> None:
    reasons = "The draw of the folds (Letter: 1 off); Without a known reason (Letter: 1 off)."
    assert notes(site, "multiclass")["Not reproduced:"] == reasons
    assert 'href="index.html#differences"' in site.texts["multiclass"]
    cell = row(site, "multiclass", "LRMulti")["Top-1"]
    assert cell.all("span", "v")[0].attributes["title"] == "The draw of the folds"
    record = site.by_id(cell.all("a")[0].attributes["href"].removeprefix("#"))
    assert "The draw of the folds" in record.text


def test_each_mark_of_a_table_is_explained_below_it(site: Site) -> None:
    said = notes(site, "multiclass")
    # The choice of the number that nobody measured has no mark.
    assert said["†:"] == "Online methods make 20 passes and average their iterates."
    assert said["found:"] == "The authors' gradient descent, ended after 100 steps."
    assert said["‡:"] == "the fit did not converge."
    assert not {"†:", "found:", "‡:"} & {*notes(site, "own")}


def test_printed_numbers_within_draws_of_the_folds_are_counted(site: Site) -> None:
    """Nothing is said of fewer than five draws, as of one number of this run."""
    said = [text for lead, text in notes(site, "multiclass").items() if "further draw" in text]
    sentence = "1 of 2 printed numbers lie in the 95 % interval of a further draw of the folds."
    assert said == [f"2 match, of 2 compared. {sentence}"]


def test_own_data_have_a_page_with_intervals(site: Site) -> None:
    assert "88.8" in site["own"].text
    assert "75.0 to 78.0" in site["own"].text


def test_a_report_of_own_data_speaks_of_no_paper(sample: Sample) -> None:
    all_ = cells()
    own = all_[(all_["source"] == "") & (all_["run"] == MEASURED)]
    config = RUN["config"] | {"studies": {"own": {"title": "Mine"}}}
    site = sample.write(cells=own, run=RUN | {"config": config})
    assert "All methods" in site["own"].text
    text = " ".join(page.all("main")[0].text for page in site.pages.values())
    assert not re.search("[^.]*(printed|papers)[^.]*", text)


def test_only_studies_of_the_config_have_a_page(sample: Sample) -> None:
    config = RUN["config"] | {"studies": ["multiclass/letter"]}
    site = sample.write(run=RUN | {"config": config})
    assert "own" not in site.pages
    assert "multiclass" in site.pages


def test_a_study_may_have_the_name_of_another_page(sample: Sample) -> None:
    config = RUN["config"] | {"studies": ["data"]}
    all_ = cells()
    own = all_[all_["source"] == ""].assign(study="data")
    site = sample.write(cells=own, run=RUN | {"config": config})
    assert "88.8" in site["study-data"].text
    assert "88.8" not in site["data"].text


def test_tables_that_were_not_measured_are_on_a_page_of_their_own(sample: Sample) -> None:
    all_ = cells()
    site = sample.write(cells=all_[(all_["run"] != MEASURED) | (all_["source"] == "")])
    assert "multiclass" not in site.pages
    assert "62.6" in site["published"].text  # of the kept run


def test_the_front_page_counts_each_paper_and_the_found_readings(site: Site) -> None:
    scores = site["index"].all("table")[0]
    rows = {row.children[0].text: [c.text for c in row.children[1:]] for row in scores.all("tr")}
    assert rows["This run"] == ["4", "2", "0", "2", "0", "1", "1 of 2"]
    assert rows["This run, under the found readings"] == ["4", "3", "0", "1", "0", "1", ""]
    kept = rows["The kept run, where this run has no number"]
    assert kept == ["2", "2", "0", "0", "0", "0", ""]
    assert rows["This run: TPAMI 2017"] == rows["This run"]
    assert "2 of 4 published numbers" in site["index"].all("h1")[0].text


@pytest.mark.parametrize(
    ("match", "off", "budget", "word"),
    [
        (9, 1, "standard", "Agrees"),
        (5, 5, "paper", "Partly"),
        (4, 6, "standard", "Disagrees"),
        (9, 1, "quick", "Not testable"),
    ],
)
def test_a_run_is_answered_in_a_word(sample, match, off, budget, word) -> None:
    all_ = cells()
    one = all_[all_["verdict"] == "match"].iloc[[0]]
    printed = all_[all_["run"] == "published"].iloc[[0]]
    metrics = [f"top{k}" for k in range(1, match + off + 1)]
    found = [
        part.assign(metric=metric, verdict=verdict if len(part["verdict"].iloc[0]) else "")
        for metric, verdict in zip(metrics, ["match"] * match + ["off"] * off, strict=True)
        for part in (printed, one)
    ]
    site = sample.write(cells=pd.concat(found), run=RUN | {"budget": budget})
    assert site["index"].all("span", "answer")[0].text == f"{word}."
    assert bool(site["index"].all("p", "alert")) == (budget == "quick")


def test_a_run_that_measured_nothing(sample: Sample) -> None:
    site = sample.write_nothing()
    assert "Not testable" in site["index"].all("h1")[0].text
    assert (sample.reports / "toplabel.pdf").read_bytes().startswith(b"%PDF-")


def test_what_is_missing_is_listed(sample: Sample) -> None:
    site = sample.write(missing=["letter/lr_ova", "own/mine"])
    assert site["index"].all("p", "alert")
    assert "own/mine" in site.by_id("unfinished").text


def test_the_data_page_has_sources_licences_and_reasons(sample: Sample) -> None:
    facts = {"licence": "CC BY 4.0", "citation": "Frey 1991", "url": "https://example.org"}
    absent = dataset("caltech101_silhouettes", status="missing", reason="not at hand")
    sets = [dataset("letter", n_train="15000", zero_rows="3", **facts), dataset("own"), absent]
    all_ = cells()
    page = sample.write(datasets=pd.DataFrame(sets), cells=all_[all_["run"] != "kept"])["data"]
    for text in (
        "CC BY 4.0",
        "Frey 1991",
        "15\u202f000",
        "3 rows of zeros",
        "not at hand",
        "own.txt",
    ):
        assert text in page.text


def test_claims_stand_with_their_outcome(site: Site) -> None:
    section = site.by_id("findings")
    for text in (
        "○ undecided",
        "6\u00a0:\u00a01\u00a0:\u00a02",
        "median +0.52",
        "−0.31 to +1.26 over test rows",
    ):
        assert text in section.text
    assert "Nothing is known." in section.all("details")[-1].text


def test_the_run_page_has_machine_versions_and_config(site: Site) -> None:
    for text in ("A processor", '"numpy": "2.4.6"', "0123456789abcdef", "tol_train", "0:12:34"):
        assert text in site["run"].text
    assert "Patience no longer ends the paths" in site["run"].text


def test_the_page_of_the_papers_lists_their_items_and_the_losses(site: Site) -> None:
    tables = [table.text for table in site["papers"].all("table")]
    assert len(tables) == 6
    assert "Householder" in tables[0]
    assert "SVMMultiγ" in tables[4].replace(" ", "")
    assert "(2(T − 1)/T)1/2" in tables[5]


def test_the_score_counts_distinct_numbers_and_those_outside_the_largest_tables() -> None:
    rows = [
        ("tpami2017", "letter", "top1", "match"),
        ("cvpr2016", "letter", "top1", "match"),  # the same measurement in another table
        ("tpami2017", "letter", "top2", "off"),
        ("nips2012", "letter", "top3", "match"),
        ("tpami2017", "yeast", "top1", ""),
    ]
    numbers = pd.DataFrame(rows, columns=["source", "dataset", "metric", "verdict"])
    numbers = numbers.assign(config_dataset=numbers["dataset"], config_method="lr_multi")
    words = bases(numbers)
    assert "Of the 3 distinct ones 67 % match, 33 % are not reproduced" in words
    assert "of the 1 outside the tables of letter" in words
