"""The Python interface of the proximal maps: shapes, types, rows, errors."""

import numpy as np
import pytest

from toplabel import prox

MAPS = {
    "alpha": lambda b: prox.topk_simplex_alpha(b, k=2, radius=1.5, bias=0.5),
    "beta": lambda b: prox.topk_simplex_beta(b, k=2, radius=1.5, bias=0.5),
    "cone": lambda b: prox.topk_cone(b, k=2, bias=0.5),
    "entropic": lambda b: prox.topk_entropic(b, k=2, alpha=0.7),
    "lambert_w_exp": prox.lambert_w_exp,
    "both sides": lambda b: np.concatenate(prox.bipartite_simplex(b, -b, radius=2.0), axis=-1),
    "both sides, entropic": lambda b: np.concatenate(prox.bipartite_entropic(b, -b), axis=-1),
}


@pytest.mark.parametrize("function", MAPS.values(), ids=MAPS)
def test_rows_are_separate_problems(function):
    b = np.random.default_rng(0).normal(size=(6, 5))
    x = function(b)
    np.testing.assert_array_equal(x, [function(row) for row in b])
    np.testing.assert_array_equal(x, function(np.asfortranarray(b)))
    assert len(x) == len(b)


@pytest.mark.parametrize("function", MAPS.values(), ids=MAPS)
def test_float32_comes_back_as_float32_rounded_once(function):
    b = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    x = function(b)
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, function(b.astype(np.float64)).astype(np.float32))
    assert function(b.astype(np.float16)).dtype == np.float64
    assert function(np.array([1, 2, 3])).dtype == np.float64


def test_one_side_in_float32_is_not_enough():
    b = np.random.default_rng(0).normal(size=5).astype(np.float32)
    for function in (prox.bipartite_simplex, prox.bipartite_entropic):
        assert [side.dtype for side in function(b.astype(float), b)] == [np.float64] * 2


@pytest.mark.parametrize("function", MAPS.values(), ids=MAPS)
def test_the_input_is_left_alone(function):
    b = np.array([3.0, -1.0, 2.0, 2.0])
    b.flags.writeable = False
    function(b)
    np.testing.assert_array_equal(b, [3.0, -1.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prox.topk_simplex_beta([1.0, np.nan]), r"b\[1\] is nan"),
        (lambda: prox.topk_cone([[1.0], [-np.inf]]), r"b\[1, 0\] is -inf"),
        (lambda: prox.bipartite_simplex([1.0], [np.inf]), r"b_bar\[0\] is inf"),
        (lambda: prox.topk_simplex_beta([1.0, 2.0], k=3), r"k must be in 1..2, got 3"),
        (lambda: prox.topk_simplex_beta([]), "b must be a vector"),
        (lambda: prox.topk_simplex_beta([1.0], radius=-1.0), "radius must be >= 0"),
        (lambda: prox.topk_simplex_beta([1.0], bias=np.inf), "bias must be finite and >= 0"),
        (lambda: prox.topk_simplex_alpha([1.0], radius=1e151), "radius must be >= 0 and <= 1e"),
        (lambda: prox.topk_cone([1.0, 1e200]), r"b must lie within \+-1e\+150, got 1e\+200"),
        (lambda: prox.bipartite_simplex([1.0], [-1e200]), r"b and b_bar must lie within"),
        (lambda: prox.bipartite_simplex([[1.0]], [[1.0], [2.0]]), "same number of problems"),
        (lambda: prox.bipartite_entropic([1.0], [1.0], alpha=0.0), "alpha must be >= 1e-100"),
        (lambda: prox.topk_entropic([1.0], alpha=1e101), "alpha must be >= 1e-100"),
        (lambda: prox.topk_cone(["a"]), "b must hold real numbers"),
        (lambda: prox.lambert_w_exp(np.array([1j])), "t must hold real numbers"),
        (lambda: prox.topk_cone([1.0], k=1.0), "k must be an integer"),
        (lambda: prox.topk_simplex_beta([1.0], radius="1"), "radius must be a number"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
