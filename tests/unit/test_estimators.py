"""`TopKClassifier`: what it adds to `toplabel.solve`."""

import pickle
import subprocess
import sys
import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import top_k_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from solver_cases import solve

import toplabel
from toplabel import TopKClassifier
from toplabel.estimators import top_k_scorer


@pytest.mark.parametrize(
    ("loss", "k", "gamma"),
    [
        ("svm_multi", 1, 0.0),
        ("svm_multi", 1, 1.0),
        ("topk_svm_alpha", 3, 0.5),
        ("topk_svm_beta", 2, 0.0),
        ("lr_multi", 1, 0.0),
        ("topk_ent", 2, 0.0),
        ("svm_ova", 1, 1.0),
        ("lr_ova", 1, 0.0),
    ],
)
def test_it_is_the_solver(problem, loss, k, gamma):
    X, y, _ = problem
    names = np.array(["e", "b", "a", "d", "c"])
    solution = solve(X, y, loss=loss, k=k, gamma=gamma, C=0.3, seed=7)
    model = TopKClassifier(loss, k=k, gamma=gamma, C=0.3, random_state=7).fit(X, y)
    np.testing.assert_array_equal(model.coef_, solution.W.T)
    np.testing.assert_allclose(model.decision_function(X), solution.decision_function(X))
    assert model.n_iter_ == solution.epochs
    assert model.dual_gap_ == solution.primal - solution.dual
    assert model.relative_gap_ == solution.relative_gap <= model.tol
    assert model.status_ == "converged"
    assert [r.dual for r in model.history_] == [r.dual for r in solution.history]
    np.testing.assert_array_equal(model.intercept_, solution.intercept)
    # Names are sorted, so their order is not that of the indices: the same classes all the same.
    named = TopKClassifier(loss, k=k, gamma=gamma, C=0.3, tol=1e-10, max_iter=10**5)
    plain = clone(named).fit(X, y).decision_function(X)
    scores = named.fit(X, names[y]).decision_function(X)
    np.testing.assert_allclose(scores, plain[:, np.argsort(names)], atol=2e-4)
    np.testing.assert_array_equal(named.predict(X), np.sort(names)[scores.argmax(axis=1)])


def test_the_truncated_entropy_has_a_gradient_norm(problem):
    X, y, _ = problem
    model = TopKClassifier("topk_ent_tr", k=2, random_state=7).fit(X, y)
    solution = solve(X, y, loss="topk_ent_tr", k=2, seed=7)
    np.testing.assert_array_equal(model.coef_, solution.W.T)
    assert model.gradient_norm_ == solution.gradient_norm > 0
    assert (model.dual_gap_, np.isnan(model.relative_gap_)) == (np.inf, True)
    with pytest.warns(ConvergenceWarning, match="at the gradient norm"):
        model.set_params(tol=0.0, max_iter=2, warm_start=True).fit(X, y)
    model.set_params(tol=1e-3, max_iter=1000).fit(X, y)
    model.fit(X[:, 1:], y)  # other columns: from the beginning
    assert model.coef_.shape[1] == X.shape[1] - 1
    model.set_params(loss="lr_multi", k=1).fit(X, y)
    assert not hasattr(model, "gradient_norm_")


@pytest.mark.parametrize(
    "names",
    [
        np.array(["no", "yes", "perhaps", "soon", "never"]),
        np.array([-7, 0, 12, -1, 3]),
        np.array([0.5, -1.5, 2.5, 4.5, 3.5]) * 2,
        np.array(["no", "yes", "perhaps", "soon", "never"], dtype=object),
    ],
    ids=lambda names: names.dtype.name,
)
def test_class_names_of_any_type(problem, names):
    X, y, _ = problem
    model = TopKClassifier("lr_multi", random_state=0).fit(X, names[y])
    np.testing.assert_array_equal(model.classes_, np.unique(names))
    assert model.predict(X).dtype == names.dtype
    assert model.score(X, names[y]) > 0.5
    best = model.predict_topk(X, 2)
    assert best.dtype == names.dtype
    np.testing.assert_array_equal(best[:, 0], model.predict(X))


def test_truth_values_are_two_classes(problem):
    X, y, _ = problem
    model = TopKClassifier(random_state=0).fit(X, y < 2)
    assert model.predict(X).dtype == bool
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(("loss", "half"), [("svm_multi", 1.0), ("lr_multi", 1.0), ("lr_ova", 0.5)])
def test_two_classes_have_one_row(problem, loss, half, kernel):
    X, y, _ = problem
    y = np.minimum(y, 1)
    theta = None if kernel == "linear" else 0.3
    model = TopKClassifier(loss, kernel=kernel, theta=theta, random_state=0).fit(X, y)
    solution = solve(X, y, loss=loss, kernel=kernel, theta=theta)
    scores = solution.decision_function(X)
    np.testing.assert_allclose(
        model.decision_function(X), half * (scores[:, 1] - scores[:, 0]), atol=1e-12
    )
    coef = model.coef_ if kernel == "linear" else model.dual_coef_
    assert coef.shape == (1, X.shape[1] if kernel == "linear" else len(X))
    assert model.intercept_.shape == (1,)
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))
    np.testing.assert_array_equal(model.predict_topk(X, 2)[:, 0], model.predict(X))


