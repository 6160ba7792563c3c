"""The projections against rational arithmetic: forward errors of a few units of rounding.

Rounding is counted in units of 2^-53 of min(radius, max |b|): the result never exceeds the radius,
and differences to the threshold are formed without loss. For the top-k cone and simplex alpha it
is max |b|: the derivative whose sign decides about the radius is a sum of entries.
"""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import exact
from toplabel import prox

UNIT = 2.0**-53

finite = st.floats(-1e3, 1e3, allow_subnormal=False)
ties = st.sampled_from([0.0, 1.0, 1.0, -1.0, 2.0, 2.0])
spread = st.sampled_from(
    [0.0, 1.0, -1.0, 1e10, 1e-10, 1e-300, 1e15, -1e15, 3e149, -3e149, 2.0, 4.0, 8.0, 16.0]
)
close = st.integers(0, 40).map(lambda i: 1e9 + i * 2.0**-10)
vectors = st.integers(1, 9).flatmap(
    lambda n: st.one_of(
        *(hnp.arrays(np.float64, n, elements=kind) for kind in (finite, ties, spread, close))
    )
)
radii = st.sampled_from([0.0, 1e-300, 1e-12, 0.1, 1.0, 10.0, 1e6, 1e15, 1e149]) | st.floats(
    1e-6, 1e4
)
biases = st.sampled_from([0.0, 1e-8, 0.5, 1.0, 10.0, 1e10])
ks = st.integers(1, 9)


def worst(x, reference, scale):
    """Largest error in units of rounding of `scale`."""
    difference = np.abs(x - np.array([float(v) for v in reference])).max()
    return 0.0 if difference == 0 else difference / (UNIT * max(scale, 1e-300))


def fraction(value):
    return exact.fractions([value])[0]


@settings(max_examples=200)
@given(vectors, ks, radii, biases)
@example(np.array([3.0, 3.0, 3.0]), 3, 1.0, 0.0)
@example(np.array([2.0**i for i in range(9)]), 5, 1e-12, 1.0)
@example(np.array([1e15 + 1, 1e15, 1e15 - 1]), 1, 1.5, 0.0)
def test_topk_simplex_beta_is_exact(b, k, radius, bias):
    k = min(k, len(b))
    x = prox.topk_simplex_beta(b, k, radius, bias)
    reference = exact.topk_simplex_beta(exact.fractions(b), k, fraction(radius), fraction(bias))
    assert worst(x, reference, min(radius, np.abs(b).max())) <= 8 * len(b)
    assert x.min() >= 0
    assert x.max() <= radius / k


@settings(max_examples=200)
@given(vectors, ks, radii, biases)
@example(np.array([3.0, 3.0, 3.0]), 3, 1.0, 0.0)
@example(np.array([1.0, -2.0, 0.9]), 2, 1.0, 1.0)
@example(np.array([-1.9e32, -1.3e81, 1.9e50, -1e-136]), 3, 13.8, 0.5)
@example(np.array([1e-300]), 1, 0.1, 0.0)
def test_topk_simplex_alpha_is_exact(b, k, radius, bias):
    k = min(k, len(b))
    x = prox.topk_simplex_alpha(b, k, radius, bias)
    reference = exact.topk_simplex_alpha(exact.fractions(b), k, fraction(radius), fraction(bias))
    assert worst(x, reference, np.abs(b).max()) <= 16 * len(b)
    assert x.min() >= 0
    assert x.max() <= radius / k


@settings(max_examples=200)
@given(vectors, ks, biases)
@example(np.array([10.0, 0.0, 0.0]), 2, 0.0)
@example(np.array([1.0, -1.0]), 2, 0.0)
@example(np.array([1.0, -2.0, 2.0, 2.0, -1.0, -2.0, 0.0, -2.0, 2.0]), 9, 0.0)
def test_topk_cone_is_exact(b, k, bias):
    k = min(k, len(b))
    x = prox.topk_cone(b, k, bias)
    reference = exact.topk_cone(exact.fractions(b), k, fraction(bias))
    assert worst(x, reference, np.abs(b).max()) <= 16 * len(b)
    assert x.min() >= 0


@settings(max_examples=200)
@given(vectors, vectors, radii)
@example(np.array([1.0, 1.0]), np.array([-1.0, -1.0]), 1.0)
@example(np.array([5.0]), np.array([-5.0 + 1e-9, -7.0]), 1e3)
def test_bipartite_simplex_is_exact(b, b_bar, radius):
    x, y = prox.bipartite_simplex(b, b_bar, radius)
    x_exact, y_exact = exact.bipartite_simplex(
        exact.fractions(b), exact.fractions(b_bar), fraction(radius)
    )
    scale = min(radius, max(np.abs(b).max(), np.abs(b_bar).max()))
    both, reference = np.concatenate([x, y]), x_exact + y_exact
    assert worst(both, reference, scale) <= 8 * len(both)
    assert both.min() >= 0
