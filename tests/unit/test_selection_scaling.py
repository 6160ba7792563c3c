"""Methods with a bias or with standardised features."""

import numpy as np
import pytest
from scipy import sparse
from small_sets import multiclass_set, problems_of, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.selection.choice import choose
from toplabel.reproduction.selection.models import Scaling, train_models
from toplabel.reproduction.selection.tuning import tune_split

rng = np.random.default_rng(3)
X = np.column_stack([rng.normal(3, 2, 30), rng.normal(-1, 0.1, 30), np.full(30, 0.1)])


def test_standardised_features_have_mean_zero_and_variance_one():
    scaled = Scaling.fit(X, "standardise").apply(X)
    np.testing.assert_allclose(scaled[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, :2].std(axis=0), 1)
    np.testing.assert_allclose(scaled[:, 2], 0, atol=1e-12)  # constant: not blown up
    np.testing.assert_array_equal(scaled[:, 3], 1)


def test_sparse_features_stay_sparse_and_are_scaled_alone():
    rows = sparse.random_array((40, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
    scaled = Scaling.fit(sparse.csr_matrix(rows), "standardise").apply(sparse.csr_matrix(rows))
    assert scaled.nnz == rows.nnz + 40
    np.testing.assert_allclose((scaled.toarray() ** 2).mean(axis=0), 1)


@pytest.mark.parametrize("kind", ["bias", "standardise"])
def test_weights_are_written_in_terms_of_the_raw_features(kind):
    scaling, W = Scaling.fit(X, kind), rng.normal(size=(4, 2))
    np.testing.assert_allclose(scaling.unfold(W).scores(X), scaling.apply(X) @ W, atol=1e-12)


def test_the_validated_and_the_final_model_see_the_same_features(fits):
    prepared = multiclass_set()
    method = Method("lr_multi_bias", "A", "lr_multi", features="bias")
    task = task_of(method, Budget(Axis(2, -4, 2, 2), None, folds=3))
    (choice,) = choose(tune_split(problems_of(prepared, task), task))
    (model,) = train_models(prepared, task, [choice])
    assert {fit["shape"][1] for fit in fits} == {3}
    assert model.W.shape == (2, 3)
    val = prepared.parts["val"]
    right = 100 * (model.scores(val.X).argmax(axis=1) == val.y).mean()
    assert right == pytest.approx(choice.value)


def test_a_column_in_small_units_is_not_constant():
    X = np.column_stack([np.random.default_rng(0).normal(size=50) * 1e-13, np.full(50, 0.1)])
    scaled = Scaling.fit(X, "standardise").apply(X)
    np.testing.assert_allclose(scaled[:, 0].std(), 1.0)
    np.testing.assert_allclose(scaled[:, 1], 0.0, atol=1e-12)
