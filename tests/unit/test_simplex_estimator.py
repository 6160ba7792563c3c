"""`SimplexClassifier`: what it fits, and what it refuses."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

import toplabel
from toplabel import SimplexClassifier


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("loss", ["s_ls", "sc_svm", "sh_svm"])
def test_the_model_is_that_of_the_trainer(iris, loss):
    X, y = iris
    model = SimplexClassifier(loss, C=0.3, random_state=7).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    found = toplabel.simplex.solve(X, codes, loss, 0.3, max_iter=10000, seed=7)
    assert np.array_equal(model.coef_, found.W.T)
    scores = X @ model.coef_.T @ model.codes_
    assert model.decision_function(X) == pytest.approx(scores)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert model.relative_gap_ <= 1e-3
    assert (model.n_iter_ == 1) == (loss == "s_ls")
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_leave_one_out_takes_the_best_of_the_grid(iris):
    X, y = iris
    model = SimplexClassifier(C="loo", kernel="rbf").fit(X, y)
    assert len(model.Cs_) == len(model.loo_errors_) == 100
    assert model.loo_errors_.min() == model.loo_errors_[model.Cs_ == model.C_][0]
    assert model.theta_ == pytest.approx(1 / (2 * toplabel.simplex.gaussian_width(X) ** 2))
    assert model.score(X, y) > 0.95
    assert model.dual_coef_.shape == (150, 2)


def test_training_again_forgets_the_grid(iris):
    X, y = iris
    model = SimplexClassifier(C="loo").fit(X, y)
    model.set_params(C=1.0).fit(X, y)
    assert not hasattr(model, "Cs_")
    assert not hasattr(model, "loo_errors_")


def test_two_classes_are_told_apart_by_the_sign(iris):
    X, y = iris[0][:100], iris[1][:100]
    scores = SimplexClassifier("sc_svm").fit(X, y).decision_function(X)
    assert np.array_equal(scores > 0, y == "versicolor")


def test_online_training_takes_sparse_rows(iris):
    X, y = iris
    options = {"online": True, "epochs": 20, "random_state": 0, "C": 1.0}
    for average in (False, True):
        dense = SimplexClassifier("sc_svm", average=average, **options).fit(X, y)
        csr = SimplexClassifier("sc_svm", average=average, **options).fit(sparse.csr_matrix(X), y)
        assert csr.coef_ == pytest.approx(dense.coef_, rel=1e-9)
        assert dense.status_ == "uncertified"
        assert np.isnan(dense.relative_gap_)
        assert dense.score(X, y) > 0.6


def test_weights_of_classes_are_weights_of_rows(iris):
    X, y = iris
    factors = dict(zip(np.unique(y), (1.0, 2.0, 0.5), strict=True))
    by_class = SimplexClassifier(class_weight=factors).fit(X, y)
    by_row = SimplexClassifier().fit(X, y, [factors[name] for name in y])
    assert np.array_equal(by_class.coef_, by_row.coef_)


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm"])
def test_a_warm_start_continues(iris, loss):
    X, y = iris
    model = SimplexClassifier(loss, C=0.1, warm_start=True, random_state=0).fit(X, y)
    assert model.n_iter_ > 0
    assert model.fit(X, y).n_iter_ == 0
    model.set_params(C=0.05).fit(X, y)
    cold = SimplexClassifier(loss, C=0.05, random_state=0).fit(X, y)
    assert model.score(X, y) == pytest.approx(cold.score(X, y), abs=0.03)
    anew = model.fit(X[::2], y[::2])
    alone = SimplexClassifier(loss, C=0.05, random_state=0).fit(X[::2], y[::2])
    assert np.array_equal(anew.coef_, alone.coef_)
    with pytest.raises(ValueError, match="needs the classes of the previous fit"):
        model.fit(X[:100], y[:100])


def test_one_feature_has_leave_one_out_as_with_its_copies(iris, monkeypatch):
    """SciPy up to 1.13 has no eigenvectors of a matrix of one number: "dsyevd: lwork"."""
    X, y = iris[0][:, 2:3], iris[1]
    monkeypatch.setattr("scipy.linalg.eigh", None)
    one = SimplexClassifier("s_ls", C="loo").fit(X, y)
    monkeypatch.undo()
    for C, error in zip(one.Cs_[::33], one.loo_errors_[::33], strict=True):
        wrong = 0
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            wrong += SimplexClassifier(C=C).fit(X[rest], y[rest]).predict(X[i : i + 1])[0] != y[i]
        assert error == pytest.approx(wrong / len(y))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of s_ls, sc_svm, sh_svm, got 'hinge'"),
        ({"C": "best"}, "C must be a number"),
        ({"C": "loo", "loss": "sc_svm"}, "C must be a number"),
        ({"C": "loo", "online": True}, "C must be a number"),
        ({"online": True, "kernel": "rbf"}, "online training is for kernel='linear'"),
        ({"C": "loo", "n_Cs": 1}, "n_Cs must be >= 2"),
        ({"online": True, "class_weight": "balanced"}, "class_weight are not for online training"),
    ],
)
def test_what_does_not_fit_is_named(iris, parameters, message):
    with pytest.raises(ValueError, match=message):
        SimplexClassifier(**parameters).fit(*iris)
