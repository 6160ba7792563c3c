"""What the estimators do about the scale of the features: intercept, width, and their warnings."""

from email.message import Message

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from toplabel import MultilabelClassifier, SimplexClassifier, TopKClassifier, solve

X, y = load_wine(return_X_y=True)
Z = (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize(
    ("rows", "kernel", "expected"),
    [
        (6 * Z, "linear", 2 * np.sqrt(13)),
        ((6 * Z).astype(np.float32), "linear", 2 * np.sqrt(13)),
        (sparse.csr_array(6 * Z), "linear", 2 * np.sqrt(13)),
        (0.1 * Z, "linear", 1.0),
        (X, "linear", 10.0),
        (9 * Z, "rbf", 1.0),
        (36 * rbf_kernel(Z), "precomputed", 2.0),
    ],
)
def test_the_scale_of_the_intercept_follows_the_rows(rows, kernel, expected):
    theta = "scale" if kernel == "rbf" else None
    options = {"kernel": kernel, "theta": theta, "fit_intercept": True, "max_iter": 3}
    solution = solve(rows, y, intercept_scaling="auto", **options)
    assert solution.intercept_scaling == pytest.approx(expected, rel=1e-6)
    stated = solve(rows, y, intercept_scaling=solution.intercept_scaling, **options)
    np.testing.assert_array_equal(stated.intercept, solution.intercept)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array, lambda A: A.astype(np.float32)])
def test_scale_is_the_width_of_scikit_learn(convert):
    theirs = SVC(gamma="scale").fit(X, y)._gamma
    rows = convert(X)
    assert solve(rows, y, kernel="rbf", theta="scale").theta == pytest.approx(theirs, rel=1e-6)
    model = SimplexClassifier(kernel="rbf", theta="scale").fit(rows, y)
    assert model.theta_ == pytest.approx(theirs, rel=1e-6)
    same = solve(np.ones((4, 2)), [0, 1, 0, 1], kernel="rbf", theta="scale")
    assert same.theta == 0.5
    with pytest.raises(ValueError, match="theta must be a number or 'scale', got 'auto'"):
        solve(rows, y, kernel="rbf", theta="auto")


REMEDIES = ("StandardScaler", "MaxAbsScaler", "lower C to", "raise max_iter", "raise time_limit")
REMEDIES += ("raise tol", "set gamma")
RBF = {"kernel": "rbf", "theta": 1.0}
SCALED = {"StandardScaler", "lower C to", "raise max_iter"}
SMALL_C = TopKClassifier("svm_ova", C=1e-13, max_iter=1, tol=1e-14)


@pytest.mark.parametrize(
    ("model", "rows", "remedies"),
    [
        (TopKClassifier("svm_multi", max_iter=5), X, SCALED | {"set gamma"}),
        (SimplexClassifier("sc_svm", max_iter=2), X, SCALED),
        (SMALL_C, 1e3 * X, SCALED - {"lower C to"} | {"set gamma"}),
        (
            TopKClassifier("lr_multi", max_iter=5),
            sparse.csr_array(X),
            SCALED - {"StandardScaler"} | {"MaxAbsScaler"},
        ),
        (TopKClassifier(time_limit=0.0), X, SCALED - {"raise max_iter"} | {"raise time_limit"}),
        (TopKClassifier(max_iter=1), Z, {"raise max_iter"}),
        (TopKClassifier(tol=1e-15), Z, {"raise tol"}),
        (TopKClassifier(**RBF, max_iter=1), Z, {"raise max_iter"}),
    ],
)
def test_a_warning_states_the_remedies(model, rows, remedies):
    with pytest.warns(ConvergenceWarning, match="lower C") as caught:
        model.fit(rows, y)
    advice = str(caught[0].message).partition(" epochs; ")[2]
    assert {remedy for remedy in REMEDIES if remedy in advice} == remedies


@pytest.mark.parametrize(
    ("model", "labels"),
    [
        (TopKClassifier(max_iter=1, calibration=0.2), y),
        (MultilabelClassifier("lr_ml", max_iter=1), np.eye(3, dtype=int)[y]),
        (SimplexClassifier("sc_svm", max_iter=1), y),
    ],
)
def test_a_warning_names_the_line_of_the_caller(model, labels):
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, labels)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    ("model", "suggested"),
    [
        (TopKClassifier("svm_mulit"), "svm_multi"),
        (MultilabelClassifier("lr_mll"), "lr_ml"),
        (TopKClassifier("lr_ml"), "MultilabelClassifier"),
        (TopKClassifier(3), "must be one of svm_ova, "),
    ],
)
def test_losses_that_fit_are_suggested(model, suggested):
    with pytest.raises(ValueError, match=suggested):
        model.fit(Z, np.eye(3, dtype=int)[y] if isinstance(model, MultilabelClassifier) else y)


@pytest.mark.parametrize(("rows", "folds"), [(178, 15), (1068, 5)])
def test_few_rows_are_split_three_times(rows, folds, capsys):
    index = np.resize(np.arange(len(y)), rows)
    Y = np.eye(3, dtype=int)[y][index]
    MultilabelClassifier("lr_ml", tol=0.5, verbose=1, random_state=0).fit(Z[index], Y)
    assert f"fold {folds}/{folds}" in capsys.readouterr().out


@pytest.mark.parametrize("model", [TopKClassifier(), MultilabelClassifier(), SimplexClassifier()])
def test_the_html_links_to_the_page_where_the_package_states_the_site(model, monkeypatch):
    stated = Message()
    monkeypatch.setattr("toplabel.estimators.common.metadata", lambda name: stated)
    assert "href" not in model._repr_html_()
    stated["Project-URL"] = "Source, https://example.org/code"
    stated["Project-URL"] = "Documentation, https://example.org/docs/"
    page = f"https://example.org/docs/generated/toplabel.{type(model).__name__}.html"
    assert f'href="{page}"' in model._repr_html_()
