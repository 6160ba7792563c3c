"""What is no Gram matrix is refused wherever one is taken, and honest ones are not."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel

import toplabel
from toplabel import kernels, simplex
from toplabel._core.gram import check_gram


def indefinite(kind: str, n: int, rng) -> np.ndarray:
    """Return a symmetric matrix with a diagonal that is not negative, made at random."""
    B = rng.normal(size=(n, n))
    if kind == "one eigenvalue":
        Q = np.linalg.qr(B)[0]
        values = rng.uniform(0.0, 1.0, n) ** rng.integers(1, 6)
        values[0] = -rng.uniform(0.06, 0.5) * values.max()
        return (Q * values) @ Q.T
    if kind == "sigmoid":
        X = rng.normal(size=(n, 3))
        return np.tanh(rng.uniform(0.5, 2.0) * X @ X.T - rng.uniform(0.1, 1.0))
    if kind == "semicircle":
        return B + B.T + rng.uniform(0.0, 2.0) * np.sqrt(n) * np.eye(n)
    X = rng.normal(size=(n, 4))  # a Gram matrix of which some entries were changed
    return X @ X.T - rng.uniform(0.5, 5.0) * (1 - np.eye(n)) * np.outer(*2 * [rng.random(n) < 0.5])


@pytest.mark.parametrize("kind", ["one eigenvalue", "sigmoid", "semicircle", "changed"])
def test_no_matrix_with_an_eigenvalue_far_below_zero_passes(kind):
    rng, asked = np.random.default_rng(0), 0
    for n in [*rng.integers(2, 40, 150), 201, 260, 333, 500]:
        K = indefinite(kind, int(n), rng)
        K = (K + K.T) / 2
        values = np.linalg.eigvalsh(K)
        if values[0] < -0.05 * abs(values[-1]):
            asked += 1
            for dtype in (np.float64, np.float32):
                with pytest.raises(ValueError, match="must be a positive semidefinite Gram matrix"):
                    check_gram(K.astype(dtype))
    assert asked > 70


@pytest.mark.parametrize("n", [4, 250])
@pytest.mark.parametrize("long", [1e2, 1e4, 1e6])
def test_a_long_row_hides_nothing(n, long):
    K = long * np.eye(n)
    K[:3, :3] = 1.9 * np.eye(3) - 0.9
    K[4:, 4:] = 1.0 * np.eye(max(n - 4, 0))
    with pytest.raises(ValueError, match="must be a positive semidefinite Gram matrix"):
        check_gram(K)


@pytest.mark.parametrize("n", [3, 60, 300, 900])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_honest_matrices_pass(n, dtype):
    rng = np.random.default_rng(n)
    for d, scale in [(1, 1.0), (7, 1e-12), (40, 1e12), (2000, 1.0)]:
        X = (scale * rng.normal(size=(n, d)) * rng.exponential(size=d) ** 3).astype(dtype)
        check_gram(linear_kernel(X))
        check_gram(np.zeros((n, n), dtype))
        centred = X - X.mean(axis=0)
        check_gram(linear_kernel(centred))
    X = X[:, :5]
    for theta in (1e-8, 0.1, 100.0):
        check_gram(kernels.rbf_gram(X, theta, dtype))
        check_gram(np.exp(-theta * ((X[:, None] - X) ** 2).sum(axis=2)))
    check_gram(polynomial_kernel(X).astype(dtype))
    check_gram(laplacian_kernel(X).astype(dtype))


BAD = {
    "pair": [[1, -3], [-3, 1]],
    "tiny": [[1e-12, 1e-3], [1e-3, 1]],
    "crooked": [[1, 0.5], [0.0, 1]],
    "negative": [[-1.0, 0], [0, 1]],
    "triple": 1.9 * np.eye(3) - 0.9,
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("of", ["X", "what kernel returns"])
def test_every_trainer_refuses_what_is_no_gram_matrix(case, of):
    K = np.array(BAD[case], float)
    y, kernel = np.arange(len(K)) % 2, "precomputed" if of == "X" else lambda A, B: K
    for train in (
        lambda: toplabel.solve(K, y, kernel=kernel),
        lambda: toplabel.solve(K, y % 2, "topk_ent_tr", kernel=kernel),
        lambda: toplabel.path(K, y, [1.0, 2.0], "lr_multi", kernel=kernel),
        lambda: simplex.solve(K, y, "sc_svm", kernel=kernel),
        lambda: simplex.solve(K, y, "s_ls", kernel=kernel),
    ):
        with pytest.raises(ValueError, match=f"^{of} must be a .*Gram matrix"):
            train()


def test_certify_refuses_what_is_no_gram_matrix():
    solution = toplabel.solve(np.eye(2), [0, 1], kernel="precomputed")
    with pytest.raises(ValueError, match="X must be a positive semidefinite Gram matrix"):
        toplabel.certify(np.array([[1.0, -3.0], [-3.0, 1.0]]), [0, 1], solution)


def test_a_function_that_returns_complex_numbers_is_no_kernel():
    with pytest.raises(TypeError, match="kernel must return real numbers, got items of type compl"):
        toplabel.solve(np.eye(3), [0, 1, 2], kernel=lambda A, B: A @ B.T + 0j)


def test_a_matrix_that_was_checked_is_not_checked_again(monkeypatch):
    K = linear_kernel(np.random.default_rng(0).normal(size=(30, 4)))
    y = np.arange(30) % 3
    checked = toplabel.solve(K, y, kernel="precomputed")
    monkeypatch.setattr("toplabel._core.problem.check_gram", lambda *_: pytest.fail("checked"))
    trusted = toplabel.solve(K, y, kernel="precomputed", check_input=False)
    np.testing.assert_array_equal(trusted.A, checked.A)


def test_an_eigenvalue_near_zero_is_found_in_a_matrix_of_medium_size():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(700, 700)))[0]
    values = rng.uniform(0.0, 1.0, 700)
    for smallest, refused in ((-2e-3, True), (0.0, False)):
        values[0] = smallest
        K = (Q * values) @ Q.T
        K = (K + K.T) / 2
        if refused:
            with pytest.raises(ValueError, match="must be a positive semidefinite Gram matrix"):
                check_gram(K)
        else:
            check_gram(K)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_passes_in_float32_have_the_certificate_of_the_matrix(tol, intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 30))
    K, y = linear_kernel(X), np.argmax(X[:, :4] + rng.normal(size=(200, 4)), axis=1)
    options = {"kernel": "precomputed", "gamma": 0.5, "C": 0.5, "tol": tol, "method": "sdca"}
    options["fit_intercept"] = intercept
    rounded = toplabel.solve(K, y, **options)
    exact = toplabel.solve(K, y, dtype=np.float64, **options)
    assert rounded.status == exact.status == "converged"
    assert not np.array_equal(rounded.A, exact.A)  # the passes were in float32
    assert toplabel.certify(K, y, rounded).relative_gap <= 1.01 * tol
    assert rounded.primal == pytest.approx(exact.primal, rel=2 * tol)


def test_a_start_outside_the_domain_of_an_entropy_leaves_a_matrix_semidefinite():
    """Where nothing is feasible but 0, the conjugate changes with the logarithm of the violation."""
    A = np.full((1, 6), -1e-68)
    A[0, 0] = -1e-7
    options = {"kernel": "precomputed", "C": 70.7946, "max_iter": 0}
    kept = toplabel.solve(np.array([[990.1]]), np.zeros((1, 6)), "lsep", warm_start=A, **options)
    np.testing.assert_array_equal(kept.A, A)
