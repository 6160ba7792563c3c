"""The solvers of scikit-learn's logistic regression."""

import numpy as np
from benchopt import BaseSolver

from benchmark_utils.peers import logistic, quiet
from benchmark_utils.stopping import more

LARGEST_HESSIAN = 3000  # classes times features beyond which newton-cholesky does not pay (or fit)


class Solver(BaseSolver):
    """`LogisticRegression` by its number of iterations."""

    name = "scikit-learn"
    requirements = ["pip::scikit-learn"]
    parameters = {"solver": ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"]}
    get_next = staticmethod(more)

    def skip(self, problem, loss):
        """Skip all but the softmax, and Hessians that are too large."""
        if loss != "lr_multi":
            return True, "the softmax alone"
        if self.solver == "newton-cholesky":
            weights = problem.X.shape[1] * problem.n_classes
            return weights > LARGEST_HESSIAN, "the Hessian is too large"
        return False, None

    def set_objective(self, problem, loss):
        """Keep the problem."""
        self.problem = problem
        self.W = np.zeros((problem.X.shape[1], problem.n_classes))

    def run(self, iterations):
        """Train for a number of iterations."""
        if iterations == 0:
            return
        X, y, C = self.problem.X, self.problem.y, self.problem.C
        self.W = quiet(logistic, X, y, C, iterations, solver=self.solver)

    def get_result(self):
        """Return W."""
        return {"W": self.W}
