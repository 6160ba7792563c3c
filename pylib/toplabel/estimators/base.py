"""Shared by the estimators: the call of `toplabel.solve`, and fitted attributes from its
solution.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.special import log_expit, log_softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from toplabel import losses
from toplabel._core.arrays import MatrixLike, as_integer, as_labels, as_number
from toplabel._core.catalogue import nearest
from toplabel._core.solution import product
from toplabel._core.threads import thread_count
from toplabel.estimators import convergence
from toplabel.estimators.common import CommonEstimator, parts
from toplabel.estimators.previous import Previous
from toplabel.metrics.ranking import best_scores
from toplabel.solver import Record, Solution, solve

__all__ = ["SolverEstimator", "is_logistic", "seed_from"]


def seed_from(random_state: int | np.random.RandomState | None) -> int:
    """Return the solver's seed: a whole number as it is, else the next draw of the generator."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return as_integer(random_state, "random_state", 0, 2**64 - 1)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def is_logistic(estimator: SolverEstimator) -> bool:
    """Return whether the scores of a loss estimate probabilities."""
    return estimator._is_logistic()


class SolverEstimator(ClassifierMixin, CommonEstimator):
    """Base of the estimators; a subclass has the parameters of `toplabel.solve` and a `fit`."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    dual_gap_: float
    relative_gap_: float
    gradient_norm_: float
    history_: list[Record]
    status_: str

    _LABELS = ""  # "one" or "set": the losses it takes, beside those that take either
    _OTHER = ""  # the estimator for the losses that it does not take

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Without an intercept no class weight moves a boundary off the origin, which scikit-learn's
        # check_class_weight_classifiers asks of classifiers that are not marked so.
        tags.classifier_tags.poor_score = not self.fit_intercept
        return tags

    # Fitting

    def _loss(self) -> losses.Loss:
        if isinstance(self.loss, str) and self.loss not in losses.LOSSES:
            fits = [
                each.key
                for each in losses.LOSSES.values()
                if each.labels in (self._LABELS, "either")
            ]
            hint = nearest(self.loss, fits)
            raise ValueError(f"loss must be one of {', '.join(fits)}, got {self.loss!r}{hint}")
        loss = losses.get(self.loss)
        if loss.labels not in (self._LABELS, "either"):
            raise ValueError(
                f"loss {self.loss!r} is not for {type(self).__name__}; use {self._OTHER}"
            )
        return loss

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of the loss and of the kernel. One that has no meaning for them is
        checked and left out, so that a grid may hold losses and kernels of several kinds.
        """
        loss = self._loss()
        k = as_integer(getattr(self, "k", 1), "k", 1)
        if self.gamma in ("scale", "auto"):
            raise ValueError(
                f"gamma is the smoothing of a hinge loss, got {self.gamma!r}; the width of the RBF kernel "
                "is theta, as theta='scale'"
            )
        gamma = as_number(self.gamma, "gamma", 0.0)
        return {
            "k": k if loss.top_k else 1,
            "gamma": gamma if loss.smoothing else 0.0,
            "theta": self.theta if self.kernel == "rbf" else None,
        }

    def _solve(
        self, X, y, weights, seed: int, n_classes=None, warm_start=None, name: str = "", threads=1
    ) -> Solution:
        return solve(
            X,
            y,
            loss=self.loss,
            **self._parameters(),
            C=self.C,
            kernel=self.kernel,
            tol=self.tol,
            max_iter=self.max_iter,
            eval_every=self.eval_every,
            seed=seed,
            warm_start=warm_start,
            sample_weight=weights,
            callback=partial(self._report, name) if self.verbose else None,
            time_limit=self.time_limit,
            n_classes=n_classes,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            acceleration=self.acceleration,
            n_jobs=threads,
        )

    def _report(self, name: str, record: Record) -> None:
        print(
            f"[{type(self).__name__}] {name}epoch {record.epoch}: primal {record.primal:.6e}, "
            f"dual {record.dual:.6e}, relative gap {record.relative_gap:.2e}",
            flush=True,
        )

    def _threads(self) -> int:
        """Return the number of threads, which a surrounding `joblib.parallel_config` may limit."""
        if self.n_jobs is not None:
            thread_count(self.n_jobs)  # its errors name the parameter
        return effective_n_jobs(self.n_jobs)

    def _train(self, X, y, weights, seed: int, n_classes: int, threads: int = 1) -> Solution:
        """Solve for the labels, from the previous fit where that is asked for and possible."""
        previous, start = getattr(self, "_previous", None), None
        if self.warm_start:
            many = self._loss().labels != "one"
            labels = as_labels(y, X.shape[0], multilabel=many, n_classes=n_classes)
            problem = (self.loss, self._parameters()["k"], X.shape[1])
            if previous is not None and previous.suits(problem, labels, weights):
                start = previous.solution
        solution = self._solve(X, y, weights, seed, n_classes, start, threads=threads)
        self._previous = None
        if self.warm_start:
            self._previous = Previous(solution, problem, labels, weights)
        return solution

    def _keep(self, solution: Solution, X, classes: np.ndarray, *, binary: bool) -> None:
        """Set the fitted attributes of a solution for the rows X."""
        self._fitted_parameters = self.get_params(deep=False)
        self.classes_ = classes
        self._binary = binary
        self.n_iter_ = max(solution.epochs, 1)  # 0 where a descent starts at its end
        self.dual_gap_ = solution.primal - solution.dual
        self.relative_gap_ = solution.relative_gap
        self.history_ = solution.history
        self.status_ = solution.status
        intercept = np.zeros(len(classes)) if solution.intercept is None else solution.intercept
        self.intercept_ = self._one_of_two(intercept[None])[0]
        for name in ("coef_", "gradient_norm_"):
            self.__dict__.pop(name, None)
        if solution.gradient_norm is not None:
            self.gradient_norm_ = solution.gradient_norm
        self._solution = None
        if solution.W is None:
            self._solution = solution
        else:
            self.coef_ = np.ascontiguousarray(self._one_of_two(solution.W).T)
        if solution.status != "converged":
            self._warn(solution, X)

    def _warn(self, solution: Solution, X, where: str = "") -> None:
        smooth = losses.get(self.loss).smoothing and solution.gamma == 0
        convergence.warn(self, solution, X, where=where, smooth=smooth)

    def _one_of_two(self, columns: np.ndarray) -> np.ndarray:
        """Keep, of two classes, the second one's difference to the first, (n, 2) -> (n, 1).

        One-vs-all losses train the same binary classifier twice, with opposite signs: half of the
        difference is that classifier, the one that LIBLINEAR finds with the same C.
        """
        if not self._binary:
            return columns
        difference = columns[:, 1:] - columns[:, :1]
        return difference / 2 if self._fitted("loss") in ("svm_ova", "lr_ova") else difference

    # Using the model

    def _fitted(self, name: str) -> Any:
        """Return a parameter as the model was fitted with it, or as it is where there is no model."""
        return vars(self).get("_fitted_parameters", {}).get(name, getattr(self, name))

    @property
    def dual_coef_(self) -> np.ndarray:
        """Coefficients of a kernel model in the training rows, (m, n), or (1, n) for two
        classes.
        """
        solution = vars(self).get("_solution")
        if solution is None:
            raise AttributeError("dual_coef_ is there after a fit with a kernel; see coef_")
        return self._one_of_two(solution.coefficients).T

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """Return scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            With ``kernel="precomputed"``: (n, n_train), the kernel between the rows and the
            training rows.

        Returns
        -------
        ndarray, (n, m), or (n,) when `y` was a vector of two classes
            Of two classes: positive for ``classes_[1]``.
        """
        check_is_fitted(self, "classes_")  # a failed fit leaves n_features_in_
        return self._scores(self._validated(X, reset=False))

    def _scores(self, X) -> np.ndarray:
        if self._solution is None:
            scores = product(X, self.coef_.T)
            scores += self.intercept_
        else:
            scores = self._one_of_two(self._solution.decision_function(X))
        return scores[:, 0] if self._binary else scores

    def _parts_of_scores(self, X) -> Iterator[np.ndarray]:
        """Yield the scores of the rows, a part of the rows at a time."""
        check_is_fitted(self, "classes_")
        X = self._validated(X, reset=False)
        for part in parts(X.shape[0], len(self.classes_)):
            yield self._scores(X[part])

    def predict_topk(self, X: MatrixLike, k: int, return_scores: bool = False) -> Any:
        """Return the k classes of the highest scores.

        The scores of all classes are computed a part of the rows at a time, and never kept for all
        rows.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.
        k : int, 1..m
            How many classes.
        return_scores : bool, default=False
            Whether the scores are returned, too.

        Returns
        -------
        classes : ndarray, (n, k)
            Items of `classes_`, the best first; of classes that score the same, the one that comes
            first in `classes_`.
        scores : ndarray, (n, k)
            Theirs, if `return_scores`.
        """
        parts = [best_scores(self._two_columns(scores), k) for scores in self._parts_of_scores(X)]
        best, scores = (np.concatenate(each) for each in zip(*parts, strict=True))
        return (self.classes_[best], scores) if return_scores else self.classes_[best]

    def _class_scores(self, X) -> np.ndarray:
        return self._two_columns(self.decision_function(X))

    def _log_probabilities(self, X) -> np.ndarray:
        """Return logarithms of numbers that sum to 1 in each row; all of these may underflow."""
        if self._fitted("loss") != "lr_ova":
            return log_softmax(self._class_scores(X), axis=1)
        scores = self.decision_function(X)
        scores = np.column_stack([-scores, scores]) if self._binary else scores
        return log_softmax(log_expit(scores), axis=1)

    @available_if(is_logistic)
    def predict_log_proba(self, X: MatrixLike) -> np.ndarray:
        """Return logarithms of the probabilities of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n, m)
            Of each class, at most 0.
        """
        return self._log_probabilities(X)

    def _two_columns(self, scores: np.ndarray) -> np.ndarray:
        return np.column_stack([-scores / 2, scores / 2]) if self._binary else scores
