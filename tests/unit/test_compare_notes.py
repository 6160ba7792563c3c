"""Why numbers are not reproduced, with what experiments gave."""

import pytest

from samples_of_results import KEPT, MEASURED, frame, number
from toplabel.reproduction.compare import views
from toplabel.reproduction.compare.cells import read_cells
from toplabel.reproduction.compare.notes import explained
from toplabel.reproduction.config.notes import load_notes
from toplabel.reproduction.config.run import SUMMARY

TR = {"method": "topk_ent_tr", "k": "3", "reason": "other_reading"}


@pytest.fixture(scope="module")
def notes(repository):
    return load_notes(repository)


def off(metric, value=46.0, **changes):
    return number(MEASURED, value, metric, printed="50.0", verdict="off", **TR | changes)


def variant(metric, value, label, verdict="match"):
    more = {"label": label, "verdict": verdict, "reading": "variant", "variant_of": "base"}
    return number(MEASURED, value, metric, printed="50.0", **TR | more)


def test_a_reason_comes_with_its_words_and_evidence(notes):
    known, unknown = explained(frame(off("top1"), off("top9", reason="")), notes).to_dict("records")
    reason = notes.reasons["other_reading"]
    assert (known["title"], known["why"]) == (reason.title, reason.why)
    assert known["evidence"] == reason.cells[0].evidence
    assert [unknown[name] for name in ("title", "why", "evidence", "experiment")] == [""] * 4


def test_only_numbers_that_are_not_reproduced_are_explained(notes):
    near = [number(MEASURED, 50.0, printed="50.0", verdict=v) for v in ("match", "close", "spread")]
    assert explained(frame(*near), notes).empty


def test_the_experiment_counts_the_nearest_variant_of_each_number(notes):
    rows = [off("top1"), off("top2")]
    tried = [
        variant("top1", 48.0, "10 steps", "off"),
        variant("top1", 50.4, "20 steps"),
        variant("top2", 50.1, "10 steps"),
    ]
    texts = explained(frame(*rows, *tried), notes)["experiment"]
    assert set(texts) == {
        "Experiment: the nearest of 2 (10 steps; 20 steps) gives 2 match of these 2 cells "
        "(50.4 where 50.0 is printed, 50.1 where 50.0 is printed)."
    }


def test_the_experiment_on_many_numbers_counts_those_that_did_not_differ_too(notes):
    rows = [off(f"top{k}") for k in range(1, 5)]
    tried = [variant(f"top{k}", 50.1, "20 steps") for k in range(1, 7)]
    assert set(explained(frame(*rows, *tried), notes)["experiment"]) == {
        "Experiment: 20 steps gives 4 match of these 4 cells; "
        "of all 6 cells in their rows: 6 match."
    }


def test_five_draws_of_the_folds_or_more_are_an_experiment(notes):
    drawn = [off("top1", seeds=20.0, in_seeds="true"), off("top2", seeds=20.0, in_seeds="false")]
    few = off("top3", seeds=4.0, in_seeds="true")
    text = "1 of these 2 printed numbers lies in the 95 % interval of a further draw of the folds"
    assert set(explained(frame(*drawn, few), notes)["experiment"]) == {f"{text}, after 20 draws."}
    assert explained(frame(few), notes)["experiment"].tolist() == [""]


def test_every_kept_number_that_is_off_has_a_reason_and_every_reason_a_number(repository, notes):
    kept = explained(read_cells(repository / SUMMARY / "cells.csv"), notes, KEPT)
    assert (kept.loc[kept["verdict"] == "off", "reason"] != "").all()
    known = {(one.name, cells.evidence) for one in notes.reasons.values() for cells in one.cells}
    assert known == set(zip(kept["reason"], kept["evidence"], strict=True)) - {("", "")}


def test_the_kept_reasons_are_those_of_the_notes_now(repository, notes):
    for row in views.differing(read_cells(repository / SUMMARY / "cells.csv"), KEPT).to_dict(
        "records"
    ):
        found = notes.reason_of(row)
        assert row["reason"] == (found[0].name if found else "")
