"""The solver's optimum against general-purpose solvers, every loss in both representations."""

import numpy as np
import pytest

import oracles
import toplabel

CASES = [
    ("svm_multi", 0.0),
    ("svm_multi", 0.5),
    ("svm_multi", 1.0),
    ("lr_multi", 0.0),
    ("svm_ml", 0.0),
    ("svm_ml", 0.5),
    ("svm_ml", 1.0),
    ("lr_ml", 0.0),
]


def problem(loss: str, seed: int, n: int = 9, d: int = 3, m: int = 4):
    """Random rows with a zero row, and for multilabel losses an empty, a full and a single-label
    row.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.choice([0.3, 1.0, 3.0])
    X[2] = 0.0
    if loss.endswith("multi"):
        return X, rng.permutation(np.arange(n) % m), m
    Y = (rng.random((n, m)) < 0.4).astype(int)
    Y[0], Y[1], Y[3] = 0, 1, np.eye(m, dtype=int)[1]
    return X, Y, m


@pytest.mark.parametrize("C", [0.01, 0.3, 20.0])
@pytest.mark.parametrize(("loss", "gamma"), CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_optimum_agrees_with_scipy(loss, gamma, C, seed):
    X, y, m = problem(loss, seed)
    expected = oracles.optimum(loss, X, y, m, C, gamma)
    common = {"loss": loss, "gamma": gamma, "C": C, "tol": 1e-8, "max_iter": 10**6}
    linear = toplabel.solve(X, y, **common)
    gram = toplabel.solve(X @ X.T, y, kernel="precomputed", **common)
    for data, solution in ((X, linear), (X @ X.T, gram)):
        assert solution.status == "converged"
        assert solution.relative_gap <= 1e-8
        assert solution.primal == pytest.approx(expected, rel=2e-7)
        # The dual is a lower bound of what any solver finds.
        assert solution.dual <= expected * (1 + 1e-9)
        claimed = (solution.primal, solution.dual)
        certificate = toplabel.certify(data, y, solution)
        assert (certificate.primal, certificate.dual) == pytest.approx(claimed, rel=1e-11)
    # Where the passes are plain, the weights are those of the dual variables.
    plain = toplabel.solve(X, y, acceleration=False, **common)
    assert plain.primal == pytest.approx(expected, rel=2e-7)
    np.testing.assert_allclose(plain.W, X.T @ plain.A, atol=1e-10 * max(1, C))


def test_multilabel_softmax_with_one_label_is_softmax():
    X, y, m = problem("lr_multi", 5)
    common = {"C": 2.0, "tol": 1e-10, "max_iter": 10**6}
    single = toplabel.solve(X, y, loss="lr_multi", **common)
    sets = toplabel.solve(X, np.eye(m)[y], loss="lr_ml", **common)
    np.testing.assert_allclose(single.W, sets.W, atol=1e-6)


def test_multilabel_hinge_with_one_label_is_the_multiclass_hinge():
    X, y, m = problem("svm_multi", 6)
    common = {"C": 0.4, "tol": 1e-10, "max_iter": 10**6}
    single = toplabel.solve(X, y, loss="svm_multi", **common)
    sets = toplabel.solve(X, np.eye(m)[y], loss="svm_ml", **common)
    assert sets.primal == pytest.approx(single.primal, rel=1e-9)


@pytest.mark.parametrize("loss", ["svm_multi", "svm_ml"])
def test_small_smoothing_approaches_the_hinge(loss):
    X, y, _ = problem(loss, 7)
    hinge = toplabel.solve(X, y, loss=loss, C=0.5, tol=1e-9, max_iter=10**6)
    gaps = []
    for gamma in (1e-1, 1e-2, 1e-3):
        smooth = toplabel.solve(X, y, loss=loss, C=0.5, gamma=gamma, tol=1e-9, max_iter=10**6)
        gaps.append(hinge.primal - smooth.primal)
    assert all(0 <= gap <= gamma for gap, gamma in zip(gaps, (1e-1, 1e-2, 1e-3), strict=True))


def test_rbf_is_its_gram_matrix():
    X, y, _ = problem("lr_multi", 8)
    squared = ((X[:, None] - X[None]) ** 2).sum(-1)
    common = {"loss": "lr_multi", "C": 3.0, "tol": 1e-9, "max_iter": 10**5}
    rbf = toplabel.solve(X, y, kernel="rbf", theta=0.4, **common)
    gram = toplabel.solve(np.exp(-0.4 * squared), y, kernel="precomputed", **common)
    np.testing.assert_allclose(rbf.A, gram.A, atol=1e-7)
    Z = np.random.default_rng(1).normal(size=(5, X.shape[1]))
    cross = np.exp(-0.4 * ((Z[:, None] - X[None]) ** 2).sum(-1))
    np.testing.assert_allclose(rbf.decision_function(Z), cross @ rbf.coefficients, atol=1e-10)
    np.testing.assert_allclose(gram.decision_function(cross), cross @ gram.coefficients)
