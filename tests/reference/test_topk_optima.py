"""Every convex loss of one label per row: the optimum against an interior-point method."""

import numpy as np
import pytest

import oracles
import toplabel
from toplabel.losses import LOSSES

N, D, M = 10, 3, 5


def cases():
    for key, loss in LOSSES.items():
        if loss.convex and loss.labels != "set":
            for k in (1, 2, 3, M - 1) if loss.top_k else (1,):
                for gamma in (0.0, 0.5, 1.0) if loss.smoothing else (0.0,):
                    yield key, k, gamma


@pytest.mark.parametrize("C", [0.03, 0.5, 10.0])
@pytest.mark.parametrize(("loss", "k", "gamma"), list(cases()))
def test_optimum_agrees_with_an_interior_point_method(loss, k, gamma, C):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(N, D)) * 1.5
    X[2] = 0.0
    y = rng.permutation(np.arange(N) % M)
    expected = oracles.convex_optimum(loss, X, y, M, C, k, gamma)
    common = {"loss": loss, "k": k, "gamma": gamma, "C": C, "tol": 1e-8, "max_iter": 10**6}
    for solution in (
        toplabel.solve(X, y, **common),
        toplabel.solve(X @ X.T, y, kernel="precomputed", **common),
    ):
        assert solution.relative_gap <= 1e-8
        assert solution.primal == pytest.approx(expected, rel=1e-7)


def test_binary_relevance_takes_label_sets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    Y = (rng.random((12, 4)) < 0.4).astype(int)
    Y[0], Y[1] = 0, 1
    for loss in ("svm_ova", "lr_ova"):
        expected = oracles.convex_optimum(loss, X, Y, 4, 0.7)
        solution = toplabel.solve(X, Y, loss=loss, C=0.7, tol=1e-9, max_iter=10**5)
        assert solution.primal == pytest.approx(expected, rel=1e-7)


def test_k_equal_to_one_is_the_multiclass_loss():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 5
    common = {"C": 0.5, "tol": 1e-9, "max_iter": 10**5}
    for first, second in (
        ("topk_svm_alpha", "svm_multi"),
        ("topk_svm_beta", "svm_multi"),
        ("topk_ent", "lr_multi"),
    ):
        one = toplabel.solve(X, y, loss=first, k=1, **common)
        other = toplabel.solve(X, y, loss=second, **common)
        assert one.primal == pytest.approx(other.primal, rel=1e-8)


@pytest.mark.parametrize("gamma", [0.0, 0.5])
def test_the_sum_of_all_hinges_is_a_top_k_svm_with_the_largest_k(gamma):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 5
    common = {"tol": 1e-9, "max_iter": 10**5}
    one = toplabel.solve(X, y, loss="svm_ww", gamma=gamma, C=0.5, **common)
    mean = {"loss": "topk_svm_beta", "k": 4, "gamma": 4 * gamma, "C": 4 * 0.5}
    assert one.primal == pytest.approx(4 * toplabel.solve(X, y, **mean, **common).primal, rel=1e-8)
