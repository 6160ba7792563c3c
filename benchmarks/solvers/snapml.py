"""Snap ML, one class against the others."""

import importlib

import numpy as np
from benchopt import BaseSolver

from benchmark_utils.packages import missing
from benchmark_utils.stopping import more

if why := missing("snapml"):  # which keeps the modes of the processor as they are
    raise ImportError(why)

MODELS = {"svm_ova": "SupportVectorMachine", "lr_ova": "LogisticRegression"}


class Solver(BaseSolver):
    """Snap ML by its number of iterations."""

    name = "Snap ML"
    requirements = ["pip::snapml"]
    get_next = staticmethod(more)

    def skip(self, problem, loss):
        """Skip all but one-vs-all."""
        return loss not in MODELS, "one-vs-all alone"

    def set_objective(self, problem, loss):
        """Keep the problem."""
        self.problem, self.loss = problem, loss
        self.W = np.zeros((problem.X.shape[1], problem.n_classes))

    def run(self, iterations):
        """Train for a number of iterations."""
        if iterations == 0:
            return
        make = getattr(importlib.import_module("snapml"), MODELS[self.loss])
        options = {"tol": 1e-12, "n_jobs": 1, "random_state": 0, "fit_intercept": False}
        model = make(regularizer=1.0 / self.problem.C, max_iter=iterations, **options)
        self.W = model.fit(self.problem.X, self.problem.y).coef_.T

    def get_result(self):
        """Return W."""
        return {"W": self.W}
