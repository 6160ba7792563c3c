"""Measures of lists of the best labels, against those of dense scores and against formulas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import ndcg_score

from toplabel import metrics
from toplabel.metrics.top_lists import best_scores


@st.composite
def problems(draw):
    """Label sets, some empty; scores without ties, so that lists and scores say the same."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 8)), draw(st.integers(2, 9))
    Y = rng.random((n, m)) < draw(st.sampled_from([0.0, 0.2, 0.6]))
    return Y, rng.permuted(np.tile(np.arange(m) - m / 2, (n, 1)), axis=1), draw(st.integers(1, m))


@settings(max_examples=200)
@given(problems())
def test_they_are_the_measures_of_dense_scores(problem):
    Y, scores, k = problem
    best = metrics.top_lists(scores, Y.shape[1])
    for convert in (np.asarray, sparse.csr_matrix, sparse.csc_array):
        truth = convert(Y.astype(int))
        for of_lists, of_scores in (
            (metrics.precision_of_lists, metrics.precision_at_k),
            (metrics.recall_of_lists, metrics.recall_at_k),
            (metrics.ndcg_of_lists, lambda *at: ndcg_score(*at[:2], k=at[2])),
        ):
            expected = of_scores(Y, scores, k)
            assert of_lists(truth, best, k) == pytest.approx(expected, abs=1e-12)
            assert of_lists(truth, best[:, :k]) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=100)
@given(problems())
def test_psp_is_its_formula(problem):
    Y, scores, k = problem
    propensity = metrics.propensities(Y)
    assert ((propensity > 0) & (propensity <= 1)).all()
    best = metrics.top_lists(scores, k)

    def gain(i, labels):
        return sum(Y[i, j] / propensity[j] for j in labels)

    reached = sum(gain(i, best[i]) for i in range(len(Y)))
    ideal = np.argsort(-(Y / propensity), axis=1)[:, :k]
    possible = sum(gain(i, ideal[i]) for i in range(len(Y)))
    expected = reached / possible if possible else 0.0
    found = metrics.psp_of_lists(sparse.csr_matrix(Y.astype(int)), best, propensity)
    assert found == pytest.approx(expected)
    ones = np.ones(Y.shape[1])
    one = metrics.psp_of_lists(Y, best, ones, 1)  # P@1 over the share of rows with labels
    share = Y.any(axis=1).mean()
    expected = metrics.precision_of_lists(Y, best, 1) / share if share else 0.0
    assert one == pytest.approx(expected)


def test_propensities_are_those_of_the_paper():
    Y = np.zeros((1000, 3), dtype=int)
    Y[:10, 1], Y[:, 2] = 1, 1
    C = (np.log(1000) - 1) * 2.5**0.55
    expected = [1 / (1 + C * np.exp(-0.55 * np.log(n + 1.5))) for n in (0, 10, 1000)]
    np.testing.assert_allclose(metrics.propensities(sparse.csr_matrix(Y)), expected)
    assert metrics.propensities(np.ones((2, 2))).tolist() == [1.0, 1.0]  # log n < 1


@settings(max_examples=100)
@given(problems(), st.floats(0, 1))
def test_of_sparse_scores_what_is_stored_counts(problem, share):
    Y, scores, k = problem
    stored = np.random.default_rng(len(Y)).random(Y.shape) < share
    rows, columns = np.nonzero(stored)
    matrix = sparse.coo_array((scores[rows, columns], (rows, columns)), Y.shape)
    best = metrics.top_lists(matrix, k)
    for i in range(len(Y)):
        labels = [j for j in np.argsort(-scores[i], kind="stable") if stored[i, j]][:k]
        assert best[i].tolist() == labels + [-1] * (k - len(labels))
    hits = [Y[i, j] for i, row in enumerate(best) for j in row if j >= 0]
    assert metrics.precision_of_lists(Y, best) == pytest.approx(sum(hits) / (k * len(Y)))


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 8))
def test_the_best_of_many_are_those_of_a_stable_sort(seed, k, more):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, size=(5, k + more - 1)) / 2.0
    best, own = best_scores(scores, k)
    np.testing.assert_array_equal(best, np.argsort(-scores, axis=1, kind="stable")[:, :k])
    np.testing.assert_array_equal(own, np.take_along_axis(scores, best, axis=1))


def test_entries_that_stand_twice_are_one():
    twice = sparse.csr_array(([1.0, 3.0, 2.0], [0, 1, 0], [0, 3]), shape=(1, 3))
    np.testing.assert_array_equal(metrics.top_lists(twice, 2), [[0, 1]])
    assert twice.nnz == 3


def test_wrong_lists_are_named():
    Y = np.eye(3, dtype=int)
    best = np.array([[0, 1], [1, 0], [2, 1]])
    assert metrics.precision_of_lists(Y, best, 1) == 1.0
    for bad, message in (
        (best[:2], "best must hold label indices of shape"),
        (best.astype(float), "best must hold label indices of shape"),
        (best + 1, r"label indices 0\.\.2"),
        (best * 0, "names a label twice"),
    ):
        with pytest.raises(ValueError, match=message):
            metrics.recall_of_lists(Y, bad)
    with pytest.raises(ValueError, match=r"k must be in 1\.\.2, got 3"):
        metrics.ndcg_of_lists(Y, best, 3)
    with pytest.raises(ValueError, match="indicator of zeros and ones"):
        metrics.ndcg_of_lists(2 * Y, best)
    for bad in ([1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 2.0, 1.0]):
        with pytest.raises(ValueError, match="propensity must"):
            metrics.psp_of_lists(Y, best, bad)
