"""Numbers under other readings of the protocols."""

import pandas as pd
import pytest

from toplabel.reproduction.compare.readings import read_otherwise
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.documents import Fault, validate
from toplabel.reproduction.config.notes import Reading
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION

WORDS = dict.fromkeys(("title", "stated", "found", "evidence"), "words")


def reading(name="other", **changes):
    given = WORDS | {"name": name, "chosen_on_test": True, "tables": ["nips2015_table01"]}
    return validate(given | {"methods": {"svm_ova": "svm_ova_by_top1"}} | changes, Reading)


def cell(method, metric, published, source="nips2015", table="1", verdict="off"):
    return {
        **{"source": source, "table": table, "dataset": "s", "method": method, "metric": metric},
        **{"published": published, "measured": 50.0, "verdict": verdict},
        "file": f"silhouettes/{method}/evaluation.csv" if verdict else "",
    }


def measured(method, metric, value, dataset="silhouettes"):
    file = f"{dataset}/{method}/evaluation.csv"
    return {"dataset": dataset, "method": method, "metric": metric, "measured": value, "file": file}


def found(cells, rows, *readings):
    comparison = COMPARISON.frame(cells).fillna({"file": "", "verdict": ""})
    return read_otherwise(comparison, EVALUATION.frame(rows), readings)


def test_a_whole_row_is_read_otherwise_and_other_cells_are_left_alone():
    cells = [
        cell("svm_ova", "top1", "61.8"),
        cell("svm_ova", "top5", "79.0"),
        cell("svm_ova", "top5", "79.0", source="cvpr2016", table="9"),
        cell("svm_multi", "top1", "60.0"),
        cell("svm_ova", "top2", "70.0", verdict=""),
    ]
    rows = [measured("svm_ova_by_top1", metric, v) for metric, v in (("top1", 62.1), ("top5", 81))]
    frame = found(cells, rows, reading())
    assert frame["metric"].tolist() == ["top1", "top5"]
    assert frame["found_verdict"].tolist() == ["match", "higher"]
    assert frame["found_difference"].tolist() == pytest.approx([0.3, 2.0])
    assert set(frame["verdict"]) == {"off"}
    assert set(frame["found_file"]) == {"silhouettes/svm_ova_by_top1/evaluation.csv"}


def test_a_data_set_and_a_metric_may_take_the_places_of_others():
    one = validate(
        WORDS
        | {"name": "n", "chosen_on_test": False, "tables": ["nips2015_table01"]}
        | {"datasets": {"silhouettes": "drawn"}, "metrics": {"top1": "accuracy"}},
        Reading,
    )
    rows = [measured("svm_ova", "accuracy", 61.0, "drawn")]
    frame = found([cell("svm_ova", "top1", "61.8"), cell("svm_ova", "top2", "70")], rows, one)
    assert frame["found"].tolist() == [61.0]


def test_the_first_reading_that_was_measured_counts():
    rows = [measured("b", "top1", 61.0), measured("c", "top1", 62.0)]
    readings = [reading(name, methods={"svm_ova": name}) for name in ("a", "b", "c")]
    frame = found([cell("svm_ova", "top1", "61.8")], rows, *readings)
    assert frame["reading"].tolist() == ["b"]


def test_a_reading_changes_something():
    with pytest.raises(Fault, match="a reading changes a data set, a method or a metric"):
        validate(WORDS | {"name": "n", "chosen_on_test": True, "tables": ["x"]}, Reading)


def test_the_readings_of_the_project_take_variants(repository):
    catalogue = load_catalogue(repository)
    assert catalogue.other_draws >= {"circle_authors", "yeast_seeds"}
    for one in catalogue.notes.readings.values():
        for old, new in one.methods.items():
            assert catalogue.methods[new].variant_of == old or (new == old and one.metrics)


def test_an_empty_run_has_no_other_readings():
    assert found([], [], reading()).empty
    assert isinstance(found([], [], reading()), pd.DataFrame)
