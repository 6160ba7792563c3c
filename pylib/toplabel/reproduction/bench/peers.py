"""The other solvers: what is installed, and the settings that each is tried with, from loose to
tight.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel.reproduction.bench import own_solver
from toplabel.reproduction.bench.problems import BenchProblem
from toplabel.reproduction.timings.packages import missing
from toplabel.reproduction.timings.softmax import logistic, spams_fista

# Classes times features beyond which the Hessian of newton-cholesky does not pay (or fit).
_LARGEST_HESSIAN = 3000


@dataclass(frozen=True)
class Family:
    """A solver with one of its stopping rules, whose values are so fine that hardly any time is
    lost between two.

    Attributes
    ----------
    solver, package : str
    rule : str
        Name of the setting that `values` are of, which go from loose to tight.
    values : sequence of int or float
    fit : callable
        From a value to a result. This is what is timed.
    weights : callable
        From the result to W, (d, m).
    stride : int
        How many values may be skipped at a time on the way to the first that is tight enough: fewer
        where the time of the next cannot be predicted.
    """

    solver: str
    package: str
    rule: str
    values: Sequence[float]
    fit: Callable[[Any], Any]
    weights: Callable[[Any], np.ndarray]
    stride: int = 4

    def setting(self, index: int) -> str:
        """A value in words."""
        value = self.values[index]
        return f"{self.rule} {value if isinstance(value, int) else format(value, '.3g')}"


def ours(problem: BenchProblem, loss: str) -> Family:
    """`toplabel.solve` by a number of epochs; it evaluates before the first and after the last."""
    return Family(
        "toplabel",
        "toplabel",
        "epochs",
        growing(20000),
        lambda epochs: own_solver.run_epochs(problem, loss, epochs),
        lambda solution: own_solver.weights(problem, solution),
    )


def certified(problem: BenchProblem, loss: str) -> Family:
    """`toplabel.solve` as it is normally called: to its own certificate, with all evaluations."""
    return Family(
        "toplabel, own certificate",
        "toplabel",
        "eps",
        [1e-3],
        lambda eps: own_solver.train(problem, loss, eps=eps, max_epochs=100_000),
        lambda solution: own_solver.weights(problem, solution),
    )


def growing(last: int, factor: float = 1.12) -> list[int]:
    """Return whole numbers from 1 to about `last`, each about `factor` times the one before."""
    numbers = [1]
    while numbers[-1] < last:
        numbers.append(max(numbers[-1] + 1, round(numbers[-1] * factor)))
    return numbers


def falling(first: float, last: float, factor: float = 1.4) -> list[float]:
    """Return tolerances from `first` down to about `last`."""
    numbers = [first]
    while numbers[-1] > last:
        numbers.append(numbers[-1] / factor)
    return numbers


def others(problem: BenchProblem, loss: str) -> list[Family]:
    """Return the families of the peers that solve this problem; the optional ones if they are
    installed.
    """
    if loss == "svm_multi":
        return _liblinear_svm(problem, "crammer_singer")
    if loss == "svm_ova":
        return _liblinear_svm(problem, "ovr") + _snapml(problem, "SupportVectorMachine")
    if loss == "lr_multi":
        return _sklearn_softmax(problem) + _spams(problem)
    return _liblinear_logistic(problem) + _snapml(problem, "LogisticRegression")


def _coefficients(model) -> np.ndarray:
    return model.coef_.T


def _liblinear_svm(problem: BenchProblem, multi: str) -> list[Family]:
    """By tol and, one-vs-all, by max_iter, which the solver of the Crammer and Singer problem
    ignores.
    """
    from sklearn.svm import LinearSVC

    options = {"C": problem.C, "loss": "hinge", "multi_class": multi}
    options |= {"fit_intercept": False, "random_state": 0}

    def by_tol(tol):
        return LinearSVC(tol=tol, max_iter=100_000, **options).fit(problem.X, problem.y)

    def by_iterations(count):
        return LinearSVC(tol=1e-12, max_iter=count, **options).fit(problem.X, problem.y)

    name = "LIBLINEAR " + ("one-vs-all" if multi == "ovr" else "Crammer-Singer")
    rest = ("LIBLINEAR", "tol", falling(10.0, 1e-6), by_tol, _coefficients, 3)
    families = [Family(f"{name}, by tol", *rest)]
    if multi == "ovr":
        rest = ("LIBLINEAR", "max_iter", growing(3000), by_iterations, _coefficients)
        families.append(Family(f"{name}, by max_iter", *rest))
    return families


def _liblinear_logistic(problem: BenchProblem) -> list[Family]:
    """One class at a time."""

    def fitter(dual: bool):
        def fit(iterations):
            options = {"solver": "liblinear", "dual": dual}
            models = (
                logistic(problem.X, problem.y == j, problem.C, iterations, **options)
                for j in range(problem.n_classes)
            )
            return np.stack([model.coef_[0] for model in models], axis=1)

        return fit

    name, package = "LIBLINEAR logistic one-vs-all", "LIBLINEAR"
    return [
        Family(f"{name}, {kind}", package, "max_iter", growing(1000), fitter(dual), lambda W: W)
        for kind, dual in (("dual", True), ("primal", False))
    ]


def _sklearn_softmax(problem: BenchProblem) -> list[Family]:
    def fitter(solver: str):
        return lambda iterations: logistic(
            problem.X, problem.y, problem.C, iterations, solver=solver
        )

    solvers = ["lbfgs", "newton-cg", "saga", "sag"]
    if problem.X.shape[1] * problem.n_classes <= _LARGEST_HESSIAN:
        solvers.insert(2, "newton-cholesky")
    package, values = "scikit-learn", growing(2000)
    return [
        Family(f"{package} {one}", package, "max_iter", values, fitter(one), _coefficients)
        for one in solvers
    ]


def _spams(problem: BenchProblem) -> list[Family]:
    if missing("spams"):
        return []
    fit = spams_fista(problem.X, problem.y, problem.C)
    return [Family("SPAMS FISTA", "SPAMS", "max_it", growing(20000), fit, np.asarray)]


def _snapml(problem: BenchProblem, model: str) -> list[Family]:
    """Snap ML, which trains one class against the others."""
    if missing("snapml"):
        return []
    make = getattr(importlib.import_module("snapml"), model)

    def fit(iterations: int):
        return make(
            regularizer=1.0 / problem.C,
            max_iter=iterations,
            tol=1e-12,
            n_jobs=1,
            random_state=0,
            fit_intercept=False,
        ).fit(problem.X, problem.y)

    values = growing(3000)
    return [Family("Snap ML one-vs-all", "Snap ML", "max_iter", values, fit, _coefficients)]
