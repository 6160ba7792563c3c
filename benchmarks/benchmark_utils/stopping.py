"""When a solver is accurate enough, and how its settings grow until then."""

from benchopt.stopping_criterion import StoppingCriterion

ACCURACY = 1e-3
"""Of (P - P*)/P*."""
GROWTH = 1.15
"""Of numbers of iterations: hardly any time is lost between two."""


class Accurate(StoppingCriterion):
    """Ends a curve at the first point that is accurate enough."""

    def check_convergence(self, objective_list):
        """Return whether the last excess is small enough, and the progress as benchopt shows it."""
        excess = objective_list[-1]["objective_value"]
        return excess <= ACCURACY, min(1.0, ACCURACY / max(excess, ACCURACY))


def more(iterations: int) -> int:
    """Return the next number of iterations."""
    return max(iterations + 1, round(GROWTH * iterations))
