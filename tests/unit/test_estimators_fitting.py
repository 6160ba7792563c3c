"""Fitting `TopKClassifier`: weights, warm starts, warnings, bad input."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import (
    ConvergenceWarning,
    InconsistentVersionWarning,
    NotFittedError,
)
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from solver_cases import solve

from toplabel import CalibratedSets, MultilabelClassifier, TopKClassifier
from toplabel.more_losses import OrderedHinge


def test_a_warm_start_with_another_loss_that_has_arrays_starts_anew(problem):
    X, y, _ = problem
    first, second = (OrderedHinge(np.array([1.0, 0.5])) for _ in range(2))
    model = TopKClassifier(first, warm_start=True, random_state=0).fit(X, y)
    expected = model.coef_
    model.set_params(loss=second).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected)


def test_class_weights_multiply_the_weights_of_the_rows(problem):
    X, y, m = problem
    weight = 0.5 + np.arange(len(y)) % 2
    common = {"loss": "lr_multi", "random_state": 0}
    factors = {c: 1.0 + c for c in range(m)}
    weighted = TopKClassifier(**common, class_weight=factors).fit(X, y, weight)
    by_hand = TopKClassifier(**common).fit(X, y, weight * (1.0 + y))
    np.testing.assert_array_equal(weighted.coef_, by_hand.coef_)
    totals = np.bincount(y, weight)
    balanced = TopKClassifier(**common, class_weight="balanced").fit(X, y, weight)
    by_hand = TopKClassifier(**common).fit(X, y, weight * (weight.sum() / m / totals)[y])
    np.testing.assert_array_equal(balanced.coef_, by_hand.coef_)
    with pytest.raises(ValueError, match="class_weight"):
        TopKClassifier(class_weight="heavy").fit(X, y)
    for factor in (-1.0, float("inf"), float("nan")):
        message = f"^class_weight of class {y[0].item()!r} must be finite and >= 0, got {factor}$"
        with pytest.raises(ValueError, match=message):
            TopKClassifier(class_weight={y[0]: factor}).fit(X, y)
    with pytest.raises(ValueError, match=r"^class_weight is zero for every class$"):
        TopKClassifier(class_weight=dict.fromkeys(np.unique(y), 0)).fit(X, y)


def test_warm_start_where_the_old_start_does_not_fit(problem):
    """Other labels, weights and losses are changed by `property/test_fit_again.py`."""
    X, y, _ = problem
    model = TopKClassifier(
        "svm_multi", gamma=1.0, tol=1e-8, max_iter=10**5, random_state=0, warm_start=True
    )
    for rows, kernel in ((150, "linear"), (120, "linear"), (120, "rbf"), (150, "linear")):
        model.set_params(kernel=kernel, theta=0.2).fit(X[:rows], y[:rows])
        cold = clone(model).fit(X[:rows], y[:rows])
        scores = model.decision_function(X)
        np.testing.assert_allclose(scores, cold.decision_function(X), atol=1e-2)
        assert model.fit(X[:rows], y[:rows]).n_iter_ == 1 < cold.n_iter_
    with pytest.raises(ValueError, match="warm_start=True needs the classes of the previous fit"):
        model.fit(X, np.array(list("abcde"))[y])
    model.set_params(warm_start=False).fit(X, np.array(list("abcde"))[y])


def test_a_warning_when_the_gap_is_not_reached(problem):
    X, y, _ = problem
    model = TopKClassifier(C=1e3, tol=1e-9, max_iter=3, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"did not reach tol=1e-09: status 'max_iter'.*3 ep"
    ):
        model.fit(X, y)
    assert (model.status_, model.n_iter_) == ("max_iter", 3)
    model.set_params(max_iter=10**8, time_limit=0.0)
    with pytest.warns(ConvergenceWarning, match="'time_limit'"):
        model.fit(X, y)


def test_verbose_prints_the_evaluations(problem, capsys):
    X, y, _ = problem
    model = TopKClassifier(random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""
    model.set_params(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(model.history_)
    assert lines[-1].startswith(f"[TopKClassifier] epoch {model.n_iter_}: primal ")


def test_the_random_state_is_the_seed(problem):
    X, y, _ = problem

    def coef(state):
        return TopKClassifier(random_state=state).fit(X, y).coef_

    np.testing.assert_array_equal(coef(3), solve(X, y, "lr_multi", seed=3).W.T)
    np.testing.assert_array_equal(coef(np.random.RandomState(5)), coef(np.random.RandomState(5)))
    assert not np.array_equal(coef(3), coef(4))


@pytest.mark.parametrize(
    "parameters",
    [
        {"k": 5, "loss": "topk_svm_alpha"},
        {"k": 0},
        {"random_state": -1},
        {"random_state": "a"},
        {"loss": ["svm_multi"]},
    ],
    ids=repr,
)
def test_bad_parameters_are_named(problem, parameters):
    X, y, _ = problem
    named = next(iter(parameters))
    with pytest.raises(ValueError, match=rf"\b{named} must be|cannot be used to seed"):
        TopKClassifier(**parameters).fit(X, y)


def test_parameters_without_a_meaning_are_ignored(problem):
    X, y, _ = problem
    for loss, ignored in (
        ("lr_multi", {"k": 9, "gamma": 1.0, "theta": 2.0}),
        ("svm_multi", {"k": 3}),
        ("topk_ent", {"gamma": 1.0}),
    ):
        alone = TopKClassifier(loss, random_state=0).fit(X, y)
        model = TopKClassifier(loss, random_state=0, **ignored).fit(X, y)
        np.testing.assert_array_equal(model.coef_, alone.coef_)
        assert hasattr(model, "predict_proba") == (loss != "svm_multi")
    grid = {"loss": ["svm_multi", "lr_multi", "topk_svm_alpha"], "k": [1, 2], "gamma": [0.0, 1.0]}
    search = GridSearchCV(TopKClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 12


@pytest.mark.parametrize(
    "model",
    [TopKClassifier(), MultilabelClassifier(threshold=0.0), CalibratedSets(GaussianNB())],
    ids=repr,
)
def test_a_pickle_of_another_version_warns(problem, model, monkeypatch):
    X, y, m = problem
    model.fit(X, np.eye(m, dtype=int)[y] if isinstance(model, MultilabelClassifier) else y)
    written = pickle.dumps(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(written)
    monkeypatch.setattr("toplabel.estimators.common.version", "99.0")
    with pytest.warns(InconsistentVersionWarning, match=r"pickled by toplabel .* toplabel 99\.0"):
        read = pickle.loads(written)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))


def test_bad_arrays_are_named(problem):
    X, y, _ = problem
    model = TopKClassifier()
    with pytest.raises(ValueError, match="1 class only"):
        model.fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="at least two classes"):
        model.fit(X, y, sample_weight=y == 1)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.fit(X, y, sample_weight=y - 1.0)
    with pytest.raises(NotFittedError):
        model.predict(X)  # no failed fit makes it fitted
    with pytest.raises(TypeError, match="Sparse data was passed"):
        TopKClassifier(kernel="precomputed").fit(sparse.csr_matrix(X @ X.T), y)
