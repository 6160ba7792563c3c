"""Time to a given accuracy of the primal objective, TPAMI Eq. (9)."""

import numpy as np
from benchopt import BaseObjective

from benchmark_utils.own_solver import lower_bound, primal
from benchmark_utils.problems import ONE_VS_ALL
from benchmark_utils.stopping import ACCURACY, Accurate


class Objective(BaseObjective):
    """Every solver gets the same X, y and C and no bias; every W is scored by the same function."""

    name = "Primal objective"
    requirements = ["pip::toplabel"]
    sampling_strategy = "iteration"
    stopping_criterion = Accurate()
    parameters = {"loss": ["svm_multi", "lr_multi", "svm_ova", "lr_ova"]}
    test_config = {"loss": "svm_multi", "dataset": {"name": "tiny"}}

    def skip(self, problem):
        """Skip a published set whose files are missing, and one-vs-all on large problems."""
        if problem is None:
            return True, "its files are missing"
        binary = self.loss in ("svm_ova", "lr_ova")
        return binary and problem.name not in ONE_VS_ALL, "one-vs-all is compared elsewhere"

    def set_data(self, problem):
        """Prove the lower bound of P that excesses are measured against."""
        self.problem = problem
        self.bound, gap = lower_bound(problem, self.loss)
        if gap > ACCURACY / 3:
            raise ArithmeticError(f"P* is known to {gap:.1e} only, too coarse for {ACCURACY:g}")

    def get_objective(self):
        """Return what a solver is given."""
        return {"problem": self.problem, "loss": self.loss}

    def evaluate_result(self, W):
        """Return (P(W) - P*)/P*, computed in NumPy and float64."""
        value = primal(self.problem, self.loss, W)
        return {"value": value / self.bound - 1.0, "primal": value}

    def get_one_result(self):
        """Return the model of zeros."""
        return {"W": np.zeros((self.problem.X.shape[1], self.problem.n_classes))}
