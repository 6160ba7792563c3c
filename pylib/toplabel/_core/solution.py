"""The result of training: the model, its certificate and its history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from toplabel._core import kernels, tuning
from toplabel._core.arrays import (
    Features,
    MatrixLike,
    as_features,
    check_mapped_finite,
    is_mapped,
    row_blocks,
)

__all__ = ["Record", "Solution"]


class Model(Protocol):
    """The present point of a run, as watched sets see it."""

    def weights(self) -> np.ndarray | None:
        """Return W, (d, m); None with a kernel."""

    def coefficients(self) -> np.ndarray | None:
        """Return those of W in the rows, (n, m), with a kernel; else None."""


@dataclass(frozen=True)
class Record:
    """One evaluation of the objectives while a model trains.

    Parameters
    ----------
    epoch : int
        Whole passes over the data so far.
    primal, dual, relative_gap : float
        P(W), D(A) (TPAMI Eq. (9)) and ``(|P - D| + e) / max(|P|, |D|)``, e a bound of the rounding
        error of P - D.
    solve_seconds, evaluate_seconds : float
        Wall time so far of the epochs and of the evaluations (watched sets included).
    watched : dict of str to float
        For each watched set its mean loss, or the value of ``watch_metric``.
    """

    epoch: int
    primal: float
    dual: float
    relative_gap: float
    solve_seconds: float
    evaluate_seconds: float
    watched: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """A method that ran, for a part of a solve.

    Parameters
    ----------
    method : {"sdca", "newton", "pairs"}
        Coordinate ascent, Newton's method, or working sets of pairs.
    steps : int
        Passes over the rows, Newton steps, or working sets.
    why : str
        Why it began, in a few words.
    """

    method: str
    steps: int
    why: str


@dataclass(frozen=True, eq=False)
class Solution:
    """A trained model and the proof of how good it is.

    Parameters
    ----------
    A : ndarray, (n, m)
        Dual variables, feasible for C: they give D.
    W : ndarray, (d, m), or None
        Weights for the linear kernel, in float64: they give P, and the scores of a row x are ``W.T
        @ x`` (plus `intercept`). At the optimum W is ``X.T @ A`` (plus W0), and also before where
        the passes were not accelerated.
    primal, dual, relative_gap : float
        P(W) and D(A) in the normalisation of TPAMI Eq. (9), in float64; ``primal - dual`` bounds
        the distance of both to the optimum. Infinite where a limit or Ctrl-C left no time to compute
        them.
    epochs : int
        Whole passes over the data.
    status : str
        ``"converged"``; ``"max_iter"`` or ``"time_limit"`` (wall or CPU); ``"interrupted"``, by
        Ctrl-C or the callback; ``"stalled"``: rounding, as of float32 features, ended the progress
        before `tol` was reached; ``"imprecise"``: P - D is small enough, but its rounding error may
        be larger.
    history : list of Record
        The evaluations. The first is that of the start, but where a warm start with a Gram matrix
        is seen to be far from `tol` without one, and neither `eval_every`, a callback nor a watched
        set asks for it.
    loss : str
        The key of the loss.
    k : int
        The k of a top-k loss.
    gamma : float
        The smoothing of a hinge.
    C : float
        1/(lambda n).
    kernel : str or callable
        As it was passed.
    theta : float or None
        That of the kernel "rbf".
    seconds : float
        Wall time.
    X : ndarray, sparse matrix or None
        A copy of the training rows (of a mapped file: the file), for a kernel that needs them to
        predict.
    gradient_norm : float or None
        ``||grad P(W)||_F`` for a loss that is not convex, or of the user: its A differs from dual
        variables of W by the gradient (``toplabel._core.nonconvex``), and without a conjugate its
        `dual` is -inf, its `relative_gap` NaN. None for the others.
    visits : int or None
        Rows visited in them; fewer than epochs times n, since shrinking leaves out rows whose
        updates changed nothing. None for a loss that is not convex.
    coefficients : ndarray, (n, m), or None
        With a kernel, what the weights are for the linear one: they give P, and the scores of a row
        x are ``sum_i k(x, x_i) coefficients[i]``. None for the linear kernel.
    r : float
        Of the acceleration at the end (the weight of its proximal term over that of the
        regulariser); 0: the passes were plain.
    intercept : ndarray, (m,), or None
        Is added to the scores; None where none was fitted.
    intercept_scaling : float
        The constant feature whose weights, times this, are the intercept; 0: there is none.
    methods : tuple of Stage
        What ran, in order; of classes in groups (`n_jobs` of `toplabel.solve`) in one with the most
        stages. Empty for a loss that is not convex.
    """

    A: np.ndarray = field(repr=False)
    W: np.ndarray | None = field(repr=False)
    primal: float
    dual: float
    relative_gap: float
    epochs: int
    status: str
    history: list[Record] = field(repr=False)
    loss: str
    k: int
    gamma: float
    C: float
    kernel: str | Callable[..., Any]
    theta: float | None
    seconds: float
    X: Features | None = field(repr=False, default=None)
    gradient_norm: float | None = None
    visits: int | None = None
    coefficients: np.ndarray | None = field(repr=False, default=None)
    r: float = 0.0
    intercept: np.ndarray | None = None
    intercept_scaling: float = 0.0
    methods: tuple[Stage, ...] = ()

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return scores f(x) = W^T x (plus the intercept) of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            With ``kernel="precomputed"``: (p, n), the kernel between the new rows and the training
            rows.

        Returns
        -------
        ndarray, (p, m)
            The scores of the classes.
        """
        rows = as_features(X, "X")
        if is_mapped(rows):
            check_mapped_finite(rows, "X")
        scores = products(rows, self, self.coefficients)
        return scores if self.intercept is None else scores + self.intercept


