"""SVM-Perf's Recall@k against the enumeration of all predictions, and a general convex solver."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from small_sets import blobs, competitor

from toplabel.reproduction.methods.svm_perf import most_violating, solve


def _predictions(positive, k):
    """All predictions with at most K ones that miss a positive, as flat boolean arrays."""
    size = positive.size
    K = min(k * int(positive.sum()), size)
    for count in range(K + 1):
        for ones in itertools.combinations(range(size), count):
            predicted = np.zeros(size, dtype=bool)
            predicted[list(ones)] = True
            if (positive.ravel() & ~predicted).any():
                yield predicted


def _cases():
    rng = np.random.default_rng(0)
    for n, c, share in ((6, 1, 0.3), (7, 1, 0.6), (4, 2, 0.5), (3, 3, 0.3)):
        positive = rng.random((n, c)) < share
        positive[0, 0], positive[-1, -1] = True, False
        for k in (1, 2, 5):
            yield rng.standard_normal((n, c)), positive, k


def _risk(scores, positive, k):
    """max over all predictions of the missed positives - sum (y - ybar) s, as the program states
    it.
    """
    y, s = np.where(positive.ravel(), 1, -1), scores.ravel()
    return max(
        (positive.ravel() & ~predicted).sum() - (y - np.where(predicted, 1, -1)) @ s
        for predicted in _predictions(positive, k)
    )


@pytest.mark.parametrize("scale", [0.0, 0.1, 1.0, 10.0])
def test_the_most_violating_prediction_is_the_best_of_all(scale):
    for scores, positive, k in _cases():
        scores = scale * scores
        predicted, missed = most_violating(scores, positive, k)
        assert predicted.sum() <= k * positive.sum()
        assert 0 < missed == (positive & ~predicted).sum()
        y, ybar = np.where(positive, 1, -1), np.where(predicted, 1, -1)
        value = missed - np.sum((y - ybar) * scores)
        assert value == pytest.approx(_risk(scores, positive, k))


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_the_optimum_is_that_over_all_predictions(C, k):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((4, 3))
    for positive in (np.eye(4, 2, dtype=bool), np.array([[1], [0], [1], [0]], dtype=bool)):
        W, bias = cp.Variable((3, positive.shape[1])), cp.Variable()
        scores = cp.vec(X @ W + bias, order="C")
        y = np.where(positive.ravel(), 1.0, -1.0)
        slack = cp.Variable(nonneg=True)
        planes = [
            slack
            >= (positive.ravel() & ~predicted).sum() - (y - np.where(predicted, 1.0, -1.0)) @ scores
            for predicted in _predictions(positive, k)
        ]
        scale = C * positive.sum()
        norm = cp.sum_squares(W) + bias**2
        program = cp.Problem(cp.Minimize((C * slack + norm / 2) / scale), planes)
        program.solve(solver=cp.CLARABEL)
        solved = solve(X, positive, k, C, 1e-8, 500)
        assert solved.primal == pytest.approx(program.value, rel=1e-5, abs=1e-8)
        assert solved.dual <= program.value * (1 + 1e-6) + 1e-8
        assert solved.primal - solved.dual <= 1e-6 * abs(solved.primal) + 1e-12
        W, bias = solved.model[:-1], solved.model[-1]
        risk = max(0.0, _risk(X @ W + bias, positive, k))
        norm = np.sum(W**2) + bias[0] ** 2
        assert solved.primal == pytest.approx((C * risk + norm / 2) / scale)


def test_the_rule_of_svm_perf_ends_where_no_plane_raises_the_risk_by_more():
    X, y = blobs(n_per_class=20, m=3, spread=0.9)
    fixed = {"n_classes": 3, "C": 1.0, "seed": 0, "tol": 1e-9, "max_iter": 2000}
    exact = competitor("recall_at_k").train(X, y, **fixed)
    epochs = []
    for percent in (10.0, 0.1):
        trained = competitor("recall_at_k", tolerance=percent).train(X, y, **fixed)
        assert trained.status == "uncertified"
        # P - D is at most C times what the next plane adds, here in units of C n+
        assert trained.primal - trained.dual <= percent / 100.0 + 1e-12
        assert trained.primal >= exact.dual - 1e-12
        epochs.append(trained.epochs)
    assert epochs[0] < epochs[1] <= exact.epochs
