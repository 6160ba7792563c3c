"""The HTML report: well-formed, self-contained, complete; it lists what is missing."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from markup import Site, render
from synthetic import (
    SVG,
    measure,
    published_cells,
    write_figure_files,
    write_results,
    write_table_files,
)

from toplabel._core.files import FileError
from toplabel.reproduction.report.grid import cell_texts
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.report.trace import NOT_REGISTERED, NOT_RUN, OF_OTHERS, Trace
from toplabel.reproduction.tables.collected import EVALUATION, READINGS


def test_ids_and_references(site: Site) -> None:
    ids = {
        name: [e.attributes["id"] for e in page.all() if "id" in e.attributes]
        for name, page in site.pages.items()
    }
    for name, page in site.pages.items():
        assert len(ids[name]) == len(set(ids[name]))
        for element in page.all():
            address, mark, anchor = (element.attributes.get("href") or "").partition("#")
            file = address.partition("?")[0]
            if mark or file.endswith(".html"):
                assert (file or f"{name}.html").removesuffix(".html") in ids
                assert not mark or anchor in ids[file.removesuffix(".html") or name]
            for label in (element.attributes.get("aria-labelledby") or "").split():
                assert label in ids[name]


def test_nothing_is_loaded(site: Site) -> None:
    for element in site.all():
        assert element.attributes.get("src", "data:").startswith("data:")
        assert element.tag not in ("link", "iframe", "object", "embed", "base", "svg", "math")
        if element.tag != "a":
            assert not (element.attributes.get("href") or "#").startswith("http")
    for style in site.all("style"):
        assert not re.search(r"url\(\s*(?!#)|@import", style.text)
    for text in site.texts.values():
        assert "default-src 'none'" in text


def test_size(site: Site) -> None:
    assert len(site.markup.encode("utf-8")) < 5_000_000


def test_every_published_cell_is_there(results: Path, site: Site) -> None:
    comparison = load_inputs(results).comparison
    expected = Counter(cell_texts(row)["published"] for _, row in comparison.iterrows())
    found: Counter[str] = Counter()
    for grid in site.grids():
        for cell in grid.all("td"):
            if not cell.text.strip():
                continue
            shown = cell.all("small")[-1] if cell.all("small") else cell
            found[shown.all("span")[0].text] += 1
    assert found == expected


def test_every_measurement_has_a_record_with_its_file(
    results: Path, site: Site, tmp_path: Path
) -> None:
    comparison = load_inputs(results).comparison
    write_data(load_inputs(results), tmp_path / "data")
    rows = [row for row in site.all("tr") if "id" in row.attributes]
    records = {row.attributes["id"]: row for row in rows if not row.inside(cls="visit")}
    assert len(records) == comparison["measured"].notna().sum() > 100
    links = [link for grid in site.grids() for link in grid.all("a")]
    assert Counter(link.attributes["href"] for link in links) == Counter(
        f"#{name}" for name in records
    )
    for row in rows:
        file = row.children[-1]
        assert file.text.endswith("/evaluation.csv")
        target = tmp_path / file.all("a")[0].attributes["href"]
        assert target.resolve().is_file()


def test_tables_are_labelled(site: Site) -> None:
    tables = site.all("table")
    assert len(tables) > 40
    for table in tables:
        assert len(table.all("caption")) == 1
        for head in table.all("th"):
            expected = "col" if head.inside("thead") else "row"
            assert head.attributes["scope"] == expected
            assert head.text.strip()
        for button in table.all("button"):
            assert button.parent.attributes["aria-sort"] == "none"
        region = table.parent
        assert region.classes == {"scroll"}
        assert region.attributes["tabindex"] == "0"
        assert region.attributes["aria-label"]


def test_the_answer_comes_first(site: Site, cells: pd.DataFrame) -> None:
    match = int((cells["verdict"] == "match").sum())
    measured = int((cells["measured"] != "").sum())
    published = f"{len(cells):,}".replace(",", "\u202f")
    near = match + int((cells["verdict"] == "close").sum())
    word = "Agrees" if near >= 0.9 * measured else "Partly"
    headline = f"{measured} of {published} published numbers are measured here: {match} within"
    (head,) = site["index"].all("h1")
    assert head.all("span", "answer")[0].text == f"{word}."
    assert f" {headline} 0.5 points." in head.text


def test_every_published_number_is_accounted_for(results: Path, site: Site) -> None:
    """Measured, or why not: the second bar adds up to all that the papers print."""
    comparison = load_inputs(results).comparison
    parts = {
        item.text.rpartition(" ")[0]: int(item.all("b")[0].text.replace("\u202f", ""))
        for item in site["index"].all("ul", "legend")[1].all("li")
    }
    assert parts["measured"] == comparison["measured"].notna().sum()
    assert list(parts)[1:] == [
        "not part of this run",
        "data not at hand",
        "other people’s methods",
    ]
    assert sum(parts.values()) == len(comparison)


def test_a_cell_within_the_spread_is_no_match(
    small_results: Path, small_cells: pd.DataFrame
) -> None:
    """Its deviation stands with the difference, in its record the standard error of the mean."""
    row = small_cells.index[small_cells["measured"] != ""][0]
    values = {"published": "89.3", "measured": "77.3", "difference": "-12.0", "verdict": "spread"}
    values |= {"measured_std": "11.0", "splits": "10"}
    small_cells.loc[row, list(values)] = list(values.values())
    small_cells.to_csv(small_results / "comparison.csv", index=False)
    site = render(small_results)
    assert ", 1 more within the spread of 10 draws." in site["index"].all("h1")[0].text
    (cell,) = (td for grid in site.grids() for td in grid.all("td") if td.all("span", "spread"))
    assert "−12.0, sd 11.0" in cell.text
    record = site.by_id(cell.all("a")[0].attributes["href"].removeprefix("#"))
    assert "77.3 ± 11.0 (10 draws, standard error 3.5)" in record.text


def test_the_interval_over_test_rows_stands_in_the_record(
    small_results: Path, small_cells: pd.DataFrame
) -> None:
    """With a sentence above the table; tables without an interval say nothing."""
    assert "of draws of the test rows" not in render(small_results).by_id("tpami2017-table3").text
    first, second, *_ = small_cells.index[small_cells["measured"] != ""]
    small_cells.loc[first, ["rows_low", "rows_high", "in_rows"]] = ["70.04", "72.96", "true"]
    small_cells.loc[second, ["rows_low", "rows_high", "in_rows"]] = ["70", "72", "false"]
    small_cells.to_csv(small_results / "comparison.csv", index=False)
    text = render(small_results).by_id("tpami2017-table3").text
    assert "1 of 2 printed numbers lie in the interval that has our number on 95 %" in text
    assert "70.0 to 73.0, printed number inside" in text
    assert "70.0 to 72.0, printed number outside" in text


def test_the_spread_over_seeds_of_the_folds_stands_in_the_record(
    small_results: Path, small_cells: pd.DataFrame
) -> None:
    row = small_cells.index[small_cells["measured"] != ""][0]
    values = {"seeds": "5", "seeds_mean": "71.46", "seeds_std": "0.23", "in_seeds": "true"}
    small_cells.loc[row, list(values)] = list(values.values())
    small_cells.to_csv(small_results / "comparison.csv", index=False)
    text = render(small_results).by_id("tpami2017-table3").text
    assert "71.5 ± 0.2 (5 seeds), printed number inside" in text
    assert "1 of 1 printed numbers lie in the 95 % interval of a further draw of the folds" in text
    assert "of draws of the test rows" not in text


def test_score_by_table(site: Site, cells: pd.DataFrame) -> None:
    rows = site.by_id("by-table").all("tbody")[0].all("tr")
    shown = {row.all("a")[0].text: [cell.text for cell in row.all("td")] for row in rows}
    part = cells[(cells["source"] == "tpami2017") & (cells["table"] == "7")]
    occurring = [v for v in VERDICTS if (cells["verdict"] == v).any()]
    verdicts = [str((part["verdict"] == v).sum()) for v in occurring]
    counts = shown["TPAMI 2017, Table 7"]
    assert counts[: len(verdicts)] == verdicts
    assert counts[len(verdicts) + 1 :] == [str((part["measured"] != "").sum()), "553"]


def test_verdicts_are_words(site: Site, cells: pd.DataFrame) -> None:
    words = [
        v.text for table in site.grids() for cell in table.all("td") for v in cell.all("span", "v")
    ]
    assert Counter(words) == Counter(cells.loc[cells["verdict"] != "", "verdict"])
    marks = site["papers"].all("style")[1].text
    for mark in "✓≈○▲▼✗":
        assert f'content: "{mark} "' in marks


def test_figure(site: Site) -> None:
    figure = site.all("figure")[0]
    image = figure.all("img")[0]
    assert image.attributes["alt"] == "Two rings"
    kind, _, data = image.attributes["src"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == SVG
    data = [a for a in figure.all("a") if a.attributes.get("download") == "rings.csv"]
    assert data[0].attributes["href"] == "data:text/csv;charset=utf-8,x,y%0A1,2%0A"
    assert "TPAMI 2017, Fig. 4" in figure.all("figcaption")[0].text


def test_a_cell_waits_for_the_set_with_its_features_and_source() -> None:
    registry = [
        ("indoor67", "missing", "indoor67", "vgg16_fc7", ""),
        ("indoor67_alexnet_fc7", "missing", "indoor67", "alexnet_fc7", ""),
        ("letter", "ready", "letter", "", "tpami2017;cvpr2016"),
        ("letter_raw", "missing", "letter", "", "nips2012"),
    ]
    names = ["dataset", "status", "published_key", "features", "published_sources"]
    sets = pd.DataFrame(registry, columns=names).assign(title="")
    sets["reason"] = "no file of " + sets["dataset"]
    runs = pd.DataFrame(columns=["loss", "method", "label"])
    inputs = SimpleNamespace(folder=Path(), evaluation=runs, datasets=sets)
    trace = Trace(inputs)

    def waits(
        source: str, dataset: str, features: str, method: str = "lr_multi"
    ) -> tuple[str, str]:
        cell = {"source": source, "dataset": dataset, "features": features}
        return trace.cause(cell | {"method": method, "reason": ""})

    assert waits("cvpr2016", "indoor67", "alexnet_fc7") == (
        "indoor67_alexnet_fc7",
        "no file of indoor67_alexnet_fc7",
    )
    assert waits("tpami2017", "indoor67", "vgg16_fc7")[0] == "indoor67"
    assert waits("cvpr2016", "indoor67", "fisher") == ("", NOT_REGISTERED)
    assert waits("nips2012", "letter", "") == ("letter_raw", "no file of letter_raw")
    assert waits("tpami2017", "letter", "") == ("", NOT_RUN)
    assert waits("nips2012", "letter", "", method="rf_pct") == ("", OF_OTHERS)
    assert waits("nips2012", "letter", "", method="s_ls_batch")[0] == "letter_raw"


def test_reasons_are_shown(site: Site) -> None:
    missing = site.by_id("missing")
    assert "raw file aloi.tar.bz2 is in no mirror" in missing.text
    assert "published by other authors" in missing.text
    assert "not part of this run" in missing.text


def test_the_run_is_described(site: Site) -> None:
    run = site.by_id("run")
    names = [term.text for term in run.all("dt")]
    facts = dict(zip(names, (one.text for one in run.all("dd")), strict=True))
    assert facts["machine"] == "An x86-64 processor, 2 cores, 24 GiB, Linux 6.1"
    assert facts["BLAS"] == "openblas 0.3.30 SkylakeX"
    stages = next(t for t in site["run"].all("table") if "each stage" in t.all("caption")[0].text)
    cells = [cell.text for cell in stages.all("tr")[1].children]
    assert cells == ["train", "12", "1.2", "", "90 s", "310"]
    assert facts["seeds"] == "run 0, rule SHA-256 of run seed and names"
    assert facts["wall time"] == "12 min 34 s"
    assert facts["commit"].endswith("with changes that are not committed")


def test_same_inputs_same_pages(results: Path, site: Site) -> None:
    assert render(results).texts == site.texts


def test_decimals_and_signs(tmp_path: Path) -> None:
    cells = published_cells("tpami2017_table0[79].csv")
    chosen = (
        (cells["dataset"] == "emotions")
        & (cells["method"] == "lr_ml")
        & (cells["kernel"] == "linear")
    )
    cells = measure(cells, chosen)
    rank = cells.index[chosen & (cells["metric"] == "rank_loss")][0]
    values = {
        "published": "0.186",
        "measured": "0.1734",
        "difference": "-0.0126",
        "verdict": "lower",
    }
    cells.loc[rank, list(values)] = list(values.values())
    f1 = cells.index[chosen & (cells["metric"] == "f1_micro")][0]
    values = {"published": "66.9", "measured": "67.0", "difference": "0.1", "verdict": "match"}
    cells.loc[f1, list(values)] = list(values.values())
    site = render(write_results(tmp_path / "results", cells))
    first = {
        cell.all("a")[0].text: cell
        for g in site.all("table", "grid")
        for cell in g.all("td")
        if cell.all("a")
    }
    assert first["0.173"].all("small")[0].all("span")[1].text == "−0.013"
    assert "lower" in first["0.173"].text
    assert first["67.0"].all("small")[0].all("span")[1].text == "+0.1"


def test_best_of_a_column(tmp_path: Path) -> None:
    """Ours and published apart; lower wins for losses; ties at the printed digits share; references
    do not compete.
    """
    cells = published_cells("tpami2017_table05.csv").query(
        "dataset == 'letter' and metric == 'top1'"
    )
    cells = measure(cells, cells["method"].isin(["svm_multi", "lr_multi"]))
    for row, measured in zip(cells.index[cells["measured"] != ""], ("76.54", "76.46"), strict=True):
        difference = f"{float(measured) - float(cells.at[row, 'published']):.4f}"
        cells.loc[row, ["measured", "difference", "verdict"]] = [measured, difference, "match"]
    site = render(write_results(tmp_path / "results", cells))
    grid = site.all("table", "grid")[0]
    assert [a.text for a in grid.all("a", "best")] == ["76.5", "76.5"]
    assert [s.text for s in grid.all("span", "best")] == ["76.8"]
    assert any("97.98" in cell.text for cell in grid.all("td"))


def test_columns_follow_the_methods_not_the_references(site: Site) -> None:
    """The references of Places 205 and ImageNet have a top-5 alone, and stand first."""
    section = site.by_id("tpami2017-table5")
    grids = {grid.all("caption")[0].text: grid for grid in section.all("table", "grid")}
    for name in ("Places205, vgg16_fc7", "Letter"):
        heads = [head.text for head in grids[name].all("th") if head.inside("thead")]
        assert heads == ["Method", "Top-1 ↑", "Top-3 ↑", "Top-5 ↑", "Top-10 ↑"]
    assert "Another paper" in grids["Places205, vgg16_fc7"].all("tr")[1].text


def test_nothing_measured(empty_results: Path) -> None:
    site = render(empty_results)
    head = site["index"].all("h1")[0].text
    assert " None of the 571 published numbers was measured in this run." in head
    assert "Not testable." in head
    assert len(site.all("table", "grid")) == 10
    assert "No model was trained in this run." in site.text


def test_names_are_escaped(small_results: Path, small_cells: pd.DataFrame) -> None:
    evil = "<script>alert('x')</script>\"&"
    sets = pd.read_csv(small_results / "datasets.csv", dtype=str, keep_default_na=False)
    sets.loc[sets["dataset"] == "circle", ["title", "licence", "citation"]] = evil
    sets.loc[sets["dataset"] == "circle", "url"] = "javascript:alert(1)"
    sets.to_csv(small_results / "datasets.csv", index=False)
    small_cells.assign(method=evil + small_cells["method"]).to_csv(
        small_results / "comparison.csv", index=False
    )
    write_figure_files(small_results, "f", SVG, title=evil, caption=evil, alt=evil, script=evil)
    write_table_files(small_results, "t", pd.DataFrame({evil: [evil]}), title=evil, caption=evil)
    site = render(small_results)
    assert len(site.all("script")) == len(site.pages)
    assert all("alert('x')" not in script.text for script in site.all("script"))
    assert "javascript:" not in site.markup
    assert site.markup.count("&lt;script&gt;") > 10
    assert site.by_id("figure-f").all("img")[0].attributes["alt"] == evil


def test_plain_table(small_results: Path) -> None:
    frame = pd.DataFrame({"dimension": ["1000", "10000"], "seconds": ["0.02", "0.15"]})
    write_table_files(
        small_results,
        "table02",
        frame,
        title="Projection times",
        caption="Per 1000 problems of SVM^{OVA}.",
    )
    site = render(small_results)
    section = site.by_id("table02")
    assert [head.text for head in section.all("th") if head.inside("thead")] == [
        "dimension",
        "seconds",
    ]
    assert [cell.text for cell in section.all("td")] == ["0.02", "0.15"]
    assert [mark.text for mark in section.all("p", "caption")[0].all("sup")] == ["OVA"]
    assert section.all("a")[-1].attributes["href"] == "data/tables/table02.csv"


def test_table_adds_our_methods_to_the_papers(
    small_results: Path, small_cells: pd.DataFrame
) -> None:
    row = small_cells[small_cells["method"] == "lr_multi"].iloc[[0]]
    extra = row.assign(method="new_loss", label="New^{2}", published="", difference="", verdict="")
    frame = pd.concat([small_cells, extra])
    meta = {"title": "The circle", "source": "tpami2017", "table": "3"}
    write_table_files(small_results, "table03", frame, **meta)
    site = render(small_results)
    section = site.by_id("table03")
    assert "The circle" in section.all("h2")[0].text
    grid = section.all("table", "grid")[0]
    assert [len(grid.all("tr")), grid.all("tr")[-1].all("th")[0].all("sup")[0].text] == [11, "2"]
    assert len(section.all("table", "list")[0].all("tr")) == 1 + 5


def test_cells_name_the_reading_that_printed_numbers_had_a_part_in(small_results: Path) -> None:
    path = small_results / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    choice = {"name": "segments", "title": "Equal segments", "chosen": "By the printed numbers."}
    choice |= {"tables": ["tpami2017_table03"], "datasets": ["circle"]}
    choice |= {"methods": ["lr_*"], "metrics": ["top1"]}
    path.write_text(json.dumps(run | {"choices": [choice]}), encoding="utf-8")
    site = render(small_results)
    marked = [
        cell for grid in site.all("table", "grid") for cell in grid.all("td") if "†" in cell.text
    ]
    cells = pd.read_csv(small_results / "comparison.csv", dtype=str, keep_default_na=False)
    named = (cells["table"] == "3") & cells["method"].str.startswith("lr_")
    depend = named & (cells["metric"] == "top1") & (cells["verdict"] != "")
    assert 0 < len(marked) == depend.sum() < (cells["verdict"] != "").sum()
    text = site.by_id("readings").text
    assert "Equal segments." in text
    assert "By the printed numbers." in text


def test_readings_count_the_printed_accuracies_that_no_number_of_rows_gives(
    small_results: Path,
) -> None:
    rows = 230
    datasets = pd.read_csv(small_results / "datasets.csv", dtype=str, keep_default_na=False)
    datasets.assign(n_test=f"{rows}").to_csv(small_results / "datasets.csv", index=False)
    path = small_results / "comparison.csv"
    cells = pd.read_csv(path, dtype=str, keep_default_na=False).assign(splits="1")
    cells.to_csv(path, index=False)
    cells = cells[cells["verdict"] != ""]
    found = {"reading": "other", "found": "50", "found_difference": "1", "found_verdict": "close"}
    found |= {"found_file": cells["file"].iloc[0]}
    frame = cells.assign(**found)[READINGS.names]
    frame.to_csv(small_results / "readings.csv", index=False)
    path = small_results / "run.json"
    words = dict.fromkeys(("title", "stated", "found", "evidence"), "words") | {"name": "other"}
    run = json.loads(path.read_text(encoding="utf-8"))
    run |= {"readings": [words | {"chosen_on_test": False}]}
    path.write_text(json.dumps(run), encoding="utf-8")
    shares = cells[cells["metric"].str.startswith("top") | (cells["metric"] == "subset_accuracy")]
    possible = {f"{100 * k / rows:.1f}" for k in range(rows + 1)}
    wrong = shares[~shares["published"].isin(possible)]
    match = (wrong["verdict"] == "match").sum()
    assert 0 < match < len(wrong) < len(shares)
    said = f"No whole number of the test rows gives {len(wrong)} of the {len(shares)} printed"
    said += f" accuracies; under the stated reading {match} of these match."
    assert said in render(small_results).by_id("readings").text


def test_unpublished_measurements_are_shown(small_results: Path) -> None:
    path = small_results / "evaluation.csv"
    runs = pd.read_csv(path, dtype=str, keep_default_na=False)
    extra = runs.iloc[[0]].assign(
        dataset="digits", measured="97.25", std="0.31", file="digits/lr_multi/evaluation.csv"
    )
    pd.concat([runs, extra]).to_csv(path, index=False)
    site = render(small_results)
    section = site.by_id("unpublished")
    assert "97.2" in section.all("table", "grid")[0].text
    assert "97.2 ± 0.3" in section.all("table", "list")[0].text


def test_own_data_come_first(empty_results: Path) -> None:
    """With the best method of each metric, and in the tables intervals, shades and seconds."""
    rows = [("a", "61.5", "60", "63"), ("b", "62.5", "61", "64"), ("c", "55", "53.5", "56.5")]
    names = ["method", "measured", "rows_low", "rows_high"]
    frame = pd.DataFrame(rows, columns=names).assign(dataset="mine", metric="top1", splits="1")
    frame = frame.assign(label=frame["method"], seconds=["3", "10", "0.5"], status="converged")
    frame = frame.assign(file="mine/" + frame["method"] + "/evaluation.csv", relative_gap="1e-5")
    frame = frame.reindex(columns=EVALUATION.names, fill_value="")
    frame.to_csv(empty_results / "evaluation.csv", index=False)
    site = render(empty_results)
    assert "Own data." in site["index"].all("h1")[0].text
    best = site["index"].all("table")[0].all("tbody")[0].all("tr")
    texts = [[cell.text for cell in row.children] for row in best]
    assert texts == [["mine", "Top-1", "b", "62.5", "61.0 to 64.0", "1", "3", "10"]]
    (grid,) = site.by_id("unpublished").all("table", "grid")
    heads = [head.text for head in grid.all("th") if head.inside("thead")]
    assert heads == ["Method", "Top-1 ↑", "95 % of rows", "Seconds"]
    shown = [row.all("td") for row in grid.all("tbody")[0].all("tr")]
    assert ["near" in value.classes for value, _, _ in shown] == [True, True, False]
    assert [seconds.text for _, _, seconds in shown] == ["3", "10", "0.5"]
    assert shown[2][1].text == "53.5 to 56.5"


def test_numbers_of_fits_that_did_not_converge_are_marked(
    small_results: Path, small_cells: pd.DataFrame
) -> None:
    path = small_results / "run.json"
    run = json.loads(path.read_text(encoding="utf-8"))
    run["config"]["eps_train"] = 0.001
    path.write_text(json.dumps(run), encoding="utf-8")
    before = render(small_results)
    assert not before.all("span", "stop")
    assert "did not converge" not in before["index"].text
    row = small_cells.index[small_cells["measured"] != ""][0]
    small_cells.loc[row, "relative_gap"] = "0.56"
    small_cells.to_csv(small_results / "comparison.csv", index=False)
    runs = pd.read_csv(small_results / "evaluation.csv", dtype=str, keep_default_na=False)
    runs.loc[0, "relative_gap"] = "0.56"
    runs.to_csv(small_results / "evaluation.csv", index=False)
    site = render(small_results)
    marked = [mark.parent for mark in site.all("span", "stop")]
    assert len(marked) == 2  # in the grid, and in the record, which its card shows
    assert "5.6e−01" in marked[1].text
    said = "1 of 4 measured numbers, printed or not, comes from fits that did not converge"
    assert said in site["index"].all("header")[0].text


def test_what_can_be_checked_stands_in_a_box(results: Path, site: Site) -> None:
    box = site.by_id("trust")
    facts = dict(zip((t.text for t in box.all("dt")), (d.text for d in box.all("dd")), strict=True))
    assert list(facts) == ["Certificates", "Again from raw data", "Commit", "Sums"]
    assert "The largest relative gap is" in facts["Certificates"]
    assert "make verify" in facts["Again from raw data"]
    assert facts["Commit"].startswith("0123456789abcdef")
    assert "SHA-256" in facts["Sums"]


def test_models_that_stopped_early_are_counted(small_results: Path) -> None:
    path = small_results / "evaluation.csv"
    runs = pd.read_csv(path, dtype=str, keep_default_na=False)
    runs.loc[0, "status"] = "max_epochs"
    runs.to_csv(path, index=False)
    assert "1 of 4 measured numbers come from a model that stopped" in render(small_results).text


def test_a_model_without_a_gap_shows_its_gradient_norm(small_results: Path) -> None:
    assert "not convex and has no duality gap" not in render(small_results).text
    runs = pd.read_csv(small_results / "evaluation.csv", dtype=str, keep_default_na=False)
    cells = pd.read_csv(small_results / "comparison.csv", dtype=str, keep_default_na=False)
    files = {runs.loc[0, "file"]}
    runs.loc[runs["file"].isin(files), ["relative_gap", "gradient_norm"]] = ["", "0.00031"]
    cells.loc[cells["file"].isin(files), "relative_gap"] = ""
    runs.to_csv(small_results / "evaluation.csv", index=False)
    cells.to_csv(small_results / "comparison.csv", index=False)
    site = render(small_results)
    assert "not convex and has no duality gap" in site.text
    section = site.by_id("certificates")
    assert section.text.count("‖∇P‖ 3.1e−04") == 1
    assert site.markup.count('<td class="r">—</td>') == cells["file"].isin(files).sum() > 0


def test_a_baseline_without_a_proof_shows_a_dash(small_results: Path) -> None:
    runs = pd.read_csv(small_results / "evaluation.csv", dtype=str, keep_default_na=False)
    cells = pd.read_csv(small_results / "comparison.csv", dtype=str, keep_default_na=False)
    ours = runs["file"] == runs.loc[0, "file"]
    runs.loc[ours, ["relative_gap", "status", "C"]] = ["", "uncertified", ""]
    cells.loc[cells["file"] == runs.loc[0, "file"], "relative_gap"] = ""
    runs.to_csv(small_results / "evaluation.csv", index=False)
    cells.to_csv(small_results / "comparison.csv", index=False)
    section = render(small_results).by_id("certificates")
    count = int(ours.sum())
    assert (
        f"{count} more come from baselines or networks, which bound no distance to an optimum"
        in section.text
    )
    assert "not convex" not in section.text
    assert "stopped before" not in section.text
    assert section.text.count("—") == 2  # one in the remark, one cell


def test_a_broken_figure_leaves_the_old_page(small_results: Path) -> None:
    out = small_results.parent / "reports" / "index.html"
    before = render(small_results).texts
    write_figure_files(small_results, "broken", "<svg xmlns='http://www.w3.org/2000/svg'>\n<g>")
    with pytest.raises(FileError, match=r"^figures/broken.svg, line 2: not well-formed XML$"):
        write_html(load_inputs(small_results), out)
    assert Site(out.parent).texts == before
    assert {path.stem for path in out.parent.iterdir()} == set(before)