def relative_gap(primal: float, dual: float, rounding: float = 0.0) -> float:
    """Return ``(|P - D| + rounding) / max(|P|, |D|)``; 0 where both are 0."""
    size = max(abs(primal), abs(dual))
    return (abs(primal - dual) + rounding) / size if size else 0.0


def split_intercept(weights, coefficients, constant: float):
    """Return W and the intercept of a solver's weights, (d, m) or (d + 1, m), or of its
    coefficients.
    """
    if not constant:
        return weights, None
    if weights is None:
        return None, constant**2 * coefficients.sum(axis=0)
    return weights[:-1], constant * weights[-1]


def join_intercept(W: np.ndarray, intercept: np.ndarray | None, constant: float) -> np.ndarray:
    """Return the weights of the features and of the constant one, if there is one: W (d, m), or (d
    + 1, m).
    """
    if not constant:
        return W
    last = np.zeros(W.shape[1]) if intercept is None else intercept / constant
    return np.vstack([W, last])


def products(rows, model, coefficients: np.ndarray | None) -> np.ndarray:
    """Return the products of new rows with the weights of a model, or of their kernel with the
    training rows, which is computed for some rows at a time, with the coefficients.
    """
    made = model.W is None and model.kernel != "precomputed"
    factor: Any = coefficients if model.W is None else model.W
    width = model.X.shape[1] if made else len(factor)
    if rows.shape[1] != width:
        raise ValueError(f"X must have {width} columns like the training data, got {rows.shape[1]}")
    if not made:
        return product(rows, factor)
    out = np.empty((rows.shape[0], factor.shape[1]))
    for part in row_blocks(len(out), len(factor), tuning.KERNEL_BLOCK):
        out[part] = kernels.between(rows[part], model.X, model.kernel, model.theta) @ factor
    return out


def product(rows: Features, factor: np.ndarray) -> np.ndarray:
    """Return the product of rows with a matrix in float64. Dense float32 rows, which NumPy would convert
    all at once, may be a file that is larger than the memory.
    """
    if sparse.issparse(rows) or rows.dtype == np.float64:
        return np.asarray(rows @ factor)
    out = np.empty((len(rows), factor.shape[1]))
    for part in row_blocks(len(rows), rows.shape[1], tuning.CONVERTED):
        out[part] = rows[part] @ factor
    return out
