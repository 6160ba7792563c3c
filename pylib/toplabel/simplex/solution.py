"""A trained model of the simplex coding and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from toplabel._core import tuning
from toplabel._core.arrays import Features, MatrixLike, as_features, row_blocks
from toplabel._core.clock import Clock
from toplabel._core.problem import Data
from toplabel._core.solution import Record, Solution, products
from toplabel.simplex import coding

__all__ = ["SimplexSolution", "from_scores", "solution_of", "to_scores"]


@dataclass(frozen=True, eq=False)
class SimplexSolution:
    """f(x) = W' x, or sum_i k(x, x_i) a_i, with values in R^(T-1).

    Parameters
    ----------
    W : ndarray, (d, T - 1), or None
        For the linear kernel.
    A : ndarray, (n, T - 1), or None
        The a_i of the representer theorem, with which a kernel predicts; of a linear SVM those of the
        dual variables, for which W = X'A at the optimum. None for a model that was trained without
        them.
    primal, dual, relative_gap : float
        Of ``(1/n) sum_i V(y_i, f(x_i)) + lambda/2 ||f||^2``, lambda = 1/(C n), as for
        `toplabel.solve`; NaN where there is none.
    epochs : int
        Whole passes over the data.
    status : str
        As of `toplabel.Solution`, or ``"uncertified"`` after online training.
    loss : str
        "s_ls", "sc_svm" or "sh_svm".
    C : float
        1/(lambda n): the paper's ``C_0 = 1/(2 n lambda)``, since its regulariser is ``lambda
        ||f||^2`` without 1/2.
    n_classes : int
        T.
    kernel : str or callable
        As of `toplabel.solve`.
    theta : float or None
        As of `toplabel.solve`.
    history : list of `toplabel.Record`
        The evaluations.
    X : ndarray, sparse matrix or None
        The training rows, for a kernel that needs them to predict.
    dual_variables : ndarray or None
        Of the SVMs: alpha, (n, T) for "sc_svm" and (n,) for "sh_svm". Of a linear model whose time was
        over before they were converted, A and these are None.
    r : float
        As of `toplabel.Solution`.
    """

    W: np.ndarray | None = field(repr=False)
    A: np.ndarray | None = field(repr=False)
    primal: float
    dual: float
    relative_gap: float
    epochs: int
    status: str
    loss: str
    C: float
    n_classes: int
    kernel: str | Callable[..., Any] = "linear"
    theta: float | None = None
    history: list[Record] = field(repr=False, default_factory=list)
    X: Features | None = field(repr=False, default=None)
    dual_variables: np.ndarray | None = field(repr=False, default=None)
    r: float = 0.0

    def values(self, X: MatrixLike) -> np.ndarray:
        """f of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            With ``kernel="precomputed"``: (p, n), the kernel between the new rows and the training
            rows.

        Returns
        -------
        ndarray, (p, T - 1)
            f of each row.
        """
        return products(as_features(X, "X", np.float64), self, self.A)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return scores ``<c_y, f(x)>`` of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            As for `values`.

        Returns
        -------
        ndarray, (p, T)
            ``<c_y, f(x_i)>``.
        """
        return coding.scores(self.values(X))

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Return class indices of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            As for `values`.

        Returns
        -------
        ndarray of int, (p,)
            The class of the nearest code vector.
        """
        return self.decision_function(X).argmax(axis=1)


def solution_of(
    problem: Data, loss: str, C: float, W: np.ndarray | None, A: np.ndarray | None, **outcome: Any
) -> SimplexSolution:
    """Return the solution of a problem."""
    return SimplexSolution(
        W=W,
        A=A,
        loss=loss,
        C=C,
        n_classes=problem.labels.m,
        kernel=problem.kernel,
        theta=problem.theta,
        X=problem.kept_rows,
        **outcome,
    )


_SAME = {each.name for each in fields(Solution)} & {each.name for each in fields(SimplexSolution)}
"""Fields that both kinds of solutions have; A and W are in other coordinates."""
_SAME -= {"A", "W"}


def from_scores(
    solution: Solution, label: np.ndarray, weight: np.ndarray | None, clock: Clock
) -> SimplexSolution:
    """Return a solution for "sc_svm" or "sh_svm" in the coordinates of the coding.

    With kappa = sqrt(T/(T - 1)) the products with the codes are kappa times the centred scores
    s, so f is the sum of s_j/kappa c_j. A row of A is kappa times its centred alpha, with a
    minus for "sc_svm". Of a linear model A and alpha are left out where the clock is late.
    """
    clock.why_to_end()  # from here on there is a grace for the rest
    W, T = solution.W, solution.A.shape[1]
    A, alpha = _coefficients(solution, label, weight, None if W is None else clock)
    return SimplexSolution(
        W=None if W is None else _combined(W),
        A=A,
        n_classes=T,
        dual_variables=alpha,
        **{name: getattr(solution, name) for name in _SAME},
    )


def _combined(W: np.ndarray) -> np.ndarray:
    """Return factors of the code vectors, (p, T), as p vectors."""
    out = np.empty((len(W), W.shape[1] - 1))
    for rows in row_blocks(len(W), W.shape[1], tuning.ROW_BLOCK):
        out[rows] = coding.combine(W[rows]) / coding.norm_factor(W.shape[1])
    return out


def _coefficients(
    solution: Solution, label: np.ndarray, weight: np.ndarray | None, clock: Clock | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return A and alpha of the coding; None where the clock is late."""
    A, is_cone = solution.A, solution.loss == "sc_svm"
    n, T = A.shape
    kappa = coding.norm_factor(T)
    cap = solution.C * (np.ones(n) if weight is None else weight)
    factors = A if solution.coefficients is None else solution.coefficients
    of_label = A[np.arange(n), label]
    alpha = np.empty((n, T)) if is_cone else np.clip(kappa * of_label, 0.0, cap)
    out = np.empty((n, T - 1))
    for rows in row_blocks(n, T, tuning.ROW_BLOCK):
        if clock is not None and clock.is_late():
            return None, None
        out[rows] = coding.combine(factors[rows]) / kappa
        if is_cone:
            differences = (of_label[rows, None] - A[rows]) / kappa
            np.clip(differences, 0.0, cap[rows, None], out=alpha[rows])
    return out, alpha


def to_scores(solution: SimplexSolution, label: np.ndarray) -> Solution:
    """Return the inverse of `from_scores`, for one class index a row."""
    T, kappa = solution.n_classes, coding.norm_factor(solution.n_classes)
    alpha: Any = solution.dual_variables
    if solution.loss == "sh_svm":
        alpha = np.zeros((len(label), T))
        alpha[np.arange(len(label)), label] = -np.asarray(solution.dual_variables)
    A = kappa * (alpha.mean(axis=1, keepdims=True) - alpha)
    W = None if solution.W is None else coding.scores(solution.W) / kappa
    coefficients = None
    if solution.A is not None and W is None:
        coefficients = coding.scores(solution.A) / kappa
    return Solution(
        A=A,
        W=W,
        coefficients=coefficients,
        k=1,
        gamma=0.0,
        seconds=0.0,
        **{name: getattr(solution, name) for name in _SAME},
    )
