"""The page "Methods beside each other": what it prints of the comparison."""

from __future__ import annotations

from typing import Any

import pandas as pd
from markup import Element, Site
from sample_run import RUN, Sample, beside_of, cells, dataset

from samples_of_results import MEASURED

STEP = 2.0**-11  # so that the differences of two folds are not the same
SETS = ("own", "two", "three", "four", "five", "six")
OWN = {"config": RUN["config"] | {"studies": {"own": {"title": "Mine"}}}}


def written(sample: Sample, *rows: tuple, studies: tuple = (), **more: Any) -> Site:
    """The report of a study of own data with some rows of evaluations."""
    all_ = cells()
    own = all_[(all_["source"] == "") & (all_["run"] == MEASURED)]
    sets = tuple(dict.fromkeys(row[0] for row in rows))
    beside = beside_of(own.iloc[:0], *rows, datasets=sets)
    described = pd.DataFrame([dataset(name) for name in sets])
    run = RUN | OWN | {"studies": [*studies] or RUN["studies"]}
    return sample.write(cells=own, run=run, beside=beside, datasets=described, **more)


def folds(name: str, method: str, *values: float) -> list[tuple]:
    return [(name, method, f"f{i}", "top1", value) for i, value in enumerate(values)]


def over_sets(*names: str) -> list[tuple]:
    rows = []
    for i, name in enumerate(names):
        rows += folds(name, "plain", 80.0, 82.0) + folds(
            name, "fancy", 81.0 + i - STEP, 83.0 + i + STEP
        )
    return rows


def row(site: Site, page: str, label: str) -> dict[str, Element]:
    """The cells of a method in the first table of a page, by the headings of their columns."""
    table = site[page].all("table", "list")[0]
    headings = [one.text.strip() for one in table.all("thead")[0].all("th")]
    for line in table.all("tbody")[0].all("tr"):
        if line.children[0].text == label:
            return dict(zip(headings, line.children, strict=True))
    raise AssertionError(f"no row {label}")


def test_the_front_page_of_own_data_begins_with_the_answer(sample: Sample) -> None:
    site = written(sample, *over_sets(*SETS))
    text = site["index"].all("main")[0].text
    assert text.count("over 6 data sets Fancy method has the best mean rank, 1.00 of 2") == 1
    assert "Fancy method lies 3.50 points ahead of Plain method, the reference" in text
    assert "2 folds tell little" in text
    line = row(site, "index", "Fancy method")
    assert line["Mean rank"].text == "1.00"
    assert line["six"].text.startswith("87.0 ± 1.4")
    assert line["Won/tied/lost against Plain method"].text == "6/0/0 (6 and 0 by the test)"


def test_the_table_of_own_methods_stands_once_and_leads_to_the_tests(sample: Sample) -> None:
    site = written(sample, *over_sets(*SETS))
    captions = [caption.text for caption in site.all("caption")]
    assert captions.count("Top-1, methods by data sets") == 1
    assert 'href="beside.html#beside-own"' in site.texts["index"]
    assert 'href="index.html#score"' in site.texts["beside"]


def test_the_figure_of_seconds_says_of_which_run_and_machine_they_are(sample: Sample) -> None:
    figure = written(sample, *over_sets(*SETS[:2])).by_id("seconds-own-top1")
    assert "described on 2026-03-01, on A processor" in figure.text
    assert figure.all("img")[0].attributes["src"]


def test_the_headline_names_the_best_methods_and_no_test(sample: Sample) -> None:
    heading = written(sample, *over_sets(*SETS))["index"].all("h1")[0].text
    assert "Fancy method has the best mean rank, 1.00 of 2 methods." in heading
    assert "Friedman" not in heading
    ties = [*folds("own", "plain", 90.0, 90.0), *folds("own", "fancy", 90.0, 90.0)]
    rows = [*ties, *over_sets("two")]
    heading = written(sample, *rows)["index"].all("h1")[0].text
    assert "is best on Own by Plain method and Fancy method; on two by Fancy method." in heading


