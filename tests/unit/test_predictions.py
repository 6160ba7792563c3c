"""The predictions of a cell for the test rows, and what the report says of them class by class."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_sets import own_entry, task_of

import toplabel
from toplabel.reproduction.compare.classes import class_rates, confusion
from toplabel.reproduction.config.entry import RawFile, Split
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import load_prepared, save_prepared
from toplabel.reproduction.files import write_npz
from toplabel.reproduction.frames import join_names, split_names
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.selection import EvaluateTask, PredictTask
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.evaluation import evaluate, model_arrays, predictions
from toplabel.reproduction.selection.measures import needs_threshold
from toplabel.reproduction.selection.models import Model, key_of, train_models
from toplabel.reproduction.tasks import recipe_of

NAN = float("nan")
BUDGET = Budget(Axis(2, 0, 0, 1), folds=2)
SCORES = np.array([[0.9, 0.2, -1.0], [0.1, 0.4, 0.3], [-1.0, -2.0, -3.0]])


def _predicted(task, labels, metrics, loss, scores=SCORES):
    """Return the predictions, and the test value of the first metric; the i-th has the threshold 0.25 + i."""
    part = Part(np.zeros((3, 1)), **labels)
    prepared = PreparedSet("toy", task, ["a", "b", "c"], {"p": part}, [Split("s", "p", None, "p")])
    of = PredictTask(Recipe(loss=loss), "tune", None, False)
    choices = [
        Choice(
            "s",
            name,
            None,
            1.0,
            None,
            None,
            0.25 + i if needs_threshold(name) else None,
            50.0,
            False,
        )
        for i, name in enumerate(metrics)
    ]
    model = Model("s", 0.0, 0.0, 0.0, 1, "converged", 0.0, NAN, C=1.0, test_scores=scores)
    models = {key_of(model): model}
    rows, _ = evaluate(
        prepared, EvaluateTask("toy", "m", "quick", "tune"), choices, models, {"s": 0.0}
    )
    return predictions(prepared, of, choices, models), rows[0].value


def test_a_class_is_predicted_by_the_largest_score():
    frame, _ = _predicted("multiclass", {"y": np.array([0, 2, 0])}, ["top1"], "lr_multi")
    assert list(frame["true"]) == ["a", "c", "a"]
    assert list(frame["predicted"]) == ["a", "b", "a"]
    np.testing.assert_array_equal(frame[["score_a", "score_b", "score_c"]], SCORES)


def test_labels_are_predicted_by_the_selected_threshold():
    Y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    frame, _ = _predicted("multilabel", {"Y": Y}, ["f1_micro"], "lr_ml")
    assert list(frame["true"]) == ["a;b", "c", ""]
    assert list(frame["predicted"]) == ["a", "b;c", ""]


@pytest.mark.parametrize(
    ("metrics", "predicted"),
    [
        (["rank_loss", "f1_micro", "f1_macro"], ["", "", ""]),  # 1.25, that of f1_micro
        (["rank_loss", "map"], ["a", "b;c", ""]),  # no metric has one: three labels, as in training
    ],
)
def test_a_first_metric_of_rankings_leaves_the_threshold_to_the_next_one(metrics, predicted):
    Y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    frame, _ = _predicted("multilabel", {"Y": Y}, metrics, "lr_ml")
    assert list(frame["true"]) == ["a;b", "c", ""]
    assert list(frame["predicted"]) == predicted


def test_a_score_at_the_threshold_is_predicted_as_the_metrics_count_it():
    Y = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    tied = np.where(SCORES == 0.2, 0.25, SCORES)
    frame, f1 = _predicted("multilabel", {"Y": Y}, ["f1_micro"], "lr_ml", tied)
    predicted = np.array([[name in row for name in "abc"] for row in frame["predicted"]])
    assert f1 == pytest.approx(100 * 2 * np.sum(predicted & (Y > 0)) / (predicted.sum() + Y.sum()))
    assert list(frame["predicted"]) == ["a;b", "b;c", ""]


def stored(folder, entry, method, choice):
    """Return the predictions of a cell of a data set, and its model as it is stored."""
    save_prepared(prepare(PrepareTask.of(entry), folder), folder / "prepared")
    prepared = load_prepared(folder / "prepared")
    final = replace(task_of(method, BUDGET, dataset="mine"), tol=1e-7, max_iter=20000)
    models = {key_of(model): model for model in train_models(prepared, final, [choice])}
    task = PredictTask(recipe_of(method), "tune", entry.transform, entry.bias)
    write_npz(folder / "model.npz", model_arrays(prepared, task, [choice], models))
    return predictions(prepared, task, [choice], models), toplabel.load_model(folder / "model.npz")


@pytest.mark.parametrize(
    ("loss", "how"),
    [
        ("lr_multi", {}),
        ("lr_multi", {"transform": "normalise"}),
        ("svm_multi", {"kernel": "rbf"}),
        ("lr_multi", {"classes": 2, "sparse": True}),
        ("lr_ml", {}),
    ],
)
def test_a_loaded_model_predicts_the_same_of_raw_features(tmp_path, loss, how):
    rng = np.random.default_rng(0)
    X = rng.normal(5.0, [0.1, 1.0, 100.0, 1.0], (60, 4))
    X = X * (rng.random(X.shape) < 0.15) if "sparse" in how else X
    y = rng.integers(how.get("classes", 3), size=60)
    y[:3] = np.arange(3) % how.get("classes", 3)
    names = np.array(["ant", "bee", "cat"][: y.max() + 1])
    many = loss == "lr_ml"
    Y = (rng.random((60, 3)) < 0.5).astype(int) if many else y
    (tmp_path / "mine").mkdir()
    for part, kept in (("train", slice(0, 40)), ("test", slice(40, 60))):
        np.savez(
            tmp_path / f"mine/{part}.npz",
            X=X[kept],
            **{"Y" if many else "y": Y[kept]},
            class_names=names,
        )
    files = tuple(RawFile(f"{part}.npz", part) for part in ("train", "test"))
    kind = "multilabel" if many else "multiclass"
    transform = how.get("transform")
    entry = own_entry(format="npz", task=kind, files=files, transform=transform)
    metric, theta = "f1_micro" if many else "top1", 0.1 if "kernel" in how else None
    method = Method("a", "A", loss=loss, kernel=how.get("kernel", "linear"))
    choice = Choice("main", metric, None, 1.0, None, theta, 0.2 if many else None, 50.0, False)
    frame, model = stored(tmp_path, entry, method, choice)
    found = model.predict(X[40:])
    if many:
        assert model[-1].threshold_ == choice.threshold
        found = [";".join(names[row]) for row in found.astype(bool)]
    assert list(found) == list(frame["predicted"])
    scores = frame.filter(like="score_").to_numpy()
    scores = scores[:, 1] - scores[:, 0] if len(names) == 2 else scores
    np.testing.assert_allclose(model.decision_function(X[40:]), scores, atol=1e-8)
    again = model.set_params(classify__tol=1e-6).fit(X[:40], Y[:40] if many else names[y[:40]])
    np.testing.assert_allclose(again.decision_function(X[40:]), scores, atol=0.01)
    with pytest.raises(ValueError, match="split must be one of main, got 'f0'"):
        toplabel.load_model(tmp_path / "model.npz", "f0")


@pytest.fixture(scope="module")
def of_a_table(tmp_path_factory):
    """A model of a table with two columns of numbers and one of words, and the frame of its rows."""
    folder = tmp_path_factory.mktemp("table")
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    frame = pd.DataFrame(rng.normal(y[:, None] * [1.0, 0.1], 0.3), columns=["f", "g"]).assign(
        pool=np.array(["7", "big", "small"])[(y + (rng.random(60) < 0.2)) % 3],
        id=np.arange(60),
        kind=np.array(["ash", "elm", "oak"])[y],
    )
    frame = frame[["pool", "id", "g", "kind", "f"]]
    (folder / "mine").mkdir()
    for part in ("train", "test"):
        frame.to_csv(folder / f"mine/{part}.csv", index=False)
    files = tuple(RawFile(f"{part}.csv", part) for part in ("train", "test"))
    entry = own_entry(files=files, options={"label": "kind", "drop": ["id"]})
    choice = Choice("main", "top1", None, 1.0, None, None, None, 50.0, False)
    rows, model = stored(folder, entry, Method("a", "A", loss="lr_multi"), choice)
    return model, frame, rows.filter(like="score_").to_numpy()


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame,
        lambda frame: frame[["f", "g", "pool"]],
        lambda frame: frame[["kind", "pool", "f", "g"]].astype({"pool": "category"}),
        lambda frame: frame.convert_dtypes(),
    ],
)
def test_a_loaded_model_reads_a_frame_by_names(of_a_table, change):
    model, frame, scores = of_a_table
    np.testing.assert_allclose(model.decision_function(change(frame)), scores, atol=1e-8)
    assert list(model.feature_names_in_) == ["g", "f", "pool"]


def test_numbers_are_categories_as_a_file_has_them(of_a_table):
    model, frame, scores = of_a_table
    rows = (frame["pool"] == "7").to_numpy()
    for values in (7, 7.0):
        found = model.decision_function(frame[rows].assign(pool=values))
        np.testing.assert_allclose(found, scores[rows], atol=1e-8)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda frame: frame.drop(columns="g"), "'g'"),
        (lambda frame: frame.rename(columns={"f": "F"}), "'F'"),
        (lambda frame: frame.assign(h=1.0), "'h'"),
        (lambda frame: frame.assign(pool="huge"), "'huge'"),
        (lambda frame: frame.assign(g="n.d."), "'g'"),
        (lambda frame: frame.assign(g=np.nan), "'g'"),
        (lambda frame: frame.to_numpy(), "'pool'"),
    ],
)
def test_a_loaded_model_refuses_other_columns_and_values(of_a_table, change, name):
    model, frame, _ = of_a_table
    with pytest.raises(ValueError, match=name):
        model.predict(change(frame))


@pytest.fixture
def rows():
    names = {"true": ["a", "b", "b", "a"], "predicted": ["a", "a", "b", "a"]}
    return pd.DataFrame(names | {"score_a": "0", "score_b": "0"})


def test_recall_and_precision_are_of_each_class(rows):
    assert class_rates(rows).to_numpy().tolist() == [
        ["a", 2, 100.0, 3, pytest.approx(200 / 3)],
        ["b", 2, 50.0, 1, 100.0],
    ]


def test_a_class_that_is_not_there_has_no_rates(rows):
    rates = class_rates(rows.assign(score_c="0"))
    assert rates["recall"].isna().tolist() == [False, False, True]


def test_pairs_of_classes_are_counted(rows):
    pairs = {(row.true, row.predicted): row.rows for row in confusion(rows).itertuples()}
    assert pairs == {("a", "a"): 2, ("b", "a"): 1, ("b", "b"): 1}


def test_labels_of_sets_are_counted_each(rows):
    rows["true"], rows["predicted"] = ["a;b", "b", "", "a"], ["a", "b", "a", "a;b"]
    assert class_rates(rows, are_sets=True).to_numpy().tolist() == [
        ["a", 2, 100.0, 3, pytest.approx(200 / 3)],
        ["b", 2, 50.0, 2, 50.0],
    ]
    assert confusion(rows, are_sets=True).empty


def test_a_label_with_the_separator_in_its_name_is_one_label():
    sets = [["a;b"], ["a", "b"], ["a", 'say "b"', "a;b"], []]
    joined = [join_names(names) for names in sets]
    assert [split_names(text) for text in joined] == sets
    frame = pd.DataFrame({"true": joined, "predicted": joined})
    frame = frame.assign(**{f"score_{name}": 0.0 for name in ("a", "b", "a;b", 'say "b"')})
    assert class_rates(frame, are_sets=True)["rows"].tolist() == [2, 1, 2, 1]


def test_a_row_of_the_predictions_is_that_of_the_raw_file(tmp_path):
    y = np.arange(30) % 3
    table = pd.DataFrame({"name": [f"n{i}" for i in range(30)], "x": y + 0.5, "kind": y})
    table.loc[7, "x"] = np.nan
    (tmp_path / "mine").mkdir()
    table.to_csv(tmp_path / "mine/a.csv", index=False)
    options = {"label": "kind", "drop": ["name"], "missing": "drop"}
    task = PrepareTask.of(own_entry(options=options))
    save_prepared(prepare(task, tmp_path), tmp_path / "prepared")
    tests = [
        part for name, part in load_prepared(tmp_path / "prepared").parts.items() if "test" in name
    ]
    rows = np.concatenate([part.rows for part in tests])
    assert sorted(rows) == [i for i in range(30) if i != 7]
    np.testing.assert_array_equal(np.concatenate([part.y for part in tests]), y[rows])
    assert np.concatenate([part.ids for part in tests]).tolist() == [f"n{row}" for row in rows]
