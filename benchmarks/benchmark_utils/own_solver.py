"""Our solver as the benchmark calls it, and the objectives that all solvers are scored by."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchmark_utils.problems import BenchProblem
from toplabel import losses
from toplabel._core.arrays import as_features, as_labels
from toplabel._core.problem import Problem
from toplabel._core.run import Run
from toplabel._core.solution import Solution
from toplabel.solver import solve


def train(problem: BenchProblem, loss: str, **arguments) -> Solution:
    """Call `toplabel.solve` on a problem, with its Gram matrix if it has one, and its C unless
    another is given.
    """
    kernel = "linear" if problem.gram is None else "precomputed"
    arguments = {"C": problem.C, "kernel": kernel} | arguments
    return solve(problem.features, problem.y, loss=loss, **arguments)


def run_epochs(problem: BenchProblem, loss: str, epochs: int, **arguments) -> Solution:
    """Make a number of epochs, with an evaluation before the first and after the last; with a
    smaller tol they would all be in float64.
    """
    return train(problem, loss, tol=1e-4, max_iter=epochs, eval_every=max(epochs, 1), **arguments)


def start(problem: BenchProblem, loss: str, k: int = 1, gamma: float = 0.0) -> Run:
    """Return a solver before its first epoch, to run without evaluations."""
    spec = losses.get(loss)
    features = as_features(problem.features, "X")
    several = spec.labels != "one"
    labels = as_labels(problem.y, problem.n, multilabel=several, n_classes=problem.n_classes)
    kernel = "linear" if problem.gram is None else "precomputed"
    return Run(Problem(features, features, labels, kernel, None, spec, k, gamma), problem.C)


def weights(problem: BenchProblem, solution: Solution) -> np.ndarray:
    """Return W, (d, m), for the features `problem.X`."""
    return solution.W if problem.gram is None else problem.X.T @ solution.coefficients


def primal(
    problem: BenchProblem, loss: str, W: np.ndarray, k: int = 1, gamma: float = 0.0
) -> float:
    """P(W) of TPAMI Eq. (9), in NumPy and float64."""
    W = np.asarray(W, dtype=np.float64)
    scores = np.asarray(problem.X @ W)
    values = losses.value(loss, scores, labels_for(problem, loss), k=k, gamma=gamma)
    return float(values.mean() + (W**2).sum() / (2 * problem.C * problem.n))


def lower_bound(
    problem: BenchProblem, loss: str, tol: float = 1e-5, time_limit: float = 120.0
) -> tuple[float, float]:
    """Return D(A), which no primal value can be below, and the relative gap that it is known to."""
    solution = train(problem, loss, tol=tol, max_iter=100_000, time_limit=time_limit)
    return solution.dual, solution.relative_gap


def labels_for(problem: BenchProblem, loss: str) -> np.ndarray:
    """Return the labels in the form that the loss takes."""
    if problem.y.ndim == 2 or losses.get(loss).labels != "set":
        return problem.y
    return np.eye(problem.n_classes, dtype=np.uint8)[problem.y]


def flops_per_epoch(problem: BenchProblem, block: int) -> float:
    """Floating-point operations of an epoch: 4 d m + b d + b m a row (docs/evidence/benchmarks.md).

    Of sparse rows d is the number of non-zeros. With a Gram matrix only the scores count, 2 n m a
    row. `block` is b, from `block_size`.
    """
    n, m = problem.n, problem.n_classes
    if problem.gram is not None:
        return 2.0 * n * n * m
    stored = problem.X.nnz if sparse.issparse(problem.X) else n * problem.X.shape[1]
    return 4.0 * stored * m + block * stored + float(n) * block * m


def bytes_per_epoch(problem: BenchProblem) -> float:
    """Bytes that an epoch moves at least: the features read once, the dual variables read and
    written.
    """
    X = problem.features
    arrays = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return float(sum(one.nbytes for one in arrays) + 16 * problem.n * problem.n_classes)


def block_size(problem: BenchProblem) -> int:
    """Rows between two updates of W; 0 when the solver does without inner products of rows."""
    has_blocks = not sparse.issparse(problem.features) and problem.features.shape[1] > 64
    return min(64, problem.n) if has_blocks else 0
