"""One-vs-all by LIBLINEAR, without a bias, and by LIBSVM, with its bias; both through scikit-learn.

R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin: LIBLINEAR, a library for large linear
classification. JMLR 9, 2008. The papers use it for SVM^OVA and LR^OVA (TPAMI section 6.2, NIPS 2015
section 5.1). `toplabel.solve` minimises the same objective for the losses svm_ova and lr_ova.

C.-C. Chang, C.-J. Lin: LIBSVM, a library for support vector machines. ACM TIST 2, 2011. NIPS 2012
compares with it (Table 2), linear and with a Gaussian kernel.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from toplabel import losses
from toplabel._core.arrays import as_integer
from toplabel._core.solution import relative_gap
from toplabel.kernels import rbf_gram
from toplabel.reproduction.methods.trained import (
    Affine,
    Gaussian,
    Matrix,
    TrainedMethod,
    dense,
    indicator,
)
from toplabel.simplex.problem import gaussian_width

_CACHE = 500  # MiB of kernel values
_LOOSEST, _TIGHTEST = 0.1, 1e-10  # of LIBLINEAR's own tolerance: relative to tol; absolute


class Liblinear:
    """A binary classifier for each class against the rest.

    The hinge (svm_ova) is minimised by LIBLINEAR's dual coordinate descent (solver 3), which
    returns no dual variables, so there is no gap to report. The logistic loss (lr_ova) is minimised
    by its trust-region Newton method (solver 0); being smooth it gives dual variables for any W,
    and the gap ``||grad P(W)||_F^2 / (2 lambda)``. LIBLINEAR's tolerance is tightened until that
    gap is small. An epoch is an iteration of LIBLINEAR, counted for the class that needed most of
    them. There are no warm starts.
    """

    def __init__(self, loss: str) -> None:
        self._loss = loss

    def train(self, X, labels, *, n_classes, C, seed, tol, max_iter, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        targets = indicator(labels, n_classes)
        tolerance = tol * _LOOSEST
        while True:
            W, epochs, finished = _fit(self._classifier(C, seed, tolerance, max_iter), X, targets)
            primal, gap = self._certificate(X, labels, W, C)
            relative = relative_gap(primal, primal - gap)
            if self._loss == "svm_ova" or relative <= tol or not finished or tolerance < _TIGHTEST:
                break
            tolerance /= 10
        if self._loss == "svm_ova":
            status = "uncertified" if finished else "max_iter"
        else:
            status = "converged" if relative <= tol else "max_iter"
        return TrainedMethod(W, status, epochs, primal, primal - gap, relative)

    def _classifier(
        self, C: float, seed: int, tolerance: float, max_iter: int
    ) -> LinearSVC | LogisticRegression:
        arguments = {
            "C": C,
            "tol": tolerance,
            "max_iter": max_iter,
            "fit_intercept": False,
            "random_state": seed % (1 << 32),
        }
        if self._loss == "svm_ova":
            return LinearSVC(loss="hinge", dual=True, **arguments)
        return LogisticRegression(solver="liblinear", **arguments)

    def _certificate(
        self, X: Matrix, labels: np.ndarray, W: np.ndarray, C: float
    ) -> tuple[float, float]:
        """P(W), and P - D with the dual variables that W gives; NaN for the hinge."""
        n = X.shape[0]
        scores = np.ascontiguousarray(X @ W)
        penalty = 1.0 / (C * n)
        primal = losses.value(self._loss, scores, labels).mean() + penalty / 2 * np.vdot(W, W)
        if self._loss == "svm_ova":
            return float(primal), np.nan
        of_scores = losses.gradient(self._loss, scores, labels)
        gradient = np.asarray(X.T @ of_scores) / n + penalty * W
        return float(primal), float(np.vdot(gradient, gradient) / (2 * penalty))


def _fit(
    classifier: LinearSVC | LogisticRegression, X: Matrix, targets: np.ndarray
) -> tuple[np.ndarray, int, bool]:
    """Return W, the most iterations of any class, and whether all reached the tolerance."""
    W = np.empty((X.shape[1], targets.shape[1]))
    epochs = 0
    for j, target in enumerate(targets.T):
        rows, sides = X, np.where(target, 1, -1)
        if target.all() or not target.any():
            # LIBLINEAR needs both classes. A row of zeros has the same loss for every w.
            rows, sides = _with_zero_row(X), np.append(sides, -sides[0])
        _fit_in_silence(classifier, rows, sides)
        W[:, j] = classifier.coef_[0]
        epochs = max(epochs, int(np.max(classifier.n_iter_)))
    return W, epochs, epochs < classifier.max_iter


def _fit_in_silence(classifier: BaseEstimator, rows: Matrix, sides: np.ndarray) -> None:
    """Fit a classifier; that it reached its limit is told by its status, not by a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(rows, sides)


def _with_zero_row(X: Matrix) -> Matrix:
    if sparse.issparse(X):
        return sparse.vstack([X, sparse.csr_matrix((1, X.shape[1]))], format="csr")
    return np.concatenate([X, np.zeros((1, X.shape[1]))])


class Libsvm:
    """A binary SVM for each class against the rest; deterministic, without warm starts.

    The width of the Gaussian is the 25th percentile of the distances between training rows, as for
    simplex least squares. A class gets at most `passes` times n iterations: on raw features and
    with a large C LIBSVM may run for hours. An epoch is n iterations, each of which changes two
    dual variables, counted for the class that needed most of them.
    """

    def __init__(self, kernel: str, passes: int = 100) -> None:
        self._kernel = kernel
        self._passes = as_integer(passes, "passes", 1)

    def train(self, X, labels, *, n_classes, C, max_iter, **_) -> TrainedMethod:
        """Train (see `trained.Trainer`)."""
        X = np.asarray(dense(X), dtype=float)
        n = len(X)
        theta, rows = None, X
        if self._kernel == "rbf":  # LIBSVM would compute the kernel anew for each class
            theta = 1.0 / (2.0 * gaussian_width(X) ** 2)
            rows = rbf_gram(X, theta)
        A, bias = np.zeros((n, n_classes)), np.zeros(n_classes)
        iterations, limit = 0, min(max_iter, self._passes) * n
        for j, target in enumerate(indicator(labels, n_classes).T):
            if target.all() or not target.any():
                # LIBSVM needs both classes; with one, a constant is optimal.
                bias[j] = 1.0 if target.all() else -1.0
                continue
            kernel = "linear" if theta is None else "precomputed"
            machine = SVC(C=C, kernel=kernel, cache_size=_CACHE, max_iter=limit)
            _fit_in_silence(machine, rows, np.where(target, 1, -1))
            A[machine.support_, j] = machine.dual_coef_[0]
            bias[j] = machine.intercept_[0]
            iterations = max(iterations, int(np.max(machine.n_iter_)))
        status = "uncertified" if iterations < limit else "max_iter"
        kept = np.flatnonzero(A.any(axis=1))
        model = Affine(X.T @ A, bias) if theta is None else Gaussian(X[kept], A[kept], bias, theta)
        return TrainedMethod(model, status, -(-iterations // n))
