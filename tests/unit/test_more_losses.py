"""The losses in Python: formulas, conjugates, optima of an independent solver, and what they equal."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import minimize

import oracles
import toplabel
from toplabel import losses, simplex
from toplabel.more_losses import (
    OrderedHinge,
    PairwiseHinge,
    SimplexExponential,
    SimplexHull,
    SimplexLogistic,
    TopKEntropyBeta,
)

M = 5
ONE_LABEL = [
    OrderedHinge([1.0, 0.5, 0.5, 0.0], gamma=0.7),
    OrderedHinge([1 / j for j in range(1, M)], gamma=1e-3),
    TopKEntropyBeta(1),
    TopKEntropyBeta(np.int64(3)),
    SimplexLogistic(),
    SimplexExponential(),
    SimplexHull(0.5),
]


def points(scale=2.0, n=60):
    rng = np.random.default_rng(0)
    return scale * rng.standard_normal((n, M)), rng.integers(M, size=n)


def label_sets(n=60):
    """Label sets, the empty and the full one among them."""
    Y = (np.random.default_rng(1).random((n, M)) < 0.4).astype(np.int8)
    Y[0], Y[1] = 0, 1
    return Y


@pytest.mark.parametrize("loss", [*ONE_LABEL, PairwiseHinge(0.5)], ids=repr)
def test_the_gradient_is_that_of_the_value(loss):
    scores, labels = points()
    labels = label_sets() if loss == PairwiseHinge(0.5) else labels
    gradient, step = loss.gradient(scores, labels), 1e-6
    for j, shift in enumerate(step * np.eye(M)):
        slope = loss.value(scores + shift, labels) - loss.value(scores - shift, labels)
        assert gradient[:, j] == pytest.approx(slope / (2 * step), abs=2e-4)
    assert gradient.sum(axis=1) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("loss", ONE_LABEL, ids=repr)
def test_the_conjugate_is_a_tight_bound(loss):
    scores, labels = points()
    v = loss.gradient(scores, labels)
    found = loss.conjugate(v, labels)
    attained = (v * scores).sum(axis=1) - loss.value(scores, labels)
    assert found == pytest.approx(attained, abs=1e-8)
    for scale in (0.1, 1.0, 5.0):  # Fenchel-Young at other points
        others, _ = points(scale)
        below = (v * others[::-1]).sum(axis=1) - loss.value(others[::-1], labels)
        assert (found >= below - 1e-9).all()
    assert np.isinf(loss.conjugate(v + 0.1, labels)).all()  # the sum is not 0
    if not isinstance(loss, SimplexHull):  # whose conjugate is finite wherever the sum is 0
        away = v.copy()
        away[np.arange(len(v)), (labels + 1) % M] -= 2.0
        away[np.arange(len(v)), labels] += 2.0
        assert np.isinf(loss.conjugate(away, labels)).all()


def test_ordered_hinges_are_those_of_the_library():
    scores, labels = points()
    for weights, key, k in (
        ([1.0], "svm_multi", 1),
        ([0.5, 0.5], "topk_svm_beta", 2),
        ([1 / 3] * 3, "topk_svm_beta", 3),
        ([1.0] * (M - 1), "svm_ww", 1),
    ):
        for gamma in (0.3, 1.0):
            found = OrderedHinge(weights, gamma)
            for name in ("value", "gradient"):
                known = getattr(losses, name)(key, scores, labels, k, gamma)
                assert getattr(found, name)(scores, labels) == pytest.approx(known, abs=1e-9)


def test_ordered_hinges_approach_their_formula():
    scores, labels = points()
    weights = np.array([1.0, 0.6, 0.5, 0.1])
    hinges = np.maximum(0.0, 1.0 + scores - scores[np.arange(60), labels][:, None])
    hinges[np.arange(60), labels] = 0.0
    formula = -np.sort(-hinges, axis=1)[:, : M - 1] @ weights
    found = OrderedHinge(weights, 1e-4).value(scores, labels)
    assert (found <= formula + 1e-12).all()
    assert found == pytest.approx(formula, abs=0.5e-4 * (weights @ weights) + 1e-9)


def test_the_entropy_over_beta_lies_between_alpha_and_the_softmax():
    scores, labels = points()
    for k in (2, 4):
        found = TopKEntropyBeta(k).value(scores, labels)
        assert (found >= losses.value("topk_ent", scores, labels, k) - 1e-12).all()
        assert (found <= losses.value("lr_multi", scores, labels) + 1e-12).all()
    softmax = TopKEntropyBeta(1)
    for name in ("value", "gradient"):
        known = getattr(losses, name)("lr_multi", scores, labels)
        assert getattr(softmax, name)(scores, labels) == pytest.approx(known)


@pytest.mark.parametrize("k", [2, 3])
def test_the_entropy_over_beta_is_the_maximum_that_defines_it(k):
    scores, labels = points(n=12)
    found = TopKEntropyBeta(k).value(scores, labels)
    for s, y, value in zip(scores, labels, found, strict=True):
        x = cp.Variable(M - 1)
        entropy = cp.sum(cp.entr(x)) + cp.entr(1 - cp.sum(x))
        bounds = [x >= 0, x <= 1 / k, cp.sum(x) <= 1]
        best = cp.Problem(cp.Maximize(np.delete(s - s[y], y) @ x + entropy), bounds).solve()
        assert value == pytest.approx(best, abs=1e-5)


def test_pairwise_hinges_approach_their_formula():
    scores, Y = points()[0], label_sets()
    found = PairwiseHinge(1e-4).value(scores, Y)
    for s, right, value in zip(scores, Y == 1, found, strict=True):
        pairs = [
            max(0.0, 1.0 + s[j] - s[y])
            for y in np.flatnonzero(right)
            for j in np.flatnonzero(~right)
        ]
        assert value == pytest.approx(np.mean(pairs) if pairs else 0.0, abs=0.5e-4 + 1e-9)


def test_losses_of_the_simplex_coding_are_functions_of_the_codes():
    scores, labels = points()
    S, rows = oracles.code_products(scores), np.arange(60)
    others = np.ones_like(S)
    others[rows, labels] = 0.0
    found = SimplexLogistic().value(scores, labels)
    assert found == pytest.approx((others * np.log1p(np.exp(S))).sum(axis=1))
    found = SimplexExponential().value(scores, labels)
    assert found == pytest.approx((others * np.exp(S)).sum(axis=1))
    # In the hull, and with little smoothing, it is 1 - <c_y, f>.
    p = np.random.default_rng(2).dirichlet(np.ones(M), 60)
    F = p @ simplex.simplex_coding(M).T
    inside = F @ simplex.simplex_coding(M) * np.sqrt((M - 1) / M)
    hull = SimplexHull(1e-5).value(inside, labels)
    assert hull == pytest.approx(simplex.value("sh_svm", F, labels), abs=2e-5)


@pytest.mark.parametrize(
    "loss", [SimplexLogistic(), SimplexExponential(), SimplexHull(1e-3)], ids=repr
)
def test_the_minimiser_of_the_risk_decodes_to_the_likeliest_class(loss):
    """Theorem 1 of NIPS 2012 for these losses, at points."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        rho = rng.dirichlet(np.ones(M))
        if np.diff(np.sort(rho))[-1] < 0.02:
            continue

        def risk(s, rho=rho):
            all_, classes = np.tile(s, (M, 1)), np.arange(M)
            return rho @ loss.value(all_, classes), rho @ loss.gradient(all_, classes)

        best = minimize(risk, np.zeros(M), jac=True, options={"gtol": 1e-9})
        assert best.x.argmax() == rho.argmax()


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    return rng.standard_normal((30, 4)) + np.eye(3, 4)[y], y


