"""scikit-learn's own checks, for losses, kernels and thresholds.

They compare models of weighted and of repeated rows to seven digits of the scores. Both are within
tol of the optimum, at different points, so tol is 0 here. The gap goes with the square of the error
in W and is lost in rounding when W has about eight digits: rare evaluations let the training go
beyond that.
"""

import os
import subprocess
import sys

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from toplabel import CalibratedSets, MultilabelClassifier, SimplexClassifier, TopKClassifier

EXACT = {"tol": 0, "eval_every": 200}

DEFAULT = [TopKClassifier(), TopKClassifier("topk_ent_tr"), MultilabelClassifier()]
ESTIMATORS = [
    *DEFAULT,
    TopKClassifier(**EXACT),
    TopKClassifier("svm_multi", **EXACT, fit_intercept=False),
    TopKClassifier("svm_multi", gamma=1.0, **EXACT),
    TopKClassifier("topk_svm_alpha", **EXACT),
    TopKClassifier("topk_svm_beta", gamma=0.5, **EXACT),
    TopKClassifier("lr_multi", **EXACT, class_weight="balanced", warm_start=True),
    TopKClassifier("topk_ent", **EXACT),
    TopKClassifier("svm_ova", **EXACT),
    TopKClassifier("lr_ova", **EXACT),
    TopKClassifier("svm_multi", gamma=1.0, kernel="rbf", theta=0.5, **EXACT),
    TopKClassifier("svm_multi", gamma=1.0, kernel="precomputed", **EXACT),
    MultilabelClassifier(**EXACT),
    MultilabelClassifier("svm_ml", **EXACT, threshold=0.0),
    MultilabelClassifier("lr_ml", **EXACT, threshold=0.0, fit_intercept=False),
    MultilabelClassifier("lr_ml", **EXACT, threshold="per_label", class_weight="balanced"),
    MultilabelClassifier("svm_ova", **EXACT, threshold="cardinality"),
    MultilabelClassifier("lr_ova", **EXACT, threshold="tune"),
    MultilabelClassifier("lr_ml", kernel="rbf", theta=0.5, **EXACT),
    MultilabelClassifier("lr_ml", kernel="precomputed", **EXACT, threshold="tune"),
    SimplexClassifier(),
    SimplexClassifier("s_ls", C="loo", n_Cs=10),
    SimplexClassifier("sc_svm", tol=0),
    SimplexClassifier("sh_svm", tol=0, class_weight="balanced", warm_start=True),
    SimplexClassifier("s_ls", kernel="rbf", theta=0.5),
    SimplexClassifier("sc_svm", kernel="rbf", theta=0.5, tol=0),
    SimplexClassifier("sh_svm", kernel="rbf", theta=0.5, tol=0),
    SimplexClassifier("s_ls", kernel="precomputed"),
    SimplexClassifier("sc_svm", online=True),
    TopKClassifier(calibration=0.2, random_state=0, **EXACT),
    SimplexClassifier(calibration=0.2, random_state=0),
    CalibratedSets(LogisticRegression(), random_state=1),
    CalibratedSets(LogisticRegression(), calibration=None),
    CalibratedSets(SVC(), random_state=0),
]


OF_REPEATED_ROWS = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]
OF_WEIGHTS = [
    *OF_REPEATED_ROWS,
    "check_class_weight_classifiers",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
]


def expected_failures(estimator) -> dict[str, str]:
    if getattr(estimator, "online", False):
        return dict.fromkeys(OF_WEIGHTS, "online training takes no weights")
    if getattr(estimator, "calibration", None):
        return dict.fromkeys(OF_REPEATED_ROWS, "of repeated rows others are held out")
    if any(estimator is each for each in DEFAULT):
        return dict.fromkeys(OF_REPEATED_ROWS, "tol allows for more than seven digits")
    if isinstance(estimator, CalibratedSets) or estimator.kernel != "precomputed":
        return {}
    rows = {"check_decision_proba_consistency": "gives rows in place of a Gram matrix"}
    return (rows if hasattr(estimator, "predict_proba") else {}) | {
        "check_positive_only_tag_during_fit": "subtracts a mean from a Gram matrix, whose diagonal "
        "then has negative entries: no kernel has such a matrix",
        "check_estimators_dtypes": "truncates a Gram matrix to whole numbers, likewise",
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_sklearn_compatible(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["topk_svm_alpha", "topk_svm_beta", "topk_ent"])
def test_with_k_2_only_problems_of_two_classes_are_refused(loss):
    results = check_estimator(TopKClassifier(loss, k=2, **EXACT), on_fail=None, on_skip=None)
    failed = [result["exception"] for result in results if result["status"] == "failed"]
    assert len(results) - len(failed) >= 40
    for error in failed:
        causes = [error, error.__cause__, error.__context__]
        assert any("2 classes" in str(cause) for cause in causes)


OF_ANOTHER_LIBRARY = """
import array_api_strict as xp
import numpy as np
from sklearn import config_context
from toplabel import MultilabelClassifier, SimplexClassifier, TopKClassifier

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 4)), np.arange(60)[:, None] % 3 == np.arange(3)
with config_context(array_api_dispatch=True):
    for kind in (TopKClassifier, SimplexClassifier, MultilabelClassifier):
        model = kind(random_state=0)
        y = Y.astype(int) if isinstance(model, MultilabelClassifier) else Y.argmax(axis=1)
        expected = model.fit(X, y).predict(X)
        found = model.fit(xp.asarray(X), xp.asarray(y)).predict(xp.asarray(X))
        assert isinstance(found, np.ndarray)
        assert np.array_equal(found, expected)
        model.score(xp.asarray(X), xp.asarray(y))
"""


def test_arrays_of_other_libraries_are_converted_under_dispatch():
    pytest.importorskip("array_api_strict")
    pytest.importorskip("scipy", minversion="1.14")  # as scikit-learn asks for
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}  # is read once, by SciPy
    subprocess.run([sys.executable, "-c", OF_ANOTHER_LIBRARY], env=environment, check=True)
