"""The Python interface of the proximal maps: shapes, types, rows, errors."""

import numpy as np
import pytest

from toplabel import ToplabelError, prox
from toplabel._core.lib import check, ffi, lib

ONE = {
    "alpha": lambda b: prox.topk_simplex_alpha(b, k=2, radius=1.5, bias=0.5),
    "beta": lambda b: prox.topk_simplex_beta(b, k=2, radius=1.5, bias=0.5),
    "cone": lambda b: prox.topk_cone(b, k=2, bias=0.5),
    "entropic": lambda b: prox.topk_entropic(b, k=2, alpha=0.7),
}
TWO = {
    "simplex": lambda b, c: prox.bipartite_simplex(b, c, radius=2.0),
    "entropic": lambda b, c: prox.bipartite_entropic(b, c, alpha=0.7),
}


@pytest.mark.parametrize("function", ONE.values(), ids=ONE)
def test_rows_are_separate_problems(function):
    b = np.random.default_rng(0).normal(size=(6, 5))
    x = function(b)
    np.testing.assert_array_equal(x, [function(row) for row in b])
    np.testing.assert_array_equal(x, function(np.asfortranarray(b)))
    assert x.shape == b.shape


@pytest.mark.parametrize("function", TWO.values(), ids=TWO)
def test_rows_of_pairs_are_separate_problems(function):
    rng = np.random.default_rng(0)
    b, b_bar = rng.normal(size=(6, 5)), rng.normal(size=(6, 4))
    x, y = function(b, b_bar)
    pairs = [function(*pair) for pair in zip(b, b_bar, strict=True)]
    np.testing.assert_array_equal(x, [pair[0] for pair in pairs])
    np.testing.assert_array_equal(y, [pair[1] for pair in pairs])


@pytest.mark.parametrize("function", ONE.values(), ids=ONE)
def test_float32_comes_back_as_float32_rounded_once(function):
    b = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    x = function(b)
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, function(b.astype(np.float64)).astype(np.float32))
    assert function(b.astype(np.float16)).dtype == np.float64
    assert function([1, 2, 3]).dtype == np.float64


@pytest.mark.parametrize("function", TWO.values(), ids=TWO)
def test_float32_pairs(function):
    b = np.random.default_rng(0).normal(size=(2, 5)).astype(np.float32)
    assert [v.dtype for v in function(b[0], b[1])] == [np.float32] * 2
    assert [v.dtype for v in function(b[0].astype(float), b[1])] == [np.float64] * 2


def test_float32_of_the_special_function():
    t = np.array([[-1.0, 0.0, 30.0]], dtype=np.float32)
    v = prox.lambert_w_exp(t)
    assert v.dtype == np.float32
    np.testing.assert_array_equal(v, prox.lambert_w_exp(t.astype(float)).astype(np.float32))


@pytest.mark.parametrize("function", ONE.values(), ids=ONE)
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
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prox.topk_cone(["a"]), "b must hold real numbers"),
        (lambda: prox.topk_cone([1.0], k=1.0), "k must be an integer"),
        (lambda: prox.topk_simplex_beta([1.0], radius="1"), "radius must be a number"),
    ],
)
def test_wrong_types_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_the_library_refuses_what_no_map_has():
    b, work = ffi.new("double[2]"), ffi.new("double[8]")
    problem = ffi.new("tl_prox *", {"map": lib.TL_PROX_COUNT, "n": 2, "k": 1, "alpha": 1.0})
    with pytest.raises(ToplabelError, match="TL_ERR_PARAMETER"):
        check(lib.tl_prox_rows(problem, 1, b, ffi.NULL, b, ffi.NULL, work))
    assert lib.tl_prox_work(problem) == 0
    assert lib.tl_prox_work(ffi.NULL) == 0
