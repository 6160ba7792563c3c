"""A loss of the user: an object with `value` and `gradient`, and maybe `conjugate`."""

import importlib

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, xlogy
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

import toplabel
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.selection import Task
from toplabel.reproduction.selection.models import Fitter


class Plain:
    """Softmax, without its conjugate."""

    def value(self, scores, labels):
        return logsumexp(scores, axis=1) - scores[np.arange(len(labels)), labels]

    def gradient(self, scores, labels):
        return np.exp(scores - logsumexp(scores, axis=1, keepdims=True)) - one_hot(scores, labels)


class Softmax(Plain):
    def conjugate(self, v, labels):
        p = np.maximum(v + one_hot(v, labels), 0)
        return xlogy(p, p).sum(axis=1)


class BinaryRelevance:
    """The sum of the logistic losses of the labels."""

    labels = "set"

    def value(self, scores, labels):
        return np.logaddexp(0, np.where(labels == 1, -scores, scores)).sum(axis=1)

    def gradient(self, scores, labels):
        return expit(scores) - labels


def one_hot(scores, labels):
    return np.eye(scores.shape[1])[labels]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[::3] / 16, y[::3]


@pytest.mark.parametrize(
    "options",
    [
        {"fit_intercept": True},
        {"kernel": "rbf", "theta": 0.1},
        {"sample_weight": np.arange(599) % 3},
        {"dtype": np.float32},
    ],
)
def test_its_optimum_is_that_of_the_same_loss_of_the_library_with_a_gap(digits, options):
    found = toplabel.solve(*digits, Softmax(), C=1.0, tol=1e-6, **options)
    known = toplabel.solve(*digits, "lr_multi", C=1.0, tol=1e-6, **options)
    assert found.status == "converged"
    assert found.dual <= known.primal
    assert known.dual <= found.primal == pytest.approx(known.primal, rel=2e-6)
    assert 0 < found.relative_gap <= 1e-6


def test_with_a_kernel_its_dual_variables_give_the_dual_objective(digits):
    X, y = (rows[:80] for rows in digits)
    found = toplabel.solve(X, y, Softmax(), C=2.0, tol=1e-4, kernel="rbf", theta=0.1, n_classes=10)
    conjugates = Softmax().conjugate(-found.A / 2.0, y)
    D = -conjugates.mean() - np.vdot(found.A, rbf_kernel(X, gamma=0.1) @ found.A) / (2 * 2.0 * 80)
    assert found.dual == pytest.approx(D)


def test_without_a_conjugate_there_is_the_norm_of_the_gradient(digits):
    X, y = digits
    found = toplabel.solve(X, y, Plain(), C=2.0, tol=1e-8)
    assert np.isnan(found.relative_gap)

    def objective(w):
        W = w.reshape(64, 10)
        gradient = X.T @ Plain().gradient(X @ W, y) / len(y) + W / (2 * len(y))
        return Plain().value(X @ W, y).mean() + w @ w / (4 * len(y)), gradient.ravel()

    best = minimize(objective, np.zeros(640), jac=True, options={"gtol": 1e-7})
    assert found.primal == pytest.approx(best.fun, rel=1e-8)
    norm = np.linalg.norm(objective(found.W.ravel())[1])
    assert found.gradient_norm == pytest.approx(norm, rel=1e-4)


def test_the_estimators_take_it(digits):
    X, y = digits
    search = GridSearchCV(toplabel.TopKClassifier(), {"loss": [Softmax(), "lr_multi"]}, cv=2)
    own, known = search.fit(X, y).cv_results_["mean_test_score"]
    assert own == pytest.approx(known, abs=0.01)
    X, Y = make_multilabel_classification(n_classes=4, random_state=0)
    models = [
        toplabel.MultilabelClassifier(loss, threshold=0.0, tol=1e-6, C=0.1)
        for loss in (BinaryRelevance(), "lr_ova")
    ]
    own, known = (model.fit(X, Y).decision_function(X) for model in models)
    np.testing.assert_allclose(own, known, atol=0.01)


def times(factor, name):
    """Return a softmax with one method that is wrong by a factor."""
    base = getattr(Softmax, name)
    return type("Wrong", (Softmax,), {name: lambda self, s, y: factor * base(self, s, y)})()


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (times(1.1, "gradient"), "loss Wrong: gradient is .* where differences of value give"),
        (times(np.nan, "gradient"), "gradient of row 0 is not finite"),
        (times(np.nan, "value"), "value must be finite"),
        (times(np.ones((2, 1)), "value"), r"value must return the shape \(3,\), got \(2, 3\)"),
        (times(2.0, "conjugate"), r"conjugate\(v\) is .* below <v, s> - value\(s\)"),
        (Softmax, r"got the class; write Softmax\(\)"),
        (type("Odd", (Softmax,), {"labels": "many"})(), "labels 'one' or 'set', got 'many'"),
        (object(), "must be one of"),
    ],
)
def test_a_wrong_loss_is_refused_with_what_is_wrong(digits, loss, message):
    with pytest.raises(ValueError, match=message):
        toplabel.solve(*digits, loss)


def test_a_job_says_where_in_the_module_of_the_user_its_loss_failed(tmp_path, monkeypatch):
    (tmp_path / "broken_loss.py").write_text(
        "class Broken:\n"
        "    def value(self, scores, labels):\n"
        "        return {}['three']\n\n"
        "    def gradient(self, scores, labels):\n"
        "        return scores\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    task = Task("d", "m", Recipe(loss="broken_loss.Broken"), 0, 1e-3, 10)
    fitter = Fitter(task, np.eye(3), np.arange(3), 3, None, 0)
    with pytest.raises(ValueError, match=r"fold 0: KeyError: 'three' \(broken_loss.py, line 3\)"):
        fitter.fit(C=1.0)


def test_the_loss_of_the_examples_refuses_a_k_that_is_no_rank(repository, monkeypatch):
    monkeypatch.syspath_prepend(repository / "examples" / "own")
    loss = importlib.import_module("smooth_topk").SmoothTopK(k=3)
    for method in (loss.value, loss.gradient):
        with pytest.raises(ValueError, match=r"k must be in 1\.\.2, got 3"):
            method(np.zeros((2, 3)), np.array([0, 1]))