def test_below_five_sets_the_page_says_why_there_is_no_test(sample: Sample) -> None:
    site = written(sample, *over_sets(*SETS[:4]))
    assert "needs 5 with all methods and has 4" in site["index"].text
    assert "Friedman’s test" not in site.text


def test_over_few_sets_the_page_says_that_one_test_can_tell_nothing(sample: Sample) -> None:
    sentence = "the smallest p-value that Wilcoxon’s test can have beside 2 methods, by Holm’s method, is 0.06"
    assert sentence in written(sample, *over_sets(*SETS[:5]))["index"].text
    assert "can tell no method" not in written(sample, *over_sets(*SETS)).text


def test_a_set_without_a_result_of_a_method_is_named(sample: Sample) -> None:
    rows = [one for one in over_sets(*SETS) if one[:2] != ("two", "fancy")]
    site = written(sample, *rows)
    sentence = "Left out over the data sets: two (no Fancy method). Under “only” of the study,"
    assert sentence in site["index"].text
    assert row(site, "index", "Fancy method")["two"].text == "–"


def test_the_answer_says_which_methods_no_test_of_pairs_tells_from_the_best(
    sample: Sample,
) -> None:
    text = written(sample, *over_sets(*SETS))["index"].text
    assert "Both tests of pairs tell Fancy method from every other method." in text
    text = written(sample, *over_sets(*SETS[:5]))["index"].text
    assert "No method is best beyond doubt" in text


def test_a_note_that_two_metrics_share_stands_once(sample: Sample) -> None:
    rows = over_sets(*SETS[:4])
    rows += [(*row[:3], "macro_f1", row[4]) for row in rows]
    assert written(sample, *rows).text.count("There is no test over data sets") == 1


def test_a_difference_of_fractions_says_what_a_point_is(sample: Sample) -> None:
    rows = [*folds("own", "plain", 80.0, 82.0), *folds("own", "fancy", 81.0, 83.0)]
    rows += [(*row[:3], "log_loss", row[4] / 100) for row in rows]
    text = written(sample, *rows).text
    assert "Fancy method has the best number, 82.0, 1.00 points ahead of Plain method" in text
    assert "0.810, 1.00 points of 0.01 ahead of Fancy method" in text
    assert "in points of 0.01, positive where the method is better" in text


def test_a_difference_of_the_coverage_is_in_labels(sample: Sample) -> None:
    rows = [*folds("own", "plain", 3.0, 3.5), *folds("own", "fancy", 3.5, 3.75)]
    rows = [(*row[:3], "coverage_loss", row[4]) for row in rows]
    text = written(sample, *rows).text
    assert "has the best number, 3.2, 0.38 labels ahead of Fancy method" in text
    assert "in labels, positive where the method is better" in text
    assert "up to 1, and above 1 labels" in text


def test_of_few_equal_differences_the_page_says_what_an_interval_needs(sample: Sample) -> None:
    rows = [*folds("own", "plain", 80.0, 82.0), *folds("own", "fancy", 81.0, 83.0)]
    said = "1.00 points ahead of Plain method (an interval needs six folds, p = 0.500)"
    assert said in written(sample, *rows)["index"].text


def test_ties_are_said_as_ties(sample: Sample) -> None:
    rows = [*folds("own", "plain", 100.0, 100.0), *folds("own", "fancy", 100.0, 100.0)]
    site = written(sample, *rows)
    assert "Plain method and Fancy method are level at 100.0." in site["index"].text


def test_a_method_that_the_test_does_not_tell_from_the_best_is_marked(sample: Sample) -> None:
    rows = [*folds("own", "plain", 90.0, 80.0, 85.0), *folds("own", "fancy", 91.0, 81.0, 84.0)]
    site = written(sample, *rows)
    assert "not told from the best" in row(site, "index", "Plain method")["Own"].text
    assert "not told from the best" not in row(site, "index", "Fancy method")["Own"].text


def test_one_method_alone_is_compared_with_none(sample: Sample) -> None:
    site = written(sample, *folds("own", "plain", 90.0, 80.0))
    assert "beside" not in site.pages
    assert "Plain method has the best number, 85.0." in site["index"].text
