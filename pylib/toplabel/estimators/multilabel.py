"""`MultilabelClassifier`: a set of labels per row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import expit, log_expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from toplabel._core.arrays import MatrixLike, as_weights
from toplabel._core.threads import each
from toplabel.estimators.base import SolverEstimator, is_logistic, seed_from
from toplabel.estimators.inputs import (
    check_no_joined_labels,
    check_no_lists,
    column_names,
    sparse_indicator,
    warn_of_empty_labels,
)
from toplabel.estimators.previous import check_same_classes
from toplabel.estimators.thresholding import (
    Fold,
    ThresholdRule,
    folds_to_sweep,
    match_training_cardinality,
)
from toplabel.estimators.weighting import weights_of_sets
from toplabel.solver import Solution
from toplabel.thresholds import Sweep

__all__ = ["MultilabelClassifier"]


class MultilabelClassifier(SolverEstimator):
    """Linear or kernel classifier of label sets, with a threshold on the scores.

    Minimises ``C sum_i w_i L(Y_i, f(x_i)) + 1/2 (||W||_F^2 + ||b||^2 / s^2)`` with ``f(x) = W^T x +
    b`` to a certified duality gap and predicts the labels with ``f_y(x) >= threshold_``; s is
    `intercept_scaling`.

    Parameters
    ----------
    loss : str or object, default="lr_ova"
        One classifier per label: ``"lr_ova"``, ``"svm_ova"`` (binary relevance); or losses of the
        order of the labels: ``"lr_ml"`` (multilabel softmax), ``"svm_ml"`` (multilabel SVM, better
        with ``gamma=1.0``), ``"lsep"``; or ``"zlpr"``, of their order and of the score 0. Or a
        loss of your own, an object as `toplabel.losses.get` describes.
    gamma : float, default=0.0
        Smoothing of the hinge losses. A positive value trains faster. Ignored by the other losses.
    C : float > 0, default=1.0
        As in `TopKClassifier`.
    fit_intercept, intercept_scaling : bool, default=True; float > 0 or "auto", default="auto"
        As in `TopKClassifier`.
    kernel, theta : str or callable, default="linear"; float > 0 or "scale", default=None
        As in `TopKClassifier`.
    tol, max_iter, eval_every : float, default=1e-3; int, default=1000; int, default=None
        As in `TopKClassifier`, for each training of a cross-validation.
    random_state : int, RandomState instance or None, default=None
        As in `TopKClassifier`.
    warm_start : bool, default=False
        As in `TopKClassifier`. The trainings of the cross-validation always start anew.
    verbose : int, default=0
        As in `TopKClassifier`.
    time_limit : float or None, default=None
        As in `TopKClassifier`, for each training of a cross-validation.
    acceleration : "auto", False or float, default="auto"
        As in `TopKClassifier`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels: the weight of a row is multiplied with the mean of those of its
        labels. "balanced": the total weight of all labels over m times that of the label.
    threshold : "tune", "cardinality", "per_label", float or array-like (m,), default="tune"
        "tune": the best of `threshold_grid` by `threshold_metric` on held-out rows, at the cost of
        a training for each fold of `cv`. "per_label": the best F1 of each label by itself,
        likewise; a label whose best F1 is below 0.2 has the threshold of "tune". "cardinality": the
        threshold that gives the training rows as many labels on average as they have, without
        further training. A number is the threshold itself, an array one for each label. The scores
        of "svm_ml", "lr_ml" and "lsep" order the labels and mean nothing in absolute terms, so that
        0 is no good choice for them.
    threshold_metric : str, default="f1_micro"
        For "tune": one of `toplabel.thresholds.METRICS`.
    threshold_grid : array-like, optional
        For "tune" and "per_label": the thresholds; `toplabel.thresholds.GRID` by default.
    cv : int, splitter, iterable or None, default=None
        For "tune" and "per_label": as everywhere in scikit-learn, but that folds are of shuffled
        rows, since sets are often sorted by their labels. None is five folds, and below 1,000 rows
        three times five of differently shuffled rows.
    n_jobs : int or None, default=None
        Threads that train the folds and the model on all rows, and as in `TopKClassifier`. Ctrl-C then
        leaves no model.

    Attributes
    ----------
    classes_ : ndarray, (m,)
        Column names of a data frame, else column numbers of the indicator; class names when `y` was
        a vector.
    threshold_ : float or ndarray, (m,)
        The threshold.
    threshold_score_ : float
        For "tune": the metric at `threshold_` on the held-out rows; for "per_label" the macro F1.
        It was maximised, so it is optimistic.
    multilabel_ : bool
        Was `y` an indicator?
    coef_, dual_coef_, intercept_, n_iter_, dual_gap_, relative_gap_, gradient_norm_, history_, status_
        As in `TopKClassifier`; of the fit on all rows.
    n_features_in_ : int
    feature_names_in_ : ndarray, (d,)
        When X has column names.

    Notes
    -----
    TPAMI section 3.3; the thresholds are those of section 3.1 (i) to (iii), where (ii) is done on
    the training rows once: a prediction does not depend on the other rows that are predicted. For
    the transductive form of the paper see `toplabel.thresholds.match_cardinality`.

    Like other multilabel classifiers of scikit-learn this one takes a vector of class names, too:
    one label per row. It then predicts the best class and uses no threshold.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from toplabel import MultilabelClassifier
    >>> X, Y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> model = MultilabelClassifier(loss="lr_ml", random_state=0).fit(X, Y)
    >>> model.predict(X).shape
    (100, 4)
    """

    threshold_: float | np.ndarray
    threshold_score_: float
    multilabel_: bool

    _LABELS = "set"
    _OTHER = "TopKClassifier"

    def __init__(
        self,
        loss: Any = "lr_ova",
        *,
        gamma: float = 0.0,
        C: float = 1.0,
        fit_intercept: bool = True,
        intercept_scaling: float | str = "auto",
        kernel: str | Callable[..., Any] = "linear",
        theta: float | str | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
        eval_every: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
        acceleration: str | bool | float = "auto",
        class_weight: dict[Any, float] | str | None = None,
        threshold: Any = "tune",
        threshold_metric: str = "f1_micro",
        threshold_grid: ArrayLike | None = None,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.gamma = gamma
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.kernel = kernel
        self.theta = theta
        self.tol = tol
        self.max_iter = max_iter
        self.eval_every = eval_every
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.acceleration = acceleration
        self.class_weight = class_weight
        self.threshold = threshold
        self.threshold_metric = threshold_metric
        self.threshold_grid = threshold_grid
        self.cv = cv
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(
        self, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> MultilabelClassifier:
        """Train, and set the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            float32 and float64 are taken as they are. With ``kernel="precomputed"``: the Gram
            matrix, (n, n).
        y : array-like or sparse matrix, (n, m)
            Indicator of zeros and ones; rows may be empty or full. Or class names, (n,): one label
            per row. The column names of a data frame are kept in `classes_`.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row, for the threshold, too.

        Returns
        -------
        self
            The fitted classifier.

        Warns
        -----
        ConvergenceWarning
            When a training ended before the gap was tol.
        UserWarning
            Of labels that no row has, but not in the folds of a cross-validation.
        """
        self._loss()
        rule = ThresholdRule.of(self.threshold, self.threshold_metric, self.threshold_grid)
        check_no_lists(y)
        names = column_names(y)
        X, y = self._validated(X, y, multi_output=True)
        if sparse.issparse(y):
            y = sparse_indicator(y)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        weights = as_weights(sample_weight, X.shape[0])
        if kind in ("binary", "multiclass"):
            return self._fit_one_label(X, column_or_1d(y, warn=True), weights)
        if kind != "multilabel-indicator":
            raise ValueError(
                f"y must be an indicator of zeros and ones, got a target of type {kind}; of lists of "
                "labels sklearn.preprocessing.MultiLabelBinarizer makes one"
            )
        classes = np.arange(y.shape[1]) if names is None else names
        return self._fit_sets(X, y, classes, weights, rule)

    def _fit_one_label(self, X, y, weights) -> MultilabelClassifier:
        check_no_joined_labels(y)
        classes, codes, weights = self._encoded(y, weights)
        seed = seed_from(self.random_state)
        solution = self._train(X, codes, weights, seed, len(classes), self._threads())
        self.multilabel_ = False
        for name in ("threshold_", "threshold_score_"):
            self.__dict__.pop(name, None)
        self._keep(solution, X, classes, binary=len(classes) == 2)
        return self

    def _fit_sets(self, X, y, classes, weights, rule: ThresholdRule) -> MultilabelClassifier:
        rule.check_labels(len(classes))
        check_same_classes(self, classes)
        warn_of_empty_labels(y, classes)
        weights = weights_of_sets(self.class_weight, weights, classes, y)
        seed = seed_from(self.random_state)
        solution, swept = self._trained(X, y, weights, seed, len(classes), rule)
        self.multilabel_ = True
        self.__dict__.pop("threshold_score_", None)
        if swept is not None:
            self.threshold_, self.threshold_score_ = rule.choose(swept)
        elif rule.strategy == "cardinality":
            score = solution.decision_function
            self.threshold_ = match_training_cardinality(score, X, y, weights)
        else:
            self.threshold_ = rule.value
        self._sparse_output = sparse.issparse(y)
        self._keep(solution, X, classes, binary=False)
        return self

    def _trained(self, X, y, weights, seed: int, m: int, rule: ThresholdRule):
        """Return the solution on all rows, and labels of held-out rows, by models that were trained
        without them; None where the threshold needs none.
        """
        threads = self._threads()
        if not rule.needs_folds:
            return self._train(X, y, weights, seed, m, threads), None
        pairwise = self.kernel == "precomputed"
        data = (self.cv, X, y, weights, rule.grid)
        folds = folds_to_sweep(*data, seed=seed, pairwise=pairwise)
        each_threads = max(1, threads // (len(folds) + 1))

        def of_fold(fold: Fold) -> tuple[Sweep, Solution]:
            def train(X, y, weights) -> Solution:
                name = f"fold {fold.number}/{len(folds)}, "
                solution = self._solve(X, y, weights, seed, name=name, threads=each_threads)
                if solution.status == "interrupted":
                    raise KeyboardInterrupt  # a threshold of some of the folds would be another one
                return solution

            return fold.sweep(train)

        def of_all_rows() -> Solution:
            return self._train(X, y, weights, seed, m, each_threads)

        if threads == 1:  # the folds first: an interrupt of the last training leaves a whole model
            of_folds = [of_fold(fold) for fold in folds]
            solution = of_all_rows()
        else:  # the longest training first
            jobs = [of_all_rows, *(partial(of_fold, fold) for fold in folds)]
            solution, *of_folds = each(lambda job: job(), jobs, threads)
        return solution, self._joined(of_folds, X, rule.grid, m)

    def _joined(self, of_folds, X, grid: np.ndarray, m: int) -> Sweep:
        """Return the labels of all folds together; warn of trainings that did not converge."""
        swept = Sweep(grid, m)
        for part, _ in of_folds:
            swept.join(part)
        solutions = [solution for _, solution in of_folds]
        missed = [solution for solution in solutions if solution.status != "converged"]
        if missed:
            worst = max(missed, key=lambda solution: solution.relative_gap)
            count = f"{len(missed)} of {len(solutions)} trainings"
            self._warn(worst, X, f", in {count} of the cross-validation of the threshold,")
        return swept

    def predict(self, X: MatrixLike) -> np.ndarray | sparse.csr_matrix:
        """Return the labels whose score reaches the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray of int, (n, m), or CSR matrix when `y` was sparse
            Indicator. When `y` was a vector: the best class of each row, (n,).
        """
        check_is_fitted(self, "classes_")
        if not self.multilabel_:
            return super().predict(X)
        as_stored = sparse.csr_matrix if self._sparse_output else np.asarray
        labels = [as_stored(scores >= self.threshold_) for scores in self._parts_of_scores(X)]
        if self._sparse_output:
            return sparse.vstack(labels, format="csr").astype(np.int64)
        return np.concatenate(labels).astype(np.int64)

    def _is_logistic(self) -> bool:
        return self._fitted("loss") in ("lr_ova", "lr_ml")

    @available_if(is_logistic)
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Return the probability of each label; with ``loss="lr_ova"`` or ``"lr_ml"`` only.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n, m)
            Of "lr_ova" ``1 / (1 + exp(-f_y(x)))``, of each label by itself: rows do not sum to 1.
            Of "lr_ml" ``exp(f_y(x)) / sum_z exp(f_z(x))``, that a label drawn from the set of the
            row is this one: rows sum to 1. When `y` was a vector rows sum to 1 for both, those of
            "lr_ova" being divided by their sum, as one-vs-rest classifiers of scikit-learn do.
        """
        check_is_fitted(self, "classes_")
        if self.multilabel_ and self._fitted("loss") == "lr_ova":
            return expit(self.decision_function(X))  # keeps the digits of small ones
        return np.exp(self._log_probabilities(X))

    def _log_probabilities(self, X) -> np.ndarray:
        check_is_fitted(self, "classes_")
        if self.multilabel_ and self._fitted("loss") == "lr_ova":
            return log_expit(self.decision_function(X))
        return super()._log_probabilities(X)
