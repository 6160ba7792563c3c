"""`solve(fit_intercept=True)`: a constant feature that is not stored."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

import toplabel

SCALING = 1.5
TIGHT = {"tol": 1e-10, "max_iter": 10**5}


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 7)) * (rng.random((90, 7)) < 0.6)
    y = (X @ rng.normal(size=(7, 4)) * 2 + [1.0, 0.0, -0.5, 0.5]).argmax(axis=1)
    return X, y


def with_column(X, value=SCALING):
    return np.column_stack([X, np.full(len(X), value)])


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


LOSSES = [("svm_multi", 1, 1.0), ("topk_ent", 2, 0.0), ("lr_ova", 1, 0.0), ("svm_multi", 1, 0.0)]


@pytest.mark.parametrize(("loss", "k", "gamma"), LOSSES)
@pytest.mark.parametrize("wide", [False, True], ids=["narrow", "wide"])
@pytest.mark.parametrize("form", ["dense", "csr", "float32", "mapped", "mapped32"])
def test_it_is_a_constant_column(problem, tmp_path, form, wide, loss, k, gamma):
    X, y = problem
    if wide:  # above 64 features rows are updated in blocks; few zeros, so that they stay dense
        X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 80)) / 10])
    single = form.endswith("32")
    options = {"loss": loss, "k": k, "gamma": gamma, "C": 0.5, **TIGHT}
    if single:
        options["tol"] = 1e-5
        X = X.astype(np.float32).astype(np.float64)
    expected = toplabel.solve(with_column(X), y, **options | {"tol": 1e-10})
    given = X.astype(np.float32) if single else X
    given = sparse.csr_matrix(given) if form == "csr" else given
    given = mapped(given, tmp_path) if form.startswith("mapped") else given
    solution = toplabel.solve(
        given, y, fit_intercept=True, intercept_scaling=SCALING, **options, window=32 * wide or None
    )
    assert solution.status == "converged"
    assert solution.W.shape == (X.shape[1], 4)
    tolerance = 2e-2 if single else 2e-4
    np.testing.assert_allclose(solution.W, expected.W[:-1], atol=tolerance)
    np.testing.assert_allclose(solution.intercept, SCALING * expected.W[-1], atol=tolerance)
    assert solution.primal == pytest.approx(expected.primal, rel=2 * options["tol"])
    assert np.abs(solution.intercept).max() > 0.05
    np.testing.assert_allclose(
        solution.decision_function(given), given @ solution.W + solution.intercept, atol=1e-12
    )


@pytest.mark.parametrize("loss", ["svm_multi", "topk_ent_tr"])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed", "function", "mapped", "float32"])
def test_a_kernel_is_raised_by_its_square(problem, tmp_path, kernel, loss):
    X, y = problem
    K = rbf_kernel(X, gamma=0.2)
    options = {"loss": loss, "tol": 1e-8, "max_iter": 10**5, "gamma": 1.0, "k": 1}
    if loss == "topk_ent_tr":
        options |= {"k": 2, "gamma": 0.0}
    expected = toplabel.solve(K + SCALING**2, y, kernel="precomputed", **options)
    own = {"fit_intercept": True, "intercept_scaling": SCALING}
    if kernel == "rbf":
        solution = toplabel.solve(X, y, kernel="rbf", theta=0.2, **own, **options)
        rows = X
    elif kernel == "function":

        def function(A, B):
            return rbf_kernel(A, B, gamma=0.2)

        solution = toplabel.solve(X, y, kernel=function, **own, **options)
        rows = X
    else:
        rows = mapped(K, tmp_path) if kernel == "mapped" else K
        if kernel == "float32":
            rows, options["tol"] = K.astype(np.float32), 1e-5
        solution = toplabel.solve(rows, y, kernel="precomputed", **own, **options)
    scores = expected.decision_function(K + SCALING**2)
    tolerance = 5e-2 if kernel == "float32" else 1e-3
    np.testing.assert_allclose(solution.decision_function(rows), scores, atol=tolerance)
    np.testing.assert_allclose(
        solution.intercept, SCALING**2 * expected.coefficients.sum(axis=0), atol=tolerance
    )


@pytest.mark.parametrize("loss", ["svm_multi", "topk_ent_tr"])
def test_paths_warm_starts_and_watched_sets_know_it(problem, loss):
    X, y = problem
    options = {"loss": loss, "fit_intercept": True, "tol": 1e-6, "max_iter": 10**5}
    options |= {"k": 2} if loss == "topk_ent_tr" else {"gamma": 1.0}
    watch = {"train": (X, y)}
    path = toplabel.path(X, y, [0.1, 1.0, 100.0], **options, watch=watch)
    for solution in path:
        if loss == "svm_multi":  # the other is not convex
            cold = toplabel.solve(X, y, C=solution.C, **options)
            np.testing.assert_allclose(solution.intercept, cold.intercept, atol=0.05)
        loss_now = solution.history[-1].watched["train"]
        values = toplabel.losses.value(
            loss, solution.decision_function(X), y, k=solution.k, gamma=solution.gamma
        )
        assert loss_now == pytest.approx(values.mean())
        again = toplabel.solve(X, y, C=solution.C, warm_start=solution, **options)
        assert again.epochs <= 1
    # From a model with another intercept, or none.
    options["fit_intercept"] = False
    without = toplabel.solve(X, y, warm_start=path[1], **options)
    assert without.intercept is None
    options |= {"fit_intercept": True, "intercept_scaling": 3.0}
    assert toplabel.solve(X, y, warm_start=without, **options).status == "converged"


def test_it_is_off_by_default_and_its_arguments_are_checked(problem):
    X, y = problem
    assert toplabel.solve(X, y).intercept is None
    for value in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="intercept_scaling must be"):
            toplabel.solve(X, y, fit_intercept=True, intercept_scaling=value)
