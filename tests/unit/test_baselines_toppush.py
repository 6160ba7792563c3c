"""TopPush and its quadratic programs against a general convex solver."""

import cvxpy as cp
import numpy as np
import pytest
from standin import blobs

from toplabel.reproduction.methods import create
from toplabel.reproduction.methods.quadratic import minimise, minimise_blocks
from toplabel.reproduction.methods.toppush import solve
from toplabel.reproduction.methods.toppush_nesterov import _Dual, _Point

# Quadratic programs -------------------------------------------------------------------------------


def _program(seed):
    """G of any rank, and b in its range."""
    rng = np.random.default_rng(seed)
    q, rank = rng.integers(1, 30), rng.integers(1, 40)
    root = rng.standard_normal((rank, q)) * 10 ** rng.uniform(-2, 2)
    if seed % 3 == 0:
        root[:, -1] = root[:, 0]  # two equal variables
    return root, root.T @ root @ rng.standard_normal(q), rng


def _value(root, b, a):
    return 0.5 * np.sum((root @ a) ** 2) - b @ a


@pytest.mark.parametrize("seed", range(40))
def test_quadratic_programs_against_an_interior_point_method(seed):
    root, b, rng = _program(seed)
    total = None if seed % 2 else 10.0 ** rng.uniform(-2, 2)
    a = minimise(root.T @ root, b, total)
    x = cp.Variable(len(b), nonneg=True)
    limits = [] if total is None else [cp.sum(x) <= total]
    program = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(root @ x) - b @ x), limits)
    program.solve(solver=cp.CLARABEL)
    assert (a >= 0).all()
    assert total is None or a.sum() <= total * (1 + 1e-12)
    scale = abs(program.value) + np.abs(b).max() * 1e-6
    assert _value(root, b, a) <= program.value + 1e-6 * scale


@pytest.mark.parametrize("seed", range(5))
def test_a_start_changes_the_way_and_not_the_end(seed):
    root, b, rng = _program(100 + seed)
    G = root.T @ root + 0.1 * np.eye(len(b))
    free, bounded = minimise(G, b), minimise(G, b, 1.0)
    start = rng.random(len(b))
    assert minimise(G, b, start=start) == pytest.approx(free, abs=1e-8)
    assert minimise(G, b, 1.0, start / start.sum()) == pytest.approx(bounded, abs=1e-8)
    assert bounded.sum() <= 1.0 + 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_blocks_and_a_rank_one_term(seed):
    rng = np.random.default_rng(seed)
    roots = [rng.standard_normal((6, q)) for q in rng.integers(1, 9, size=4)]
    blocks = [root.T @ root for root in roots]
    q = sum(map(len, blocks))
    g, weight = rng.standard_normal(q) + 1.0, 2.0
    a = minimise_blocks(blocks, g, weight, start=rng.random(q) - 0.5)
    G = np.zeros((q, q))
    ends = np.cumsum([0, *map(len, blocks)])
    for block, i, j in zip(blocks, ends[:-1], ends[1:], strict=True):
        G[i:j, i:j] = block
    G += weight * np.outer(g, g)
    reduced = G @ a - 1.0
    assert (a >= 0).all()
    assert reduced.min() >= -1e-6
    assert a @ reduced == pytest.approx(0.0, abs=1e-6)


# TopPush ------------------------------------------------------------------------------------------


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


def _objective(X, positive, C, W):
    scores = X @ W
    losses = np.maximum(0.0, 1.0 + scores[~positive].max() - scores[positive]) ** 2
    return losses.mean() + np.vdot(W, W) / (2 * C * positive.sum())


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0, 1000.0])
@pytest.mark.parametrize("dims", [2, 40])  # fewer, and more features than positive rows
def test_the_optimum_is_that_of_a_general_solver(C, dims):
    rng = np.random.default_rng(dims)
    X, y = blobs(n_per_class=8, m=3, spread=0.4)
    X = np.column_stack([X, rng.standard_normal((len(X), dims - 2))])
    for positive in (y[:, None] == np.arange(3), (y == 1)[:, None]):
        found = solve(X, positive, C, eps=1e-8, max_epochs=200)
        best, W = _reference(X, positive, C)
        assert found.primal == pytest.approx(best, rel=1e-5, abs=1e-8)
        assert found.primal == pytest.approx(_objective(X, positive, C, found.W), rel=1e-9)
        assert found.dual <= best * (1 + 1e-6) + 1e-9
        assert found.primal - found.dual <= 1e-6 * abs(found.primal)
        assert np.abs(found.W - W).max() <= 2e-2 * np.abs(W).max() + 1e-6


