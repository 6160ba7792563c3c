"""LIBLINEAR, as scikit-learn has it."""

import numpy as np
from benchopt import BaseSolver

from benchmark_utils.peers import hinge, logistic_ova, quiet
from benchmark_utils.stopping import more


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
        given = self.problem.X, self.problem.y, self.problem.C, step
        if self.loss == "lr_ova":
            self.W = quiet(logistic_ova, *given, dual=self.dual)
        else:
            self.W = quiet(hinge, *given, self.loss)

    def get_result(self):
        """Return W."""
        return {"W": self.W}
