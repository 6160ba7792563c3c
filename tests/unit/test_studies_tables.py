"""The tables to print: which rows they hold, and their files."""

import json

import pandas as pd
import pytest

from samples_of_results import FEATURES, METHODS, collected, published, registered
from toplabel.reproduction.compare import threshold_table
from toplabel.reproduction.compare.comparison import compare
from toplabel.reproduction.compare.published import TableText
from toplabel.reproduction.compare.tables import own_table, published_table, write_tables
from toplabel.reproduction.config.studies import Study
from toplabel.reproduction.tables.collected import COMPARISON, DATASETS, EVALUATION, GRID

TEXTS = {"table05": TableText("Multiclass", "What the paper says.")}
LETTER = Study("mine", "Letter", ("letter",), ("svm", "smooth"), tables=("table05",))
YEAST = Study("own", "Yeast", ("yeast", "letter"), ("ml",), description="Not in the papers.")

CELLS = (
    ("letter", "", "reference", "", "", "top1", "99.9"),
    ("letter", "", "svm_ova", "", "", "top1", "63.0"),
    ("letter", "", "svm_multi", "", "0", "top1", "76.5"),
    ("letter", "", "lr_multi", "", "", "top1", "76.5"),
    ("letter", "", "svm_multi", "", "0", "top3", "89.2"),
    ("letter", "", "lr_multi", "", "", "top3", "90.3"),
    ("cub", "vgg16_fc7", "svm_multi", "", "0", "top1", "61.0"),
)


@pytest.fixture
def ours():
    return collected(
        ("letter", "svm", "main", "top1", 76.41),
        ("letter", "svm", "main", "top3", 89.0),
        ("letter", "smooth", "main", "top1", 76.39),
        ("letter", "smooth", "main", "top2", 80.0),
        ("yeast", "ml", "main", "rank_loss", 0.3),
        ("yeast", "ml", "main", "top1", 50.0),
    )


@pytest.fixture
def comparison(ours):
    return compare(ours, published(*CELLS))


@pytest.fixture
def table05(comparison, ours):
    return published_table("tpami2017", "5", comparison, ours, [LETTER, YEAST], TEXTS)


def cell(table, method, gamma, metric):
    frame = table.frame
    chosen = (frame["method"] == method) & (frame["gamma"] == gamma) & (frame["metric"] == metric)
    assert chosen.sum() == 1
    return frame[chosen].iloc[0]


def test_a_published_table_holds_the_sets_that_were_measured(table05):
    assert (table05.name, table05.title, table05.study) == ("table05", "Multiclass", "mine")
    assert set(table05.frame["dataset"]) == {"letter"}
    assert [*table05.frame.columns] == GRID.names
    row = cell(table05, "svm_multi", "0", "top1")
    assert (row["published"], row["measured"], row["verdict"]) == ("76.5", 76.41, "match")


def test_methods_that_the_paper_has_not_follow_its_own(table05):
    row = cell(table05, "svm_multi", "1", "top1")
    assert (row["published"], row["measured"], row["verdict"]) == ("", 76.39, "")
    assert (row["source"], row["table"], row["label"]) == ("tpami2017", "5", "SVM^{Multi}_{1}")
    assert row["file"] == "letter/smooth/evaluation.csv"
    assert len(table05.frame) == 7  # not its top2, which is no column of the table


def test_a_table_without_measurement_is_all_of_the_published_one(ours):
    none = ours[ours["dataset"] == "yeast"]
    table = published_table("tpami2017", "5", compare(none, published(*CELLS)), none, [], {})
    assert len(table.frame) == len(CELLS)
    assert table.frame["measured"].isna().all()


def test_another_name_in_the_papers_is_used():
    results = collected(
        ("cub_alex", "svm", "main", "top1", 50.0), ("cub_alex", "smooth", "main", "top1", 51.0)
    )
    names = registered({"cub_alex": "cub"})
    cells = published(("cub", "alexnet_fc7", "svm_multi", "", "0", "top1", "50.0"))
    table = published_table(
        "tpami2017", "5", compare(results, cells, names), results, [], {}, names
    )
    assert table.frame["dataset"].tolist() == ["cub", "cub"]
    assert table.frame["measured"].tolist() == [50.0, 51.0]


def test_an_unknown_table_is_refused(comparison, ours):
    with pytest.raises(ValueError, match="no published table tpami2017,99"):
        published_table("tpami2017", "99", comparison, ours, [], {})


def test_a_study_has_a_table_of_what_no_paper_prints(comparison, ours):
    table = own_table(YEAST, comparison, ours)
    assert (table.name, table.source, table.caption) == ("own", "", "Not in the papers.")
    assert table.frame["dataset"].tolist() == ["yeast", "yeast"]
    row = cell(table, "svm_ml", "0", "rank_loss")
    assert (row["measured"], row["published"], row["verdict"]) == (0.3, "", "")
    assert own_table(LETTER, comparison, ours) is None


LAID_OUT = Study("own", "Yeast", ("yeast",), ("ml", "svm"), (), "Not in the papers.", ("table10",))
AS_TABLE10 = (
    ("voc2007", "", "lr_ml", "", "", "ap_aero", "98.8"),
    ("voc2007", "", "lr_ml", "", "", "ap_bike", "94.2"),
    ("voc2007", "", "lr_ml", "", "", "map", "86.2"),
)


