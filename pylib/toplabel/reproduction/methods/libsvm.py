"""One-vs-all SVMs by LIBSVM, through scikit-learn, with LIBSVM's bias.

C.-C. Chang, C.-J. Lin: LIBSVM, a library for support vector machines. ACM TIST 2, 2011. NIPS 2012
compares with it (Table 2), linear and with a Gaussian kernel.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from toplabel._core.arrays import as_integer
from toplabel.kernels import rbf_gram
from toplabel.reproduction.methods.trained import Affine, Gaussian, Trained, dense, indicator
from toplabel.simplex.width import gaussian_width, theta_of_width

_CACHE = 500  # MiB of kernel values


class OneVsAllSVC:
    """A binary SVM for each class against the rest; deterministic, without warm starts.

    The width of the Gaussian is the 25th percentile of the distances between training rows, as for
    simplex least squares. A class gets at most `passes` times n iterations: on raw features and
    with a large C LIBSVM may run for hours. An epoch is n iterations, each of which changes two
    dual variables, counted for the class that needed most of them.
    """

    def __init__(self, kernel: str, passes: int = 100) -> None:
        if kernel not in ("linear", "rbf"):
            raise ValueError(f"kernel must be 'linear' or 'rbf', got {kernel!r}")
        self._kernel = kernel
        self._passes = as_integer(passes, "passes", 1)

    def train(self, X, labels, *, n_classes, C, max_iter, **_) -> Trained:
        """Train (see `trained.Trainer`)."""
        X = np.asarray(dense(X), dtype=float)
        n = len(X)
        theta, rows = None, X
        if self._kernel == "rbf":  # LIBSVM would compute the kernel anew for each class
            theta = theta_of_width(gaussian_width(X))
            rows = rbf_gram(X, theta)
        A, bias = np.zeros((n, n_classes)), np.zeros(n_classes)
        iterations, limit = 0, min(max_iter, self._passes) * n
        for j, target in enumerate(indicator(labels, n_classes).T):
            if (
                target.all() or not target.any()
            ):  # LIBSVM needs both classes; with one, a constant is optimal
                bias[j] = 1.0 if target.all() else -1.0
                continue
            kernel = "linear" if theta is None else "precomputed"
            machine = SVC(C=C, kernel=kernel, cache_size=_CACHE, max_iter=limit)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit(rows, np.where(target, 1, -1))
            A[machine.support_, j] = machine.dual_coef_[0]
            bias[j] = machine.intercept_[0]
            iterations = max(iterations, int(np.max(machine.n_iter_)))
        status = "uncertified" if iterations < limit else "max_iter"
        return Trained(_model(X, A, bias, theta), status, -(-iterations // n))


def _model(
    X: np.ndarray, A: np.ndarray, bias: np.ndarray, theta: float | None
) -> Affine | Gaussian:
    if theta is None:
        return Affine(X.T @ A, bias)
    kept = np.flatnonzero(A.any(axis=1))
    return Gaussian(X[kept], A[kept], bias, theta)
