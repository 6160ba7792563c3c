"""Every proximal map: feasible, and optimal by a certificate that does not depend on how it was
computed.

A projection x of b onto a convex set is optimal iff g = b - x (minus the bias) satisfies <g, v - x>
<= 0 for all v of the set, that is iff the support function of the set at g is <g, x>.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize
from scipy.special import wrightomega

import oracles
from toplabel import prox

finite = st.floats(-1e3, 1e3, allow_nan=False)
# Ties, huge and tiny magnitudes, exponential growth: where thresholds are hard to find.
adversarial = st.sampled_from(
    [0.0, 1.0, 1.0, -1.0, 1e10, 1e10, 1e-10, 1e-300, 1e15, -1e15, 2.0, 4.0, 8.0, 16.0]
)
vectors = hnp.arrays(np.float64, st.integers(1, 12), elements=finite | adversarial)
radii = st.sampled_from([1e-12, 1e-3, 0.1, 1.0, 10.0, 1e6]) | st.floats(1e-6, 1e4)
biases = st.sampled_from([0.0, 1e-8, 0.5, 1.0, 10.0])


def tolerance(*arrays, radius=1.0):
    """Rounding of the inputs: one part in 10^14 of the largest number that takes part."""
    return 1e-13 * max(1e-300, radius, *(np.abs(a).max(initial=0.0) for a in arrays))


@settings(max_examples=600)
@given(vectors, st.integers(1, 12), radii, biases)
@example(np.array([3.0, 3.0, 3.0]), 3, 1.0, 0.0)
@example(np.array([2.0**i for i in range(12)]), 1, 1.0, 0.0)
@example(np.array([2.0**i for i in range(12)]), 5, 1e-12, 1.0)
@example(np.zeros(4), 2, 1.0, 1.0)
def test_topk_simplex_beta_is_feasible_and_optimal(b, k, radius, bias):
    k = min(k, len(b))
    x = prox.topk_simplex_beta(b, k=k, radius=radius, bias=bias)
    tol = tolerance(b, radius=radius)
    assert x.min() >= 0.0
    assert x.max() <= radius / k * (1 + 1e-15)
    assert x.sum() <= radius + tol * len(b)
    g = b - x - bias * x.sum()
    excess = oracles.support_topk_simplex_beta(g, k, radius) - g @ x
    assert excess <= 20 * len(b) * tol * radius


@settings(max_examples=600)
@given(vectors, st.integers(1, 12), radii, biases)
@example(np.array([10.0, 0.0, 0.0]), 2, 100.0, 0.0)
@example(np.array([3.0, 3.0, 3.0]), 3, 1.0, 0.0)
@example(np.array([1.0, -2.0, 0.9]), 2, 1.0, 1.0)
@example(np.array([2.0**i for i in range(12)]), 5, 1e-12, 1.0)
@example(np.array([2.0**i for i in range(12)]), 11, 1e6, 0.0)
@example(np.array([1e15, 1.0, -1e15]), 2, 1.0, 0.0)
def test_topk_simplex_alpha_is_feasible_and_optimal(b, k, radius, bias):
    k = min(k, len(b))
    x = prox.topk_simplex_alpha(b, k=k, radius=radius, bias=bias)
    tol = tolerance(b, radius=radius)
    assert x.min() >= 0.0
    assert x.sum() <= radius + tol * len(b)
    assert x.max() <= x.sum() / k + tol * len(b)
    g = b - x - bias * x.sum()
    excess = oracles.support_topk_simplex_alpha(g, k, radius) - g @ x
    assert excess <= 20 * len(b) * tol * radius


@settings(max_examples=600)
@given(vectors, st.integers(1, 12), biases)
@example(np.array([10.0, 0.0, 0.0]), 2, 0.0)
@example(np.array([5.0, 4.0, 3.0]), 1, 0.0)
@example(np.array([1.0, -1.0]), 2, 0.0)
def test_topk_cone_is_feasible_and_optimal(b, k, bias):
    k = min(k, len(b))
    x = prox.topk_cone(b, k=k, bias=bias)
    tol = tolerance(b) * len(b)
    assert x.min() >= 0.0
    assert x.max() <= x.sum() / k + tol
    g = b - x - bias * x.sum()
    # The residual is in the polar cone (no direction of the cone ascends) and orthogonal to x.
    assert oracles.support_topk_simplex_alpha(g, k, 1.0) <= 20 * tol
    assert abs(g @ x) <= 20 * tol * max(1e-300, np.abs(x).sum())


@settings(max_examples=600)
@given(vectors, vectors, radii)
@example(np.array([1.0, 1.0]), np.array([-1.0, -1.0]), 1.0)
@example(np.array([1e15, -1e15]), np.array([1e15, 1.0]), 1e-12)
@example(np.array([5.0]), np.array([-5.0 + 1e-9, -7.0]), 1e3)
def test_bipartite_simplex_is_feasible_and_optimal(b, b_bar, radius):
    x, y = prox.bipartite_simplex(b, b_bar, radius)
    tol = tolerance(b, b_bar, radius=radius) * (len(b) + len(b_bar))
    assert x.min() >= 0.0
    assert y.min() >= 0.0
    assert x.sum() <= radius + tol
    assert abs(x.sum() - y.sum()) <= tol
    g, g_bar = b - x, b_bar - y
    excess = oracles.support_bipartite(g, g_bar, radius) - g @ x - g_bar @ y
    assert excess <= 20 * tol * radius


@settings(max_examples=400)
@given(
    hnp.arrays(np.float64, st.integers(1, 10), elements=st.floats(-300, 300)),
    hnp.arrays(np.float64, st.integers(1, 10), elements=st.floats(-300, 300)),
    st.sampled_from([1e-30, 1e-12, 1e-3, 1.0, 50.0, 1e6]) | st.floats(1e-4, 1e3),
)
@example(np.zeros(3), np.zeros(2), 1.0)
@example(np.array([300.0, -300.0]), np.array([300.0]), 1e6)
def test_bipartite_entropic_satisfies_the_optimality_conditions(b, b_bar, alpha):
    x, y = prox.bipartite_entropic(b, b_bar, alpha)
    p, z = np.concatenate([x, y]), np.concatenate([b, b_bar])
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0, abs=1e-13)
    # alpha (p - z) + log p is one constant where p does not underflow
    kept = p > 1e-280
    level = alpha * (p - z)[kept] + np.log(p[kept])
    scale = max(1.0, alpha * np.abs(z).max(), np.abs(np.log(p[kept])).max())
    # weighted by p: the multiplier is settled by the entries that carry mass
    centre = np.average(level, weights=p[kept])
    assert np.abs(level - centre).max() <= 1e-9 * scale


@settings(max_examples=600)
@given(
    hnp.arrays(
        np.float64,
        st.integers(1, 10),
        elements=st.floats(-300, 300) | st.sampled_from([0.0, 1.0, 50.0]),
    ),
    st.integers(1, 10),
    st.sampled_from([1e-30, 1e-12, 1e-3, 1.0, 50.0, 1e6]) | st.floats(1e-4, 1e3),
)
@example(np.zeros(4), 4, 1.0)
@example(np.array([70.0, 69.0, 50.0, 7.0, 2.0]), 2, 1e-3)
@example(np.array([1300.0, 460.0, 440.0, 280.0, -760.0]), 5, 1e-3)
def test_topk_entropic_is_feasible_and_optimal(b, k, alpha):
    k = min(k, len(b))
    x = prox.topk_entropic(b, k=k, alpha=alpha)
    s = x.sum()
    assert x.min() >= 0.0
    assert s <= 1.0 + 1e-13
    assert x.max() <= s / k + 1e-13
    # Along any feasible direction v - x the objective does not fall. Its gradient has log x and
    # log(1 - s), so take points v in the relative interior: for each, the objective itself is
    # compared, which needs no gradient.
    rng = np.random.default_rng(len(b))
    value = objective_topk_entropic(x, b, alpha)
    scale = max(1.0, alpha, np.abs(b).max())
    for _ in range(10):
        for size in (1.0, 1e-2, 1e-4):
            v = x + size * (feasible_topk(rng, len(b), k, np.argsort(-b)) - x)
            assert objective_topk_entropic(v, b, alpha) >= value - 1e-12 * scale


def objective_topk_entropic(x, b, alpha):
    s = x.sum()
    rest = max(1.0 - s, 0.0)
    entropy = sum(v * np.log(v) for v in [*x, rest] if v > 0)
    return alpha / 2 * (x @ x + s * s) - b @ x + entropy


def feasible_topk(rng, n, k, order):
    """A random point of the top-k simplex alpha: a mixture of vertices, which are 0 and 1/k on k
    entries.
    """
    v = np.zeros(n)
    for weight in rng.dirichlet(np.ones(5))[:4]:
        best = order[:k] if rng.random() < 0.5 else rng.permutation(n)[:k]
        v[best] += weight / k
    return v


@settings(max_examples=300)
@given(hnp.arrays(np.float64, st.integers(1, 50), elements=st.floats(-700, 1e12)))
def test_lambert_w_exp_solves_its_equation(t):
    v = prox.lambert_w_exp(t)
    np.testing.assert_allclose(v, wrightomega(t).real, rtol=5e-15)


def test_lambert_w_exp_at_the_seams_and_beyond():
    seams = np.concatenate(
        [np.nextafter(s, [-np.inf, np.inf]) for s in (-36.0, 1.0, 2.0, 30.0, 1e8)]
    )
    np.testing.assert_allclose(prox.lambert_w_exp(seams), wrightomega(seams).real, rtol=5e-15)
    np.testing.assert_array_equal(
        prox.lambert_w_exp([-np.inf, -800.0, np.inf, np.nan, 1e300]),
        [0.0, 0.0, np.inf, np.nan, 1e300],
    )
    assert prox.lambert_w_exp(0.0).shape == ()
    assert prox.lambert_w_exp([]).shape == (0,)


@pytest.mark.parametrize("seed", range(5))
def test_projections_agree_with_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    b, b_bar = rng.normal(size=4) * 2, rng.normal(size=3) * 2
    x = prox.topk_simplex_beta(b, k=2, radius=1.5, bias=0.7)
    found = minimize(
        lambda v: ((v - b) ** 2).sum() + 0.7 * v.sum() ** 2,
        np.full(4, 0.1),
        bounds=[(0, 0.75)] * 4,
        constraints={"type": "ineq", "fun": lambda v: 1.5 - v.sum()},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(x, found.x, atol=1e-6)
    x, y = prox.bipartite_simplex(b, b_bar, radius=1.2)
    found = minimize(
        lambda v: ((v[:4] - b) ** 2).sum() + ((v[4:] - b_bar) ** 2).sum(),
        np.full(7, 0.1),
        bounds=[(0, None)] * 7,
        constraints=[
            {"type": "eq", "fun": lambda v: v[:4].sum() - v[4:].sum()},
            {"type": "ineq", "fun": lambda v: 1.2 - v[:4].sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(np.concatenate([x, y]), found.x, atol=1e-6)
