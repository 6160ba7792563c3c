"""Losses: against the papers' formulas, their conjugates (Fenchel-Young) and finite differences."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from toplabel import losses

CASES = [
    (loss, k, gamma)
    for loss in losses.LOSSES
    for k in ((1, 2, 3, 4) if losses.LOSSES[loss].top_k else (1,))
    for gamma in ((0.0, 0.5, 1.0) if losses.LOSSES[loss].smoothing else (0.0,))
]
CONVEX = [case for case in CASES if losses.LOSSES[case[0]].convex]
SMOOTH = [case for case in CASES if case[2] > 0 or not losses.LOSSES[case[0]].smoothing]


def rows(loss: str, seed: int, n: int = 6, m: int = 5):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, m)) * rng.choice([0.1, 1.0, 10.0, 500.0], size=(n, 1))
    scores[0] = np.round(scores[0])  # ties
    if losses.LOSSES[loss].labels == "one":
        return scores, rng.integers(0, m, n)
    Y = (rng.random((n, m)) < 0.4).astype(int)
    Y[-1], Y[-2] = 0, 1
    return scores, Y


@pytest.mark.parametrize(("loss", "k", "gamma"), CASES)
@pytest.mark.parametrize("seed", range(5))
def test_value_is_the_papers_formula(loss, k, gamma, seed):
    scores, y = rows(loss, seed)
    if loss == "topk_ent":
        scores = np.clip(scores, -5, 5)  # within the reach of the convex solver
    expected = [oracles.loss_value(loss, u, t, gamma, k) for u, t in zip(scores, y, strict=True)]
    np.testing.assert_allclose(
        losses.value(loss, scores, y, k=k, gamma=gamma), expected, rtol=2e-7, atol=1e-9
    )


@pytest.mark.parametrize("loss", ["svm_multi", "topk_svm_alpha", "topk_svm_beta"])
@pytest.mark.parametrize("gamma", [1e-8, 1.122018454301963e-4, 0.3])
def test_a_little_smoothed_hinge_keeps_its_digits(loss, gamma):
    """With equal scores the maximiser over the dual variables is uniform."""
    m = 49
    value = losses.value(loss, np.zeros((1, m)), [7], k=1, gamma=gamma)
    np.testing.assert_allclose(value, 1.0 - gamma / (2 * (m - 1)), rtol=1e-15)


@pytest.mark.parametrize(("loss", "k", "gamma"), CONVEX)
@settings(max_examples=60)
@given(seed=st.integers(0, 10**6))
def test_fenchel_young(loss, k, gamma, seed):
    """L(u) + L*(v) >= <u, v> everywhere, with equality at the gradient."""
    scores, y = rows(loss, seed)
    value = losses.value(loss, scores, y, k=k, gamma=gamma)
    v = oracles.domain_points(loss, y, scores.shape[1], seed, k)
    slack = value + losses.conjugate(loss, v, y, k=k, gamma=gamma) - (scores * v).sum(1)
    scale = 1.0 + np.abs(scores).max(1)
    assert (slack >= -1e-12 * scale).all()
    if (loss, k, gamma) in SMOOTH:
        g = losses.gradient(loss, scores, y, k=k, gamma=gamma)
        conjugate = losses.conjugate(loss, g, y, k=k, gamma=gamma)
        assert np.isfinite(conjugate).all()
        assert (np.abs(value + conjugate - (scores * g).sum(1)) <= 1e-11 * scale).all()


@pytest.mark.parametrize(("loss", "k", "gamma"), SMOOTH)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_the_finite_difference(loss, k, gamma, seed):
    scores, y = rows(loss, seed)
    scores = np.clip(scores, -20, 20)
    if not losses.LOSSES[loss].convex:
        scores += 1e-3 * np.arange(scores.shape[1])  # ties are kinks
    g = losses.gradient(loss, scores, y, k=k, gamma=gamma)
    step = 1e-5
    for j in range(scores.shape[1]):
        up, down = scores.copy(), scores.copy()
        up[:, j] += step
        down[:, j] -= step
        high, low = (
            losses.value(loss, up, y, k=k, gamma=gamma),
            losses.value(loss, down, y, k=k, gamma=gamma),
        )
        np.testing.assert_allclose(g[:, j], (high - low) / (2 * step), atol=2e-5)


@pytest.mark.parametrize(("loss", "k", "gamma"), CONVEX)
def test_conjugate_is_infinite_outside_its_domain(loss, k, gamma):
    scores, y = rows(loss, 0)
    m = scores.shape[1]
    v = oracles.domain_points(loss, y, m, 1, k)
    assert np.isfinite(losses.conjugate(loss, v, y, k=k, gamma=gamma)).all()
    for v, row in oracles.points_outside(loss, y, m, k):
        assert np.isinf(losses.conjugate(loss, v, y, k=k, gamma=gamma))[row].all()


TWO, THREE, SETS = [[0.0, 1.0]], [[0.0, 1.0, 2.0]], [[0, 1]]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: losses.value("hinge", TWO, [0]), "loss"),
        (lambda: losses.value("svm_multi", TWO, [2]), "y"),
        (lambda: losses.value("svm_multi", TWO, [-1]), "y"),
        (lambda: losses.value("topk_ent", TWO, [0], k=2), "k"),
        (lambda: losses.value("svm_multi", THREE, [0], k=2), "k"),
        (lambda: losses.value("svm_multi", TWO, [0], gamma=-1), "gamma"),
        (lambda: losses.value("lr_ml", TWO, SETS, gamma=1), "gamma"),
        (lambda: losses.value("lr_ml", TWO, [[0, 2]]), "y"),
        (lambda: losses.gradient("svm_ml", TWO, SETS), "gamma"),
        (lambda: losses.value("svm_multi", [[0.0, np.inf]], [0]), "scores"),
        (lambda: losses.value("svm_multi", [["a", "b"]], [0]), "scores"),
        (lambda: losses.value("lr_multi", [[1.0], [2.0]], [0, 0]), "two classes"),
        (lambda: losses.conjugate("topk_ent_tr", THREE, [0], k=2), "topk_ent_tr"),
        (lambda: losses.violation("topk_ent_tr", THREE, [0], k=2), "topk_ent_tr"),
    ],
)
def test_bad_input_is_named(call, named):
    with pytest.raises((ValueError, TypeError), match=rf"\b{named}\b"):
        call()


@settings(max_examples=200)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4))
def test_top_k_hinges_bound_the_top_k_error_in_a_chain(seed, k):
    """Top-k error <= alpha <= beta <= multiclass hinge (NIPS 2015, Eqs. (3) to (5))."""
    scores, y = rows("svm_multi", seed)
    own = np.take_along_axis(scores, y[:, None], axis=1)
    others = np.sort(np.where(np.arange(scores.shape[1]) == y[:, None], -np.inf, scores))[:, ::-1]
    error = (others[:, k - 1] > own[:, 0]).astype(float)
    alpha, beta = (losses.value(f"topk_svm_{one}", scores, y, k=k) for one in ("alpha", "beta"))
    chain = [error, alpha, beta, losses.value("svm_multi", scores, y)]
    slack = 1e-12 * (1.0 + np.abs(scores).max(1))
    for lower, upper in pairwise(chain):
        assert (lower <= upper + slack).all()
