"""Scaled features, principal components and Gram matrices: what becomes of inner products."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part
from toplabel.reproduction.data.transform import factor, transform

MAIN = [Split("main", "train", None, "test")]
CROSSED = [Split("one", "train", None, "test"), Split("two", "more", None, "test")]


def parts_of(*matrices, names=("train", "test", "more", "last")):
    return {
        name: Part(X=X, y=np.zeros(X.shape[0], dtype=np.int64))
        for name, X in zip(names, matrices, strict=False)
    }


def counts(n, d, rank, seed):
    """Counts of a low rank, with a repeated row."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (n, rank)) @ rng.poisson(0.5, (rank, d)).astype(float)
    X[1] = X[0]
    return X


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_standardised_columns_have_the_moments_of_the_training_rows(kind):
    X, Z = counts(30, 8, 4, 0), counts(9, 8, 4, 1)
    X[:, 3] = 2.0  # a column without variance
    found = transform("toy", parts_of(kind(X), kind(Z)), MAIN, "standardise")
    centre = 0 if kind is sparse.csr_matrix else X.mean(axis=0)
    deviation = np.where(X.std(axis=0) == 0, 1, X.std(axis=0))
    for name, raw in (("train", X), ("test", Z)):
        assert sparse.issparse(found[name].X) == (kind is sparse.csr_matrix)
        np.testing.assert_allclose(dense(found[name].X), (raw - centre) / deviation, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_normalised_rows_have_norm_1_whatever_the_splits(kind):
    X = counts(6, 5, 3, 0)
    X[2] = 0
    found = transform("toy", parts_of(kind(X), kind(2 * X), kind(X)), CROSSED, "normalise")
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    for part in found.values():
        np.testing.assert_allclose(dense(part.X), X / np.where(norms == 0, 1, norms), atol=1e-15)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_pca_keeps_all_components_and_the_inner_products_of_centred_rows(kind):
    X, Z = counts(30, 50, 12, 0), counts(9, 50, 12, 1)
    found = transform("toy", parts_of(kind(X), kind(Z)), MAIN, "pca")
    train, test = found["train"].X, found["test"].X
    reference = PCA().fit(X)
    rank = int((reference.singular_values_ > 1e-8).sum())
    assert (train.shape, test.shape) == ((30, rank), (9, rank))
    theirs = reference.transform(np.vstack([X, Z]))[:, :rank]
    # The same up to a rotation: inner products with training rows agree.
    ours = np.vstack([train, test]) @ train.T
    np.testing.assert_allclose(ours, theirs @ theirs[:30].T, atol=1e-8 * np.max(X) ** 2)


def test_gram_matrices_become_vectors_with_their_inner_products_and_one_width():
    rng = np.random.default_rng(2)
    X, Z = rng.standard_normal((25, 7)), rng.standard_normal((6, 7))
    K, cross = (X @ X.T + 1) ** 2, (Z @ X.T + 1) ** 2
    splits = [*MAIN, Split("two", "more", None, "last")]
    parts = parts_of(K, cross, np.ones((4, 4)), np.ones((1, 4)))
    found = {name: part.X for name, part in transform("toy", parts, splits, "gram").items()}
    np.testing.assert_allclose(found["train"] @ found["train"].T, K, atol=1e-9 * np.max(K))
    np.testing.assert_allclose(found["test"] @ found["train"].T, cross, atol=1e-9 * np.max(K))
    np.testing.assert_allclose(found["last"] @ found["more"].T, np.ones((1, 4)))
    assert {X.shape[1] for X in found.values()} == {25}


def test_the_factor_keeps_small_components_above_rounding():
    scales = np.array([1e4, 1.0, 1e-3, 0.0])
    L, order = factor("toy", np.diag(scales))
    assert (L.shape, order[:3].tolist()) == ((4, 3), [0, 1, 2])
    np.testing.assert_allclose(L @ L.T, np.diag(scales))


@pytest.mark.parametrize(
    ("K", "cross", "message"),
    [
        (np.eye(3)[:2], np.ones((1, 3)), r"square and symmetric, not this one, \(2, 3\)"),
        (np.triu(np.ones((3, 3))), np.ones((1, 3)), "square and symmetric"),
        (np.eye(3), np.ones((1, 2)), r"3 training rows, but .* 'test' is \(1, 2\)"),
        (np.zeros((2, 2)), np.ones((1, 2)), "no positive entry on its diagonal"),
        (np.diag([1.0, 1.0, -0.5]), np.ones((1, 3)), "no positive semidefinite Gram matrix"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones((1, 2)), "its factors miss it by 3"),
    ],
)
def test_what_is_no_gram_matrix_is_refused(K, cross, message):
    with pytest.raises(ValueError, match=message) as caught:
        transform("toy", parts_of(K, cross), MAIN, "gram")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["standardise", "gram"])
def test_a_part_belongs_to_one_training_part(method):
    with pytest.raises(ValueError, match="'test' belongs to the training parts 'train' and 'more'"):
        transform("toy", parts_of(*[np.eye(2)] * 3), CROSSED, method)
