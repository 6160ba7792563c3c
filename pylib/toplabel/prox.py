"""Proximal maps and projections (TPAMI section 5, NIPS 2015 section 4).

A two-dimensional input means one problem a row.
"""

from __future__ import annotations

import numpy as np

from toplabel._arrays import as_integer, as_number, as_rows, pointer
from toplabel._lib import check, ffi, lib

__all__ = [
    "bipartite_entropic",
    "bipartite_simplex",
    "lambert_w_exp",
    "topk_cone",
    "topk_entropic",
    "topk_simplex_alpha",
    "topk_simplex_beta",
]


def topk_simplex_alpha(b, k: int = 1, radius: float = 1.0, bias: float = 0.0) -> np.ndarray:
    """Biased projection onto the top-k simplex alpha.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``<1, x> <= radius`` and
    ``0 <= x_j <= <1, x> / k``. With k = 1 that is the simplex.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
    k : int, 1..d
    radius : float >= 0
    bias : float >= 0
        The rho of TPAMI Eq. (10).

    Returns
    -------
    ndarray, shape of `b`

    Notes
    -----
    TPAMI Eq. (2) and Proposition 14; NIPS 2015 section 4, but by root finding without sorting.
    """
    rows, single = as_rows(b, "b")
    k = as_integer(k, "k", 1, rows.shape[1])
    radius = as_number(radius, "radius", 0.0)
    bias = as_number(bias, "bias", 0.0)
    x = np.empty_like(rows)
    work = np.empty(rows.shape[1])
    for source, target in zip(rows, x, strict=True):
        check(
            lib.tl_prox_topk_simplex_alpha(
                rows.shape[1], pointer(source), k, radius, bias, pointer(target), pointer(work)
            )
        )
    return x[0] if single else x


def topk_cone(b, k: int = 1, bias: float = 0.0) -> np.ndarray:
    """Biased projection onto the top-k cone.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``0 <= x_j <= <1, x> / k``.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
    k : int, 1..d
    bias : float >= 0

    Returns
    -------
    ndarray, shape of `b`

    Notes
    -----
    NIPS 2015 section 4.2, but by root finding without sorting.
    """
    rows, single = as_rows(b, "b")
    k = as_integer(k, "k", 1, rows.shape[1])
    bias = as_number(bias, "bias", 0.0)
    x = np.empty_like(rows)
    work = np.empty(rows.shape[1])
    for source, target in zip(rows, x, strict=True):
        check(
            lib.tl_prox_topk_cone(
                rows.shape[1], pointer(source), k, bias, pointer(target), pointer(work)
            )
        )
    return x[0] if single else x


def topk_simplex_beta(b, k: int = 1, radius: float = 1.0, bias: float = 0.0) -> np.ndarray:
    """Biased projection onto the top-k simplex beta.

    The minimiser of ``||x - b||^2 + bias <1, x>^2`` over the x with ``<1, x> <= radius`` and
    ``0 <= x_j <= radius / k``. With k = 1 that is the simplex.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
    k : int, 1..d
    radius : float >= 0
    bias : float >= 0
        The rho of TPAMI Eq. (10).

    Returns
    -------
    ndarray, shape of `b`

    Notes
    -----
    TPAMI Eq. (3) and Proposition 14; a continuous quadratic knapsack problem, solved by variable fixing without
    sorting, in time that is linear in practice.
    """
    rows, single = as_rows(b, "b")
    k = as_integer(k, "k", 1, rows.shape[1])
    radius = as_number(radius, "radius", 0.0)
    bias = as_number(bias, "bias", 0.0)
    x = np.empty_like(rows)
    work = np.empty(rows.shape[1])
    for source, target in zip(rows, x, strict=True):
        check(
            lib.tl_prox_topk_simplex_beta(
                rows.shape[1], pointer(source), k, radius, bias, pointer(target), pointer(work)
            )
        )
    return x[0] if single else x


