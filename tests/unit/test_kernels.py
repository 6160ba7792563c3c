"""Kernel matrices: symmetry, precision, rows far from 0, and the theta of "scale"."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import toplabel
from toplabel._core import kernels


@pytest.mark.parametrize("n", [3, 700])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gram_matrix_is_symmetric_in_either_type(n, dtype):
    X = np.random.default_rng(0).standard_normal((n, 5))
    K = kernels.rbf_gram(X, 0.3, dtype)
    assert K.dtype == dtype
    np.testing.assert_array_equal(K, K.T)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    tolerance = 1e-6 if dtype == "float32" else 1e-13
    np.testing.assert_allclose(K, np.exp(-0.3 * squares), rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gram_matrix_has_no_subnormal_numbers(dtype):
    X = 5.0 * np.arange(40.0)[:, None]  # far apart in steps, so that exp(-D) underflows in steps
    K = kernels.rbf_gram(X, 0.03, dtype)
    positive = K[K > 0]
    assert positive.min() >= np.finfo(dtype).tiny
    assert 0 < (K == 0).mean() < 1
    np.testing.assert_allclose(K, np.exp(-0.03 * (X - X.T) ** 2), rtol=1e-5, atol=1e-37)


@pytest.mark.parametrize("form", [sparse.coo_array, sparse.csc_matrix, sparse.csr_array])
def test_a_gram_matrix_of_sparse_rows(form):
    X = np.random.default_rng(0).standard_normal((600, 7)) * (np.arange(7) % 2)
    np.testing.assert_allclose(
        kernels.rbf_gram(form(X), 0.3), kernels.rbf_gram(X, 0.3), rtol=0, atol=1e-13
    )


# ---- rows far from 0 ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e5, 1e8, 1.7e12])
def test_a_kernel_of_rows_that_are_far_from_0_and_near_each_other(form, size):
    rng = np.random.default_rng(0)
    X = size * np.sign(rng.standard_normal((9, 1))) + rng.standard_normal((9, 3))  # on two sides
    exact = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    np.testing.assert_allclose(kernels.rbf_gram(form(X), 0.5), exact, rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        kernels.cross_gram(form(X[:4]), form(X), 0.5), exact[:4], rtol=0, atol=1e-5
    )


def test_blocks_of_sparse_rows_far_from_0(monkeypatch):
    monkeypatch.setattr(kernels, "_BLOCK", 12)
    X = 1e8 + np.random.default_rng(0).standard_normal((11, 3))
    exact = np.exp(-cdist(X, X, "sqeuclidean"))
    np.testing.assert_allclose(kernels.cross_gram(sparse.csr_array(X), X, 1.0), exact, atol=1e-12)


# ---- theta --------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.0, 1e8, 1e9, 1.7e12])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_theta_scale_is_one_over_the_variance(form, offset):
    X = offset + 3e4 * np.random.default_rng(0).standard_normal((700, 3))
    X[::5] = 0.0 if offset == 0.0 else offset
    options = {"kernel": "rbf", "theta": "scale", "max_iter": 1}
    found = toplabel.solve(form(X), np.arange(700) % 2, "svm_multi", **options)
    assert found.theta * 3 * X.var() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("theta", ["scale", None])
def test_theta_is_that_of_the_rows_that_have_weight(form, theta):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(60, 3)), np.arange(60) % 2, rng.integers(1, 4, 60)
    X[7], weight[7] = 1e3, 0
    rest = np.arange(60) != 7
    options = {"kernel": "rbf", "theta": theta}

    def found(loss, *rows, **weights):
        return toplabel.simplex.solve(*rows, loss, **options, **weights).theta

    for loss in ("s_ls", "sc_svm"):
        weighted = found(loss, form(X), y, sample_weight=weight)
        assert weighted == pytest.approx(found(loss, form(X[rest]), y[rest]), rel=1e-12)
    if theta == "scale":
        solved = toplabel.solve(form(X), y, sample_weight=weight, max_iter=1, **options)
        assert solved.theta == pytest.approx(weighted, rel=1e-12)


def test_theta_scale_of_rows_whose_squares_overflow_is_refused():
    X = 1e200 * np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match=r"X must be at most 1e\+100 in size"):
        toplabel.solve(X, np.arange(20) % 2, kernel="rbf", theta="scale")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"sample_weight": [1.0]}, ValueError),
        ({"fit_intercept": 1}, TypeError),
        ({"fit_intercept": True, "intercept_scaling": 0.0}, ValueError),
    ],
)
def test_wrong_arguments_are_met_before_the_kernel_is_computed(wrong, error):
    def kernel(X, Z):
        raise AssertionError("computed")

    with pytest.raises(error, match=next(reversed(wrong))):
        toplabel.solve(np.eye(4), [0, 1, 0, 1], kernel=kernel, **wrong)
