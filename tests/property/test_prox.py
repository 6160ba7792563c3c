"""Every proximal map beside an answer that does not depend on how the library computes it.

Projections: rational arithmetic; those of long vectors are compared in C (`csrc/tests/test_filter.c`).
The entropic maps: lower bounds of their objectives in extended precision. Errors are in units of
rounding, as `prox_cases` counts them.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import entropic_exact
import prox_cases
from prox_cases import UNIT, Case, ratio
from toplabel import prox

# Where a long double is no longer than a double, bounds have the rounding of doubles themselves.
EXTENDED = np.finfo(np.longdouble).eps < 1e-18

entries = (
    st.floats(-1e3, 1e3, allow_subnormal=False),
    st.sampled_from([0.0, 1.0, 1.0, -1.0, 2.0, 2.0]),  # ties
    st.sampled_from(prox_cases.SPREAD),
    st.integers(0, 40).map(lambda i: 1e9 + i * 2.0**-10),  # close to each other
    st.integers(-40, 40).map(lambda i: 2.0**i),
)
vectors = st.integers(1, 9).flatmap(
    lambda n: st.one_of(*(hnp.arrays(np.float64, n, elements=kind) for kind in entries))
)
radii = st.sampled_from(prox_cases.RADII) | st.floats(1e-6, 1e4)
ks = st.integers(1, 9)
cases = st.builds(
    lambda b, b_bar, k, *rest: Case(b, b_bar, min(k, len(b)), *rest),
    *(vectors, vectors, ks, radii, st.sampled_from(prox_cases.BIASES), st.just(True)),
)


def case(b, k=1, radius=1.0, bias=0.0, b_bar=(1.0,)):
    return Case(np.array(b), np.array(b_bar), k, radius, bias, True)


def check_projection(name, problem, allowed):
    """The minimiser within some units of rounding; bounds of single entries are kept exactly."""
    right = np.array([float(v) for v in prox_cases.reference(name, problem)])
    x, unit = prox_cases.solve(name, problem), prox_cases.scale(name, problem)
    assert ratio(np.abs(x - right).max(), unit) <= allowed
    assert ratio(prox_cases.infeasibility(name, problem, x), unit) <= 40
    assert x.min() >= 0
    if name != "topk_cone":
        bound = problem.radius if name == "bipartite_simplex" else problem.radius / problem.k
        assert x.max() <= bound


@pytest.mark.parametrize("name", prox_cases.MAPS)
@settings(max_examples=200)
@given(cases)
@example(case([3.0, 3.0, 3.0], 3))
@example(case(2.0 ** np.arange(12), 1))
@example(case(2.0 ** np.arange(12), 5, 1e-12, 1.0))
@example(case(2.0 ** np.arange(12), 11, 1e6))
@example(case(np.zeros(4), 2, 1.0, 1.0))
@example(case([1e15 + 1, 1e15, 1e15 - 1], 1, 1.5))
@example(case([1e15, 1.0, -1e15], 2))
@example(case([1.0, -2.0, 0.9], 2, 1.0, 1.0))
@example(case([-1.9e32, -1.3e81, 1.9e50, -1e-136], 3, 13.8, 0.5))
@example(case([1e-300], 1, 0.1))
@example(case([10.0, 0.0, 0.0], 2, 100.0))
@example(case([5.0, 4.0, 3.0], 1))
@example(case([1.0, -1.0], 2))
@example(case([1.0, -2.0, 2.0, 2.0, -1.0, -2.0, 0.0, -2.0, 2.0], 9))
@example(case([1.0, 1.0], b_bar=[-1.0, -1.0]))
@example(case([1e15, -1e15], 1, 1e-12, b_bar=[1e15, 1.0]))
@example(case([5.0], 1, 1e3, b_bar=[-5.0 + 1e-9, -7.0]))
def test_a_projection_is_that_of_rational_arithmetic(name, problem):
    entries = len(prox_cases.solve(name, problem))
    check_projection(name, problem, entries * (16 if name in prox_cases.OF_SUMS else 8))


@pytest.mark.parametrize("name", prox_cases.MAPS)
def test_a_projection_of_any_magnitudes_is_that_of_rational_arithmetic(name):
    for problem in prox_cases.projection_cases(300, 9, seed=10):
        check_projection(name, problem, 16)


@pytest.mark.parametrize(
    ("n", "k"), [(1, 1), (3, 2), (4, 4), (5, 2), (5, 5), (8, 3), (10, 1), (10, 9)]
)
def test_topk_entropic_is_optimal(n, k):
    b, alpha, _ = prox_cases.entropic_cases(60, n, seed=12 + 100 * n + k)
    if n == 5:  # once lost
        b[:2] = [70.0, 69.0, 50.0, 7.0, 2.0], [1300.0, 460.0, 440.0, 280.0, -760.0]
        alpha[:2] = 1e-3
    log_x, log_s, log_rest, capped = entropic_exact.topk_point(b, k, alpha)
    bound = entropic_exact.topk_lower_bound(b, k, alpha, log_x, log_s, log_rest)
    x = np.array([prox.topk_entropic(row, k, a) for row, a in zip(b, alpha, strict=True)])
    s = x.astype(np.longdouble).sum(axis=1)
    assert x.min() >= 0
    assert max((s - 1).max(), (x.max(axis=1) - s / k).max()) <= 10 * UNIT
    units = UNIT * np.maximum(np.maximum(1.0, alpha), np.abs(b).max(axis=1))
    above = entropic_exact.topk_objective(x, b, alpha) - bound
    assert (above / units).max() <= (10 if EXTENDED else 1000)
    assert np.abs(x - np.exp(log_x)).max() <= 100 * UNIT
    assert k in (1, n) or capped.any(axis=1).sum() > 20


@pytest.mark.parametrize(("p", "q"), [(1, 1), (3, 5), (10, 2), (40, 40)])
def test_bipartite_entropic_is_optimal(p, q):
    z, alpha, _ = prox_cases.entropic_cases(60, p + q, seed=13 + p)
    z[:2], alpha[:2] = [np.zeros(p + q), [300.0] + (p + q - 1) * [-300.0]], [1.0, 1e6]
    pairs = zip(z, alpha, strict=True)
    x = np.array([np.concatenate(prox.bipartite_entropic(v[:p], v[p:], a)) for v, a in pairs])
    log_p = entropic_exact.softmax_point(z, alpha)
    assert x.min() >= 0
    assert np.abs(x.astype(np.longdouble).sum(axis=1) - 1).max() <= 20 * UNIT
    units = UNIT * np.maximum(1.0, alpha * np.maximum(1.0, np.abs(z).max(axis=1)))
    bound = entropic_exact.softmax_lower_bound(z, alpha, log_p)
    above = entropic_exact.softmax_objective(x, z, alpha) - bound
    assert (above / units).max() <= (30 if EXTENDED else 300)
    assert np.abs(x - np.exp(log_p)).max() <= 100 * UNIT


def test_lambert_w_exp_solves_its_equation():
    rng = np.random.default_rng(14)
    t = [rng.uniform(*ends, 3000) for ends in ((-700, -40), (-40, -1), (-1, 3), (3, 40))]
    t += [np.exp(rng.uniform(*np.log(ends), 3000)) for ends in ((40, 1e9), (1e9, 1e300))]
    t += [np.nextafter(seam, [-np.inf, np.inf]) for seam in (-36.0, 1.0, 2.0, 30.0, 1e8)]
    t = np.concatenate(t)
    right = np.exp(entropic_exact.log_v(t.astype(np.longdouble)))
    np.testing.assert_allclose(prox.lambert_w_exp(t), right, rtol=1e-15 if EXTENDED else 5e-15)
    np.testing.assert_array_equal(
        prox.lambert_w_exp([-np.inf, -800.0, np.inf, np.nan, 1e300]),
        [0.0, 0.0, np.inf, np.nan, 1e300],
    )
    assert prox.lambert_w_exp(0.0).shape == ()
    assert prox.lambert_w_exp([]).shape == (0,)
