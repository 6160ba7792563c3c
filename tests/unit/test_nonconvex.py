"""Losses that are not convex: the truncated top-k entropy descends from the softmax solution and
reports its gradient norm.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits

import toplabel
from toplabel import losses

LOSS = "topk_ent_tr"


def letters(n=600, d=16, m=26, seed=0):
    """Overlapping classes with 16 features in [-1, 1], as letter has them."""
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-1, 1, size=(m, d))
    y = np.arange(n) % m
    return np.clip(centres[y] + 0.6 * rng.normal(size=(n, d)), -1, 1), y


def digits():
    X, y = load_digits(return_X_y=True)
    return X[::2], y[::2]


def objective(X, y, W, k, C, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    value = weight @ losses.value(LOSS, X @ W, y, k=k) / weight.sum()
    return value + (W**2).sum() / (2 * C * weight.sum())


@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("data", [letters, digits])
def test_it_goes_down_from_the_softmax_solution(data, k, C):
    X, y = data()
    C /= (X**2).sum(1).mean()
    softmax = toplabel.solve(X, y, loss="lr_multi", C=C)
    solution = toplabel.solve(X, y, loss=LOSS, k=k, C=C, tol=1e-5)
    primal = [record.primal for record in solution.history]
    assert primal[0] == pytest.approx(objective(X, y, softmax.W, k, C), rel=1e-12)
    assert (np.diff(primal) <= 0).all()
    if k > 1:
        assert solution.primal < primal[0]
    assert solution.status == "converged"
    assert solution.primal == pytest.approx(objective(X, y, solution.W, k, C), rel=1e-12)
    assert solution.primal == primal[-1]
    assert [record.epoch for record in solution.history] == list(range(solution.epochs + 1))


def test_there_is_a_gradient_norm_and_no_certificate():
    X, y = letters()
    C = 0.3
    solution = toplabel.solve(X, y, loss=LOSS, k=3, C=C, tol=1e-8)
    penalty = 1 / (C * len(y))
    G = losses.gradient(LOSS, X @ solution.W, y, k=3)
    gradient = X.T @ G / len(y) + penalty * solution.W
    assert solution.gradient_norm == pytest.approx(np.linalg.norm(gradient), rel=1e-6)
    assert solution.gradient_norm**2 / (2 * penalty) <= 1e-8 * solution.primal
    assert solution.dual == -np.inf
    assert np.isnan(solution.relative_gap)
    assert all(np.isnan(record.relative_gap) for record in solution.history)
    np.testing.assert_allclose(solution.A, -C * G, atol=1e-12)
    np.testing.assert_allclose(
        solution.W - X.T @ solution.A, gradient / penalty, atol=1e-10 * np.abs(solution.W).max()
    )
    assert toplabel.solve(X, y, loss="lr_multi", C=C).gradient_norm is None


@pytest.mark.parametrize("k", [2, 4])
def test_the_gap_with_the_dropped_classes_fixed_bounds_what_a_convex_solver_gains(k):
    X, y = letters(n=120, d=5, m=7)
    C = 2.0
    solution = toplabel.solve(X, y, loss=LOSS, k=k, C=C, tol=1e-4)
    penalty = 1 / (C * len(y))
    kept = losses.gradient(LOSS, X @ solution.W, y, k=k) != 0

    def fixed(w):
        W = w.reshape(X.shape[1], -1)
        scores = np.where(kept, X @ W, -np.inf)
        top = scores.max(1, keepdims=True)
        P = np.exp(scores - top)
        value = (top[:, 0] + np.log(P.sum(1)) - scores[np.arange(len(y)), y]).mean()
        P /= P.sum(1, keepdims=True)
        P[np.arange(len(y)), y] -= 1
        gradient = X.T @ P / len(y) + penalty * W
        return value + penalty / 2 * (W**2).sum(), gradient.ravel()

    assert fixed(solution.W.ravel())[0] == pytest.approx(solution.primal, rel=1e-12)
    best = minimize(fixed, solution.W.ravel(), jac=True, options={"gtol": 1e-9}).fun
    gap = solution.gradient_norm**2 / (2 * penalty)
    assert 0 <= solution.primal - best <= gap <= 1e-4 * solution.primal


@pytest.mark.parametrize("form", ["gram", "csr"])
def test_other_forms_of_rows_are_the_same_problem(form):
    X, y = letters(n=300)
    X[np.abs(X) < 0.5] = 0.0
    rows = (lambda A: A @ X.T) if form == "gram" else sparse.csr_array
    options = {"loss": LOSS, "k": 3, "C": 1.0, "tol": 1e-9}
    linear = toplabel.solve(X, y, **options)
    options["kernel"] = "precomputed" if form == "gram" else "linear"
    other = toplabel.solve(rows(X), y, **options)
    assert other.status == "converged"
    assert other.primal == pytest.approx(linear.primal, rel=1e-8)
    scores = other.decision_function(rows(X[:9]))
    np.testing.assert_allclose(scores, linear.decision_function(X[:9]), atol=1e-3)


def test_float32_rows_in_memory_or_in_a_file_are_the_same_problem(tmp_path, monkeypatch):
    X, y = letters(n=300)
    X = X.astype(np.float32)
    exact = toplabel.solve(X.astype(np.float64), y, loss=LOSS, k=3, C=1.0, tol=1e-8)
    monkeypatch.setattr("toplabel._core.tuning.CONVERTED", 16 * 70)  # five blocks
    single = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, tol=1e-8)
    assert single.status == "converged"  # products are float64 whatever the rows are
    assert single.primal == pytest.approx(exact.primal, rel=1e-7)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    again = toplabel.solve(mapped, y, loss=LOSS, k=3, C=1.0, tol=1e-8)
    assert again.primal == pytest.approx(exact.primal, rel=1e-7)
    gram = (X @ X.T).astype(np.float32)
    kernel = toplabel.solve(gram, y, loss=LOSS, k=3, C=1.0, kernel="precomputed")
    assert kernel.status == "converged"
    assert kernel.primal == pytest.approx(exact.primal, rel=5e-3)


def test_warm_starts_begin_there():
    X, y = letters()
    first = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, tol=1e-6)
    again = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, tol=1e-6, warm_start=first)
    assert again.epochs == 0
    assert again.primal == pytest.approx(first.primal, rel=1e-14)
    np.testing.assert_array_equal(again.W, first.W)
    # without W, and as an array, the start is X^T A
    for start in (replace(first, W=None), first.A):
        near = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, warm_start=start, max_iter=0)
        assert near.primal == pytest.approx(objective(X, y, X.T @ first.A, 3, 1.0), rel=1e-12)
    softmax = toplabel.solve(X, y, loss="lr_multi", C=1.0)
    from_softmax = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, warm_start=softmax)
    assert from_softmax.primal == toplabel.solve(X, y, loss=LOSS, k=3, C=1.0).primal
    narrow = toplabel.solve(X[:, :5], y, loss="lr_multi", C=1.0)
    with pytest.raises(ValueError, match=r"warm_start must have weights of shape \(16, 26\)"):
        toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, warm_start=narrow)


def test_a_path_starts_at_the_softmax_of_each_C():
    X, y = letters()
    Cs = [10.0, 0.1, 1.0]
    solutions = toplabel.path(X, y, Cs, loss=LOSS, k=2)
    assert [solution.C for solution in solutions] == Cs
    starts = toplabel.path(X, y, Cs, loss="lr_multi")
    for C, start, solution in zip(Cs, starts, solutions, strict=True):
        assert solution.history[0].primal == pytest.approx(objective(X, y, start.W, 2, C))
        assert solution.primal < solution.history[0].primal
    rbf = toplabel.path(X[:90], y[:90], Cs, loss=LOSS, k=2, kernel="rbf", theta=0.2)
    assert [(s.kernel, s.C) for s in rbf] == [("rbf", C) for C in Cs]


def test_each_c_after_a_warm_start_has_its_own_time(monkeypatch):
    X, y = letters(n=200)
    options = {"k": 3, "n_classes": 26, "warm_start": np.zeros((len(y), 26))}
    softmax = toplabel.solve(X, y, loss="lr_multi", C=10.0)
    wall, waits = [0.0], iter([0.6])
    times = SimpleNamespace(perf_counter=lambda: wall[0], process_time=lambda: 0.0)
    monkeypatch.setattr("toplabel._core.clock.time", times)

    def wait(record):
        wall[0] += next(waits, 0.0)

    limits = {"time_limit": 0.5, "callback": wait}
    first, second = toplabel.path(X, y, [1.0, 10.0], LOSS, **options, **limits)
    assert first.status == "time_limit"
    expected = objective(X, y, softmax.W, 3, 10.0)
    assert second.history[0].primal == pytest.approx(expected, rel=1e-6)


def test_a_path_takes_a_warm_start_as_solve_does():
    X, y = letters()
    first = toplabel.solve(X, y, loss=LOSS, k=3, C=1.0, tol=1e-6)
    paths = toplabel.path(X, y, [10.0, 1.0], loss=LOSS, k=3, tol=1e-6, warm_start=first)
    assert paths[1].epochs == 0
    np.testing.assert_array_equal(paths[1].W, first.W)
    cold = toplabel.solve(X, y, loss=LOSS, k=3, C=10.0, tol=1e-6)
    np.testing.assert_array_equal(paths[0].W, cold.W)


def test_rows_of_zeros_and_huge_features():
    X, y = letters(n=100)
    X[3] = 0.0
    zeros = toplabel.solve(np.zeros((4, 2)), [0, 1, 2, 0], loss=LOSS, k=2)
    assert zeros.status == "converged"
    assert zeros.primal == pytest.approx(np.log(2))
    huge = toplabel.solve(X * 1e50, y, loss=LOSS, k=2, C=1e-100)
    scaled = toplabel.solve(X, y, loss=LOSS, k=2, C=1.0)
    assert huge.primal == pytest.approx(scaled.primal, rel=1e-2)
    for start in (np.ones((100, 26)), np.zeros((100, 26))):
        with pytest.raises(toplabel.ToplabelError, match="overflow"):
            toplabel.solve(X * 1e200, y, loss=LOSS, k=2, warm_start=start)


def test_bad_input_is_named():
    X, y = letters(n=60)
    K = X @ X.T
    K[0, 1] += 1.0
    for rows, arguments, named in (
        (X, {"k": 26}, "k"),
        (X, {"gamma": 1.0}, "gamma"),
        (X, {"W0": np.zeros((16, 26))}, "W0"),
        (X, {"warm_start": np.zeros((3, 26))}, "warm_start"),
        (K, {"kernel": "precomputed", "warm_start": np.zeros((60, 26))}, "X"),
    ):
        with pytest.raises(ValueError, match=rf"\b{named}\b"):
            toplabel.solve(rows, y, **{"loss": LOSS, "k": 2, **arguments})