def test_an_own_table_in_the_layout_of_a_published_one():
    ours = collected(
        ("yeast", "ml", "main", "map", 40.0),
        ("yeast", "ml", "main", "ap_0", 30.0),
        ("yeast", "ml", "main", "rank_loss", 0.3),
        ("yeast", "ml", "main", "ap_1", 50.0),
    )
    cells = published(*AS_TABLE10).assign(source="tpami2017", table="10")
    assert LAID_OUT.own_tables == {"own_table10": "table10"}
    texts = {"table10": TableText("Average precision on VOC", "")}
    table = own_table(LAID_OUT, compare(ours, cells), ours, ("tpami2017", "10"), texts)
    assert (table.name, table.source, table.study) == ("own_table10", "", "own")
    assert "(Average precision on VOC)" in table.caption
    assert "not comparable" in table.caption
    assert table.frame["metric"].tolist() == ["ap_0", "ap_1", "map"]
    assert table.frame["measured"].tolist() == [30.0, 50.0, 40.0]
    assert (table.frame["published"] == "").all()


def test_files_of_a_table(tmp_path, table05):
    write_tables([table05], tmp_path)
    assert json.loads((tmp_path / "table05.json").read_text()) == {
        "name": "table05",
        "title": "Multiclass",
        "caption": "What the paper says.",
        "source": "tpami2017",
        "table": "5",
        "study": "mine",
    }
    frame = pd.read_csv(tmp_path / "table05.csv", dtype=str, keep_default_na=False)
    assert [*frame.columns] == GRID.names
    assert len(frame) == 7


def test_the_reports_read_the_files(tmp_path, comparison, ours, table05):
    """The reports read what is written here."""
    from toplabel.reproduction.report import inputs

    COMPARISON.write(comparison, tmp_path / "comparison.csv")
    EVALUATION.write(ours, tmp_path / "evaluation.csv")
    DATASETS.write(DATASETS.frame(), tmp_path / "datasets.csv")
    (tmp_path / "run.json").write_text(json.dumps(dict.fromkeys(inputs.RUN_KEYS)))
    write_tables([table05, own_table(YEAST, comparison, ours)], tmp_path / "tables")
    read = inputs.load_inputs(tmp_path)
    assert [table["is_grid"] for table in read.tables] == [True, True]
    assert read.comparison["measured"].notna().sum() == 2
    assert set(read.evaluation["method"]) <= set(METHODS)
    assert set(read.evaluation["dataset"]) <= set(FEATURES)


def test_a_set_that_is_not_comparable_does_not_join_the_table_of_its_namesake():
    first = ("letter", "svm", "main", "top1", 76.41)
    others = [("cub_alex", method, "main", "top1", 60.0) for method in ("softmax", "smooth")]
    ours = collected(first, *others).assign(features="")
    names = registered({"cub_alex": "letter"})
    comparison = compare(ours, published(*CELLS), names, {"cub_alex": "another split"})
    found = published_table("tpami2017", "5", comparison, ours, [LETTER], TEXTS, names).frame
    assert not found["measured"].eq(60.0).any()
    softmax = found[(found["method"] == "lr_multi") & (found["metric"] == "top1")]
    assert softmax["reason"].tolist() == ["not compared: another split"]


def test_a_set_of_another_paper_does_not_join_the_table_of_its_namesake():
    first = ("letter", "svm", "main", "top1", 76.41)
    raw = ("cub_alex", "softmax", "main", "top1", 60.0)
    ours = collected(first, raw).assign(features="")
    names = {"letter": "letter", "cub_alex": "letter"}
    papers = registered(names, {"cub_alex": ("nips2012",)})
    cells = published(*CELLS)
    other = cells.iloc[:1].assign(source="nips2012", table="2", method="lr_multi", gamma="")
    comparison = compare(ours, pd.concat([cells, other]), papers)
    assert comparison["measured"].tolist()[-1] == 60.0
    found = published_table("tpami2017", "5", comparison, ours, [LETTER], TEXTS, papers).frame
    assert found["measured"].eq(76.41).any()
    assert not found["measured"].eq(60.0).any()


def test_strategies_stand_side_by_side_with_the_count_of_the_best():
    frame = pd.DataFrame(
        {
            "split": "main",
            "metric": ["f1_micro"] * 4 + ["hamming_loss"] * 4,
            "strategy": ["constant", "cardinality", "tune", "per_label"] * 2,
            "threshold": 0.0,
            "value": [10, 20, 30, 30, 0.4, 0.1, 0.2, 0.3],
        }
    )
    table = threshold_table.strategy_frame([{"dataset": "yeast", "label": "LR", "frame": frame}])
    assert table.loc[0, "tuned"] == 30
    said = threshold_table.caption(table)
    assert "of 2 rows: constant in 0, cardinality in 1, tuned in 1, per label in 1" in said
    text = threshold_table.printed(table, str.upper)
    assert text.loc[0].tolist() == ["yeast", "LR", "F1_MICRO", "10.0", "20.0", "30.0", "30.0"]
    assert text.loc[1, "tuned"] == "0.2000"