def test_topk_is_ordered_and_breaks_ties_by_class():
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    model = TopKClassifier("lr_multi", fit_intercept=False).fit(X[:3], ["b", "c", "a"])
    assert model.predict_topk(X, 3)[:, 0].tolist() == ["b", "c", "a", "a"]
    assert model.predict_topk(X[3:], 3).tolist() == [["a", "b", "c"]]  # all scores are 0
    scores = model.decision_function(X)
    order = np.searchsorted(model.classes_, model.predict_topk(X, 3))
    assert (np.diff(np.take_along_axis(scores, order, axis=1), axis=1) <= 0).all()
    for k in (0, 4, 1.5):
        with pytest.raises((ValueError, TypeError), match="k must be"):
            model.predict_topk(X, k)


def test_top_k_score(problem):
    X, y, m = problem
    names = np.array(["e", "b", "a", "d", "c"])
    model = TopKClassifier("topk_svm_alpha", k=2, gamma=1.0, random_state=0).fit(X, names[y])
    columns = np.searchsorted(model.classes_, names[y])
    for k in range(1, m):
        scores = model.decision_function(X)
        expected = toplabel.metrics.top_k_accuracy(columns, scores, k)
        assert model.top_k_score(X, names[y], k) == expected
        assert top_k_scorer(k)(model, X, names[y]) == expected
        assert expected == pytest.approx(top_k_accuracy_score(columns, scores, k=k))
    assert model.top_k_score(X, names[y]) == model.top_k_score(X, names[y], 2)
    assert model.top_k_score(X[:2], ["never seen", "z"], m) == 0.0
    with pytest.raises(ValueError, match=r"k must be in 1\.\.5"):
        model.top_k_score(X, names[y], 6)
    two = TopKClassifier(random_state=0).fit(X, y > 1)
    assert two.top_k_score(X, y > 1) == two.score(X, y > 1)
    assert top_k_scorer(2)(two, X, y > 1) == 1.0


def test_top_k_score_takes_and_refuses_labels(problem):
    X, y, _ = problem
    model = TopKClassifier("lr_multi", random_state=0).fit(X, y)
    expected = model.top_k_score(X, y, 2)
    assert model.top_k_score(X, y[:, None], 2) == expected
    assert model.top_k_score(X, pd.Series(y, dtype="Int64"), 2) == expected
    for bad in (y.astype(str), y + 0.5):
        # The oldest scikit-learn's own score takes names among numbers, and finds none of them.
        for score in (model.top_k_score, partial(top_k_scorer(2), model)):
            with pytest.raises(ValueError, match=r"input types|continuous"):
                score(X, bad)


@pytest.mark.parametrize("gamma", [0.0, 1.0])
@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("loss", ["topk_svm_alpha", "topk_svm_beta", "topk_ent"])
def test_the_largest_k_converges(loss, classes, gamma):
    """A compiler once made an endless loop of it; wheels are tested with this file."""
    y = np.arange(50) % classes
    X = np.random.default_rng(0).normal(size=(50, 4))
    model = TopKClassifier(loss, k=classes - 1, gamma=gamma, random_state=0).fit(X, y)
    assert model.status_ == "converged"


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("loss", ["lr_multi", "topk_ent", "topk_ent_tr", "lr_ova"])
def test_probabilities(problem, loss, classes):
    X, y, _ = problem
    y = y % classes
    model = TopKClassifier(loss, random_state=0).fit(X, y)
    scores = solve(X, y, loss=loss).decision_function(X)
    powers = 1 / (1 + np.exp(-scores)) if loss == "lr_ova" else np.exp(scores)
    np.testing.assert_allclose(
        model.predict_proba(X), powers / powers.sum(axis=1, keepdims=True), rtol=1e-9
    )
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@pytest.mark.parametrize(
    "convert", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, np.float32]
)
@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "theta": 0.2}], ids=["linear", "rbf"])
def test_rows_reach_the_solver_as_they_are(problem, convert, settings):
    X, y, _ = problem
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    settings = {"loss": "lr_multi", "tol": 1e-5, **settings}
    model = TopKClassifier(**settings, random_state=0).fit(convert(X), y)
    rows = X.astype(np.float32) if convert is np.float32 else sparse.csr_matrix(X)
    solution = solve(rows, y, **settings)
    linear = solution.W is not None
    coef = solution.W if linear else solution.coefficients
    np.testing.assert_array_equal(model.coef_ if linear else model.dual_coef_, coef.T)
    scores = TopKClassifier(**settings).fit(X, y).decision_function(X)
    for new in (X, convert(X)):
        np.testing.assert_allclose(model.decision_function(new), scores, atol=0.05)


