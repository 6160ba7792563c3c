"""FISTA of SPAMS."""

import numpy as np
from benchopt import BaseSolver

from benchmark_utils.stopping import more
from benchmark_utils.packages import missing
from toplabel.reproduction.report.figures.softmax import spams_fista

if why := missing("spams"):
    raise ImportError(why)


class Solver(BaseSolver):
    """`spams.fistaFlat` with the multi-logistic loss; converting X is not timed."""

    name = "SPAMS"
    requirements = ["pip::spams-bin"]
    get_next = staticmethod(more)

    def skip(self, problem, loss):
        """Skip all but the softmax."""
        return loss != "lr_multi", "the softmax alone"

    def set_objective(self, problem, loss):
        """Convert X."""
        self.fit = spams_fista(problem.X, problem.y, problem.C)
        self.W = np.zeros((problem.X.shape[1], problem.n_classes))

    def run(self, iterations):
        """Train for a number of iterations."""
        if iterations > 0:
            self.W = np.asarray(self.fit(iterations))

    def get_result(self):
        """Return W."""
        return {"W": self.W}
