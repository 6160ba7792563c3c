"""`MultilabelClassifier`: a set of labels a row."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit, softmax
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from toplabel._arrays import as_weights
from toplabel.estimators.base import SolverEstimator, encode, seed_from
from toplabel.estimators.cutoffs import CutoffRule, match_training_cardinality, out_of_fold
from toplabel.solver import Solution

__all__ = ["MultilabelClassifier"]


def _is_logistic(estimator: MultilabelClassifier) -> bool:
    """Does each score stand for the probability of its label?"""
    return estimator.loss == "lr_ova"


class MultilabelClassifier(SolverEstimator):
    """Linear or kernel classifier of label sets, with a cut-off on the scores.

    Minimises ``C sum_i w_i L(Y_i, f(x_i)) + 1/2 (||W||_F^2 + ||b||^2 / s^2)`` with ``f(x) = W^T x + b`` to a
    certified duality gap and predicts the labels with ``f_y(x) >= threshold_``; s is `intercept_scaling`.

    Parameters
    ----------
    loss : str, default="svm_ml"
        ``"svm_ml"`` (multilabel SVM), ``"lr_ml"`` (multilabel softmax), or one classifier a label: ``"svm_ova"``,
        ``"lr_ova"`` (binary relevance).
    gamma : float, default=0.0
        Smoothing of the hinge losses. A positive value trains faster.
    C, fit_intercept, intercept_scaling, kernel, theta, eps, max_epochs, eval_every, random_state, verbose, time_limit
        As in `TopKClassifier`; limits hold for each training of a cross-validation.
    warm_start : bool, default=False
        As in `TopKClassifier`. The trainings of the cross-validation always start anew.
    threshold : float, "cardinality" or "tune", default=0.0
        A number is the cut-off itself. "cardinality": the cut-off that gives the training rows as many labels on
        average as they have. "tune": the best of `threshold_grid` by `threshold_metric` on held-out rows.
        The scores of "svm_ml" and "lr_ml" order the labels and mean nothing in absolute terms: choose or tune.
    threshold_metric : str, default="f1_micro"
        For "tune": one of `toplabel.thresholds.METRICS`.
    threshold_grid : array-like, optional
        For "tune": the cut-offs; `toplabel.thresholds.GRID` by default.
    cv : int, splitter, iterable or None, default=None
        For "tune": as everywhere in scikit-learn; None is five folds, of rows in the order given.

    Attributes
    ----------
    classes_ : ndarray, (m,)
        Column numbers of the indicator; class names when `y` was a vector.
    threshold_ : float
        The cut-off.
    threshold_score_ : float
        For "tune": the metric at `threshold_` on the held-out rows. It was maximised, so it is optimistic.
    multilabel_ : bool
        Was `y` an indicator?
    coef_, dual_coef_, intercept_, n_iter_, dual_gap_, relative_gap_, history_, status_
        As in `TopKClassifier`; of the fit on all rows.
    n_features_in_ : int
    feature_names_in_ : ndarray, (d,)
        When X has column names.

    Notes
    -----
    TPAMI section 3.3; the cut-offs are those of section 3.1 (i) to (iii), where (ii) is done on the training rows
    once: a prediction does not depend on the other rows that are predicted. For the transductive form of
    the paper see `toplabel.thresholds.match_cardinality`.

    Like other multilabel classifiers of scikit-learn this one takes a vector of class names, too: one label a row.
    It then predicts the best class and uses no cut-off.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from toplabel import MultilabelClassifier
    >>> X, Y = make_multilabel_classification(n_classes=4, random_state=0)
    >>> model = MultilabelClassifier(loss="lr_ml", threshold="tune", random_state=0).fit(X, Y)
    >>> model.predict(X).shape
    (100, 4)
    """

    _LABELS = "set"
    _OTHER = "TopKClassifier"

    def __init__(
        self,
        loss="svm_ml",
        *,
        gamma=0.0,
        C=1.0,
        fit_intercept=True,
        intercept_scaling=1.0,
        kernel="linear",
        theta=None,
        eps=1e-3,
        max_epochs=1000,
        eval_every=None,
        random_state=None,
        warm_start=False,
        verbose=0,
        time_limit=None,
        threshold=0.0,
        threshold_metric="f1_micro",
        threshold_grid=None,
        cv=None,
    ):
        self.loss = loss
        self.gamma = gamma
        self.C = C
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.kernel = kernel
        self.theta = theta
        self.eps = eps
        self.max_epochs = max_epochs
        self.eval_every = eval_every
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.threshold = threshold
        self.threshold_metric = threshold_metric
        self.threshold_grid = threshold_grid
        self.cv = cv

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X, y, sample_weight=None) -> MultilabelClassifier:
        """Train, and set the cut-off.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            float32 and float64 are taken as they are. With ``kernel="precomputed"``: the Gram matrix, (n, n).
        y : array-like or sparse matrix, (n, m)
            Indicator of zeros and ones; rows may be empty or full. Or class names, (n,): one label a row.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row, for the cut-off, too.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For a parameter or array that does not fit, naming it.

        Warns
        -----
        ConvergenceWarning
            When a training ended before the gap was eps.
        """
        self._loss()
        rule = CutoffRule.of(self.threshold, self.threshold_metric, self.threshold_grid)
        X, y = self._validated(X, y, multi_output=True)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        weights = as_weights(sample_weight, X.shape[0])
        if kind in ("binary", "multiclass"):
            return self._fit_one_label(X, column_or_1d(y, warn=True), weights)
        if kind != "multilabel-indicator":
            raise ValueError(
                f"y must be an indicator of zeros and ones, got a target of type {kind}"
            )
        return self._fit_sets(X, y, weights, rule)

    def _fit_one_label(self, X, y, weights) -> MultilabelClassifier:
        classes, codes = encode(y, weights)
        self._check_same_classes(classes)
        solution = self._train(X, codes, weights, seed_from(self.random_state), len(classes))
        self.multilabel_ = False
        for name in ("threshold_", "threshold_score_"):
            vars(self).pop(name, None)
        self._keep(solution, classes, binary=len(classes) == 2)
        return self

    def _fit_sets(self, X, y, weights, rule: CutoffRule) -> MultilabelClassifier:
        classes = np.arange(y.shape[1])
        self._check_same_classes(classes)
        seed = seed_from(self.random_state)
        # First the cross-validation: an interrupt of the last training then leaves a whole model.
        held_out = self._held_out(X, y, weights, seed) if rule.strategy == "tune" else None
        solution = self._train(X, y, weights, seed, len(classes))
        self.multilabel_ = True
        vars(self).pop("threshold_score_", None)
        if held_out is not None:
            rows, scores = held_out
            weights = None if weights is None else weights[rows]
            self.threshold_, self.threshold_score_ = rule.tune(scores, y[rows], weights)
        elif rule.strategy == "cardinality":
            self.threshold_ = match_training_cardinality(solution.decision_function(X), y, weights)
        else:
            self.threshold_ = rule.value
        self._sparse_output = sparse.issparse(y)
        self._keep(solution, classes, binary=False)
        return self

    def _held_out(self, X, y, weights, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and their scores by models that were trained without them."""

        def train(X, y, weights) -> Solution:
            solution = self._solve(X, y, weights, seed)
            if solution.status == "interrupted":
                raise KeyboardInterrupt  # a cut-off of some of the folds would be another one
            if solution.status != "converged":
                self._warn(solution, where=", in the cross-validation of the threshold,")
            return solution

        return out_of_fold(train, self.cv, X, y, weights, pairwise=self.kernel == "precomputed")

    def predict(self, X):
        """The labels whose score reaches the cut-off.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)

        Returns
        -------
        ndarray of int, (n, m), or CSR matrix when `y` was sparse
            Indicator. When `y` was a vector: the best class of each row, (n,).
        """
        check_is_fitted(self, "classes_")
        if not self.multilabel_:
            return self._best_class(X)
        labels = (self.decision_function(X) >= self.threshold_).astype(np.int64)
        return sparse.csr_matrix(labels) if self._sparse_output else labels

    @available_if(_is_logistic)
    def predict_proba(self, X) -> np.ndarray:
        """Probability of each label; with ``loss="lr_ova"`` only.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)

        Returns
        -------
        ndarray, (n, m)
            Of each label by itself: rows do not sum to 1. When `y` was a vector they are divided by their sum, as
            one-vs-rest classifiers of scikit-learn do.
        """
        scores = self.decision_function(X)
        if self.multilabel_:
            return expit(scores)
        if self._binary:
            scores = np.column_stack([-scores, scores])
        # Logarithms, since all of a row may underflow.
        return softmax(log_expit(scores), axis=1)