def cubic(X, Z):
    return (1 + X @ Z.T) ** 3


def test_kernels_are_those_of_the_solver(problem):
    X, y, m = problem
    new = X[:20] + 0.1
    common = {"loss": "svm_multi", "gamma": 1.0, "random_state": 0}
    rbf = TopKClassifier(**common, kernel="rbf", theta=0.3).fit(X, y)
    solution = solve(X, y, gamma=1.0, kernel="rbf", theta=0.3)
    np.testing.assert_array_equal(rbf.dual_coef_, solution.coefficients.T)
    np.testing.assert_array_equal(rbf.decision_function(new), solution.decision_function(new))
    assert not hasattr(rbf, "coef_")
    given = TopKClassifier(**common, kernel="precomputed").fit(rbf_kernel(X, X, gamma=0.3), y)
    scores = given.decision_function(rbf_kernel(new, X, gamma=0.3))
    np.testing.assert_allclose(scores, rbf.decision_function(new), atol=0.1)
    assert given.dual_coef_.shape == (m, len(X))
    called = TopKClassifier(**common, kernel=cubic).fit(X, y)
    solution = solve(X, y, gamma=1.0, kernel=cubic, intercept_scaling="auto")
    np.testing.assert_array_equal(called.decision_function(new), solution.decision_function(new))
    copy = pickle.loads(pickle.dumps(called))
    np.testing.assert_allclose(copy.decision_function(new), called.decision_function(new))
    linear = clone(rbf).set_params(kernel="linear", theta=None).fit(X, y)
    assert not hasattr(linear, "dual_coef_")
    linear.set_params(kernel="rbf", theta=0.3).fit(X, y)
    assert not hasattr(linear, "coef_")


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_parameter_that_is_set_after_a_fit_changes_nothing_of_the_model(problem, kernel):
    X, y = problem[0], problem[1] % 2
    options = {"kernel": kernel, "theta": 0.5 if kernel == "rbf" else None, "random_state": 0}
    model = TopKClassifier("svm_ova", **options).fit(X, y)
    scores = model.decision_function(X)
    model.set_params(loss="lr_multi")
    np.testing.assert_array_equal(model.decision_function(X), scores)
    assert not hasattr(model, "predict_proba")
    model.set_params(loss="lr_ova").fit(X, y).set_params(loss="topk_ent", k=2)
    expected = 1 / (1 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
def test_rows_are_scored_in_blocks(problem, kernel, monkeypatch):
    X, y = rbf_kernel(problem[0]) if kernel == "precomputed" else problem[0], problem[1]
    options = {"kernel": kernel, "theta": 0.5 if kernel == "rbf" else None}
    model = TopKClassifier(**options, random_state=0).fit(X, y)
    solution, rows = toplabel.solve(X, y, **options), X.astype(np.float32)
    expected = model.decision_function(rows), solution.decision_function(rows)
    monkeypatch.setattr("toplabel._core.tuning.CONVERTED", 7 * rows.shape[1])
    monkeypatch.setattr("toplabel._core.tuning.KERNEL_BLOCK", 7 * len(rows))
    found = model.decision_function(rows), solution.decision_function(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_scoring_needs_less_memory_than_float32_rows_or_a_kernel_of_all():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40000, 400)).astype(np.float32), np.arange(800) % 2
    for options in ({}, {"kernel": "rbf", "theta": 1e-3}):
        model = TopKClassifier(tol=1.0, random_state=0, **options).fit(X[:800], y)
        solution = toplabel.solve(X[:800], y, tol=1.0, **options)
        for scored in (model, solution):
            tracemalloc.start()
            scored.decision_function(X)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < (X.nbytes if not options else 8 * len(X) * 800)


def test_a_pickle_has_the_start_of_the_next_fit(problem):
    X, y, _ = problem
    model = TopKClassifier(random_state=0, warm_start=True).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).fit(X, y).n_iter_ == 1 < model.n_iter_


def test_a_linear_model_keeps_no_dual_variables(problem):
    X, y, _ = problem
    X = np.tile(X, (200, 1))
    model = TopKClassifier("lr_multi", random_state=0).fit(X, np.tile(y, 200))
    assert len(pickle.dumps(model)) < 10_000 + 300 * len(model.history_)


def test_the_solvers_alone_do_not_import_scikit_learn():
    code = (
        "import sys, toplabel; assert 'sklearn' not in sys.modules; "
        "assert 'TopKClassifier' in dir(toplabel); "
        "toplabel.MultilabelClassifier, toplabel.estimators.top_k_scorer; "
        "assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = toplabel.Nonsense


def test_words_of_scikit_learn_name_what_is_meant_here(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="theta='scale'"):
        TopKClassifier(kernel="rbf", gamma="scale").fit(X, y)
    model = TopKClassifier().fit(X, y)
    with pytest.raises(TypeError, match="top_k_score"):
        model.score(X, y, k=2)
    assert model.score(X, y) == np.mean(model.predict(X) == y)
