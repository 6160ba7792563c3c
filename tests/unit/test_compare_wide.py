"""The wide frame: one row for each cell of the report's tables, and what is said of whole runs."""

import math
from dataclasses import fields

import pandas as pd
import pytest

from samples_of_results import KEPT, MEASURED, PUBLISHED, frame, number
from toplabel.reproduction.compare import wide
from toplabel.reproduction.compare.build import selected_values
from toplabel.reproduction.compare.cells import PLACE, compared, read_cells
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.comparison import (
    COLUMNS,
    Comparison,
    certificates,
    distances,
    read_comparison,
    totals,
    write_comparison,
)
from toplabel.reproduction.compare.verdicts import FEWEST_DRAWS, NOT_REPRODUCED
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.files import SUMMARY
from toplabel.reproduction.frames import empty_frame

DATASETS = pd.DataFrame(
    [
        ("letter", "letter", "", "ready", "", ""),
        ("aloi", "aloi", "", "missing", "not at hand", "tpami2017;cvpr2016"),
        ("letter_raw", "letter", "", "missing", "not asked for", "nips2012"),
    ],
    columns=["dataset", "published_key", "features", "status", "reason", "published_sources"],
)
TR = {"method": "topk_ent_tr", "k": "3", "reason": "other_reading"}
OWN = {"source": "", "table": "", "dataset": "own", "study": "a;b"}


@pytest.fixture(scope="module")
def notes(repository):
    return load_catalogue(repository).notes


@pytest.fixture
def widen(notes):
    """Return the wide frame of some numbers."""

    def of(*rows, selected=(), studies=()):
        return wide.widen(frame(*rows), DATASETS, notes, {}, dict(selected), studies)

    return of


def off(metric, **changes):
    return number(MEASURED, 46.0, metric, printed="50.0", verdict="off", **TR | changes)


def test_a_printed_number_has_the_measured_one_else_the_kept_one(widen):
    rows = widen(
        *(number(PUBLISHED, 70.0, metric) for metric in ("top1", "top2", "top3")),
        number(MEASURED, 71.0, printed="70.0", verdict="close"),
        number(KEPT, 72.0, printed="70.0", verdict="off"),
        number(KEPT, 73.0, "top2", printed="70.0", verdict="off"),
    )
    columns = ["metric", "state", "verdict", "file"]
    assert rows[columns].to_numpy().tolist() == [
        ["top1", "measured", "close", "letter/svm_multi/evaluation.csv"],
        ["top2", "kept", "off", ""],
        ["top3", "published", "", ""],
    ]
    assert rows["measured"].tolist() == pytest.approx([71.0, 73.0, math.nan], nan_ok=True)


def test_another_reading_and_the_nearest_variant_stand_in_the_same_row(widen):
    rows = widen(
        number(PUBLISHED, 50.0),
        number(MEASURED, 46.0, printed="50.0", verdict="off"),
        number(MEASURED, 50.1, printed="50.0", verdict="match", reading="entropy_descent_letter"),
        *(
            number(MEASURED, value, printed="50.0", reading="variant", label=label)
            for value, label in ((48.0, "far"), (50.4, "near"), (53.0, "above"))
        ),
    )
    (row,) = rows.to_dict("records")
    assert (row["measured"], row["found"], row["found_verdict"]) == (46.0, 50.1, "match")
    assert (row["variant"], row["variant_value"]) == ("near", 50.4)


def test_a_reason_comes_with_its_words_and_evidence(widen, notes):
    rows = widen(
        *(number(PUBLISHED, 50.0, metric, **TR | {"reason": ""}) for metric in ("top1", "top9")),
        off("top1"),
        off("top9", reason=""),
    )
    reason = notes.reasons["other_reading"]
    known, unknown = rows[["reason_title", "reason_why", "evidence"]].to_numpy().tolist()
    assert known == [reason.title, reason.why, reason.cells[0].evidence]
    assert unknown == [""] * 3


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"note": "measured with others"}, "measured with others"),
        ({"method": "homer"}, wide.OF_OTHERS),
        ({"dataset": "nowhere"}, wide.NOT_REGISTERED),
        ({"dataset": "aloi"}, "not at hand"),
        ({}, wide.NOT_RUN),
        ({"source": "nips2012"}, wide.NOT_RUN),
        ({"dataset": "aloi", "source": "nips2015"}, wide.NOT_REGISTERED),
    ],
)
def test_a_number_that_was_not_measured_has_a_cause(widen, changes, why):
    assert widen(number(PUBLISHED, 50.0, **changes))["why"].tolist() == [why]


