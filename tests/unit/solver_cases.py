"""Every convex loss with its parameters, runs without a loop, and what is checked of a solution."""

import itertools
from functools import partial

import numpy as np
import pytest

import toplabel
from toplabel import losses
from toplabel._core.arrays import as_labels
from toplabel._core.problem import Problem
from toplabel._core.run import Run, RunSettings

# With the intercept that estimators have by default.
solve = partial(toplabel.solve, fit_intercept=True)
CONVEX = [key for key, loss in losses.LOSSES.items() if loss.convex]


def cases(m: int) -> list[tuple[str, int, float]]:
    """Return every convex loss with k in {1, 2, m - 1} and gamma in {0, 0.5}, where it has them."""
    return [
        (key, k, gamma)
        for key in CONVEX
        for k, gamma in itertools.product(
            (1, 2, m - 1) if losses.get(key).top_k else (1,),
            (0.0, 0.5) if losses.get(key).smoothing else (0.0,),
        )
    ]


def target(problem, key: str):
    """Return the classes, or the label sets, of a problem (X, y, Y)."""
    return problem[2] if losses.get(key).labels == "set" else problem[1]


N_CLASSES = 5


def overlapping_rows(d: int):
    """Return 80 rows and labels of classes that overlap: a row of zeros, rows that are there twice,
    of the same and of different classes, label sets with an empty and a full one.
    """
    rng = np.random.default_rng(0)
    n, m = 80, N_CLASSES
    X = rng.normal(size=(n, d))
    X[3] = 0.0
    X[10:14] = X[20:24]
    y = np.argmax(X @ rng.normal(size=(d, m)) + 2 * rng.gumbel(size=(n, m)), axis=1)
    y[:m] = np.arange(m)
    y[10:12], y[20:22] = y[20:22], y[20:22]
    y[12:14] = (y[22:24] + 1) % m
    Y = np.maximum(np.eye(m, dtype=int)[y], rng.random((n, m)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1
    return X, y, Y


def solve_by(method: str, problem, key: str, *, X=None, **options):
    """Return the solution of a problem (X, y, Y), or of other rows, by a method, to a small gap."""
    options = {"tol": 1e-8, "method": method, "max_iter": 10**7} | options
    return toplabel.solve(problem[0] if X is None else X, target(problem, key), key, **options)


def check_optimum(problem, key: str, solution) -> None:
    """The certificate of a solution of `solve_by` is that of its optimum."""
    certificate = toplabel.certify(problem[0], target(problem, key), solution)
    assert certificate.relative_gap <= 2e-8
    assert solution.primal == pytest.approx(certificate.primal, rel=1e-9)


def bare_run(X, y, key="svm_multi", C=1.0, start=None, kernel="linear", **settings) -> Run:
    """Return a run before its first pass."""
    loss = losses.get(key)
    labels = as_labels(y, len(y), multilabel=loss.labels == "set")
    problem = Problem(X, X, labels, kernel, None, loss)
    return Run(problem, C, start, RunSettings(**settings))


def objective(X, y, solution) -> float:
    """Return P of the weights, or coefficients, by its formula, without sample weights."""
    beta = solution.coefficients
    scores = X @ (solution.W if beta is None else beta)
    norm2 = (solution.W**2).sum() if beta is None else (beta * scores).sum()
    parameters = {"k": solution.k, "gamma": solution.gamma}
    mean = losses.value(solution.loss, scores, y, **parameters).mean()
    return mean + norm2 / (2 * solution.C * len(y))


def is_feasible(solution, y) -> bool:
    """Are the dual variables of all rows in the domain of the conjugate?"""
    parameters = {"k": solution.k, "gamma": solution.gamma}
    conjugates = losses.conjugate(solution.loss, -solution.A / solution.C, y, **parameters)
    return bool(np.isfinite(conjugates).all())


def check_certificate(X, y, solution, weight=None, W0=None) -> None:
    """What is claimed is what `certify` finds; an infeasible A would have D = -inf. Without a dual
    P is that of the formula.
    """
    if not losses.get(solution.loss).convex:
        assert solution.primal == pytest.approx(objective(X, y, solution), rel=1e-9)
        return
    certificate = toplabel.certify(X, y, solution, sample_weight=weight, W0=W0)
    size = max(abs(certificate.primal), abs(certificate.dual))
    assert np.isfinite(size)
    assert solution.primal == pytest.approx(certificate.primal, abs=1e-11 * size)
    assert solution.dual == pytest.approx(certificate.dual, abs=1e-11 * size)
    # Both contain a bound of rounding; that of the solver is the larger one.
    assert -1e-13 <= solution.relative_gap - certificate.relative_gap <= 1e-6
    assert solution.relative_gap >= (certificate.primal - certificate.dual) / size - 1e-13
