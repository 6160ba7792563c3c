"""FISTA of SPAMS."""

import importlib
from collections.abc import Callable

import numpy as np
from benchopt import BaseSolver
from scipy import sparse

from benchmark_utils.packages import missing
from benchmark_utils.stopping import more

if why := missing("spams"):
    raise ImportError(why)


def spams_fista(X, y: np.ndarray, C: float) -> Callable[[int], np.ndarray]:
    """Return FISTA of SPAMS as a function of the number of iterations, to W.

    Its 'l2' is half the squared norm, its loss the mean over the rows. Converting X does not count.
    """
    spams = importlib.import_module("spams")
    n, m = X.shape[0], int(y.max()) + 1
    rows = sparse.linalg.norm(X, axis=1) if sparse.issparse(X) else np.linalg.norm(X, axis=1)
    columns = X.tocsc() if sparse.issparse(X) else np.asfortranarray(X)
    labels = np.asfortranarray(y[:, None].astype(np.float64))
    start = np.zeros((X.shape[1], m), order="F")
    options = {"numThreads": 1, "loss": "multi-logistic", "regul": "l2", "tol": 1e-12}
    options |= {"lambda1": 1.0 / (C * n), "L0": 0.01 * float((rows**2).mean())}

    def fit(iterations: int) -> np.ndarray:
        # it0: evaluating its gap takes time.
        options["max_it"], options["it0"] = iterations, iterations + 1
        return spams.fistaFlat(labels, columns, start, **options)

    return fit


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
