"""Variants of methods beside the printed numbers of these methods."""

import math

import pytest

from toplabel.reproduction.compare.readings import compare_variants, experiment
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION, VARIANTS

LABELS = {"ent": "Ent", "ent_a": "Ent, 10 steps", "ent_b": "Ent, 20 steps"}


def printed(*rows):
    """The comparison on letter; a row is (metric, published, measured, verdict)."""
    fixed = {"source": "cvpr2016", "table": "7", "dataset": "letter", "method": "topk_ent_tr"}
    fixed |= {"k": "3", "kernel": "linear", "file": "letter/ent/evaluation.csv"}
    names = ["metric", "published", "measured", "verdict"]
    blank = dict.fromkeys(COMPARISON.names, "")
    return COMPARISON.frame([blank | fixed | dict(zip(names, row, strict=True)) for row in rows])


def collected(*rows):
    """results/evaluation.csv; a row is (data set, method, metric, measured)."""
    blank = dict.fromkeys(EVALUATION.names, "") | {"splits": 1, "std": math.nan}
    names = ["dataset", "method", "metric", "measured"]
    return EVALUATION.frame(
        blank
        | dict(zip(names, row, strict=True))
        | {"label": LABELS[row[1]], "variant_of": "" if row[1] == "ent" else "ent"}
        for row in rows
    )


CELLS = printed(
    ("top1", 50.0, 46.0, "off"), ("top2", 70.0, 68.0, "off"), ("top3", 80.0, 80.1, "match")
)
MEASURED = collected(
    ("letter", "ent", "top1", 46.0),
    ("letter", "ent_a", "top1", 48.0),
    ("letter", "ent_a", "top2", 70.2),
    ("letter", "ent_a", "top3", 81.0),
    ("letter", "ent_b", "top1", 50.4),
    ("other", "ent_b", "top2", 70.0),
)


def test_each_variant_of_a_cell_is_judged_by_its_own_number():
    found = compare_variants(CELLS, MEASURED)
    assert [*found.columns] == VARIANTS.names
    columns = ["metric", "variant", "label", "measured", "variant_measured", "variant_verdict"]
    assert found[columns].to_numpy().tolist() == [
        ["top1", "ent_a", "Ent, 10 steps", 46.0, 48.0, "off"],
        ["top1", "ent_b", "Ent, 20 steps", 46.0, 50.4, "match"],
        ["top2", "ent_a", "Ent, 10 steps", 68.0, 70.2, "match"],
        ["top3", "ent_a", "Ent, 10 steps", 80.1, 81.0, "close"],
    ]


def test_a_variant_within_the_spread_of_its_draws_is_judged_so():
    far = collected(("letter", "ent_b", "top1", 54.0)).assign(splits=10, std=3.0)
    assert compare_variants(CELLS, far)["variant_verdict"].tolist() == ["spread"]


def test_the_sentence_counts_the_nearest_variant_of_each_cell():
    variants = compare_variants(CELLS, MEASURED)
    assert experiment(CELLS.iloc[:2], variants) == (
        "Experiment: the nearest of 2 (Ent, 10 steps; Ent, 20 steps) gives 2 match of these 2 cells "
        "(50.4 where 50.0 is printed, 70.2 where 70.0 is printed)."
    )


def test_the_sentence_on_many_cells_counts_those_that_did_not_differ_too():
    metrics = [f"top{k}" for k in range(1, 7)]
    cells = printed(*((metric, 50.0, 46.0, "off") for metric in metrics))
    measured = collected(*(("letter", "ent_b", metric, 50.1) for metric in metrics))
    text = experiment(cells.iloc[:4], compare_variants(cells, measured))
    assert text == (
        "Experiment: Ent, 20 steps gives 4 match of these 4 cells; "
        "of all 6 cells in their rows: 6 match."
    )


@pytest.mark.parametrize("cells", [CELLS.iloc[:0], printed(("top9", 99.0, 90.0, "off"))])
def test_without_a_variant_there_is_no_sentence(cells):
    assert experiment(cells, compare_variants(CELLS, MEASURED)) == ""
