"""The solver's optimum beside that of an interior-point method, and losses that are others' limits."""

import numpy as np
import pytest

import oracles
import toplabel
from toplabel.losses import LOSSES

N, D, M = 10, 3, 5
CASES = [
    (key, k, gamma)
    for key, loss in LOSSES.items()
    if loss.convex
    for k in ((1, 2, 3, M - 1) if loss.top_k else (1,))
    for gamma in ((0.0, 0.5, 1.0) if loss.smoothing else (0.0,))
]


def problem(loss: str, seed: int):
    """Random rows with a zero row; label sets have an empty, a full and a single-label row."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * rng.choice([0.3, 1.0, 3.0])
    X[2] = 0.0
    if LOSSES[loss].labels != "set":
        return X, rng.permutation(np.arange(N) % M)
    Y = (rng.random((N, M)) < 0.4).astype(int)
    Y[0], Y[1], Y[3] = 0, 1, np.eye(M, dtype=int)[1]
    return X, Y


@pytest.mark.parametrize("C", [0.01, 0.3, 20.0])
@pytest.mark.parametrize(("loss", "k", "gamma"), CASES)
def test_optimum_agrees_with_an_interior_point_method(loss, k, gamma, C):
    X, y = problem(loss, seed=k + int(10 * gamma))
    expected = oracles.convex_optimum(loss, X, y, M, C, k, gamma)
    common = {"loss": loss, "k": k, "gamma": gamma, "C": C, "tol": 1e-8, "max_iter": 10**6}
    linear = toplabel.solve(X, y, **common)
    gram = toplabel.solve(X @ X.T, y, kernel="precomputed", **common)
    for data, solution in ((X, linear), (X @ X.T, gram)):
        assert solution.status == "converged"
        assert solution.relative_gap <= 1e-8
        assert solution.primal == pytest.approx(expected, rel=2e-7)
        claimed = (solution.primal, solution.dual)
        certificate = toplabel.certify(data, y, solution)
        assert (certificate.primal, certificate.dual) == pytest.approx(claimed, rel=1e-11)
    # Where the passes are plain, the weights are those of the dual variables.
    plain = toplabel.solve(X, y, acceleration=False, **common)
    assert plain.primal == pytest.approx(expected, rel=2e-7)
    np.testing.assert_allclose(plain.W, X.T @ plain.A, atol=1e-10 * max(1, C))


def test_multilabel_softmax_with_one_label_is_softmax():
    X, y = problem("lr_multi", 5)
    common = {"C": 2.0, "tol": 1e-10, "max_iter": 10**6}
    single = toplabel.solve(X, y, loss="lr_multi", **common)
    sets = toplabel.solve(X, np.eye(M)[y], loss="lr_ml", **common)
    np.testing.assert_allclose(single.W, sets.W, atol=1e-6)


def test_multilabel_hinge_with_one_label_is_the_multiclass_hinge():
    X, y = problem("svm_multi", 6)
    common = {"C": 0.4, "tol": 1e-10, "max_iter": 10**6}
    single = toplabel.solve(X, y, loss="svm_multi", **common)
    sets = toplabel.solve(X, np.eye(M)[y], loss="svm_ml", **common)
    assert sets.primal == pytest.approx(single.primal, rel=1e-9)


@pytest.mark.parametrize("loss", ["svm_multi", "svm_ml"])
def test_small_smoothing_approaches_the_hinge(loss):
    X, y = problem(loss, 7)
    hinge = toplabel.solve(X, y, loss=loss, C=0.5, tol=1e-9, max_iter=10**6)
    gaps = []
    for gamma in (1e-1, 1e-2, 1e-3):
        smooth = toplabel.solve(X, y, loss=loss, C=0.5, gamma=gamma, tol=1e-9, max_iter=10**6)
        gaps.append(hinge.primal - smooth.primal)
    assert all(0 <= gap <= gamma for gap, gamma in zip(gaps, (1e-1, 1e-2, 1e-3), strict=True))


def test_rbf_is_its_gram_matrix():
    X, y = problem("lr_multi", 8)
    squared = ((X[:, None] - X[None]) ** 2).sum(-1)
    common = {"loss": "lr_multi", "C": 3.0, "tol": 1e-9, "max_iter": 10**5}
    rbf = toplabel.solve(X, y, kernel="rbf", theta=0.4, **common)
    gram = toplabel.solve(np.exp(-0.4 * squared), y, kernel="precomputed", **common)
    np.testing.assert_allclose(rbf.A, gram.A, atol=1e-7)
    Z = np.random.default_rng(1).normal(size=(5, X.shape[1]))
    cross = np.exp(-0.4 * ((Z[:, None] - X[None]) ** 2).sum(-1))
    np.testing.assert_allclose(rbf.decision_function(Z), cross @ rbf.coefficients, atol=1e-10)
    np.testing.assert_allclose(gram.decision_function(cross), cross @ gram.coefficients)


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
