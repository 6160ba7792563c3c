"""The predictions of a cell for the test rows, and what the report says of them class by class."""

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.config.method import Method
from toplabel.reproduction.config.protocols import Axis, Budget, Protocol
from toplabel.reproduction.config.run import Settings
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.report.classes import class_tables
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.models import Model
from toplabel.reproduction.selection.predictions import predictions
from toplabel.reproduction.selection.task import Task

NAN = float("nan")
SCORES = np.array([[0.9, 0.2, -1.0], [0.1, 0.4, 0.3], [-1.0, -2.0, -3.0]])


def _predicted(task, labels, metrics, loss):
    part = Part(np.zeros((3, 1)), **labels)
    prepared = Prepared("toy", task, 3, ["a", "b", "c"], {"p": part}, [Split("s", "p", None, "p")])
    protocol = Protocol("toy", "folds", tuple(metrics), {})
    budget = Budget(Axis(2, 0, 0, 1), folds=2)
    of = Task("toy", Method(loss, loss, loss), protocol, budget, Settings())
    choice = Choice("s", metrics[0], NAN, 1.0, NAN, 0.25, 50.0, False)
    model = Model("s", 1.0, NAN, NAN, 0.0, 0.0, 0.0, 1, "converged", 0.0, NAN, test_scores=SCORES)
    return predictions(prepared, of, "tune", [choice], {("s", 1.0, None, None): model})


def test_a_class_is_predicted_by_the_largest_score():
    frame = _predicted("multiclass", {"y": np.array([0, 2, 0])}, ["top1"], "lr_multi")
    assert list(frame["true"]) == ["a", "c", "a"]
    assert list(frame["predicted"]) == ["a", "b", "a"]
    np.testing.assert_array_equal(frame[["score_a", "score_b", "score_c"]], SCORES)


def test_labels_are_predicted_by_the_selected_threshold():
    Y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    frame = _predicted("multilabel", {"Y": Y}, ["f1_micro"], "lr_ml")
    assert list(frame["true"]) == ["a;b", "c", ""]
    assert list(frame["predicted"]) == ["a", "b;c", ""]


@pytest.fixture
def rows():
    names = {"true": ["a", "b", "b", "a"], "predicted": ["a", "a", "b", "a"]}
    return pd.DataFrame(names | {"score_a": "0", "score_b": "0"})


def test_recall_and_precision_are_of_each_class(rows):
    table, matrix = class_tables(rows)
    texts = [[cell.text for cell in row.cells] for row in table.rows]
    assert texts == [["a", "2", "100.0", "3", "66.7"], ["b", "2", "50.0", "1", "100.0"]]
    assert [[cell.text for cell in row.cells] for row in matrix.rows] == [
        ["a", "2", ""],
        ["b", "1", "1"],
    ]


def test_labels_of_sets_are_counted_each(rows):
    rows["true"], rows["predicted"] = ["a;b", "b", "", "a"], ["a", "b", "a", "a;b"]
    (table,) = class_tables(rows)
    texts = [[cell.text for cell in row.cells] for row in table.rows]
    assert texts == [["a", "2", "100.0", "3", "66.7"], ["b", "2", "50.0", "2", "50.0"]]
