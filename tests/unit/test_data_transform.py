"""Scaled columns and rows of features."""

import numpy as np
import pytest
from scipy import sparse

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part
from toplabel.reproduction.data.prepare import transform

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


def test_a_part_belongs_to_one_training_part():
    with pytest.raises(ValueError, match="'test' belongs to the training parts 'train' and 'more'"):
        transform("toy", parts_of(*[np.eye(2)] * 3), CROSSED, "standardise")
