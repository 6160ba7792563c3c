"""`TopKClassifier` beside scikit-learn's estimators, and inside its tools."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_predict, cross_validate
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from toplabel import TopKClassifier
from toplabel.estimators import top_k_scorer


def test_cross_validation_slices_a_gram_matrix_on_both_sides(problem):
    X, y, _ = problem
    K = X @ X.T
    given = TopKClassifier("lr_multi", kernel="precomputed", tol=1e-8, random_state=0)
    linear = TopKClassifier("lr_multi", tol=1e-8, random_state=0)
    np.testing.assert_allclose(
        cross_val_predict(given, K, y, method="predict_proba"),
        cross_val_predict(linear, X, y, method="predict_proba"),
        atol=1e-3,
    )


def test_weights_are_routed_to_the_scorer(problem):
    X, y, _ = problem
    weight = (np.arange(len(y)) % 3).astype(float)
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        top_k_scorer(2).set_score_request(sample_weight=True)
    folds, model = KFold(3), TopKClassifier("lr_multi", random_state=0)

    def scores(scorer):
        with config_context(enable_metadata_routing=True):
            trained = model.set_fit_request(sample_weight=True)
            params = {"sample_weight": weight}
            return cross_validate(trained, X, y, cv=folds, scoring=scorer(), params=params)

    def expected(weighted):
        for inside, outside in folds.split(X):
            fitted = clone(model).fit(X[inside], y[inside], weight[inside])
            of_rows = weight[outside] if weighted else None
            yield fitted.top_k_score(X[outside], y[outside], 2, of_rows)

    for weighted in (True, False):
        found = scores(lambda w=weighted: top_k_scorer(2).set_score_request(sample_weight=w))
        np.testing.assert_array_equal(found["test_score"], list(expected(weighted)))
    with pytest.raises(UnsetMetadataPassedError):
        scores(lambda: top_k_scorer(2))


@pytest.mark.parametrize(
    "intercept", [{"fit_intercept": False}, {"intercept_scaling": 0.5}, {"intercept_scaling": 4.0}]
)
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize(
    ("loss", "options"),
    [("svm_multi", {"multi_class": "crammer_singer"}), ("svm_ova", {"loss": "hinge"})],
)
def test_hinges_are_those_of_liblinear(problem, loss, options, classes, intercept):
    X, y = problem[0] + 0.5, problem[1] % classes
    for C in (0.05, 1.0):
        peer = LinearSVC(C=C, **options, **intercept, tol=1e-10, max_iter=10**6).fit(X, y)
        model = TopKClassifier(loss, C=C, **intercept, tol=1e-12, max_iter=10**5, random_state=0)
        model.fit(X, y)
        assert model.coef_.shape == peer.coef_.shape
        np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
        if intercept.get("fit_intercept", True):
            assert model.intercept_.shape == peer.intercept_.shape
            np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-4)
        scores = peer.decision_function(X)
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-3)


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_softmax_is_multinomial_logistic_regression(problem, C):
    X, y, _ = problem
    common = {"fit_intercept": False, "tol": 1e-10, "max_iter": 10**5}
    model = TopKClassifier(
        "lr_multi", C=C, fit_intercept=False, tol=1e-12, max_iter=10**5, random_state=0
    )
    peer = LogisticRegression(C=C, **common).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    # Of two classes scikit-learn has one vector v with ||v||^2/2; here v is the difference of w and
    # -w with (||w||^2 + ||w||^2)/2 = ||v||^2/4: half the penalty.
    peer = LogisticRegression(C=2 * C, **common).fit(X, y > 1)
    np.testing.assert_allclose(model.fit(X, y > 1).coef_, peer.coef_, atol=1e-4)
    peer = LogisticRegression(C=C, **common).fit(X, y > 1)
    model = clone(model).set_params(loss="lr_ova")
    np.testing.assert_allclose(model.fit(X, y > 1).coef_, peer.coef_, atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_an_intercept_the_accuracy_of_poor_score_is_reached():
    X, y = make_blobs(n_samples=300, random_state=0)
    flat = TopKClassifier(fit_intercept=False, random_state=0)
    assert flat.fit(X, y).score(X, y) > 0.83  # what scikit-learn asks for without the tag
    assert TopKClassifier(random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_class_weights_move_a_boundary_off_the_origin_with_an_intercept_only():
    """The weights leave nothing but class 0, of which scikit-learn asks 0.87 of the predictions."""
    X, y = make_blobs(centers=3, random_state=0, cluster_std=20)
    X = StandardScaler().fit_transform(X)
    model = TopKClassifier(class_weight={0: 1000, 1: 1e-4, 2: 1e-4}, random_state=0)
    assert np.mean(model.fit(X, y).predict(X) == 0) > 0.87
    model.set_params(fit_intercept=False)
    assert np.mean(model.fit(X, y).predict(X) == 0) < 0.87
