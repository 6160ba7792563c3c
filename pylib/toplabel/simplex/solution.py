"""A trained model of the simplex coding and what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from toplabel._core.arrays import as_features
from toplabel._core.problem import Data
from toplabel._core.solution import Record, Solution, products
from toplabel.simplex import coding

__all__ = ["SimplexSolution"]


@dataclass(frozen=True, eq=False)
class SimplexSolution:
    """f(x) = W' x, or sum_i k(x, x_i) a_i, with values in R^(T-1).

    Attributes
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
    status : str
        As of `toplabel.Solution`, or ``"uncertified"`` after online training.
    history : list of `toplabel.Record`
    loss : str
    C : float
        1/(lambda n): the paper's ``C_0 = 1/(2 n lambda)``, since its regulariser is ``lambda
        ||f||^2`` without 1/2.
    kernel, theta
        As of `toplabel.solve`.
    n_classes : int
        T.
    X : ndarray, sparse matrix or None
        The training rows, for a kernel that needs them to predict.
    dual_variables : ndarray or None
        Of the SVMs: alpha, (n, T) for "sc_svm" and (n,) for "sh_svm".
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
    kernel: str | Callable = "linear"
    theta: float | None = None
    history: list[Record] = field(repr=False, default_factory=list)
    X: np.ndarray | sparse.csr_array | None = field(repr=False, default=None)
    dual_variables: np.ndarray | None = field(repr=False, default=None)
    r: float = 0.0

    @classmethod
    def of(cls, problem: Data, loss: str, C: float, W, A, **found) -> SimplexSolution:
        """Return the solution of a problem."""
        m, theta, X = problem.labels.m, problem.theta, problem.kept_rows
        fixed = {"n_classes": m, "kernel": problem.kernel, "theta": theta, "X": X}
        return cls(W=W, A=A, loss=loss, C=C, **fixed, **found)

    @classmethod
    def of_scores(cls, solution: Solution, label, weight: np.ndarray | None) -> SimplexSolution:
        """Return a solution for "sc_svm" or "sh_svm" in the coordinates of the coding.

        With kappa = sqrt(T/(T - 1)) the products with the codes are kappa times the centred scores
        s, so f is the sum of s_j/kappa c_j. A row of A is kappa times its centred alpha, with a
        minus for "sc_svm".
        """
        A, T = solution.A, solution.A.shape[1]
        kappa, rows = coding.norm_factor(T), np.arange(len(A))
        cap = solution.C * (np.ones(len(A)) if weight is None else weight)
        if solution.loss == "sc_svm":
            alpha = np.clip((A[rows, label][:, None] - A) / kappa, 0.0, cap[:, None])
        else:
            alpha = np.clip(kappa * A[rows, label], 0.0, cap)
        W, B = solution.W, A if solution.coefficients is None else solution.coefficients
        return cls(
            W=None if W is None else coding.combine(W) / kappa,
            A=coding.combine(B) / kappa,
            primal=solution.primal,
            dual=solution.dual,
            relative_gap=solution.relative_gap,
            epochs=solution.epochs,
            status=solution.status,
            loss=solution.loss,
            C=solution.C,
            n_classes=T,
            kernel=solution.kernel,
            theta=solution.theta,
            history=solution.history,
            X=solution.X,
            dual_variables=alpha,
            r=solution.r,
        )

    def in_scores(self, label: np.ndarray) -> Solution:
        """Return the inverse of `of_scores`, for one class index a row."""
        T, kappa = self.n_classes, coding.norm_factor(self.n_classes)
        alpha = self.dual_variables
        if self.loss == "sh_svm":
            alpha = np.zeros((len(label), T))
            alpha[np.arange(len(label)), label] = -self.dual_variables
        A = kappa * (alpha.mean(axis=1, keepdims=True) - alpha)
        W = None if self.W is None else coding.scores(self.W) / kappa
        return Solution(
            A=A,
            W=W,
            primal=self.primal,
            dual=self.dual,
            relative_gap=self.relative_gap,
            epochs=self.epochs,
            status=self.status,
            history=self.history,
            loss=self.loss,
            k=1,
            gamma=0.0,
            C=self.C,
            kernel=self.kernel,
            theta=self.theta,
            seconds=0.0,
            coefficients=coding.scores(self.A) / kappa if W is None else None,
            r=self.r,
        )

    def values(self, X) -> np.ndarray:
        """f of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (p, d)
            With ``kernel="precomputed"``: (p, n), the kernel between the new rows and the training
            rows.

        Returns
        -------
        ndarray, (p, T - 1)
        """
        return products(as_features(X, "X", np.float64), self, self.A)

    def decision_function(self, X) -> np.ndarray:
        """Return scores ``<c_y, f(x)>`` of new rows, (p, T); X as for `values`."""
        return coding.scores(self.values(X))

    def predict(self, X) -> np.ndarray:
        """Return class indices of new rows, (p,); X as for `values`."""
        return self.decision_function(X).argmax(axis=1)
