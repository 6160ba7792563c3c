"""Methods with a bias or with standardised features."""

import numpy as np
import pytest
from scipy import sparse
from standin import Recorder, multiclass_set, problems_of, task_of

import toplabel
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.final import train_models
from toplabel.reproduction.selection.scaling import Scaling
from toplabel.reproduction.selection.tuning import tune_split

rng = np.random.default_rng(3)
X = np.column_stack([rng.normal(3, 2, 30), rng.normal(-1, 0.1, 30), np.full(30, 0.1)])


def test_standardised_features_have_mean_zero_and_variance_one():
    scaled = Scaling.fit(X, "standard").apply(X)
    np.testing.assert_allclose(scaled[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled[:, :2].std(axis=0), 1)
    np.testing.assert_allclose(scaled[:, 2], 0, atol=1e-12)  # constant: not blown up
    np.testing.assert_array_equal(scaled[:, 3], 1)


def test_sparse_features_stay_sparse_and_are_scaled_alone():
    rows = sparse.random_array((40, 6), density=0.3, rng=np.random.default_rng(0), format="csr")
    rows = sparse.csr_matrix(rows)
    scaled = Scaling.fit(rows, "standard").apply(rows)
    assert sparse.issparse(scaled)
    assert scaled.shape == (40, 7)
    assert scaled.nnz == rows.nnz + 40
    np.testing.assert_allclose((scaled.toarray() ** 2).mean(axis=0), 1)


@pytest.mark.parametrize("kind", ["bias", "standard"])
def test_weights_are_written_in_terms_of_the_raw_features(kind):
    y = (X[:, 0] + 20 * X[:, 1] > -17).astype(int)
    scaling = Scaling.fit(X, kind)
    solution = toplabel.solve(scaling.apply(X), y, "lr_multi", C=1.0, eps=1e-6)
    model = scaling.unfold(solution.W)
    assert model.W.shape == (3, 2)
    np.testing.assert_allclose(
        model.scores(X), solution.decision_function(scaling.apply(X)), atol=1e-12
    )


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="features must be 'bias' or 'standard', not 'raw'"):
        Scaling.fit(X, "raw")


def test_the_validated_and_the_final_model_see_the_same_features():
    prepared = multiclass_set()
    method = Method("lr_multi_bias", "A", "lr_multi", features="bias")
    budget = Budget(Axis(2, -4, 2, 2), None, folds=3)
    task = task_of(method, budget)
    seen = []

    def solve(X, y, **arguments):
        seen.append(X.shape[1])
        return Recorder()(X, y, **arguments)

    result = tune_split(problems_of(prepared, task), task, solve)
    selection = select({"main": result})
    models, _ = train_models(prepared, task, selection, solve)
    assert set(seen) == {3}
    (key,) = models.arrays
    scores = models.scores(key, prepared.parts["val"].X, None)
    right = 100 * (scores.argmax(axis=1) == prepared.parts["val"].y).mean()
    assert right == pytest.approx(selection[0].value)