def test_a_number_of_no_paper_stands_in_the_table_of_its_data_set_or_of_its_study(widen):
    rows = widen(
        number(PUBLISHED, 50.0),
        number(MEASURED, 50.0, printed="50.0"),
        number(MEASURED, 51.0, method="forest", source="", table="", study="a"),
        number(MEASURED, 60.0, method="forest", **OWN),
        studies=["b"],
    )
    assert rows[["source", "table", "own_table"]].to_numpy().tolist() == [
        ["tpami2017", "5", ""],
        ["tpami2017", "5", ""],
        ["", "", "b"],
    ]


def test_the_best_of_a_column_are_level_at_the_printed_digits(widen):
    values = {"lr_multi": 70.04, "svm_multi": 69.96, "lr_ova": 69.94}
    rows = widen(
        *(number(PUBLISHED, value, method=name, printed="70.0") for name, value in values.items()),
        number(PUBLISHED, 99.0, method="reference"),
        number(PUBLISHED, 99.0, "top2"),
        *(number(MEASURED, value, method=name, printed="70.0") for name, value in values.items()),
    )
    assert rows["best"].tolist() == [True, True, False, False, False]
    assert rows["best_published"].tolist() == [True, True, False, False, False]
    losses = widen(
        *(
            number(PUBLISHED, value, "rank_loss", name, printed=f"{value}")
            for name, value in (("lr_ml", 0.2), ("svm_ml", 0.3))
        )
    )
    assert losses["best_published"].tolist() == [True, False]


def test_a_table_with_one_metric_has_the_data_sets_across(widen):
    one = [number(PUBLISHED, 50.0), number(PUBLISHED, 51.0, dataset="aloi")]
    assert widen(*one)[["grid", "column"]].to_numpy().tolist() == [["", "letter"], ["", "aloi"]]
    two = [*one, number(PUBLISHED, 52.0, "top2")]
    assert widen(*two)["grid"].tolist() == ["letter", "aloi", "letter"]
    assert widen(*two)["column"].tolist() == ["top1", "top1", "top2"]


def test_the_slowest_number_gives_the_seconds_of_its_line(widen):
    rows = widen(
        *(number(MEASURED, 50.0, f"top{k}", seconds=k, **OWN) for k in (1.0, 3.0)),
        number(MEASURED, 50.0, "top1.0", "forest", seconds=9.0, **OWN),
    )
    assert rows["row_seconds"].tolist() == [3.0, 3.0, 9.0]


def test_the_files_of_a_comparison_give_it_back(widen, tmp_path):
    cells = frame(number(PUBLISHED, 50.0), number(MEASURED, 100 / 3, printed="50.0"))
    rows = widen(*cells.to_dict("records"))
    beside = {name: empty_frame(COLUMNS[name]) for name in ("scores", "methods", "tests")}
    made = Comparison(
        cells=cells, wide=rows, claims=empty_frame(CLAIMS), totals=totals(cells, rows), **beside
    )
    paths = {field.name: tmp_path / field.name for field in fields(Comparison)}
    write_comparison(made, paths)
    again = read_comparison(paths)
    assert again.totals == made.totals
    assert again.cells["value"].tolist() == [50.0, 100 / 3]
    assert again.wide["measured"].tolist() == [100 / 3]


# Whole runs ---------------------------------------------------------------------------------------


