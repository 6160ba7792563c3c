"""Wsabie++: its pieces against their definitions, and problems whose answer is known."""

import numpy as np
import pytest
from small_sets import competitor

from toplabel.reproduction.methods.wsabie import Embedding, next_violator

TRAIN = {"tol": 1e-3, "max_iter": 1000}


def _axes(m, copies=20, seed=0):
    """Classes along orthogonal axes, with a little noise."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(m), copies)
    return np.eye(m)[y] + 0.1 * rng.standard_normal((len(y), m)), y


def _embedding(step=0.1):
    embedding = Embedding(4, 3, 2, step, np.random.default_rng(0))
    embedding.B = np.random.default_rng(1).standard_normal((3, 2))
    return embedding


def _distances(embedding, X):
    """||B_c - W x||^2 for each row and class."""
    return ((embedding.B - (X @ embedding.W.T)[:, None, :]) ** 2).sum(axis=2)


def test_the_classifier_orders_classes_by_their_distance():
    embedding, X = _embedding(), np.random.default_rng(2).standard_normal((5, 4))
    offset = (X @ embedding.W.T)[:, None, :] ** 2
    scores = embedding.classifier().scores(X)
    np.testing.assert_allclose(scores, offset.sum(axis=2) - _distances(embedding, X))


def test_a_class_violates_where_it_is_nearer_than_the_margin_allows():
    embedding, X = _embedding(), np.random.default_rng(2).standard_normal((5, 4))
    for x, distances in zip(X, _distances(embedding, X), strict=True):
        expected = 2.0 + distances[1] - distances > 0
        assert embedding.violates(embedding.W @ x, 1, 2.0).tolist() == [
            bool(expected[0]),
            False,
            bool(expected[2]),
        ]


def test_the_first_step_of_adagrad_follows_the_gradients():
    x, at = np.array([0.3, -1.0, 0.5, 2.0]), 1e-6
    embedding = _embedding()
    W, B = embedding.W.copy(), embedding.B.copy()

    def apart():
        distances = _distances(embedding, x[None])[0]
        return distances[0] - distances[2]

    numeric = {}
    for name, values in (("W", embedding.W), ("B", embedding.B)):
        numeric[name] = np.zeros_like(values)
        for index in np.ndindex(values.shape):
            kept = values[index]
            values[index] = kept + at
            up = apart()
            values[index] = kept - at
            numeric[name][index] = (up - apart()) / (2 * at)
            values[index] = kept
    embedding.learn(x, embedding.W @ x, 0, 2)
    # The first step is the gradient over the root of its mean square by the d = 4 features.
    for name, before in (("W", W), ("B", B)):
        norms = np.sqrt((numeric[name] ** 2).sum(axis=1) / 4)
        used = norms > 0
        expected = before.copy()
        expected[used] -= 0.1 * numeric[name][used] / norms[used, None]
        np.testing.assert_allclose(getattr(embedding, name), expected, atol=1e-8)
    assert (embedding.B[1] == B[1]).all()


def test_a_violator_is_drawn_uniformly_and_remembered():
    rng, violates = np.random.default_rng(0), np.array([True, False, True, False, True])
    drawn = []
    for _ in range(600):
        remembered = []
        violator = next_violator(violates, 1, remembered, 2, rng)
        assert remembered == ([] if violator is None else [violator])
        drawn.append(5 if violator is None else violator)
    shares = np.bincount(drawn, minlength=6) / 600
    missed = (1 / 4) ** 4  # class 3 of the four others in all four draws
    expected = [(1 - missed) / 3, 0, (1 - missed) / 3, 0, (1 - missed) / 3, missed]
    np.testing.assert_allclose(shares, expected, atol=0.08)


def test_an_example_is_skipped_while_a_remembered_class_violates():
    rng, violates = np.random.default_rng(0), np.array([True, False, True])
    remembered = [2]
    assert next_violator(violates, 1, remembered, 1, rng) is None
    assert remembered == [2]
    remembered, violates = [1, 2], np.array([False, False, False, True])
    while next_violator(violates, 0, remembered, 2, rng) is None:
        remembered = [1, 2]  # three draws of three classes miss the violator in 8 of 27 trials
    assert remembered == [2, 3]


def test_a_class_without_a_violator_forgets_all():
    remembered = [2]
    rng = np.random.default_rng(0)
    assert next_violator(np.zeros(3, dtype=bool), 0, remembered, 1, rng) is None
    assert remembered == []


@pytest.mark.parametrize("queue", [0, 1, 2])
def test_classes_along_axes_are_told_apart(queue):
    X, y = _axes(6)
    trained = competitor(f"wsabie_pp_{queue}", dimension=8, margin=1.0).train(
        X, y, n_classes=6, C=1.0, seed=0, **TRAIN
    )
    assert (trained.decision_function(X).argmax(axis=1) == y).mean() == 1.0
    assert (trained.status, trained.epochs) == ("uncertified", 30)


def test_the_embedding_bounds_the_rank():
    X, y = _axes(6)
    trainer = competitor("wsabie_pp_0", dimension=3, margin=1.0, epochs=5)
    W = trainer.train(X, y, n_classes=6, C=0.1, seed=0, **TRAIN).model.W
    assert 1 < np.linalg.matrix_rank(W) <= 3