def bipartite_simplex(b, b_bar, radius: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Projection onto the bipartite simplex.

    The minimiser of ``||x - b||^2 + ||y - b_bar||^2`` over x, y >= 0 with
    ``<1, x> = <1, y> <= radius``.

    Parameters
    ----------
    b : array-like, (p,) or (rows, p)
    b_bar : array-like, (q,) or (rows, q)
    radius : float >= 0

    Returns
    -------
    x, y : ndarray, shapes of `b` and `b_bar`

    Notes
    -----
    TPAMI Eq. (17) and the variable fixing algorithm of section 5.3.
    """
    rows, rows_bar, single = _pair(b, b_bar)
    radius = as_number(radius, "radius", 0.0)
    p, q = rows.shape[1], rows_bar.shape[1]
    x, y, work = np.empty_like(rows), np.empty_like(rows_bar), np.empty(p + q)
    for i in range(len(rows)):
        check(
            lib.tl_prox_bipartite_simplex(
                p,
                pointer(rows[i]),
                q,
                pointer(rows_bar[i]),
                radius,
                pointer(x[i]),
                pointer(y[i]),
                pointer(work),
            )
        )
    return (x[0], y[0]) if single else (x, y)


def topk_entropic(b, k: int = 1, alpha: float = 1.0) -> np.ndarray:
    """Entropic projection onto the top-k simplex alpha.

    The minimiser of ``alpha/2 (<x, x> + s^2) - <b, x> + <x, log x> + (1 - s) log(1 - s)`` with
    ``s = <1, x> <= 1`` over ``0 <= x_j <= s / k``.

    Parameters
    ----------
    b : array-like, (d,) or (rows, d)
    k : int, 1..d
    alpha : float > 0

    Returns
    -------
    ndarray, shape of `b`

    Notes
    -----
    TPAMI Eq. (11) and Propositions 15 and 16, through V(t) = W(e^t).
    """
    rows, single = as_rows(b, "b")
    k = as_integer(k, "k", 1, rows.shape[1])
    alpha = as_number(alpha, "alpha", 0.0, strict=True)
    d = rows.shape[1]
    x, work = np.empty_like(rows), np.empty(3 * d + 2)
    for source, target in zip(rows, x, strict=True):
        check(
            lib.tl_prox_topk_entropic(d, pointer(source), k, alpha, pointer(target), pointer(work))
        )
    return x[0] if single else x


def bipartite_entropic(b, b_bar, alpha: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Entropic projection of the multilabel softmax.

    The minimiser of ``alpha/2 ||x - b||^2 + <x, log x> + alpha/2 ||y - b_bar||^2 + <y, log y>`` over
    x, y >= 0 with ``<1, x> + <1, y> = 1``.

    Parameters
    ----------
    b : array-like, (p,) or (rows, p)
    b_bar : array-like, (q,) or (rows, q)
    alpha : float > 0

    Returns
    -------
    x, y : ndarray, shapes of `b` and `b_bar`

    Notes
    -----
    TPAMI Eq. (18) and (19), through V(t) = W(e^t).
    """
    rows, rows_bar, single = _pair(b, b_bar)
    alpha = as_number(alpha, "alpha", 0.0, strict=True)
    p, q = rows.shape[1], rows_bar.shape[1]
    x, y, work = np.empty_like(rows), np.empty_like(rows_bar), np.empty(2 * (p + q))
    for i in range(len(rows)):
        check(
            lib.tl_prox_bipartite_entropic(
                p,
                pointer(rows[i]),
                q,
                pointer(rows_bar[i]),
                alpha,
                pointer(x[i]),
                pointer(y[i]),
                pointer(work),
            )
        )
    return (x[0], y[0]) if single else (x, y)


def lambert_w_exp(t) -> np.ndarray:
    """V(t) = W(e^t), the solution of ``v + log v = t``, elementwise.

    Parameters
    ----------
    t : array-like
        Any shape; infinities are allowed, and NaN gives NaN.

    Returns
    -------
    ndarray of float64, shape of `t`

    Notes
    -----
    TPAMI section 5.1. Relative error below 5e-15; 0 below t = -708.
    """
    array = np.array(t, dtype=np.float64, order="C")
    out = np.empty_like(array)
    check(lib.tl_lambert_w_exp(array.size, _address(array), _address(out)))
    return out


def _address(array: np.ndarray):
    return pointer(array) if array.size else ffi.NULL


def _pair(b, b_bar) -> tuple[np.ndarray, np.ndarray, bool]:
    rows, single = as_rows(b, "b")
    rows_bar, single_bar = as_rows(b_bar, "b_bar")
    if single != single_bar or len(rows) != len(rows_bar):
        raise ValueError(
            f"b and b_bar must hold the same number of problems, got {np.shape(b)} and {np.shape(b_bar)}"
        )
    return rows, rows_bar, single
