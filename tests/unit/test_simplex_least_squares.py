"""Simplex least squares: the whole path from one eigendecomposition, leave-one-out in closed
form.
"""

import numpy as np
import pytest
from scipy import sparse

from toplabel import simplex
from toplabel.kernels import rbf_gram
from toplabel.simplex import least_squares


def problem(n=30, d=5, T=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % T
    return rng.normal(size=(n, d)) + 0.4 * rng.normal(size=(T, d))[y], y


CASES = {
    "primal": (30, 5, {}),
    "dual": (12, 20, {}),
    "rbf": (30, 5, {"kernel": "rbf", "theta": 0.2}),
}


@pytest.mark.parametrize("case", CASES)
def test_leave_one_out_is_that_of_training_again(case):
    n, d, options = CASES[case]
    X, y = problem(n, d)
    path = simplex.LeastSquaresPath(X, y, **options)
    for C in path.Cs(6):
        closed = path.left_out(C)
        for i in range(n):
            rest = np.arange(n) != i
            other = simplex.LeastSquaresPath(X[rest], y[rest], n_classes=4, **options)
            brute = other.solution(C).decision_function(X[i : i + 1])[0]
            assert closed[i] == pytest.approx(brute, abs=1e-10)
        errors = closed.argmax(axis=1) != y
        assert path.left_out_error(C) == errors.mean()


@pytest.mark.parametrize("case", CASES)
def test_the_solution_solves_the_linear_system(case):
    n, d, options = CASES[case]
    X, y = problem(n, d)
    path = simplex.LeastSquaresPath(X, y, **options)
    Y = simplex.encode(y, 4)
    K = rbf_gram(X, 0.2) if options else X @ X.T
    for C in path.Cs(4):
        ridge = 1 / (2 * C)  # lambda n
        found = path.solution(C)
        A = np.linalg.solve(K + ridge * np.eye(n), Y)
        assert pytest.approx(A, abs=1e-7 * np.abs(A).max()) == found.A
        if not options:
            W = np.linalg.solve(X.T @ X + ridge * np.eye(d), X.T @ Y)
            assert pytest.approx(W, abs=1e-8) == found.W
        assert abs(found.relative_gap) < 1e-12
        losses = simplex.value("s_ls", found.values(X), y).mean()
        norm2 = np.vdot(found.A, K @ found.A)
        assert found.primal == pytest.approx(losses + ridge / n * norm2)


def test_dense_sparse_and_gram_are_one_problem():
    X, y = problem()
    C = 0.3
    dense = simplex.solve(X, y, "s_ls", C)
    csr = simplex.solve(sparse.csr_array(X), y, "s_ls", C)
    gram = simplex.solve(X @ X.T, y, "s_ls", C, kernel="precomputed")
    called = simplex.solve(X, y, "s_ls", C, kernel=lambda A, B: A @ B.T)
    assert pytest.approx(dense.W) == csr.W
    assert pytest.approx(dense.W) == X.T @ gram.A
    assert called.decision_function(X) == pytest.approx(dense.decision_function(X))
    assert gram.decision_function(X @ X.T) == pytest.approx(dense.decision_function(X))
    assert np.array_equal(gram.predict(X @ X.T), dense.predict(X))


def test_the_grid_lies_between_the_eigenvalues():
    X, y = problem()
    Cs = simplex.LeastSquaresPath(X, y).Cs()
    s = np.linalg.svd(X, compute_uv=False) ** 2
    assert len(Cs) == 100
    assert 1 / (2 * Cs[[0, -1]]) == pytest.approx(s[[0, -1]])
    assert np.diff(np.log(Cs)) == pytest.approx(np.log(s[0] / s[-1]) / 99)


def test_an_eigenvalue_of_rounding_does_not_count():
    X, y = problem()
    X = np.hstack([X, X[:, :1]])  # rank 5 in six columns
    Cs = simplex.LeastSquaresPath(X, y).Cs(3)
    s = np.linalg.svd(X, compute_uv=False) ** 2
    assert 1 / (2 * Cs[-1]) == pytest.approx(s[-2])


@pytest.mark.parametrize("weight", [1e-6, 1e15])
def test_the_size_of_the_weights_is_no_rounding(weight):
    X, y = problem()
    X = np.hstack([X, X])  # rank 5 in ten columns
    weighted = simplex.LeastSquaresPath(X, y, sample_weight=np.full(30, weight)).Cs(5)
    assert weighted * weight == pytest.approx(simplex.LeastSquaresPath(X, y).Cs(5))


def test_a_row_that_is_alone_in_its_direction_has_a_finite_score():
    X, y = problem()
    X = np.hstack([X, np.zeros((30, 1))])
    X[3] = 0.0
    X[3, -1] = 1e9
    path = simplex.LeastSquaresPath(X, y)
    assert np.isfinite(path.left_out(1e3)).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kernel": "poly"}, "kernel must be 'linear'"),
        ({"theta": 1.0}, "theta has no meaning for kernel='linear'"),
        ({"kernel": "precomputed"}, "X must be a square Gram matrix"),
        ({"n_classes": 3}, r"y\[3\] is 3, but n_classes is 3"),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    X, y = problem()
    with pytest.raises(ValueError, match=message):
        simplex.LeastSquaresPath(X, y, **arguments)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_one_solution_is_that_of_the_path(case, store):
    n, d, options = CASES[case]
    X, y = problem(n, d)
    path = simplex.LeastSquaresPath(X, y, **options)
    for C in path.Cs(4):
        expected, found = path.solution(C), simplex.solve(store(X), y, "s_ls", C, **options)
        assert found.values(X) == pytest.approx(expected.values(X), abs=1e-8)
        assert np.abs(found.A - expected.A).max() <= 1e-7 * np.abs(expected.A).max()
        assert found.primal == pytest.approx(expected.primal, rel=1e-10)
        assert abs(found.relative_gap) < 1e-9


def test_a_matrix_without_a_factor_is_left_to_its_eigenvectors(monkeypatch):
    X, y = problem()
    made = []
    eigen = least_squares._eigen
    monkeypatch.setattr(least_squares, "_eigen", lambda K: made.append(len(K)) or eigen(K))
    simplex.solve(X, y, "s_ls", 1.0, kernel="rbf", theta=0.2)
    assert made == []
    X = np.repeat(X, 2, axis=0)  # of rank 30, and the ridge is below the rounding of the diagonal
    found = simplex.solve(X, np.repeat(y, 2), "s_ls", 1e20, kernel="rbf", theta=0.2)
    assert made == [60]
    assert found.predict(X).tolist() == np.repeat(y, 2).tolist()
    with pytest.raises(ValueError, match="X must be a positive semidefinite Gram matrix"):
        simplex.solve(-np.eye(4), [0, 1, 0, 1], "s_ls", 0.1, kernel="precomputed")


def test_large_matrices_take_the_smaller_workspace(monkeypatch):
    X, y = problem()
    expected = simplex.LeastSquaresPath(X, y, kernel="rbf", theta=0.2)
    monkeypatch.setattr(least_squares, "_LARGE", 10)
    other = simplex.LeastSquaresPath(X, y, kernel="rbf", theta=0.2)
    for C in expected.Cs(4):
        assert other.left_out(C) == pytest.approx(expected.left_out(C), abs=1e-8)


@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}])
def test_features_whose_products_overflow_are_refused(options):
    X, y = problem()
    for size in (1e101, -1e200):
        X[3, 2] = size
        with pytest.raises(ValueError, match="X must be at most 1e"):
            simplex.LeastSquaresPath(X, y, **options)
        with pytest.raises(ValueError, match="X must be at most 1e"):
            simplex.solve(sparse.csr_array(X), y, "s_ls", 1.0, **options)


def test_what_has_no_solution_is_refused():
    y = [0, 1, 0, 1]
    with pytest.raises(ValueError, match="X is zero"):
        simplex.LeastSquaresPath(np.zeros((4, 2)), y).Cs()
    with pytest.raises(ValueError, match="C must be"):
        simplex.LeastSquaresPath(np.eye(4), y).left_out(0.0)
