"""Our solver by a number of epochs: it evaluates before the first and after the last."""

from benchopt import BaseSolver

from benchmark_utils.own_solver import run_epochs, weights
from benchmark_utils.stopping import more


class Solver(BaseSolver):
    """`toplabel.solve`, with the acceleration of its passes or without (False)."""

    name = "toplabel"
    requirements = ["pip::toplabel"]
    parameters = {"acceleration": ["auto"]}
    get_next = staticmethod(more)

    def set_objective(self, problem, loss):
        """Keep the problem."""
        self.problem, self.loss = problem, loss

    def run(self, epochs):
        """Train for a number of epochs."""
        self.solution = run_epochs(self.problem, self.loss, epochs, acceleration=self.acceleration)

    def get_result(self):
        """Return W."""
        return {"W": weights(self.problem, self.solution)}
