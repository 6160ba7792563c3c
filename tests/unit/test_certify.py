"""`toplabel.certify`: against rational arithmetic, and where float64 alone is wrong."""

from fractions import Fraction

import numpy as np
import pytest

import toplabel
from toplabel import losses


def _problem(n=12, d=4, m=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.permutation(np.arange(n) % m)


def _exact(X, y, W, A, C, gram=False):
    """P and D of the multiclass hinge, in fractions. With a Gram matrix W holds coefficients."""
    n, m = A.shape
    exact = np.vectorize(Fraction, otypes=[object])
    X, W, A, C = exact(X), exact(W), exact(A), Fraction(C)
    scores = X.dot(W)
    losses = sum(
        max(Fraction(int(j != t)) + s[j] - s[t] for j in range(m))
        for s, t in zip(scores, y, strict=True)
    )
    combined = X.dot(A) if gram else X.T.dot(A)
    primal2 = (W * scores).sum() if gram else (W * W).sum()
    dual2 = (A * combined).sum() if gram else (combined * combined).sum()
    # L*(v) = -sum of v_j over j != y (the margins are 1), and v = -a/C
    conjugates = sum(sum(a[j] for j in range(m) if j != t) / C for a, t in zip(A, y, strict=True))
    half = 1 / (2 * C * n)
    return losses / n + half * primal2, -conjugates / n - half * dual2


@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("acceleration", ["auto", False, 3.0])
def test_agrees_with_rational_arithmetic(gram, acceleration):
    X, y = _problem()
    X = X @ X.T if gram else X
    kernel = "precomputed" if gram else "linear"
    solution = toplabel.solve(
        X, y, "svm_multi", C=2.5, kernel=kernel, acceleration=acceleration, max_iter=30
    )
    certificate = toplabel.certify(X, y, solution)
    primal, dual = _exact(
        X, y, solution.coefficients if gram else solution.W, solution.A, 2.5, gram
    )
    assert abs(Fraction(certificate.primal) - primal) <= certificate.rounding
    assert abs(Fraction(certificate.dual) - dual) <= certificate.rounding
    assert 0.0 < certificate.rounding < 1e-13
    assert certificate.primal == pytest.approx(solution.primal, rel=1e-12)
    assert certificate.dual == pytest.approx(solution.dual, rel=1e-12)


@pytest.mark.parametrize("gram", [False, True])
def test_covers_the_error_where_scores_cancel(gram):
    # Two nearly equal features of huge weight: plain dot products lose the scores altogether.
    X, y = _problem(d=2)
    X[:, 1] = -X[:, 0] * (1 + 1e-12)
    solution = toplabel.solve(
        X @ X.T if gram else X, y, "svm_multi", kernel="precomputed" if gram else "linear"
    )
    scale = 2.0**45
    variables = solution.coefficients if gram else solution.W
    variables *= scale
    data = X @ X.T if gram else X
    certificate = toplabel.certify(data, y, solution)
    primal, dual = _exact(data, y, variables, solution.A, 1.0, gram)
    assert abs(Fraction(certificate.primal) - primal) <= certificate.rounding
    assert abs(Fraction(certificate.dual) - dual) <= certificate.rounding


def test_dual_variables_outside_their_domain():
    X, y = _problem()
    solution = toplabel.solve(X, y, "svm_multi")
    solution.A[0, y[0]] += 1.0
    certificate = toplabel.certify(X, y, solution)
    assert certificate.dual == -np.inf
    assert certificate.relative_gap == np.inf
    assert np.isfinite(certificate.primal)


@pytest.mark.parametrize("seed", [2418, 426])
def test_weights_16_orders_of_magnitude_apart(seed):
    # The thresholds of the light rows, far below their largest entry, once lost the digits of their
    # small radius.
    rng = np.random.default_rng(seed)
    n, d, m = rng.integers(2, 25), rng.integers(1, 10), rng.integers(4, 9)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-2, 4)
    y = rng.permutation(np.arange(n) % m)
    weight = rng.choice([1e10, 1e-6], size=n)
    options = {"k": int(rng.integers(1, m)), "gamma": 1e-6}
    C = 10.0 ** rng.integers(-4, 5)
    solution = toplabel.solve(
        X, y, "topk_svm_beta", C=C, **options, sample_weight=weight, n_classes=int(m)
    )
    v = -solution.A / (C * weight)[:, None]
    assert losses.violation("topk_svm_beta", v, y, **options).max() < 1e-12
    assert toplabel.certify(X, y, solution, sample_weight=weight).relative_gap <= 1e-3


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi", "svm_ova", "topk_svm_beta"])
def test_dual_variables_that_were_stored_in_float32(loss):
    # They miss their domain, which the solver and `certify` both count.
    X, y = _problem(n=40)
    options = {"C": float(np.float32(3.2)) - 1e-7, "k": 2 if loss == "topk_svm_beta" else 1}
    solution = toplabel.solve(X, y, loss, **options)
    start = solution.A.astype(np.float32).astype(float)
    again = toplabel.solve(X, y, loss, **options, warm_start=start, max_iter=0)
    found = toplabel.certify(X, y, again)
    counted = again.relative_gap * max(again.primal, again.dual) - abs(again.primal - again.dual)
    assert found.rounding > 1e-9
    assert counted == pytest.approx(found.rounding, rel=0.5)


@pytest.mark.parametrize(
    ("scale", "size", "error"),
    [(1.0, 1e101, ValueError), (1e60, 1e95, toplabel.ToplabelError)],  # scores of 1e155
)
def test_solve_refuses_a_center_that_could_not_be_certified(scale, size, error):
    X, y = _problem()
    with pytest.raises(error, match="W0"):
        toplabel.solve(scale * X, y, "svm_multi", W0=np.full((4, 3), size))
    solution = toplabel.solve(X, y, "svm_multi", W0=np.full((4, 3), 1e95), max_iter=2)
    assert np.isfinite(toplabel.certify(X, y, solution, W0=np.full((4, 3), 1e95)).dual)


def test_scores_beyond_what_the_losses_take():
    X, y = _problem()
    solution = toplabel.solve(1e95 * X, y, "lr_multi", max_iter=1)
    assert toplabel.certify(1e95 * X, y, solution).relative_gap == np.inf


X_12, Y_12 = _problem()


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("X", X_12[:5]),
        ("X", X_12[:, :3]),
        ("W0", np.zeros((3, 3))),
        ("sample_weight", np.ones(3)),
        ("sample_weight", -np.ones(12)),
        ("sample_weight", np.zeros(12)),
        ("solution", np.zeros((4, 3))),
        ("loss", toplabel.solve(X_12, Y_12, "topk_ent_tr", k=2)),  # without a dual
    ],
)
def test_refuses_what_does_not_fit(argument, value):
    solution = toplabel.solve(X_12, Y_12, "svm_multi")
    changed = {"solution" if argument == "loss" else argument: value}
    with pytest.raises((ValueError, TypeError), match=rf"\b{argument}\b"):
        toplabel.certify(**{"X": X_12, "y": Y_12, "solution": solution, **changed})


def test_refuses_a_center_for_a_kernel():
    solution = toplabel.solve(X_12, Y_12, "svm_multi", kernel="rbf", theta=1.0)
    with pytest.raises(ValueError, match="W0 has no meaning for kernel='rbf'"):
        toplabel.certify(X_12, Y_12, solution, W0=np.zeros((4, 3)))
