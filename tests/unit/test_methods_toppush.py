"""TopPush, and the quadratic programs of cutting planes, against a general convex solver."""

import cvxpy as cp
import numpy as np
import pytest
from small_sets import blobs, competitor

from toplabel.reproduction.methods.svm_perf import minimise
from toplabel.reproduction.methods.toppush import _Dual


@pytest.mark.parametrize("seed", range(20))
def test_quadratic_programs_against_an_interior_point_method(seed):
    rng = np.random.default_rng(seed)
    q, rank = rng.integers(1, 30), rng.integers(1, 40)
    root = rng.standard_normal((rank, q)) * 10 ** rng.uniform(-2, 2)
    if seed % 3 == 0:
        root[:, -1] = root[:, 0]  # two equal variables
    b, total = root.T @ root @ rng.standard_normal(q), 10.0 ** rng.uniform(-2, 2)
    x = cp.Variable(q, nonneg=True)
    objective = cp.Minimize(0.5 * cp.sum_squares(root @ x) - b @ x)
    best = cp.Problem(objective, [cp.sum(x) <= total]).solve(solver=cp.CLARABEL)
    scale = abs(best) + np.abs(b).max() * 1e-6
    start = rng.random(q)
    for first in (np.zeros(q), total * start / start.sum()):
        a = minimise(root.T @ root, b, total, first)
        assert (a >= 0).all()
        assert a.sum() <= total * (1 + 1e-12)
        assert 0.5 * np.sum((root @ a) ** 2) - b @ a <= best + 1e-6 * scale


def _reference(X, positive, C):
    """The problem as the paper states it, in the normalisation of the module."""
    n, c = positive.shape
    W, t = cp.Variable((X.shape[1], c)), cp.Variable()
    scores = X @ W
    positives = [scores[i, j] for i in range(n) for j in range(c) if positive[i, j]]
    negatives = [scores[i, j] <= t for i in range(n) for j in range(c) if not positive[i, j]]
    losses = sum(cp.square(cp.pos(1 + t - score)) for score in positives) / len(positives)
    objective = losses + cp.sum_squares(W) / (2 * C * len(positives))
    program = cp.Problem(cp.Minimize(objective), negatives)
    program.solve(solver=cp.CLARABEL)
    return program.value, W.value


def _objective(X, positive, W, C):
    scores = X @ W
    losses = np.maximum(0.0, 1.0 + scores[~positive].max() - scores[positive]) ** 2
    return losses.mean() + np.vdot(W, W) / (2 * C * positive.sum())


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("dims", [2, 40])  # fewer, and more features than positive rows
@pytest.mark.parametrize("one_vs_all", [False, True])
def test_the_optimum_is_that_of_a_general_solver(C, dims, one_vs_all):
    rng = np.random.default_rng(dims)
    X, y = blobs(n_per_class=8, m=3, spread=0.4)
    X = np.column_stack([X, rng.standard_normal((len(X), dims - 2))])
    trainer = competitor("toppush_ova" if one_vs_all else "toppush")
    found = trainer.train(X, y, n_classes=3, C=C, tol=1e-6, max_iter=3000)
    assert found.status == "converged"
    positive = y[:, None] == np.arange(3)
    problems = np.split(positive, 3, axis=1) if one_vs_all else [positive]
    references = [_reference(X, one, C) for one in problems]
    best, W = sum(value for value, _ in references), np.hstack([W for _, W in references])
    assert found.primal == pytest.approx(best, rel=1e-5, abs=1e-8)
    assert found.dual <= best * (1 + 1e-6) + 1e-9
    columns = np.split(found.model, 3, axis=1) if one_vs_all else [found.model]
    values = [_objective(X, *pair, C=C) for pair in zip(problems, columns, strict=True)]
    assert found.primal == pytest.approx(sum(values), rel=1e-9)
    assert np.abs(found.model - W).max() <= 2e-2 * np.abs(W).max() + 1e-6


def test_the_authors_program_ends_by_its_progress():
    X, y = blobs(n_per_class=15, m=4)
    fixed = {"n_classes": 4, "C": 5.0, "tol": 1e-9}
    loose, tight = (
        competitor("toppush_program", tolerance=tolerance).train(X, y, **fixed)
        for tolerance in (0.1, 1e-6)
    )
    exact = competitor("toppush").train(X, y, max_iter=3000, **fixed | {"tol": 1e-6})
    assert exact.dual <= tight.primal
    assert 10 <= loose.epochs < tight.epochs  # the progress counts from the tenth iteration on
    assert loose.status == "uncertified"
    assert loose.relative_gap > tight.relative_gap >= 0
    assert competitor("toppush_program", iterations=3).train(X, y, **fixed).epochs == 3


def test_the_authors_program_projects_onto_equal_sums():
    rng = np.random.default_rng(3)
    positive = rng.random((6, 4)) < 0.3
    problem = _Dual(rng.standard_normal((6, 2)), positive, 1.0)
    n_positive = int(positive.sum())
    for scale, shift in ((1.0, 0.0), (1e6, 0.0), (1.0, -3.0), (1e-9, 0.0)):
        a = scale * rng.standard_normal(n_positive) + shift
        b = np.where(positive, 0.0, scale * rng.standard_normal((6, 4)) + shift)
        A = -b
        A[positive] = a
        nearest = problem.project(A)
        alpha, beta = (
            cp.Variable(n_positive, nonneg=True),
            cp.Variable((~positive).sum(), nonneg=True),
        )
        distance = cp.sum_squares(alpha - a / scale) + cp.sum_squares(beta - b[~positive] / scale)
        cp.Problem(cp.Minimize(distance), [cp.sum(alpha) == cp.sum(beta)]).solve(cp.CLARABEL)
        np.testing.assert_allclose(nearest[positive] / scale, alpha.value, atol=1e-4)
        np.testing.assert_allclose(-nearest[~positive] / scale, beta.value, atol=1e-4)