@pytest.mark.parametrize(
    "loss",
    [
        OrderedHinge([1.0, 0.4]),
        TopKEntropyBeta(2),
        SimplexLogistic(),
        SimplexExponential(),
        SimplexHull(0.1),
    ],
    ids=repr,
)
def test_they_are_trained_to_a_duality_gap(problem, loss):
    found = toplabel.solve(*problem, loss, C=1.0, tol=1e-8)
    assert found.status == "converged"
    assert abs(found.relative_gap) <= 1e-8


def test_the_half_space_svm_in_the_hull_approaches_the_quadratic_program(problem):
    X, y = problem
    C = simplex.simplex_coding(3)
    W = cp.Variable((4, 2))
    S = X @ W @ C
    loss = 1 - cp.sum(cp.multiply(S, np.eye(3)[y])) / 30
    program = cp.Problem(cp.Minimize(loss + cp.sum_squares(W) / 60), [S >= -0.5])
    best = program.solve(solver=cp.CLARABEL)
    found = [
        toplabel.solve(X, y, SimplexHull(g), C=1.0, tol=1e-7, max_iter=5000)
        for g in (1e-1, 1e-2, 1e-3)
    ]
    below = [best - one.primal for one in found]
    assert below[0] > below[1] > below[2] > -1e-6 * best
    assert below[2] < 0.02 * best
    outside = -0.5 - oracles.code_products(X @ found[2].W).min()
    assert outside < 0.02


def test_the_loss_of_hill_and_doucet_is_weston_and_watkins():
    """NIPS 2012, Remark 1, [8]: ``sum_j max{0, eps - <f, v_j>}``, v_j the direction of c_y - c_j."""
    scores, labels = points()
    factor = np.sqrt(M / (M - 1))
    S = oracles.code_products(scores)
    own = S[np.arange(60), labels][:, None]
    hinges = np.maximum(0.0, factor / np.sqrt(2) - (own - S) / np.sqrt(2 * M / (M - 1)))
    hinges[np.arange(60), labels] = 0.0
    known = losses.value("svm_ww", scores / factor, labels) * factor / np.sqrt(2)
    assert hinges.sum(axis=1) == pytest.approx(known)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OrderedHinge([0.5, 1.0]), "does not increase"),
        (lambda: OrderedHinge([1.0, -0.1]), "does not increase"),
        (lambda: OrderedHinge([np.nan]), "does not increase"),
        (lambda: OrderedHinge([1.0], gamma=0), "gamma must be > 0"),
        (lambda: PairwiseHinge(0.0), "gamma must be > 0"),
        (lambda: SimplexHull(-1.0), "gamma"),
        (lambda: TopKEntropyBeta(0), "k must be >= 1"),
        (lambda: TopKEntropyBeta(M).value(*points()), "k must be below the number of classes"),
        (lambda: OrderedHinge([1.0] * M).value(*points()), "5 weights for 4 other classes"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_loss_of_your_own_has_its_conjugate():
    loss, (scores, labels) = OrderedHinge([1.0, 0.5]), points()
    v = loss.gradient(scores, labels)
    np.testing.assert_array_equal(losses.conjugate(loss, v, labels), loss.conjugate(v, labels))
    with pytest.raises(ValueError, match="loss PairwiseHinge has no method conjugate"):
        losses.conjugate(PairwiseHinge(), v, label_sets())
