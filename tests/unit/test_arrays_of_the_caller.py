"""Arrays of the caller are not changed, may be read-only, and are not shared with a model."""

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import MultilabelClassifier, SimplexClassifier, TopKClassifier
from toplabel.estimators import top_k_scorer

MASKED = np.ma.masked_array([0.0, 1.0], [False, True])


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    return rng.standard_normal((40, 3)), rng.random((40, 4)) < 0.4


def _redundant(Y, *, twice: bool) -> sparse.csr_matrix:
    """Return Y with its first row stored in other ways: a zero, or an entry that stands twice."""
    kept = sparse.csr_matrix(Y.astype(np.int64))
    extra = np.flatnonzero(Y[0] if twice else ~Y[0])[:1]
    data = np.concatenate([np.full(1, int(twice)), kept.data])
    indices = np.concatenate([extra, kept.indices])
    indptr = kept.indptr + np.concatenate([[0], np.ones(len(Y), kept.indptr.dtype)])
    return sparse.csr_matrix((data, indices, indptr), shape=Y.shape)


@pytest.mark.parametrize("twice", [False, True])
def test_a_sparse_indicator_keeps_what_it_stores(problem, twice):
    X, Y = problem
    given = _redundant(Y, twice=twice)
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    for part in (given.data, given.indices, given.indptr):
        part.flags.writeable = False
    expected = toplabel.solve(X, Y, "lr_ml")
    for _ in range(2):
        np.testing.assert_array_equal(toplabel.solve(X, given, "lr_ml").W, expected.W)
    for one, other in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_estimators_take_read_only_indicators(problem):
    X, Y = problem
    given = sparse.csr_matrix(Y.astype(np.int64))
    for part in (given.data, given.indices, given.indptr):
        part.flags.writeable = False
    options = {"random_state": 0, "n_jobs": 2}
    model = MultilabelClassifier("lr_ml", **options).fit(X, given)
    np.testing.assert_array_equal(
        model.coef_, MultilabelClassifier("lr_ml", **options).fit(X, Y).coef_
    )


@pytest.mark.parametrize("make", [TopKClassifier, MultilabelClassifier])
def test_weights_that_were_changed_in_place_are_other_weights(problem, make):
    X, Y = problem
    y = Y if make is MultilabelClassifier else Y.argmax(axis=1)
    weight = np.ones(len(X))
    model = make(warm_start=True, random_state=0).fit(X, y, weight)
    weight *= 0.1
    model.fit(X, y, weight)
    alone = make(random_state=0).fit(X, y, weight)
    np.testing.assert_array_equal(model.coef_, alone.coef_)


@pytest.mark.parametrize(
    "model",
    [
        TopKClassifier(kernel="rbf", theta=1.0, random_state=0),
        SimplexClassifier("sc_svm", kernel="rbf", theta=1.0),
        SimplexClassifier("s_ls", kernel="rbf", theta=1.0),
    ],
)
def test_a_model_keeps_the_rows_that_it_was_trained_on(problem, model):
    X, Y = problem
    model.fit(X, Y.argmax(axis=1))
    rows = X.copy()
    scores = model.decision_function(rows)
    X[:] = 0.0
    np.testing.assert_array_equal(model.decision_function(rows), scores)


def test_the_rows_are_copied_before_the_training(problem):
    """Afterwards a copy without memory for it would cost the model; and the kernel is that of these."""
    X, Y = problem
    before = X.copy()

    def change(record) -> None:
        X[:] = 0.0

    options = {"kernel": "rbf", "theta": 1.0, "eval_every": 1, "callback": change}
    solution = toplabel.solve(X, Y.argmax(axis=1), n_classes=4, **options)
    assert not X.any()
    np.testing.assert_array_equal(solution.X, before)


@pytest.mark.parametrize(
    "call",
    [
        lambda: toplabel.prox.topk_cone(MASKED),
        lambda: toplabel.prox.bipartite_simplex(MASKED, [1.0]),
        lambda: toplabel.prox.lambert_w_exp(MASKED),
        lambda: toplabel.metrics.average_precision(MASKED, [1.0, 2.0]),
        lambda: toplabel.metrics.top_k_accuracy(MASKED, np.eye(2)),
        lambda: toplabel.metrics.hamming_loss(MASKED[None], MASKED[None]),
        lambda: toplabel.thresholds.match_coverage(MASKED, 0.5),
        lambda: toplabel.simplex.encode(MASKED.astype(int), 2),
        lambda: top_k_scorer(1)(TopKClassifier().fit([[0.0], [1.0]], [0, 1]), [[0.0]] * 2, MASKED),
    ],
)
def test_masked_arrays_are_refused(call):
    with pytest.raises(ValueError, match="is a masked array, and its mask would be lost"):
        call()


@pytest.mark.parametrize("own", [[1 + 2j, 2, 3], ["a"]])
def test_scores_of_labels_must_be_real_numbers(own):
    with pytest.raises(TypeError, match="own_scores must hold real numbers"):
        toplabel.thresholds.match_coverage(own, 0.5)