def test_half_and_nine_tenths_of_the_percentages_lie_within_a_distance(widen):
    rows = widen(
        *(number(PUBLISHED, 50.0, f"top{k}") for k in range(11)),
        number(PUBLISHED, 0.5, "rank_loss"),
        *(
            number(MEASURED, 50.0 + (-1) ** k * k, f"top{k}", printed="50.0", verdict="off")
            for k in range(11)
        ),
        number(MEASURED, 0.9, "rank_loss", printed="0.5", verdict="off"),
    )
    assert distances(rows) == {"numbers": 11, "half": 5.0, "nine_tenths": 9.0}
    assert distances(rows.iloc[:0]) is None


def test_a_gradient_norm_alone_is_no_duality_gap():
    """Counted are all numbers, those by a gap, those by a norm, the unfinished and the others."""
    nan = math.nan
    rows = pd.DataFrame(
        {
            "relative_gap": [1e-4, 2e-4, nan, nan, nan],
            "gradient_norm": [nan, 0.1, 0.1, 0.1, nan],
            "status": ["converged", "converged", "converged", "max_iter", ""],
        }
    )
    counts = certificates(rows)
    names = ("numbers", "gap", "gradient", "stopped", "none", "largest_gap")
    assert [counts[name] for name in names] == [5, 2, 1, 1, 1, 2e-4]
    assert counts["causes"] == ["max_iter"]


def test_the_candidates_that_were_selected_for_an_estimator_are_counted(repository):
    own = {"estimator": "sklearn.neighbors.KNeighborsClassifier", "label": "Neighbours"}
    own["grid"] = {"n_neighbors": [3, 5]}
    catalogue = load_catalogue(repository, {"methods": {"knn": own}})
    rows = [("knn", "top1", 1), ("knn", "top1", 0), ("knn", "top1", 1), ("knn", "top2", 0)]
    rows += [("lr_multi", "top1", None)]
    evaluations = pd.DataFrame(rows, columns=["method", "metric", "candidate"])
    evaluations = evaluations.assign(dataset="own", C=[math.nan] * 4 + [0.25])
    assert selected_values(evaluations, catalogue) == {
        ("own", "knn", "top1"): "n_neighbors 5 (2); n_neighbors 3 (1)",
        ("own", "knn", "top2"): "n_neighbors 3",
        ("own", "lr_multi", "top1"): "C = 0.25",
    }


# The kept run -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(repository):
    numbers = compared(read_cells(repository / SUMMARY / "cells.csv"), KEPT)
    return numbers[numbers["verdict"].isin(NOT_REPRODUCED)].reset_index(drop=True)


def test_every_kept_number_that_is_off_has_a_reason_and_every_reason_a_number(kept, notes):
    assert (kept.loc[kept["verdict"] == "off", "reason"] != "").all()
    found = filter(None, map(notes.reason_of, kept.to_dict("records")))
    named = {(reason.name, evidence.evidence) for reason, evidence in found}
    known = {(r.name, cells.evidence) for r in notes.reasons.values() for cells in r.cells}
    assert known == named


def test_no_reason_contradicts_what_a_reading_gives(kept, notes, repository):
    """Cells that a reading reproduces name it, or the training that it is about, as their reason."""
    cells = read_cells(repository / SUMMARY / "cells.csv")
    found = cells[cells["reading"].isin(notes.readings) & cells["verdict"].isin(["match", "close"])]
    near = pd.MultiIndex.from_frame(kept[PLACE]).isin(pd.MultiIndex.from_frame(found[PLACE]))
    assert {*kept.loc[near, "reason"]} <= {"other_reading", "far_from_optimum", "fold_draws"}
    assert near[kept["reason"] == "other_reading"].all()
    by_folds = (kept["in_seeds"] == "true") & (kept["seeds"] >= FEWEST_DRAWS)
    assert by_folds[kept["reason"] == "fold_draws"].all()
    assert not by_folds[kept["reason"] == "unknown"].any()


def test_the_kept_reasons_are_those_of_the_notes_now(kept, notes):
    for row in kept.to_dict("records"):
        known = notes.reason_of(row)
        assert row["reason"] == (known[0].name if known else "")
