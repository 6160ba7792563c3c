"""`MultilabelClassifier`: label sets, thresholds, and vectors of class names."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from solver_cases import solve

from toplabel import MultilabelClassifier, TopKClassifier, thresholds


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    n, d, m = 160, 6, 5
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, m)) + rng.logistic(size=(n, m)) > 1.5).astype(int)
    Y[0], Y[1] = 0, 1  # an empty and a full label set
    return X, Y


LOSSES = [("svm_ml", 0.0), ("svm_ml", 1.0), ("lr_ml", 0.0), ("svm_ova", 1.0), ("lr_ova", 0.0)]


@pytest.mark.parametrize(("loss", "gamma"), LOSSES)
def test_it_is_the_solver(problem, loss, gamma):
    X, Y = problem
    solution = solve(X, Y, loss=loss, gamma=gamma, C=0.3, seed=7)
    model = MultilabelClassifier(loss, gamma=gamma, C=0.3, threshold=0.0, random_state=7)
    model.fit(X, Y)
    np.testing.assert_array_equal(model.coef_, solution.W.T)
    np.testing.assert_array_equal(model.classes_, np.arange(5))
    np.testing.assert_array_equal(model.intercept_, solution.intercept)
    assert model.n_iter_ == solution.epochs
    assert model.relative_gap_ == solution.relative_gap <= model.tol
    scores = solution.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), scores)
    np.testing.assert_array_equal(model.predict(X), scores >= 0)
    np.testing.assert_array_equal(model.predict_topk(X, 3), np.argsort(-scores)[:, :3])


def test_two_labels_have_two_rows(problem):
    X, Y = problem
    model = MultilabelClassifier("lr_ova", random_state=0).fit(X, Y[:, :2])
    assert model.coef_.shape == (2, X.shape[1])
    assert model.decision_function(X).shape == model.predict(X).shape == (len(X), 2)


def test_a_sparse_indicator_with_a_label_twice_is_refused():
    Y = sparse.csr_matrix((np.ones(4), [0, 0, 1, 0], [0, 2, 3, 4]), shape=(3, 2))
    with pytest.raises(ValueError, match="zeros and ones"):
        MultilabelClassifier(threshold="cardinality").fit(np.eye(3), Y)


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csc_array, sparse.lil_matrix])
def test_a_sparse_indicator_gives_a_sparse_one(problem, convert):
    X, Y = problem
    for threshold in (0.0, "cardinality", "tune"):
        model = MultilabelClassifier("lr_ml", threshold=threshold, random_state=0)
        dense = clone(model).fit(X, Y)
        labels = model.fit(sparse.csr_matrix(X), convert(Y)).predict(sparse.csr_matrix(X))
        assert sparse.issparse(labels)
        assert labels.format == "csr"
        assert labels.dtype == np.int64
        assert model.threshold_ == pytest.approx(dense.threshold_)
        assert np.mean(labels.toarray() != dense.predict(X)) < 0.02
        assert model.score(X, convert(Y)) == pytest.approx(dense.score(X, Y), abs=0.05)


@pytest.mark.parametrize(("loss", "gamma"), LOSSES)
def test_cardinality_gives_the_training_rows_as_many_labels(problem, loss, gamma):
    X, Y = problem
    model = MultilabelClassifier(loss, gamma=gamma, threshold="cardinality", random_state=0)
    assert model.fit(X, Y).predict(X).sum() == pytest.approx(Y.sum(), abs=1)
    weight = np.arange(len(Y)) % 3
    predicted = model.fit(X, Y, weight).predict(X)
    assert weight @ predicted.sum(axis=1) == pytest.approx(weight @ Y.sum(axis=1), abs=2)


@pytest.mark.parametrize("metric", thresholds.METRICS)
def test_tune_takes_the_best_threshold_of_the_held_out_rows(problem, metric):
    X, Y = problem
    splitter = KFold(4, shuffle=True, random_state=1)
    grid = np.linspace(-3, 3, 25)
    model = MultilabelClassifier(
        "svm_ml",
        gamma=1.0,
        threshold="tune",
        threshold_metric=metric,
        threshold_grid=grid,
        cv=splitter,
        random_state=3,
    ).fit(X, Y)
    scores = np.empty(Y.shape)
    for inside, outside in splitter.split(X):
        fold = solve(X[inside], Y[inside], loss="svm_ml", gamma=1.0, seed=3)
        scores[outside] = fold.decision_function(X[outside])
    threshold, value = thresholds.tune(scores, Y, metric, grid)
    assert model.threshold_ == threshold
    assert model.threshold_score_ == pytest.approx(value, abs=1e-12)
    whole = solve(X, Y, loss="svm_ml", gamma=1.0, seed=3)
    np.testing.assert_array_equal(model.coef_, whole.W.T)


def test_any_splitter_will_do(problem):
    X, Y = problem
    for cv in (
        3,
        None,
        ShuffleSplit(2, test_size=0.3, random_state=0),  # rows in no test part, or in two
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        [(np.arange(100), np.arange(100, 160))],
        [(np.arange(160) < 90, np.arange(160) >= 90)],
    ):
        model = MultilabelClassifier("lr_ova", threshold="tune", cv=cv, random_state=0).fit(X, Y)
        assert 0.5 < model.threshold_score_ < 1


def test_tuning_slices_a_gram_matrix_on_both_sides(problem):
    X, Y = problem
    common = {"loss": "lr_ml", "threshold": "tune", "tol": 1e-9, "random_state": 0}
    linear = MultilabelClassifier(**common).fit(X, Y)
    given = MultilabelClassifier(**common, kernel="precomputed").fit(X @ X.T, Y)
    assert given.threshold_ == linear.threshold_
    assert given.threshold_score_ == pytest.approx(linear.threshold_score_)
    np.testing.assert_array_equal(given.predict(X @ X.T), linear.predict(X))
    rbf = MultilabelClassifier(**common, kernel="rbf", theta=0.1).fit(X, Y)
    assert rbf.dual_coef_.shape == (5, len(X))


def test_probabilities_are_those_of_each_label(problem):
    X, Y = problem
    model = MultilabelClassifier("lr_ova", threshold=0.0, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), expit(model.decision_function(X)))
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) >= 0.5)
    ranking = MultilabelClassifier("lr_ml", threshold=0.0, random_state=0).fit(X, Y)
    shares = softmax(ranking.decision_function(X), axis=1)
    np.testing.assert_allclose(ranking.predict_proba(X), shares)
    np.testing.assert_allclose(ranking.predict_log_proba(X), np.log(shares))
    for loss in ("svm_ml", "svm_ova"):
        assert not hasattr(MultilabelClassifier(loss), "predict_proba")


@pytest.mark.parametrize("classes", [2, 4])
def test_a_vector_is_one_label_a_row(problem, classes):
    X, Y = problem
    y = np.array(["p", "q", "r", "s"])[(X[:, :classes] + 0.5 * X[:, 2:3]).argmax(axis=1)]
    common = {"tol": 1e-10, "max_iter": 10**5, "random_state": 0}
    for key, other in (("svm_ml", "svm_multi"), ("lr_ml", "lr_multi"), ("lr_ova", "lr_ova")):
        model = MultilabelClassifier(key, **common, threshold="tune").fit(X, y)
        peer = TopKClassifier(other, **common).fit(X, y)
        assert not model.multilabel_
        assert not hasattr(model, "threshold_")
        np.testing.assert_array_equal(model.classes_, peer.classes_)
        scores = peer.decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), scores, atol=2e-3)
        # Some rows have equal scores at the optimum of a hinge: either of the classes may be the
        # better.
        scores = np.column_stack([-scores, scores]) if classes == 2 else scores
        clear = np.diff(np.sort(scores))[:, -1] > 4e-3
        np.testing.assert_array_equal(model.predict(X)[clear], peer.predict(X)[clear])
        chosen = [np.searchsorted(model.classes_, m.predict_topk(X, 2)) for m in (model, peer)]
        ours, theirs = (np.take_along_axis(scores, index, axis=1) for index in chosen)
        np.testing.assert_allclose(ours, theirs, atol=1e-7)
    sigmoids = expit(model.decision_function(X))
    sigmoids = np.column_stack([1 - sigmoids, sigmoids]) if classes == 2 else sigmoids
    np.testing.assert_allclose(
        model.predict_proba(X), sigmoids / sigmoids.sum(axis=1, keepdims=True)
    )
    # The same estimator takes label sets again.
    model.fit(X, Y)
    assert model.multilabel_
    assert model.predict(X).shape == Y.shape


def test_a_warm_start_needs_the_same_classes(problem):
    X, Y = problem
    warm = MultilabelClassifier("svm_ml", tol=1e-6, random_state=0, warm_start=True).fit(X, Y)
    warm.fit(X, 1 - Y)  # other labels: from the beginning
    np.testing.assert_allclose(warm.coef_, clone(warm).fit(X, 1 - Y).coef_, atol=0.01)
    with pytest.raises(ValueError, match="classes of the previous fit"):
        warm.fit(X, Y[:, :4])


def test_warnings_tell_which_training_ended_early(problem):
    X, Y = problem
    model = MultilabelClassifier("lr_ml", C=1e3, max_iter=1, threshold="tune", cv=2)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, Y)
    texts = [str(warning.message) for warning in caught]
    assert "in 2 of 2 trainings of the cross-validation of the threshold" in texts[0]
    assert len(texts) == 2


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": "svm_multi"}, ValueError, "is not for MultilabelClassifier; use TopKClassifier"),
        (
            {"threshold": "best"},
            ValueError,
            "threshold must be a number, a number for each label, or one of",
        ),
        ({"threshold": None}, TypeError, "threshold must be a number"),
        ({"threshold_metric": "f1"}, ValueError, "threshold_metric must be one of accuracy"),
        ({"threshold_grid": [[0.0]]}, ValueError, "threshold_grid must be a vector"),
    ],
)
def test_bad_parameters_are_named(problem, parameters, error, message):
    with pytest.raises(error, match=message):
        MultilabelClassifier(**parameters).fit(*problem)


def test_bad_labels_are_named(problem):
    X, Y = problem
    model = MultilabelClassifier()
    with pytest.raises(ValueError, match="zeros and ones"):
        model.fit(X, 2 * Y - 1)
    with pytest.raises(ValueError, match="multiclass-multioutput"):
        model.fit(X, Y + np.arange(5))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, Y[1:])
    with pytest.raises(ValueError, match="1 class only"):
        model.fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="a target of type continuous-multioutput"):
        model.fit(X, X)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(X, sparse.csr_matrix(Y[:, :1]))