def test_the_dual_value_is_that_of_its_variables():
    """D as Li, Jin and Zhou write it, from alpha and beta alone."""
    X, y = blobs(n_per_class=10, m=3)
    positive, C = y[:, None] == np.arange(3), 0.7
    found = solve(X, positive, C, eps=1e-8, max_epochs=200)
    A = np.zeros(positive.shape)
    column, row = np.argwhere(positive.T).T
    A[row, column] = found.alpha
    np.subtract.at(A, (found.row, found.column), found.beta)
    assert (found.alpha >= 0).all()
    assert (found.beta >= 0).all()
    assert found.alpha.sum() == pytest.approx(found.beta.sum(), rel=1e-6)
    dual = found.alpha.sum() - found.alpha @ found.alpha / (4 * C) - np.sum((X.T @ A) ** 2) / 2
    assert found.dual == pytest.approx(dual / (C * len(y)), rel=1e-6)
    weights = X.T @ A
    assert weights == pytest.approx(found.W, abs=1e-6)


@pytest.mark.parametrize("name", ["toppush", "toppush_ova"])
def test_separable_classes_are_ranked_without_error(name):
    X, y = blobs(n_per_class=10, m=3, spread=0.05)
    trained = create(name).train(X, y, n_classes=3, C=100.0, seed=0, eps=1e-4, max_epochs=100)
    scores = trained.decision_function(X)
    own = scores[np.arange(len(y)), y]
    others = np.where(y[:, None] == np.arange(3), -np.inf, scores)
    # The reduction compares with the highest negative of all classes, one-vs-all with its own.
    highest = others.max() if name == "toppush" else others.max(axis=0)[y]
    assert (own > highest).all()
    assert trained.status == "converged"
    assert 0 <= trained.relative_gap <= 1e-4


def test_nesterovs_method_reaches_the_same_optimum():
    X, y = blobs(n_per_class=15, m=4, spread=0.3)
    X = np.column_stack([X, X**2])
    fixed = {"n_classes": 4, "C": 2.0, "seed": 0, "eps": 1e-9, "max_epochs": 300}
    exact = create("toppush").train(X, y, **fixed)
    found = create("toppush_nesterov", params={"tolerance": 0.0}).train(X, y, **fixed)
    assert found.primal == pytest.approx(exact.primal, rel=1e-4)
    assert exact.dual - 1e-6 <= found.dual + 1e-6 <= found.primal + 2e-6
    assert np.abs(exact.model).max() > 0.1
    np.testing.assert_allclose(found.model, exact.model, atol=1e-2 * np.abs(exact.model).max())


def test_nesterovs_method_ends_by_its_progress():
    X, y = blobs(n_per_class=15, m=4)
    fixed = {"n_classes": 4, "C": 5.0, "seed": 0, "eps": 1e-9, "max_epochs": 300}
    loose, tight = (
        create("toppush_nesterov", params={"tolerance": tolerance}).train(X, y, **fixed)
        for tolerance in (1e-1, 1e-6)
    )
    assert 10 <= loose.epochs < tight.epochs  # the progress counts from the tenth iteration on
    assert loose.status == "uncertified"
    assert loose.relative_gap > tight.relative_gap >= 0
    short = create("toppush_nesterov", params={"iterations": 3}).train(X, y, **fixed)
    assert short.epochs == 3


def test_nesterovs_method_projects_onto_equal_sums():
    rng = np.random.default_rng(3)
    positive = rng.random((6, 4)) < 0.3
    problem = _Dual(rng.standard_normal((6, 2)), positive, 1.0)
    n_positive = int(positive.sum())
    for scale, shift in ((1.0, 0.0), (1e6, 0.0), (1.0, -3.0), (1e-9, 0.0)):
        a = scale * rng.standard_normal(n_positive) + shift
        b = np.where(positive, 0.0, scale * rng.standard_normal((6, 4)) + shift)
        found = problem.project(_Point(a, b))
        alpha, beta = (
            cp.Variable(n_positive, nonneg=True),
            cp.Variable((~positive).sum(), nonneg=True),
        )
        distance = cp.sum_squares(alpha - a / scale) + cp.sum_squares(beta - b[~positive] / scale)
        cp.Problem(cp.Minimize(distance), [cp.sum(alpha) == cp.sum(beta)]).solve(cp.CLARABEL)
        np.testing.assert_allclose(found.alpha / scale, alpha.value, atol=1e-4)
        np.testing.assert_allclose(found.beta[~positive] / scale, beta.value, atol=1e-4)
        assert (found.beta[positive] == 0).all()
