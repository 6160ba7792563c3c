"""The simplex SVMs against quadratic programs by SciPy, and stochastic subgradients against
both.
"""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from simplex_oracles import CLASSES as T
from simplex_oracles import dual_optimum, problem
from toplabel import simplex
from toplabel.kernels import rbf_gram


def primal_value(loss, solution, rows, y, C):
    """P from the model alone."""
    F = solution.values(rows)
    model = solution.W if solution.W is not None else solution.A
    norm2 = np.vdot(model, model if solution.W is not None else F)
    return simplex.value(loss, F, y).mean() + norm2 / (2 * C * len(y))


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm"])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_optima_are_those_of_a_quadratic_program(loss, C, seed):
    X, y = problem(seed)
    options = {"tol": 1e-9, "max_iter": 10**6, "n_classes": T}
    kernel = rbf_gram(X, 0.5)
    forms = (
        (X, "linear", X @ X.T),
        (sparse.csr_array(X), "linear", X @ X.T),
        (X @ X.T, "precomputed", X @ X.T),
        (kernel, "precomputed", kernel),
    )
    for rows, name, K in forms:
        found = simplex.solve(rows, y, loss, C, kernel=name, **options)
        assert found.status == "converged"
        assert found.primal - found.dual + 1e-15 >= 0
        assert found.primal == pytest.approx(dual_optimum(loss, K, y, C), rel=1e-7)
        assert found.primal == pytest.approx(primal_value(loss, found, rows, y, C), rel=1e-9)


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm", "s_ls"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_online_training_approaches_the_optimum(loss, form):
    X, y = problem(3, n=40)
    best = simplex.solve(X, y, loss, 0.5, tol=1e-6, max_iter=10**5, n_classes=T)
    for average in (False, True):
        online = simplex.solve_online(
            form(X), y, loss, 0.5, epochs=3000, average=average, n_classes=T
        )
        assert best.primal - 1e-6 < online.primal < 1.005 * best.primal


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm"])
def test_two_classes_are_the_binary_svm(loss):
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 3)) + np.where(y == 0, 1.0, -1.0)[:, None]
    X -= X.mean(axis=0)
    found = simplex.solve(X, y, loss, 0.7, tol=1e-9, max_iter=10**5)
    fit = minimize(
        lambda w: 0.5 * w @ w + 0.7 * np.maximum(0, 1 - np.where(y == 0, 1, -1) * (X @ w)).sum(),
        found.W[:, 0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 10000},
    )
    assert fit.fun / (0.7 * 40) == pytest.approx(found.primal, rel=1e-8)
