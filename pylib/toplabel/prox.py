"""Proximal maps and projections (TPAMI section 5, NIPS 2015 section 4).

A two-dimensional input means one problem per row; the loop over the rows is in C. A float32 input
is computed in float64 and comes back as float32, whose rounding may break a constraint by one part
in 10^7; every other input comes back as float64. Inputs must be finite and within +-1e150.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import (
    as_float,
    as_integer,
    as_number,
    as_rows,
    plain,
    pointer,
)
from toplabel._core.lib import check, ffi, lib

__all__ = [
    "bipartite_entropic",
    "bipartite_simplex",
    "lambert_w_exp",
    "topk_cone",
    "topk_entropic",
    "topk_simplex_alpha",
    "topk_simplex_beta",
]

_LARGEST_INPUT = 1e150  # as the library has it
_LARGEST_PARAMETER = 1e100


def topk_simplex_alpha(
    b: ArrayLike, k: int = 1, radius: float = 1.0, bias: float = 0.0
) -> np.ndarray:
    """Biased projection onto the top-k simplex alpha.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``<1, x> <= radius`` and
    ``0 <= x_j <= <1, x> / k``. With k = 1 that is the simplex.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
        The vector to map, or one in each row.
    k : int, 1..d
        The k of the top-k set.
    radius : float, 0..1e150
        The largest sum of the result.
    bias : float, 0..1e100
        The rho of TPAMI Eq. (10).

    Returns
    -------
    ndarray, shape of `b`
        float32 if `b` is, else float64.

    Notes
    -----
    TPAMI Eq. (2) and Proposition 14; NIPS 2015 section 4, but by root finding, without sorting.
    """
    return _one(
        lib.TL_PROX_TOPK_SIMPLEX_ALPHA,
        b,
        k,
        radius=as_number(radius, "radius", 0.0, high=_LARGEST_INPUT),
        bias=as_number(bias, "bias", 0.0, high=_LARGEST_PARAMETER),
    )


def topk_cone(b: ArrayLike, k: int = 1, bias: float = 0.0) -> np.ndarray:
    """Biased projection onto the top-k cone.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``0 <= x_j <= <1, x> / k``.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
        The vector to map, or one in each row.
    k : int, 1..d
        The k of the top-k set.
    bias : float, 0..1e100
        The rho of TPAMI Eq. (10).

    Returns
    -------
    ndarray, shape of `b`
        float32 if `b` is, else float64.

    Notes
    -----
    NIPS 2015 section 4.2, but by root finding, without sorting.
    """
    return _one(
        lib.TL_PROX_TOPK_CONE,
        b,
        k,
        bias=as_number(bias, "bias", 0.0, high=_LARGEST_PARAMETER),
    )


def topk_simplex_beta(
    b: ArrayLike, k: int = 1, radius: float = 1.0, bias: float = 0.0
) -> np.ndarray:
    """Biased projection onto the top-k simplex beta.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``<1, x> <= radius`` and
    ``0 <= x_j <= radius / k``. With k = 1 that is the simplex.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
        The vector to map, or one in each row.
    k : int, 1..d
        The k of the top-k set.
    radius : float, 0..1e150
        The largest sum of the result.
    bias : float, 0..1e100
        The rho of TPAMI Eq. (10).

    Returns
    -------
    ndarray, shape of `b`
        float32 if `b` is, else float64.

    Notes
    -----
    TPAMI Eq. (3) and Proposition 14; a continuous quadratic knapsack problem, solved by variable
    fixing (Kiwiel) in time that is linear in practice.
    """
    return _one(
        lib.TL_PROX_TOPK_SIMPLEX_BETA,
        b,
        k,
        radius=as_number(radius, "radius", 0.0, high=_LARGEST_INPUT),
        bias=as_number(bias, "bias", 0.0, high=_LARGEST_PARAMETER),
    )


def bipartite_simplex(
    b: ArrayLike, b_bar: ArrayLike, radius: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the projection onto the bipartite simplex.

    The minimiser of ``||x - b||^2 + ||y - b_bar||^2`` over x, y >= 0 with
    ``<1, x> = <1, y> <= radius``.

    Parameters
    ----------
    b : array-like, (p,) or (rows, p)
        The vector to map, or one in each row.
    b_bar : array-like, (q,) or (rows, q)
        That of the other side.
    radius : float, 0..1e150
        The largest sum of each side.

    Returns
    -------
    x, y : ndarray, shapes of `b` and `b_bar`
        float32 if both inputs are, else float64.

    Notes
    -----
    TPAMI Eq. (17) and the variable fixing algorithm of section 5.3.
    """
    return _two(
        lib.TL_PROX_BIPARTITE_SIMPLEX,
        b,
        b_bar,
        radius=as_number(radius, "radius", 0.0, high=_LARGEST_INPUT),
    )


