"""`MultilabelClassifier`: thresholds of labels, weights of labels, many labels, wrong labels."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_sample_weight

from toplabel import MultilabelClassifier, TopKClassifier, metrics, thresholds
from toplabel.estimators.weighting import weights_of_sets


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    bias = np.array([-2.0, -1.0, 0.0, 1.0, -1.5])
    return X, (X @ rng.normal(size=(6, 5)) + bias + rng.logistic(size=(200, 5)) > 0).astype(int)


def held_out(X, Y, splitter, **options):
    scores = np.empty(Y.shape)
    for inside, outside in splitter:
        model = MultilabelClassifier(**options, threshold=0.0).fit(X[inside], Y[inside])
        scores[outside] = model.decision_function(X[outside])
    return scores


def test_each_label_has_the_threshold_of_its_best_f1(problem):
    X, Y = problem
    Y = Y.copy()
    Y[:, 4] = 0
    options = {"loss": "lr_ml", "random_state": 3}
    splitter = KFold(4, shuffle=True, random_state=1)
    model = MultilabelClassifier(**options, threshold="per_label", cv=splitter)
    with pytest.warns(UserWarning, match=r"1 of 5 labels occur in no row of y: 4"):
        model.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = held_out(X, Y, splitter.split(X), **options)
    for j in range(4):
        best, f1 = thresholds.tune(scores[:, [j]], Y[:, [j]], "f1_micro")
        assert f1 > 0.2
        assert model.threshold_[j] == best
    assert model.threshold_[4] == thresholds.tune(scores, Y, "f1_micro")[0]
    expected = metrics.f1(Y, scores >= model.threshold_, "macro")
    assert model.threshold_score_ == pytest.approx(expected)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) >= model.threshold_)
    given = clone(model).set_params(threshold=model.threshold_).fit(X, np.where(Y, 1, Y))
    np.testing.assert_array_equal(given.predict(X), model.predict(X))


def test_the_default_threshold_is_tuned_on_held_out_rows(problem):
    X, Y = problem
    model = MultilabelClassifier("lr_ml", random_state=0).fit(X, Y)
    folds, options = RepeatedKFold(n_splits=5, n_repeats=3, random_state=0), {"loss": "lr_ml"}
    splits = list(folds.split(X))
    scores = np.concatenate(
        [held_out(X, Y, splits[i : i + 5], **options, random_state=0) for i in (0, 5, 10)]
    )
    best, value = thresholds.tune(scores, np.tile(Y, (3, 1)), "f1_micro")
    assert (model.threshold_, model.threshold_score_) == (best, pytest.approx(value))


def test_rows_sorted_by_their_labels_are_shuffled(problem):
    X, Y = problem
    order = np.lexsort(Y.T)
    shuffled = MultilabelClassifier(random_state=0, cv=4).fit(X, Y).threshold_score_
    ordered = MultilabelClassifier(random_state=0, cv=4).fit(X[order], Y[order]).threshold_score_
    as_given = MultilabelClassifier(random_state=0, cv=KFold(4)).fit(X[order], Y[order])
    assert abs(ordered - shuffled) < 0.03
    assert as_given.threshold_score_ < ordered - 0.03


def test_threads_and_mapped_rows_change_nothing(problem, tmp_path):
    X, Y = problem
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = MultilabelClassifier("lr_ml", tol=1e-9, random_state=0)
    alone = clone(model).fit(X, Y, np.arange(200) % 3)
    for rows, n_jobs in ((X, 2), (mapped, None), (mapped, 2)):
        other = clone(model).set_params(n_jobs=n_jobs).fit(rows, Y, np.arange(200) % 3)
        np.testing.assert_array_equal(other.coef_, alone.coef_)
        assert other.threshold_ == alone.threshold_
        assert other.threshold_score_ == pytest.approx(alone.threshold_score_, abs=1e-12)


def test_verbose_names_the_fold(problem, capsys):
    X, Y = problem
    MultilabelClassifier("lr_ml", cv=2, verbose=1).fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("[MultilabelClassifier] fold 2/2, epoch ") for line in lines)
    assert lines[-1].startswith("[MultilabelClassifier] epoch ")


def test_weights_of_labels_are_means_over_a_row(problem):
    X, Y = problem
    weight = 1.0 + np.arange(200) % 2
    factors = {j: 1.0 + j for j in range(5)}
    found = weights_of_sets(factors, weight, np.arange(5), sparse.csr_matrix(Y))
    means = [np.mean([factors[j] for j in np.flatnonzero(row)]) if row.any() else 1.0 for row in Y]
    np.testing.assert_allclose(found, weight * means)
    weighted = MultilabelClassifier("lr_ova", class_weight=factors, random_state=0).fit(X, Y)
    by_hand = MultilabelClassifier("lr_ova", random_state=0).fit(X, Y, means)
    np.testing.assert_allclose(weighted.coef_, by_hand.coef_)
    # One label per row: scikit-learn's.
    y = np.repeat(np.arange(5), [10, 20, 30, 40, 100])
    balanced = weights_of_sets("balanced", None, np.arange(5), np.eye(5)[y])
    np.testing.assert_allclose(balanced, compute_sample_weight("balanced", y))
    for bad in (-1.0, np.nan):
        with pytest.raises(ValueError, match=r"class_weight of class 0 must be finite and >= 0"):
            MultilabelClassifier(class_weight={0: bad}).fit(X, Y)


def test_best_classes_come_with_their_scores(problem, monkeypatch):
    X, Y = problem
    monkeypatch.setattr("toplabel.estimators.common._NUMBERS", 7 * 5)  # parts of seven rows
    model = MultilabelClassifier("lr_ml", random_state=0).fit(X, sparse.csr_matrix(Y))
    best, scores = model.predict_topk(X, 3, return_scores=True)
    every = model.decision_function(X)
    np.testing.assert_array_equal(best, np.argsort(-every, axis=1, kind="stable")[:, :3])
    np.testing.assert_allclose(scores, np.take_along_axis(every, best, axis=1), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X).toarray(), every >= model.threshold_)
    two = TopKClassifier(random_state=0).fit(X, Y[:, 0])
    best, scores = two.predict_topk(X, 2, return_scores=True)
    np.testing.assert_allclose(scores[:, 0] - scores[:, 1], np.abs(two.decision_function(X)))


def test_scores_of_many_labels_are_never_all_in_memory():
    rng = np.random.default_rng(1)
    n, m = 4000, 3000
    X = sparse.random(n, 50, density=0.1, random_state=rng, format="csr")
    Y = sparse.csr_matrix((np.ones(n), (np.arange(n), rng.integers(0, m, n))), (n, m))
    options = {"max_iter": 1, "tol": 1.0, "acceleration": False}
    model = MultilabelClassifier("lr_ml", **options, threshold="cardinality")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels without a row
        model.fit(X, Y)
    one = n * m * 8  # bytes of all scores
    tracemalloc.start()
    model.predict_topk(X, 5, return_scores=True)
    labels = model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sparse.issparse(labels)
    assert peak < 1.1 * one


def test_the_models_of_the_folds_are_not_kept():
    rng = np.random.default_rng(0)
    n, m = 3000, 300
    X = sparse.random(n, 40, density=0.2, random_state=rng, format="csr")
    Y = sparse.csr_matrix((np.ones(n), (np.arange(n), np.arange(n) % m)), (n, m))
    peaks = []
    for cv in (2, 6):
        model = MultilabelClassifier("lr_ml", tol=1.0, cv=cv, acceleration=False)
        tracemalloc.start()
        model.fit(X, Y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_names_of_a_data_frame_are_kept(problem):
    X, Y = problem
    names = ["a", "b", "c", "d", "e"]
    frame = pd.DataFrame(Y, columns=names)
    model = MultilabelClassifier("lr_ml", random_state=0)
    pipeline = make_pipeline(StandardScaler(), model).fit(pd.DataFrame(X), frame)
    assert pipeline.classes_.tolist() == names
    best = model.fit(X, frame).predict_topk(X, 2)
    assert set(best.ravel()) <= set(names)
    plain = clone(model).fit(X, Y)
    np.testing.assert_array_equal(best, np.array(names, dtype=object)[plain.predict_topk(X, 2)])
    np.testing.assert_array_equal(clone(model).fit(X, frame).predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda Y: [["a"], ["b", "c"]] * 100, "a list of label sets; make an indicator"),
        (lambda Y: [{1}, {2}] * 100, "a list of label sets; make an indicator"),
        (lambda Y: [["a", "b"], ["b", "c"]] * 100, "MultiLabelBinarizer makes one"),
        (lambda Y: np.ma.masked_array(Y, Y > 0), "y is a masked array, and its mask would be"),
    ],
)
def test_labels_that_are_no_indicator_are_explained(problem, make, message):
    X, Y = problem
    with pytest.raises(ValueError, match=message):
        MultilabelClassifier().fit(X, make(Y))


@pytest.mark.parametrize("metric", ["f1_micro", "f1_instance", "hamming_loss"])
def test_rows_without_weight_are_in_no_fold(problem, metric):
    X, Y = problem
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    model = MultilabelClassifier("lr_ml", threshold_metric=metric, random_state=0)
    weighted = clone(model).fit(X, Y, weight)
    without = clone(model).fit(X[weight > 0], Y[weight > 0])
    assert weighted.threshold_score_ == pytest.approx(without.threshold_score_, abs=0.02)
    few = np.where(np.arange(len(X)) < 2, 1.0, 0.0)
    with pytest.raises(ValueError, match="n_samples=2 of positive weight is too few"):
        clone(model).fit(X, Y, few)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ((np.arange(60), []), "split 2 of cv has no row of positive weight to hold out"),
        ((np.arange(60), [60, 61]), "split 2 of cv has no row of positive weight to hold out"),
        (([60, 61], np.arange(60)), "split 2 of cv has no row of positive weight to train on"),
    ],
)
def test_splits_without_weight_are_named(problem, split, message):
    X, Y = problem
    weight = np.ones(len(X))
    weight[[60, 61]] = 0.0
    cv = [(np.arange(100), np.arange(100, 200)), split]
    with pytest.raises(ValueError, match=message):
        MultilabelClassifier("lr_ml", cv=cv, random_state=0).fit(X, Y, weight)


@pytest.mark.filterwarnings("ignore:5 of 5 labels occur in no row")
@pytest.mark.parametrize("threshold", ["tune", "per_label"])
def test_where_no_row_has_a_label_none_is_predicted(problem, threshold):
    X, Y = problem
    model = MultilabelClassifier("lr_ml", threshold=threshold, random_state=0).fit(X, 0 * Y)
    assert not model.predict(X).any()
    assert model.threshold_score_ == 0.0


@pytest.mark.parametrize("cv", [[], iter([])], ids=["list", "iterator"])
def test_no_splits_are_refused(problem, cv):
    with pytest.raises(ValueError, match="cv has no splits"):
        MultilabelClassifier("lr_ml", cv=cv, random_state=0).fit(*problem)


@pytest.mark.parametrize("names", [["a;b", "a"], ["a|b", "c"], ["b, c", "b"]], ids=str)
def test_several_labels_in_a_string_are_refused(problem, names):
    X, _ = problem
    for y in (names * 100, np.array(names * 100), pd.Series(names * 100)):
        with pytest.raises(ValueError, match=r"several labels in one string.*MultiLabelBinarizer"):
            MultilabelClassifier().fit(X, y)
    cities = ["Paris, France", "Bern, Switzerland"]
    assert MultilabelClassifier().fit(X, cities * 100).classes_.tolist() == sorted(cities)
    assert TopKClassifier().fit(X, names * 100).classes_.tolist() == sorted(names)


def test_labels_without_rows_are_said_once_a_fit(problem):
    X, Y = problem
    Y = np.where(np.arange(5) == 4, 0, Y)
    grid = {"C": [0.1, 1.0]}
    for model in (MultilabelClassifier(), GridSearchCV(MultilabelClassifier(threshold=0.0), grid)):
        with pytest.warns(UserWarning, match="occur in no row") as caught:
            model.fit(X, Y)
        assert [str(w.message) for w in caught] == ["1 of 5 labels occur in no row of y: 4"]


def test_few_rows_say_what_to_set(problem):
    X, Y = problem
    with pytest.raises(
        ValueError, match=r"n_samples=4 .*: set threshold=0.0 .*\"cardinality\".*cv"
    ):
        MultilabelClassifier().fit(X[:4], Y[:4])
    for setting in ({"threshold": 0.0}, {"threshold": "cardinality"}, {"cv": 2}):
        MultilabelClassifier(**setting).fit(X[:4], Y[:4])


def test_mistakes_with_one_label_are_explained(problem):
    X, Y = problem
    for sets in (Y, Y.tolist(), [[1], [1, 2]] * 100):
        with pytest.raises(ValueError, match=r"one label per row.*use MultilabelClassifier"):
            TopKClassifier().fit(X, sets)
    with pytest.raises(ValueError, match="X is a masked array, and its mask would be lost"):
        TopKClassifier().fit(np.ma.masked_array(X, X > 1), Y[:, 0])
    unmasked = np.ma.masked_array(X, np.zeros(X.shape, dtype=bool))
    TopKClassifier().fit(unmasked, Y[:, 0])
    with pytest.raises(ValueError, match="5, one for each label, got 2"):
        MultilabelClassifier(threshold=[0.0, 1.0]).fit(X, Y)
