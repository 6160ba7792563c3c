"""`SimplexClassifier`: one label per row, by the simplex coding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from toplabel._core.arrays import Labels, MatrixLike, as_integer, as_labels, as_weights
from toplabel.estimators import convergence
from toplabel.estimators.base import seed_from
from toplabel.estimators.common import CommonEstimator
from toplabel.estimators.previous import Previous
from toplabel.estimators.sets import SetsMixin
from toplabel.simplex import (
    LeastSquaresPath,
    SimplexSolution,
    simplex_coding,
    solve,
    solve_online,
)
from toplabel.simplex.losses import check_loss

__all__ = ["SimplexClassifier"]


class SimplexClassifier(SetsMixin, ClassifierMixin, CommonEstimator):
    """Classifier of one label per row whose classes are the vertices of a simplex (NIPS 2012).

    Minimises ``C sum_i V(y_i, f(x_i)) + 1/2 ||f||^2`` over functions with values in R^(m-1). There
    is no bias term.

    Parameters
    ----------
    loss : {"s_ls", "sc_svm", "sh_svm"}, default="s_ls"
        Simplex least squares; simplex cone SVM; simplex half space SVM, which is not Fisher
        consistent.
    C : float or "loo", default=1.0
        Weight of the loss, 1/(2 n lambda) with the lambda of the paper. ``"loo"``, for least
        squares: the one of `n_Cs` values with the smallest leave-one-out error.
    kernel : {"linear", "rbf", "precomputed"} or callable, default="linear"
        As of `toplabel.solve`.
    theta : float, "scale" or None, default=None
        ``kernel="rbf"`` is ``exp(-theta ||x - z||^2)``; "scale" as of `toplabel.solve`,
        None: 1/(2 width^2), where the width is the 25th percentile of the distances between
        training rows. Both are of the rows whose weight is not 0, and do not depend on the other
        weights. Ignored by the other kernels.
    n_Cs : int, default=100
        Number of values for ``C="loo"``, between those whose lambda n is the largest and the
        smallest eigenvalue.
    online : bool, default=False
        Train by projected stochastic subgradient steps; linear kernel only.
    epochs : int, default=10
        Passes of the online training.
    average : bool, default=False
        Whether the online training returns the mean of all its iterates.
    tol : float, default=1e-3
        Relative duality gap at which the SVMs stop in batch training.
    max_iter : int, default=10000
        Passes of the batch training of the SVMs at most.
    random_state : int, RandomState instance or None, default=None
        Order of the rows.
    warm_start : bool, default=False
        For the SVMs in batch, as in `TopKClassifier`: start from the dual variables of the previous
        fit. Least squares is a linear system, and online training starts at zero.
    class_weight : dict, "balanced" or None, default=None
        As in `TopKClassifier`; not for online training.
    calibration : float in (0, 1) or None, default=None
        As in `TopKClassifier`; the rows are held out before ``C="loo"`` chooses.

    Attributes
    ----------
    classes_ : ndarray, (m,)
    codes_ : ndarray, (m - 1, m)
        The code vectors, by columns.
    coef_ : ndarray, (m - 1, d)
        W of the paper, for the linear kernel.
    dual_coef_ : ndarray, (n, m - 1)
        The a_i of ``f(x) = sum_i k(x, x_i) a_i``, for the other kernels.
    C_, theta_ : float
        What was used; `theta_` is None where it has no meaning.
    Cs_, loo_errors_ : ndarray, (n_Cs,)
        For ``C="loo"``.
    relative_gap_ : float
        Of the objectives; NaN after online training.
    n_iter_ : int
        Passes over the rows, 1 for least squares in batch.
    status_ : str
        ``"converged"``, ``"max_iter"``, ``"stalled"``, ``"imprecise"``, ``"interrupted"``, or
        after online training ``"uncertified"``.
    n_calibration_ : int
        After a calibration: the number of its rows.
    n_features_in_ : int
    feature_names_in_ : ndarray, (d,)
        When X has column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from toplabel import SimplexClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> SimplexClassifier("s_ls", C="loo", kernel="rbf").fit(X, y).score(X, y) > 0.95
    True
    """

    classes_: np.ndarray
    codes_: np.ndarray
    coef_: np.ndarray
    dual_coef_: np.ndarray | None
    Cs_: np.ndarray
    loo_errors_: np.ndarray
    C_: float
    theta_: float | None
    relative_gap_: float
    n_iter_: int
    status_: str

    _DTYPES = (np.float64,)

    def __init__(
        self,
        loss: Any = "s_ls",
        *,
        C: float | str = 1.0,
        kernel: str | Callable[..., Any] = "linear",
        theta: float | str | None = None,
        n_Cs: int = 100,
        online: bool = False,
        epochs: int = 10,
        average: bool = False,
        tol: float = 1e-3,
        max_iter: int = 10000,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        calibration: float | None = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.theta = theta
        self.n_Cs = n_Cs
        self.online = online
        self.epochs = epochs
        self.average = average
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.calibration = calibration

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Without an intercept class weights move no boundary off the origin, as in TopKClassifier.
        tags.classifier_tags.poor_score = True
        return tags

    def fit(
        self, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> SimplexClassifier:
        """Train.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            With ``kernel="precomputed"``: the Gram matrix, (n, n).
        y : array-like, (n,)
            Class names of any sortable type, at least two different ones.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row. Not for online training.

        Returns
        -------
        self
            The fitted classifier.

        Warns
        -----
        ConvergenceWarning
            When the training of an SVM ended before the gap was tol.
        """
        return self._fit_and_calibrate(X, y, sample_weight)

    def _fit(self, X, y, sample_weight=None) -> SimplexClassifier:
        check_loss(self.loss)
        self._check_combination()
        X, y = self._validated(X, y)
        check_classification_targets(y)
        weights = as_weights(sample_weight, len(y))
        classes, codes, weights = self._encoded(y, weights)
        if self.online and weights is not None:
            raise ValueError("sample_weight and class_weight are not for online training")
        solution = self._train(X, codes, len(classes), weights)
        self.classes_ = classes
        self._keep(solution, X)
        return self

    def _check_combination(self) -> None:
        if self.online and self.kernel != "linear":
            raise ValueError(f"online training is for kernel='linear', got kernel={self.kernel!r}")
        if isinstance(self.C, str) and (self.C != "loo" or self.loss != "s_ls" or self.online):
            raise ValueError(
                f"C must be a number (or 'loo' for loss='s_ls' in batch), got {self.C!r}"
            )

    def _train(self, X, codes: np.ndarray, n_classes: int, weights) -> SimplexSolution:
        fixed: dict[str, Any] = {
            "kernel": self.kernel,
            "theta": self.theta if self.kernel == "rbf" else None,
            "n_classes": n_classes,
            "sample_weight": weights,
        }
        if isinstance(self.C, str):
            return self._by_leave_one_out(LeastSquaresPath(X, codes, **fixed))
        if self.online:
            return solve_online(
                X,
                codes,
                self.loss,
                self.C,
                epochs=self.epochs,
                average=self.average,
                seed=seed_from(self.random_state),
                n_classes=n_classes,
            )
        if self.loss == "s_ls":
            return solve(X, codes, self.loss, self.C, **fixed)
        labels = as_labels(codes, X.shape[0], multilabel=False, n_classes=n_classes)
        problem = (self.loss, X.shape[1])
        solution = solve(
            X,
            codes,
            self.loss,
            self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=seed_from(self.random_state),
            warm_start=self._start(problem, labels, weights),
            **fixed,
        )
        if self.warm_start:
            self._previous = Previous(solution, problem, labels, weights)
        return solution

    def _start(self, problem: tuple, labels: Labels, weights) -> SimplexSolution | None:
        """Return the solution of the previous fit where training may start from it."""
        previous = self.__dict__.pop("_previous", None)
        if previous is None or not self.warm_start:
            return None
        return previous.solution if previous.suits(problem, labels, weights) else None

    def _by_leave_one_out(self, path: LeastSquaresPath) -> SimplexSolution:
        self.Cs_ = path.Cs(as_integer(self.n_Cs, "n_Cs", 2))
        self.loo_errors_ = np.array([path.left_out_error(C) for C in self.Cs_])
        return path.solution(float(self.Cs_[self.loo_errors_.argmin()]))

    def _keep(self, solution: SimplexSolution, X) -> None:
        """Set the fitted attributes."""
        for name in ("coef_", "dual_coef_"):
            self.__dict__.pop(name, None)
        if self.C != "loo":
            for name in ("Cs_", "loo_errors_"):
                self.__dict__.pop(name, None)
        self.codes_ = simplex_coding(solution.n_classes)
        self.C_, self.theta_ = solution.C, solution.theta
        self.relative_gap_ = solution.relative_gap
        self.n_iter_ = 1 if self.loss == "s_ls" and not self.online else solution.epochs
        self.status_ = solution.status
        self._solution = solution
        if solution.W is None:
            self.dual_coef_ = solution.A
        else:
            self.coef_ = np.ascontiguousarray(solution.W.T)
        if solution.status not in ("converged", "uncertified"):
            convergence.warn(self, solution, X)

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return the inner products of f with the code vectors, the largest of the nearest one.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            With ``kernel="precomputed"``: (n, n_train), the kernel between the rows and the
            training rows.

        Returns
        -------
        ndarray, (n, m), or (n,) for two classes
            Of two classes: positive for ``classes_[1]``.
        """
        check_is_fitted(self, "classes_")
        scores = self._solution.decision_function(self._validated(X, reset=False))
        return scores[:, 1] if len(self.classes_) == 2 else scores
