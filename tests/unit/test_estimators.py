"""`TopKClassifier`: what it adds to `toplabel.solve`."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import top_k_accuracy_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

import toplabel
from toplabel import TopKClassifier
from toplabel.estimators import top_k_scorer


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    n, d, m = 150, 6, 5
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    return X, y, m


LOSSES = [
    ("svm_multi", 1, 0.0),
    ("svm_multi", 1, 1.0),
    ("topk_svm_alpha", 3, 0.5),
    ("topk_svm_beta", 2, 0.0),
    ("lr_multi", 1, 0.0),
    ("topk_ent", 2, 0.0),
    ("svm_ova", 1, 1.0),
    ("lr_ova", 1, 0.0),
]


@pytest.mark.parametrize(("loss", "k", "gamma"), LOSSES)
def test_it_is_the_solver(problem, loss, k, gamma):
    X, y, m = problem
    names = np.array(["e", "b", "a", "d", "c"])
    solution = toplabel.solve(X, y, loss=loss, k=k, gamma=gamma, C=0.3, seed=7)
    model = TopKClassifier(loss, k=k, gamma=gamma, C=0.3, random_state=7).fit(X, y)
    np.testing.assert_array_equal(model.coef_, solution.W.T)
    np.testing.assert_allclose(model.decision_function(X), solution.decision_function(X))
    assert model.n_iter_ == solution.epochs
    assert model.dual_gap_ == solution.primal - solution.dual
    assert model.relative_gap_ == solution.relative_gap <= model.eps
    assert model.status_ == "converged"
    assert [r.dual for r in model.history_] == [r.dual for r in solution.history]
    np.testing.assert_array_equal(model.intercept_, np.zeros(m))
    # Names are sorted, so their order is not that of the indices: the same classes all the same.
    named = TopKClassifier(loss, k=k, gamma=gamma, C=0.3, eps=1e-10, max_epochs=10**5)
    plain = clone(named).fit(X, y).decision_function(X)
    scores = named.fit(X, names[y]).decision_function(X)
    np.testing.assert_allclose(scores, plain[:, np.argsort(names)], atol=2e-4)
    np.testing.assert_array_equal(named.predict(X), np.sort(names)[scores.argmax(axis=1)])


def test_the_truncated_entropy_has_a_gradient_norm(problem):
    X, y, _ = problem
    model = TopKClassifier("topk_ent_tr", k=2, random_state=7).fit(X, y)
    solution = toplabel.solve(X, y, loss="topk_ent_tr", k=2, seed=7)
    np.testing.assert_array_equal(model.coef_, solution.W.T)
    assert model.gradient_norm_ == solution.gradient_norm > 0
    assert (model.dual_gap_, np.isnan(model.relative_gap_)) == (np.inf, True)
    with pytest.warns(ConvergenceWarning, match="at the gradient norm"):
        model.set_params(eps=0.0, max_epochs=2, warm_start=True).fit(X, y)
    model.set_params(eps=1e-3, max_epochs=1000).fit(X, y)
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
    solution = toplabel.solve(X, y, loss=loss, kernel=kernel, theta=theta)
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
    model = TopKClassifier("lr_multi", random_state=0).fit(X[:3], ["b", "c", "a"])
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
    weight = np.arange(len(y)) % 3
    for k in range(1, m):
        scores = model.decision_function(X)
        expected = toplabel.metrics.top_k_accuracy(columns, scores, k)
        assert model.top_k_score(X, names[y], k) == expected
        assert top_k_scorer(k)(model, X, names[y]) == expected
        assert expected == pytest.approx(top_k_accuracy_score(columns, scores, k=k))
        repeated = np.repeat(np.arange(len(y)), weight)
        assert model.top_k_score(X, names[y], k, sample_weight=weight) == pytest.approx(
            model.top_k_score(X[repeated], names[y][repeated], k)
        )
    assert model.top_k_score(X, names[y]) == model.top_k_score(X, names[y], 2)
    assert model.top_k_score(X[:2], ["never seen", "z"], m) == 0.0
    with pytest.raises(ValueError, match=r"k must be in 1\.\.5"):
        model.top_k_score(X, names[y], 6)
    two = TopKClassifier(random_state=0).fit(X, y > 1)
    assert two.top_k_score(X, y > 1) == two.score(X, y > 1)
    assert top_k_scorer(2)(two, X, y > 1) == 1.0


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("loss", ["lr_multi", "topk_ent", "topk_ent_tr"])
def test_probabilities(problem, loss, classes):
    X, y, _ = problem
    y = y % classes
    model = TopKClassifier(loss, random_state=0).fit(X, y)
    scores = toplabel.solve(X, y, loss=loss).decision_function(X)
    powers = np.exp(scores)
    np.testing.assert_allclose(
        model.predict_proba(X), powers / powers.sum(axis=1, keepdims=True), rtol=1e-9
    )
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@pytest.mark.parametrize("model", [TopKClassifier(), TopKClassifier("topk_ent", k=2)], ids=repr)
def test_other_losses_have_no_probabilities(model):
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = model.predict_proba


@pytest.mark.parametrize(("loss", "k", "gamma"), LOSSES)
def test_a_weight_is_as_many_copies(problem, loss, k, gamma):
    X, y, _ = problem
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    model = TopKClassifier(
        loss, k=k, gamma=gamma, C=0.1, eps=1e-12, max_epochs=10**5, random_state=0
    )
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    model.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, repeated.coef_, atol=2e-5)
    assert np.abs(clone(model).fit(X, y).coef_ - model.coef_).max() > 1e-3


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


@pytest.mark.parametrize("convert", [sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "theta": 0.2}], ids=["linear", "rbf"])
def test_sparse_rows_are_the_dense_ones(problem, convert, settings):
    X, y, _ = problem
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    settings = {"loss": "svm_multi", "gamma": 1.0, "eps": 1e-9, "random_state": 0, **settings}
    dense = TopKClassifier(**settings).fit(X, y)
    model = TopKClassifier(**settings).fit(convert(X), y)
    del settings["random_state"]
    solution = toplabel.solve(sparse.csr_matrix(X), y, **settings)  # sparse rows stay sparse
    coef = solution.A if solution.W is None else solution.W
    np.testing.assert_array_equal(model.dual_coef_ if solution.W is None else model.coef_, coef.T)
    scores = dense.decision_function(X)
    np.testing.assert_allclose(model.decision_function(convert(X)), scores, atol=1e-3)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-3)
    np.testing.assert_allclose(dense.decision_function(convert(X)), scores, atol=1e-12)


def test_float32_rows(problem):
    X, y, _ = problem
    model = TopKClassifier("lr_multi", eps=1e-5, random_state=0).fit(X.astype(np.float32), y)
    double = TopKClassifier("lr_multi", eps=1e-5, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, double.coef_, atol=0.02)
    assert model.relative_gap_ <= 1e-5
    single = toplabel.solve(X.astype(np.float32), y, loss="lr_multi", eps=1e-5)
    np.testing.assert_array_equal(model.coef_, single.W.T)  # no conversion on the way
    assert not np.array_equal(model.coef_, double.coef_)


def cubic(X, Z):
    return (1 + X @ Z.T) ** 3


def test_kernels_are_those_of_the_solver(problem):
    X, y, m = problem
    new = X[:20] + 0.1
    common = {"loss": "svm_multi", "gamma": 1.0, "random_state": 0}
    rbf = TopKClassifier(**common, kernel="rbf", theta=0.3).fit(X, y)
    solution = toplabel.solve(X, y, gamma=1.0, kernel="rbf", theta=0.3)
    np.testing.assert_array_equal(rbf.dual_coef_, solution.A.T)
    np.testing.assert_array_equal(rbf.decision_function(new), solution.decision_function(new))
    assert not hasattr(rbf, "coef_")
    given = TopKClassifier(**common, kernel="precomputed").fit(rbf_kernel(X, X, gamma=0.3), y)
    np.testing.assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=0.3)),
        rbf_kernel(new, X, gamma=0.3) @ given.dual_coef_.T,
    )
    np.testing.assert_allclose(
        given.decision_function(rbf_kernel(new, X, gamma=0.3)), rbf.decision_function(new), atol=0.1
    )
    assert given.dual_coef_.shape == (m, len(X))
    called = TopKClassifier(**common, kernel=cubic).fit(X, y)
    solution = toplabel.solve(X, y, gamma=1.0, kernel=cubic)
    np.testing.assert_array_equal(called.decision_function(new), solution.decision_function(new))
    copy = pickle.loads(pickle.dumps(called))
    np.testing.assert_allclose(copy.decision_function(new), called.decision_function(new))
    linear = clone(rbf).set_params(kernel="linear", theta=None).fit(X, y)
    assert not hasattr(linear, "dual_coef_")
    linear.set_params(kernel="rbf", theta=0.3).fit(X, y)
    assert not hasattr(linear, "coef_")


def test_cross_validation_slices_a_gram_matrix_on_both_sides(problem):
    X, y, _ = problem
    K = X @ X.T
    given = TopKClassifier("lr_multi", kernel="precomputed", eps=1e-8, random_state=0)
    linear = TopKClassifier("lr_multi", eps=1e-8, random_state=0)
    np.testing.assert_allclose(
        cross_val_predict(given, K, y, method="predict_proba"),
        cross_val_predict(linear, X, y, method="predict_proba"),
        atol=1e-3,
    )


@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("classes", [2, 5])
def test_crammer_and_singer_is_that_of_liblinear(problem, C, classes):
    X, y, _ = problem
    y = y % classes
    peer = LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, C=C, tol=1e-10, max_iter=10**6
    ).fit(X, y)
    model = TopKClassifier(C=C, eps=1e-12, max_epochs=10**5, random_state=0).fit(X, y)
    assert model.coef_.shape == peer.coef_.shape
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)


def test_one_vs_all_is_that_of_liblinear(problem):
    X, y, _ = problem
    for classes in (2, 5):
        peer = LinearSVC(loss="hinge", fit_intercept=False, C=0.3, tol=1e-10, max_iter=10**6)
        model = TopKClassifier("svm_ova", C=0.3, eps=1e-12, max_epochs=10**5, random_state=0)
        np.testing.assert_allclose(
            model.fit(X, y % classes).coef_, peer.fit(X, y % classes).coef_, atol=1e-4
        )


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_softmax_is_multinomial_logistic_regression(problem, C):
    X, y, _ = problem
    common = {"fit_intercept": False, "tol": 1e-10, "max_iter": 10**5}
    model = TopKClassifier("lr_multi", C=C, eps=1e-12, max_epochs=10**5, random_state=0)
    peer = LogisticRegression(C=C, **common).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    # Of two classes scikit-learn has one vector v with ||v||^2/2; here v is the difference of w and -w with
    # (||w||^2 + ||w||^2)/2 = ||v||^2/4: half the penalty.
    peer = LogisticRegression(C=2 * C, **common).fit(X, y > 1)
    np.testing.assert_allclose(model.fit(X, y > 1).coef_, peer.coef_, atol=1e-4)
    peer = LogisticRegression(C=C, **common).fit(X, y > 1)
    model = clone(model).set_params(loss="lr_ova")
    np.testing.assert_allclose(model.fit(X, y > 1).coef_, peer.coef_, atol=1e-4)


def test_grid_search_over_a_pipeline(problem):
    X, y, _ = problem
    names = np.array(["e", "b", "a", "d", "c"])
    X = X * [1, 10, 100, 1, 1, 1] + 5
    pipeline = make_pipeline(
        StandardScaler(), TopKClassifier("topk_svm_alpha", gamma=1.0, random_state=0)
    )
    grid = {"topkclassifier__C": [1e-4, 0.1, 1.0], "topkclassifier__k": [1, 2, 3]}
    search = GridSearchCV(pipeline, grid, scoring=top_k_scorer(2), cv=3).fit(X, names[y])
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert search.best_score_ == scores.max() > 0.75
    assert search.predict(X).dtype == names.dtype
    assert search.best_estimator_[-1].predict_topk(X, 2).shape == (len(X), 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_a_bias_it_scores_and_with_a_constant_column_it_has_one():
    X, y = make_blobs(n_samples=300, random_state=0)
    assert TopKClassifier(random_state=0).fit(X, y).score(X, y) > 0.83
    X = StandardScaler().fit_transform(X)
    assert TopKClassifier(random_state=0).fit(X, y).score(X, y) > 0.83
    # Class weights that leave nothing but class 0: only a bias can follow.
    X, y = make_blobs(centers=3, random_state=0, cluster_std=20)
    weights = {0: 1000, 1: 1e-4, 2: 1e-4}
    flat = TopKClassifier(class_weight=weights, random_state=0)
    biased = make_pipeline(
        StandardScaler(), PolynomialFeatures(1), TopKClassifier(class_weight=weights)
    )
    assert np.mean(flat.fit(X, y).predict(X) == 0) < 0.87
    assert np.mean(biased.fit(X, y).predict(X) == 0) > 0.87
    column = FunctionTransformer(lambda X: np.column_stack([X, np.ones(len(X))]))
    same = make_pipeline(StandardScaler(), column, TopKClassifier(class_weight=weights))
    np.testing.assert_array_equal(same.fit(X, y).predict(X), biased.predict(X))


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "theta": 0.3}], ids=["linear", "rbf"])
@pytest.mark.parametrize("warm", [False, True])
def test_pickle_and_clone(problem, settings, warm):
    X, y, _ = problem
    model = TopKClassifier(random_state=0, warm_start=warm, **settings).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(copy.decision_function(X), model.decision_function(X), atol=1e-12)
    if warm:
        assert copy.fit(X, y).n_iter_ == 0
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_a_linear_model_keeps_no_dual_variables(problem):
    X, y, _ = problem
    X = np.tile(X, (200, 1))
    model = TopKClassifier("lr_multi", random_state=0).fit(X, np.tile(y, 200))
    assert len(pickle.dumps(model)) < 10_000 + 300 * len(model.history_)


@pytest.mark.parametrize(("loss", "k", "gamma"), LOSSES)
def test_warm_start_over_C_saves_epochs(problem, loss, k, gamma):
    X, y, _ = problem
    common = {"loss": loss, "k": k, "gamma": gamma, "eps": 1e-7, "max_epochs": 10**5}
    warm = TopKClassifier(**common, random_state=0, warm_start=True)
    epochs = {"warm": 0, "cold": 0}
    for C in (1.0, 1.1, 1.2, 1.3):
        cold = TopKClassifier(**common, random_state=0, C=C).fit(X, y)
        warm.set_params(C=C).fit(X, y)
        assert warm.status_ == "converged"
        np.testing.assert_allclose(warm.coef_, cold.coef_, atol=0.01)
        if C > 1.0:
            epochs["warm"] += warm.n_iter_
            epochs["cold"] += cold.n_iter_
    assert epochs["warm"] < epochs["cold"]
    assert warm.fit(X, y).n_iter_ == 0


def test_warm_start_where_the_old_start_does_not_fit(problem):
    X, y, _ = problem
    model = TopKClassifier(gamma=1.0, eps=1e-8, max_epochs=10**5, random_state=0, warm_start=True)

    def check(X, y, weight=None, epochs=None):
        cold = clone(model).fit(X, y, weight)
        model.fit(X, y, weight)
        np.testing.assert_allclose(model.coef_, cold.coef_, atol=1e-3)
        if epochs is not None:
            assert model.n_iter_ == epochs

    check(X, y)
    check(X, y, epochs=0)
    check(X[:120], y[:120])  # other rows
    check(
        X[:120], np.roll(y[:120], 1)
    )  # other labels, for which the old dual variables are not feasible
    check(X[:120], np.roll(y[:120], 1), np.arange(120) % 3)  # other weights
    check(X[:120], np.roll(y[:120], 1), np.arange(120) % 3, epochs=0)
    model.set_params(loss="topk_svm_alpha", k=2)  # another feasible set
    check(X[:120], y[:120])
    model.set_params(kernel="rbf", theta=0.2)  # the same feasible set
    model.fit(X[:120], y[:120])
    with pytest.raises(ValueError, match="warm_start=True needs the classes of the previous fit"):
        model.fit(X, np.array(list("abcde"))[y])
    model.set_params(warm_start=False).fit(X, np.array(list("abcde"))[y])


def test_a_warning_when_the_gap_is_not_reached(problem):
    X, y, _ = problem
    model = TopKClassifier(C=1e3, eps=1e-9, max_epochs=3, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"did not reach eps=1e-09: status 'max_epochs'.*3 ep"
    ):
        model.fit(X, y)
    assert (model.status_, model.n_iter_) == ("max_epochs", 3)
    model.set_params(max_epochs=10**8, time_limit=0.02)
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

    np.testing.assert_array_equal(coef(3), toplabel.solve(X, y, seed=3).W.T)
    np.testing.assert_array_equal(coef(np.random.RandomState(5)), coef(np.random.RandomState(5)))
    assert not np.array_equal(coef(3), coef(4))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": "lr_ml"}, ValueError, "'lr_ml' is not for TopKClassifier; use Multilabel"),
        ({"loss": "hinge"}, ValueError, "loss must be one of"),
        (
            {"loss": "topk_svm_alpha", "k": 5},
            ValueError,
            r"k must be in 1\.\.4 for 5 classes, got 5",
        ),
        ({"k": 2}, ValueError, "has no k"),
        ({"C": -1.0}, ValueError, "C must be"),
        ({"kernel": "rbf"}, ValueError, "theta must be given"),
        ({"kernel": "precomputed"}, ValueError, "square Gram matrix"),
        ({"random_state": -1}, ValueError, "random_state must be in"),
        ({"random_state": "a"}, ValueError, "cannot be used to seed"),
        ({"eps": "small"}, TypeError, "eps must be a number"),
    ],
)
def test_bad_parameters_are_named(problem, parameters, error, message):
    X, y, _ = problem
    with pytest.raises(error, match=message):
        TopKClassifier(**parameters).fit(X, y)


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


def test_the_solvers_alone_do_not_import_scikit_learn():
    code = (
        "import sys, toplabel; assert 'sklearn' not in sys.modules; "
        "assert 'TopKClassifier' in dir(toplabel); "
        "toplabel.MultilabelClassifier, toplabel.estimators.top_k_scorer; "
        "assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = toplabel.Nonsense