def topk_entropic(b: ArrayLike, k: int = 1, alpha: float = 1.0) -> np.ndarray:
    """Return the entropic projection onto the top-k simplex alpha.

    The minimiser of ``alpha/2 (<x, x> + s^2) - <b, x> + <x, log x> + (1 - s) log(1 - s)`` with
    ``s = <1, x> <= 1`` over ``0 <= x_j <= s / k``.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
        The vector to map, or one in each row.
    k : int, 1..d
        The k of the top-k set.
    alpha : float, 1e-100..1e100
        The weight of the squares against the entropy.

    Returns
    -------
    ndarray, shape of `b`
        float32 if `b` is, else float64.

    Notes
    -----
    TPAMI Eq. (11) and Proposition 15, through V(t) = W(e^t); by two nested root searches instead of
    the search over the capped entries of Proposition 16.
    """
    return _one(
        lib.TL_PROX_TOPK_ENTROPIC,
        b,
        k,
        alpha=as_number(alpha, "alpha", 1 / _LARGEST_PARAMETER, high=_LARGEST_PARAMETER),
    )


def bipartite_entropic(
    b: ArrayLike, b_bar: ArrayLike, alpha: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the entropic projection of the multilabel softmax.

    The minimiser of ``alpha/2 ||x - b||^2 + <x, log x> + alpha/2 ||y - b_bar||^2 + <y, log y>``
    over x, y >= 0 with ``<1, x> + <1, y> = 1``.

    Parameters
    ----------
    b : array-like, (p,) or (rows, p)
        The vector to map, or one in each row.
    b_bar : array-like, (q,) or (rows, q)
        That of the other side.
    alpha : float, 1e-100..1e100
        The weight of the squares against the entropy.

    Returns
    -------
    x, y : ndarray, shapes of `b` and `b_bar`
        float32 if both inputs are, else float64.

    Notes
    -----
    TPAMI Eq. (18) and (19), through V(t) = W(e^t).
    """
    return _two(
        lib.TL_PROX_BIPARTITE_ENTROPIC,
        b,
        b_bar,
        alpha=as_number(alpha, "alpha", 1 / _LARGEST_PARAMETER, high=_LARGEST_PARAMETER),
    )


def lambert_w_exp(t: ArrayLike) -> np.ndarray:
    """V(t) = W(e^t), the solution of ``v + log v = t``, elementwise.

    Parameters
    ----------
    t : array-like
        Any shape; infinities are allowed, and NaN gives NaN.

    Returns
    -------
    ndarray, shape of `t`
        float32 if `t` is, else float64.

    Notes
    -----
    TPAMI section 5.1. Relative error below 5e-15; 0 below t = -708.
    """
    array = as_float(t, "t")
    out = np.empty_like(array)
    check(lib.tl_lambert_w_exp(array.size, _address(array), _address(out)))
    return out.astype(np.float32) if plain(t).dtype == np.float32 else out


def _address(array: np.ndarray):
    return pointer(array) if array.size else ffi.NULL


def _one(prox_id: int, b, k: int, **parameters) -> np.ndarray:
    """Map one array: rows of problems with a k."""
    rows, single = as_rows(b, "b")
    k = as_integer(k, "k", 1, rows.shape[1])
    x = np.empty_like(rows)
    _run({"map": prox_id, "n": rows.shape[1], "k": k, **parameters}, rows, x)
    x = x.astype(np.float32) if plain(b).dtype == np.float32 else x
    return x[0] if single else x


def _two(prox_id: int, b, b_bar, **parameters) -> tuple[np.ndarray, np.ndarray]:
    """Map a pair of arrays: rows of problems with two sides."""
    rows, single = as_rows(b, "b")
    rows_bar, single_bar = as_rows(b_bar, "b_bar")
    if single != single_bar or len(rows) != len(rows_bar):
        raise ValueError(
            "b and b_bar must hold the same number of problems, got the shapes "
            f"{np.shape(b)} and {np.shape(b_bar)}"
        )
    x, y = np.empty_like(rows), np.empty_like(rows_bar)
    problem = {"map": prox_id, "n": rows.shape[1], "n_bar": rows_bar.shape[1], **parameters}
    _run(problem, rows, x, rows_bar, y)
    if plain(b).dtype == plain(b_bar).dtype == np.float32:
        x, y = x.astype(np.float32), y.astype(np.float32)
    return (x[0], y[0]) if single else (x, y)


def _run(
    problem: dict,
    rows: np.ndarray,
    x: np.ndarray,
    rows_bar: np.ndarray | None = None,
    y: np.ndarray | None = None,
) -> None:
    prox = ffi.new("tl_prox *", problem)
    work = np.empty(lib.tl_prox_work(prox))
    status = lib.tl_prox_rows(
        prox,
        len(rows),
        pointer(rows),
        ffi.NULL if rows_bar is None else pointer(rows_bar),
        pointer(x),
        ffi.NULL if y is None else pointer(y),
        pointer(work),
    )
    if status == lib.TL_ERR_OVERFLOW:
        inputs = [rows] if rows_bar is None else [rows, rows_bar]
        largest = max(float(np.abs(a).max()) for a in inputs)
        names = "b" if rows_bar is None else "b and b_bar"
        raise ValueError(f"{names} must lie within +-{_LARGEST_INPUT:g}, got {largest:g}")
    check(status)
