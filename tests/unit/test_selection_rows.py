"""Cells with other training rows: shares of them, for learning curves, and all rows, for a final model."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from small_sets import blobs, evaluation_of, regions_set, task_of

from toplabel import load_model
from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.data.parts import Part, PreparedSet, with_ones
from toplabel.reproduction.data.prepare import transform
from toplabel.reproduction.files import write_npz
from toplabel.reproduction.selection import CurveTask, PredictTask, TrainTask
from toplabel.reproduction.selection.evaluation import model_arrays
from toplabel.reproduction.selection.rows import (
    final_models,
    learning_curve,
    with_all_rows,
    with_share,
)

BUDGET = Budget(C=Axis(10.0, -1.0, 1.0, 1.0), folds=3)
SOFTMAX = Method("softmax", "Softmax", "lr_multi")


@pytest.fixture
def raw():
    """All rows, far from mean 0 and variance 1, with the classes."""
    X, y = blobs(n_per_class=20)
    return 5.0 + 3.0 * X, y


@pytest.fixture
def prepared(raw):
    """A standardised set with a column of ones; a quarter of the rows are its test part."""
    X, y = raw
    test = np.arange(len(y)) % 4 == 0
    rows = {"train": np.flatnonzero(~test), "test": np.flatnonzero(test)}
    parts = {name: Part(X=X[of], y=y[of], rows=of) for name, of in rows.items()}
    splits = [Split("main", "train", None, "test")]
    parts = transform("toy", parts, splits, "standardise")
    parts = {name: replace(part, X=with_ones(part.X)) for name, part in parts.items()}
    return PreparedSet("toy", "multiclass", ["a", "b", "c"], parts, splits)


def training_of(task):
    return TrainTask(task.dataset, task.method, task.recipe, task.seed, 1e-6, 5000)


def raw_rows(part):
    """The rows before they were standardised."""
    return part.X[:, :-1] * part.scale + part.shift


def test_shares_are_nested_and_have_the_classes_by_their_shares(prepared):
    small, large = (
        with_share(prepared, size, ["main"], True).parts["main/train"] for size in (0.2, 0.6)
    )
    assert {*small.rows} < {*large.rows} < {*prepared.parts["train"].rows}
    assert (len(small.rows), len(large.rows)) == (9, 27)
    assert np.bincount(small.y).tolist() == [3, 3, 3]
    assert np.bincount(large.y).tolist() == [9, 9, 9]


def test_sparse_columns_are_divided_as_those_of_the_set(raw):
    """A column far from 0, as a year, has a small deviation beside its root mean square."""
    X, y = raw
    X = sparse.csr_matrix(np.where(X > 5.0, X, 0.0) + 100.0 * (np.arange(X.shape[1]) == 0))
    splits = [Split("main", "train", None, "")]
    parts = transform(
        "toy", {"train": Part(X=X, y=y)}, [Split("main", "train", None, "train")], "standardise"
    )
    of_set = PreparedSet("toy", "multiclass", ["a", "b", "c"], parts, splits)
    share = with_share(of_set, 0.999, ["main"], False).parts["main/train"]
    for same in (share, with_all_rows(of_set, False).parts["all"]):
        assert same.n_rows == len(y)
        np.testing.assert_allclose(same.X.toarray(), parts["train"].X.toarray())
        np.testing.assert_allclose(same.scale, parts["train"].scale)


def test_a_share_is_standardised_by_its_own_rows(prepared, raw):
    cut = with_share(prepared, 0.4, ["main"], True)
    train, test = cut.parts["main/train"], cut.parts["main/test"]
    np.testing.assert_allclose(train.X[:, :-1].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(train.X[:, :-1].std(axis=0), 1.0)
    np.testing.assert_allclose(raw_rows(train), raw[0][train.rows])
    shown = test.X[:, :-1] * train.scale + train.shift
    np.testing.assert_allclose(shown, raw[0][test.rows])
    assert (train.X[:, -1] == 1.0).all()


def test_splits_with_one_training_part_have_one_share_of_it(prepared, raw):
    test = prepared.parts["test"]
    parts = {"train": prepared.parts["train"]}
    for name, of in (("first", slice(None, None, 2)), ("second", slice(1, None, 2))):
        parts[name] = Part(X=test.X[of], y=test.y[of], rows=test.rows[of])
    splits = [Split(name, "train", None, name) for name in ("first", "second")]
    whole = replace(prepared, parts=parts, splits=splits)
    cut = with_share(whole, 0.4, ["first", "second"], True).parts
    assert cut["first/train"].rows.tolist() == cut["second/train"].rows.tolist()
    for name in cut:
        train = cut[f"{name.partition('/')[0]}/train"]
        shown = cut[name].X[:, :-1] * train.scale + train.shift
        np.testing.assert_allclose(shown, raw[0][cut[name].rows])


def test_a_part_may_train_in_one_split_and_test_in_another(prepared):
    """Splits by the years of a series have such parts."""
    parts = {name: replace(part, shift=None, scale=None) for name, part in prepared.parts.items()}
    splits = [Split("there", "train", None, "test"), Split("back", "test", None, "train")]
    cut = with_share(replace(prepared, parts=parts, splits=splits), 0.4, ["there", "back"], True)
    rows = {name: part.n_rows for name, part in cut.parts.items()}
    assert rows == {"there/train": 18, "there/test": 15, "back/train": 6, "back/test": 45}


def test_all_rows_are_those_of_both_parts(prepared, raw):
    whole = with_all_rows(prepared, True).parts["all"]
    assert sorted(whole.rows) == [*range(len(raw[1]))]
    np.testing.assert_allclose(raw_rows(whole), raw[0][whole.rows])
    np.testing.assert_array_equal(whole.y, raw[1][whole.rows])


@pytest.mark.parametrize("key", ["sizes", "final_model"])
def test_regions_are_refused(key):
    call = with_all_rows if key == "final_model" else partial(with_share, size=0.5, splits=["main"])
    with pytest.raises(ValueError, match=rf"'scenes', {key}: a part with regions"):
        call(regions_set(), bias=True)


def test_a_learning_curve_has_the_values_of_models_of_fewer_rows(prepared):
    task = task_of(SOFTMAX, BUDGET)
    curve = CurveTask(task, training_of(task), evaluation_of(task), (0.2, 0.6), True)
    points = learning_curve(prepared, curve)
    assert [(point.size, point.rows, point.all_rows) for point in points] == [
        (0.2, 9, 45),
        (0.6, 27, 45),
    ]
    cut = with_share(prepared, 0.2, ["main"], True)
    again = learning_curve(cut, replace(curve, sizes=(1.0,)))
    assert points[0].value == pytest.approx(again[0].value)


def test_a_final_model_is_that_of_all_raw_rows(prepared, raw, tmp_path):
    task = task_of(SOFTMAX, BUDGET)
    whole = with_all_rows(prepared, True)
    choices, models = final_models(whole, task, training_of(task))
    predicting = PredictTask(task.recipe, "tune", "standardise", True)
    write_npz(tmp_path / "final_model.npz", model_arrays(whole, predicting, choices, models))
    model = load_model(tmp_path / "final_model.npz")
    (kept,) = models.values()
    scores = whole.parts["all"].X @ kept.W
    given = model.decision_function(raw[0][whole.parts["all"].rows])
    np.testing.assert_allclose(given, scores, atol=1e-9)
