"""Wsabie++: its pieces against their definitions, and problems whose answer is known."""

import numpy as np
import pytest
from scipy import sparse
from small_sets import competitor

from toplabel.reproduction.methods.wsabie import (
    Embedding,
    Violators,
    rank_weights,
    sample_violators,
)

TRAIN = {"tol": 1e-3, "max_iter": 1000}


def _axes(m, copies=20, seed=0):
    """Classes along orthogonal axes, with a little noise: linearly separable without a bias."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(m), copies)
    return np.eye(m)[y] + 0.1 * rng.standard_normal((len(y), m)), y


def _accuracy(trained, X, y):
    return (trained.decision_function(X).argmax(axis=1) == y).mean()


def test_the_first_violator_in_random_order_is_drawn():
    scores = np.array([[0.0, -2.0, -2.0, -0.5], [0.0, -3.0, -3.0, -3.0]])
    labels, rng = np.array([0, 0]), np.random.default_rng(0)
    found = [sample_violators(scores, labels, Violators(4, 0), rng) for _ in range(600)]
    violator, draws = (np.array([one[i] for one in found]) for i in range(2))
    assert set(violator[:, 0]) == {3}  # the only one whose score is within 1 of that of class 0
    assert set(violator[:, 1]) == {-1}
    shares = np.bincount(draws[:, 0], minlength=4)[1:] / len(
        found
    )  # 3 comes first, second or third
    np.testing.assert_allclose(shares, 1 / 3, atol=0.08)


def test_remembered_classes_do_not_count_and_the_oldest_is_forgotten():
    last = Violators(5, 2)
    last.remember(np.array([0, 0, 0, 1]), np.array([1, 2, 2, 3]))
    remembered = last.remembered(np.array([0, 1, 2]), 5)
    assert remembered.tolist() == [
        [False, True, True, False, False],
        [False, False, False, True, False],
        [False] * 5,
    ]
    last.remember(np.array([0]), np.array([4]))
    assert np.flatnonzero(last.remembered(np.array([0]), 5)).tolist() == [2, 4]
    scores = np.array([[0.0, 9.0, 9.0, -9.0, 9.0]])
    violator, _ = sample_violators(scores, np.array([0]), last, np.random.default_rng(0))
    assert violator.tolist() == [1]


def test_weights_grow_with_the_rank_that_is_expected():
    assert rank_weights(np.array([1, 2, 3, 4, 10]), 5).tolist() == pytest.approx(
        [1 + 1 / 2 + 1 / 3 + 1 / 4, 1.5, 1.0, 1.0, 0.0]
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix])
def test_the_gradients_are_those_of_the_weighted_hinges(as_matrix):
    rng = np.random.default_rng(0)
    X, labels, violator = (
        rng.standard_normal((6, 4)),
        np.arange(6) % 3,
        np.array([1, 2, 0, -1, 2, 1]),
    )
    weights = rng.random(6)
    embedding = Embedding(4, 3, 2, 10.0, 0.1, rng)

    def loss(U, B):
        scores = X @ U @ B.T
        apart = 1 - scores[np.arange(6), labels] + scores[np.arange(6), violator]
        return (weights * np.maximum(apart, 0) * (violator >= 0)).sum()

    scores = X @ embedding.U @ embedding.B.T
    assert (
        1 - scores[np.arange(6), labels] + scores[np.arange(6), violator] > 0.1
    ).all()  # no kink
    found = embedding.gradients(as_matrix(X), X @ embedding.U, labels, violator, weights)
    for which, gradient in enumerate(found):
        values = [embedding.U, embedding.B]
        for at in np.ndindex(gradient.shape):
            change = np.zeros(gradient.shape)
            change[at] = 1e-6
            up, down = (
                loss(*(v + sign * change if i == which else v for i, v in enumerate(values)))
                for sign in (1, -1)
            )
            assert gradient[at] == pytest.approx((up - down) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("queue", [0, 1, 2])
def test_classes_along_axes_are_told_apart(queue):
    X, y = _axes(6)
    trained = competitor(f"wsabie_pp_{queue}", dimension=8).train(
        X, y, n_classes=6, C=3.0, seed=0, **TRAIN
    )
    assert _accuracy(trained, X, y) == 1.0
    assert (trained.status, trained.epochs) == ("uncertified", 30)


def test_the_embedding_bounds_the_rank_and_the_norms():
    X, y = _axes(6)
    trainer = competitor("wsabie_pp_0", dimension=2, epochs=5)
    W = trainer.train(X, y, n_classes=6, C=0.5, seed=0, **TRAIN).model
    assert np.linalg.matrix_rank(W) == 2
    assert np.abs(W).max() <= 0.25 + 1e-12  # |<u, b>| <= 0.5 * 0.5
