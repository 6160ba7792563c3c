"""Why numbers differ: the reasons of config/notes.yaml, and the cells that they are given
to.
"""

from toplabel.reproduction.compare.differences import explain
from toplabel.reproduction.config.documents import check
from toplabel.reproduction.config.notes import Reason, load_notes
from toplabel.reproduction.tables.collected import COMPARISON, DIFFERENCES, NOT_REPRODUCED, VARIANTS
from toplabel.reproduction.tables.table import read_csv

REASON = {
    "title": "Below its k",
    "why": "The order is not seen.",
    "cells": [
        {
            "tables": ["tpami2017_table05"],
            "datasets": ["letter"],
            "methods": [{"method": "topk_ent_tr", "k": [3, 5]}],
            "metrics": ["top1", "top2*"],
            "evidence": "It was tried.",
        }
    ],
}


def reasons_of(*cells):
    """A reason for each change of the cells above."""
    base = REASON["cells"][0]
    rows = (REASON | {"name": f"r{i}", "cells": [base | new]} for i, new in enumerate(cells))
    return [check(row, Reason, row["name"]) for row in rows]


def cells(*rows):
    """Cells of the comparison; a row is (data set, method, k, metric, verdict)."""
    frame = COMPARISON.frame()
    names = ["dataset", "method", "k", "metric", "verdict"]
    for place, row in enumerate(rows):
        frame.loc[place] = ""
        frame.loc[place, ["source", "table", "kernel", *names]] = ["tpami2017", "5", "linear", *row]
    return frame


def test_only_cells_that_differ_are_listed_and_the_first_reason_counts():
    reasons = reasons_of({"metrics": ["top2"]}, {})
    frame = cells(
        ("letter", "topk_ent_tr", "3", "top1", "off"),
        ("letter", "topk_ent_tr", "3", "top2", "higher"),
        ("letter", "topk_ent_tr", "3", "top1", "spread"),
        ("letter", "topk_ent_tr", "10", "top1", "off"),
        ("aloi", "topk_ent_tr", "3", "top1", "lower"),
        ("letter", "topk_ent", "3", "top1", "off"),
        ("letter", "topk_ent_tr", "5", "top3", "off"),
    )
    found = explain(frame, reasons)
    assert [*found.columns] == DIFFERENCES.names
    assert found["reason"].tolist() == ["r1", "r0", "", "", "", ""]
    assert found.iloc[0][["why", "evidence"]].tolist() == [
        "The order is not seen.",
        "It was tried.",
    ]
    assert found.iloc[2][["title", "why", "evidence"]].tolist() == [""] * 3


def test_draws_of_the_folds_are_an_experiment():
    frame = cells(
        ("letter", "topk_ent_tr", "3", "top1", "off"),
        ("letter", "topk_ent_tr", "5", "top1", "off"),
        ("letter", "topk_ent_tr", "5", "top2", "off"),
        ("letter", "topk_ent_tr", "5", "top9", "off"),
    )
    frame.loc[0:1, "seeds"] = "20"
    frame.loc[[3], "seeds"] = "5"
    frame["in_seeds"] = ["true", "false", "", "false"]
    reasons = reasons_of({}, {"metrics": ["top9"]})
    texts = explain(frame, reasons)["experiment"].tolist()
    end = "in the 95 %% interval of a further draw of the folds, after %d draws."
    first = "1 of these 2 printed numbers lies " + end % 20
    assert texts == [first, first, first, "This printed number does not lie " + end % 5]
    frame.loc[[3], "seeds"] = "3"
    assert explain(frame, reasons)["experiment"].tolist() == [first, first, first, ""]


def test_each_cell_of_the_last_full_run_that_is_off_has_a_reason_or_is_said_to_have_none(
    repository,
):
    frame = COMPARISON.read_text(repository / "reports/summary/comparison.csv")
    reasons = load_notes(repository).reasons.values()
    found = explain(frame, reasons)
    assert len(found) == frame["verdict"].isin(NOT_REPRODUCED).sum()
    assert (found.loc[found["verdict"] == "off", "reason"] != "").all()
    known = {(reason.name, cells.evidence) for reason in reasons for cells in reason.cells}
    named = set(zip(found["reason"], found["evidence"], strict=True))
    assert known == named - {("", "")}  # no reason that nothing is left of


def test_what_is_kept_of_the_last_full_run_is_what_the_reasons_say_now(repository):
    kept = repository / "reports/summary"
    found = explain(
        COMPARISON.read_text(kept / "comparison.csv"),
        load_notes(repository).reasons.values(),
        VARIANTS.read(kept / "variants.csv"),
    )
    columns = [name for name in DIFFERENCES.names if name not in ("k", "gamma")]
    before = read_csv(kept / "differences.csv")
    assert found[columns].to_dict("records") == before[columns].to_dict("records"), "make summary"
