"""LIBLINEAR, as scikit-learn has it."""

import warnings

import numpy as np
from benchopt import BaseSolver
from sklearn.svm import LinearSVC

from benchmark_utils.stopping import more
from toplabel.reproduction.report.figures.softmax import logistic


class Solver(BaseSolver):
    """Both one-vs-all losses by iterations; the problem of Crammer and Singer, which ignores
    them, by its tolerance.
    """

    name = "LIBLINEAR"
    requirements = ["pip::scikit-learn"]
    parameters = {"dual": [True, False]}
    get_next = staticmethod(more)

    def skip(self, problem, loss):
        """Skip what LIBLINEAR does not solve."""
        if loss == "lr_multi" or (loss != "lr_ova" and not self.dual):
            return True, "LIBLINEAR has no such solver"
        return False, None

    def set_objective(self, problem, loss):
        """Keep the problem."""
        self.problem, self.loss = problem, loss
        self.W = np.zeros((problem.X.shape[1], problem.n_classes))

    def run(self, step):
        """Train for a number of iterations, or to a tolerance that falls with them."""
        if step == 0:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few iterations are not meant to converge
            self.W = self._logistic(step) if self.loss == "lr_ova" else self._hinge(step)

    def _logistic(self, iterations):
        options = {"solver": "liblinear", "dual": self.dual}
        X, y, C = self.problem.X, self.problem.y, self.problem.C
        models = (logistic(X, y == j, C, iterations, **options) for j in np.unique(y))
        return np.stack([model.coef_[0] for model in models], axis=1)

    def _hinge(self, step):
        options = {"C": self.problem.C, "loss": "hinge", "fit_intercept": False, "random_state": 0}
        if self.loss == "svm_multi":
            options |= {"multi_class": "crammer_singer", "tol": 10.0 / step, "max_iter": 100_000}
        else:
            options |= {"multi_class": "ovr", "tol": 1e-12, "max_iter": step}
        return LinearSVC(**options).fit(self.problem.X, self.problem.y).coef_.T

    def get_result(self):
        """Return W."""
        return {"W": self.W}
