"""Our solver as it is normally called: to its own certificate, with all evaluations."""

from benchopt import BaseSolver
from benchopt.stopping_criterion import SingleRunCriterion

from benchmark_utils.own_solver import train, weights
from benchmark_utils.stopping import ACCURACY


class Solver(BaseSolver):
    """`toplabel.solve(tol=1e-3)`."""

    name = "toplabel, own certificate"
    requirements = ["pip::toplabel"]
    sampling_strategy = "run_once"
    stopping_criterion = SingleRunCriterion()

    def set_objective(self, problem, loss):
        """Keep the problem."""
        self.problem, self.loss = problem, loss

    def run(self, _):
        """Train until the duality gap proves the accuracy."""
        self.solution = train(self.problem, self.loss, tol=ACCURACY, max_iter=100_000)

    def get_result(self):
        """Return W."""
        return {"W": weights(self.problem, self.solution)}
