"""A weight of a row is that many copies of it, for every loss, form of the rows, solver and rule."""

import numpy as np
import pytest
from scipy import sparse
from solver_cases import CONVEX, check_certificate, target

import toplabel
from toplabel import MultilabelClassifier, losses, thresholds

FORMS = {"dense": np.asarray, "csr": sparse.csr_array, "gram": lambda X: X @ X.T}


def weights_and_copies(n, seed=0):
    """Return a weight of each row, zeros among them, and the rows that as many copies are."""
    weight = np.random.default_rng(seed).integers(0, 4, n)
    return weight, np.repeat(np.arange(n), weight)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("key", CONVEX)
def test_weighted_rows_and_copies_have_the_same_optimum(wide_problem, key, form):
    X, y = wide_problem[0][:, :12] + 0.1, target(wide_problem, key)
    weight, copies = weights_and_copies(len(y))
    options = {"C": 0.7, "tol": 1e-8, "max_iter": 10**5, "fit_intercept": True}
    options |= {"n_classes": 5} if y.ndim == 1 else {}
    options |= {"k": 2} if losses.get(key).top_k else {}
    options |= {"kernel": "precomputed"} if form == "gram" else {}
    rows = FORMS[form]
    weighted = toplabel.solve(rows(X), y, key, sample_weight=weight, **options)
    copied = toplabel.solve(rows(X[copies]), y[copies], key, **options)
    assert weighted.status == copied.status == "converged"
    assert weighted.dual <= copied.primal
    assert copied.dual <= weighted.primal
    check_certificate(rows(X), y, weighted, weight)
    near = weighted.intercept, copied.intercept
    np.testing.assert_allclose(*near, atol=2e-2 * np.abs(near).max())


@pytest.mark.parametrize(
    ("key", "method", "form"),
    [
        ("topk_ent_tr", "auto", "dense"),
        ("topk_ent_tr", "auto", "gram"),
        ("svm_multi", "newton", "dense"),
        ("svm_multi", "newton", "csr"),
    ],
)
def test_in_a_descent_and_in_newtons_method(wide_problem, key, method, form):
    X, y = wide_problem[0][:, :9] + 0.1, wide_problem[1]
    weight, copies = weights_and_copies(len(y))
    start = np.zeros((len(y), 5))  # the same one: copies have other softmax iterates
    options = {"k": 2 if key == "topk_ent_tr" else 1, "C": 1.0, "tol": 1e-9, "n_classes": 5}
    options |= {"kernel": "precomputed" if form == "gram" else "linear", "method": method}
    rows = FORMS[form]
    weighted = toplabel.solve(rows(X), y, key, sample_weight=weight, warm_start=start, **options)
    X, y, start = X[copies], y[copies], start[copies]
    copied = toplabel.solve(rows(X), y, key, warm_start=start, **options)
    assert weighted.primal == pytest.approx(copied.primal, rel=1e-8)


def test_one_weight_is_for_all_rows(wide_problem):
    X, y, _ = wide_problem
    options = {"loss": "lr_multi", "tol": 1e-8}
    one = toplabel.solve(X, y, sample_weight=2.0, **options)
    each = toplabel.solve(X, y, sample_weight=np.full(len(y), 2.0), **options)
    assert one.primal == each.primal


@pytest.mark.parametrize("method", ["sdca", "newton", "pairs"])
def test_so_is_one_whose_product_with_C_is_tiny(wide_problem, method):
    X, y, _ = wide_problem
    weight = np.full(len(y), 1e-9)
    weight[13:15] = 1e-208, 2e-209  # 1/(C w) is infinite
    options = {"C": 1e-100, "sample_weight": weight, "method": method}
    solution = toplabel.solve(X, y, "svm_multi", **options)
    assert solution.status == "converged"
    assert not solution.A[13:15].any()
    assert toplabel.certify(X, y, solution, sample_weight=weight).relative_gap <= 2e-3
    again = toplabel.solve(X, y, "svm_multi", warm_start=solution, **options)
    assert again.status == "converged"


# ---- what is chosen and measured; scikit-learn's checks compare models of weights and copies --------


@pytest.mark.parametrize("scale", ["auto", 1.0])
def test_scales_of_the_intercept(wide_problem, scale):
    X, y, _ = wide_problem
    weight, copies = weights_and_copies(len(y))
    options = {"fit_intercept": True, "intercept_scaling": scale, "max_iter": 0, "n_classes": 5}
    weighted = toplabel.solve(3 * X, y, sample_weight=weight, **options).intercept_scaling
    copied = toplabel.solve(3 * X[copies], y[copies], **options).intercept_scaling
    assert weighted == pytest.approx(copied, rel=1e-12)
    assert (weighted == 1.0) == (scale == 1.0)


@pytest.mark.parametrize("threshold", ["cardinality", "tune"])
def test_thresholds_of_an_estimator(wide_problem, threshold):
    X, _, Y = wide_problem
    weight, copies = weights_and_copies(len(Y))
    halves = np.arange(30), np.arange(30, 60)
    model = MultilabelClassifier(
        "lr_ml", threshold=threshold, threshold_metric="f1_macro", tol=1e-12, random_state=0
    )
    weighted = model.set_params(cv=[halves, halves[::-1]]).fit(X, Y, weight)
    expected = weighted.threshold_, getattr(weighted, "threshold_score_", None)
    halves = np.flatnonzero(copies < 30), np.flatnonzero(copies >= 30)
    repeated = model.set_params(cv=[halves, halves[::-1]]).fit(X[copies], Y[copies])
    assert repeated.threshold_ == pytest.approx(expected[0], abs=1e-5)
    if threshold == "tune":
        assert repeated.threshold_score_ == pytest.approx(expected[1])


@pytest.mark.parametrize("metric", thresholds.METRICS)
def test_sweeps_over_thresholds(metric, monkeypatch):
    monkeypatch.setattr(thresholds.sweeping, "_BLOCK", 5 * 4)  # several blocks
    rng = np.random.default_rng(5)
    scores, Y = rng.normal(size=(23, 4)), rng.random((23, 4)) < 0.3
    weight, copies = weights_and_copies(23, seed=5)
    weighted = thresholds.sweep(scores, Y, sample_weight=weight)[metric]
    copied = thresholds.sweep(scores[copies], Y[copies])[metric]
    np.testing.assert_allclose(weighted, copied, rtol=0, atol=1e-12)
    tuned = thresholds.tune(scores, Y, metric, sample_weight=weight)
    assert tuned == pytest.approx(thresholds.tune(scores[copies], Y[copies], metric))
    assert tuned == pytest.approx(thresholds.tune(scores, Y, metric, sample_weight=weight / 7))


def test_cardinalities():
    scores = np.random.default_rng(6).normal(size=(23, 4))
    weight, copies = weights_and_copies(23, seed=6)
    for cardinality in (0.0, 0.3, 1.7, 4.0):
        weighted = thresholds.match_cardinality(scores, cardinality, sample_weight=weight)
        assert weighted == thresholds.match_cardinality(scores[copies], cardinality)
    with pytest.raises(ValueError, match="sample_weight must have the shape"):
        thresholds.match_cardinality(scores, 1.0, sample_weight=[1.0])
