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


def test_binary_relevance_takes_label_sets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    Y = (rng.random((12, 4)) < 0.4).astype(int)
    Y[0], Y[1] = 0, 1
    for loss in ("svm_ova", "lr_ova"):
        expected = oracles.convex_optimum(loss, X, Y, 4, 0.7)
        solution = toplabel.solve(X, Y, loss=loss, C=0.7, tol=1e-9, max_iter=10**5)
        assert solution.primal == pytest.approx(expected, rel=1e-7)
