"""What the measures take, and bad input; their values are in property/test_metrics_oracles.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from toplabel import metrics
from toplabel.metrics.names import lower_is_better
from toplabel.metrics.ranking import best_scores

Y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
P = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]])


def test_average_precision_reaches_recall_three_tenths_exactly():
    y = np.array([1] * 3 + [0] * 7 + [1] * 7)  # in floating point, 3 * 0.1 > 3 / 10
    scores = -np.arange(17.0)
    # Recalls 0, 0.1, 0.2, 0.3 at precision 1; later ones at best 10/17.
    assert metrics.average_precision(y, scores) == pytest.approx((4 + 7 * 10 / 17) / 11)


@pytest.mark.parametrize(
    "convert", [sparse.csr_matrix, sparse.csc_array, lambda a: a.astype(bool), np.ndarray.tolist]
)
def test_indicators_may_be_sparse_boolean_or_lists(convert):
    scores = np.arange(12.0).reshape(4, 3)
    assert metrics.f1(convert(Y), convert(P)) == metrics.f1(Y, P)
    assert metrics.rank_loss(convert(Y), scores) == metrics.rank_loss(Y, scores)


def test_truth_values_are_classes():
    scores = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    truths = np.array([True, False, False])
    assert metrics.top_k_accuracy(truths, scores) == metrics.top_k_accuracy([1, 0, 0], scores)


def test_results_are_plain_floats():
    assert type(metrics.rank_loss(Y, Y.astype(np.float32))) is float
    assert type(metrics.f1(Y, P, "macro")) is float


SCORES = np.zeros((4, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.top_k_accuracy([0, 1], SCORES), r"y must have the shape \(4,\)"),
        (lambda: metrics.top_k_accuracy([0, 1, 2, 3], SCORES), r"y\[3\] is 3: .* 0\.\.2"),
        (lambda: metrics.top_k_accuracy([0, 0.5, 2, 1], SCORES), r"y\[1\] is 0.5: .* 0\.\.2"),
        (lambda: metrics.top_k_accuracy([0, 1, 2, 1], SCORES, k=4), r"k must be in 1\.\.3, got 4"),
        (lambda: metrics.top_k_accuracy([0], [[np.nan, 1.0]]), r"scores\[0, 0\] is nan"),
        (lambda: metrics.rank_loss(Y[:2], SCORES), r"Y must have the shape \(4, 3\) like scores"),
        (lambda: metrics.rank_loss(2 * Y, SCORES), r"Y\[0, 0\] is 2: it must be 0 or 1"),
        (lambda: metrics.rank_loss(np.zeros((0, 3)), np.zeros((0, 3))), "scores is empty"),
        (lambda: metrics.hamming_loss(Y, P[:, :2]), r"P must have the shape \(4, 3\) like Y"),
        (lambda: metrics.hamming_loss(Y[0], P[0]), "Y must have two dimensions, got 1"),
        (lambda: metrics.f1(Y, P * np.nan), r"P\[0, 0\] is nan"),
        (lambda: metrics.f1(Y, P, average="samples"), "average must be one of micro, macro, inst"),
        (lambda: metrics.average_precision([0, 0], [1.0, 2.0]), "y holds no 1"),
        (lambda: metrics.average_precision([0, 1], [1.0]), r"y must have the shape \(1, 1\)"),
        (lambda: metrics.average_precision(Y, SCORES), "y and scores must be vectors"),
        (lambda: metrics.average_precision([1], [1.0], "voc"), "interpolation must be one of"),
        (lambda: metrics.mean_average_precision(0 * Y, SCORES), "Y holds no 1"),
        (lambda: metrics.size_stratified_coverage([0], [[1, 0]], [3, 1]), "largest_sizes must be"),
        (
            lambda: metrics.set_coverage([0], Y),
            r"y must have the shape \(4,\) like the rows of sets",
        ),
        (lambda: metrics.f1(np.array([["a"]]), P), "Y must hold zeros and ones"),
        (lambda: metrics.top_k_accuracy(["a", "b", "c", "d"], SCORES), "y must hold class indices"),
        (lambda: metrics.top_k_accuracy([0, 1, 2, 1], SCORES, k=1.0), "k must be an integer"),
        (lambda: metrics.rank_loss(Y, SCORES * 1j), "scores must hold real numbers"),
    ],
)
def test_bad_input_is_refused_with_the_name_of_the_argument(call, message):
    with pytest.raises((ValueError, TypeError), match=message) as raised:
        call()
    assert "\n" not in str(raised.value)


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 8))
def test_the_best_of_many_are_those_of_a_stable_sort(seed, k, more):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 3, size=(5, k + more - 1)) / 2.0
    best, own = best_scores(scores, k)
    np.testing.assert_array_equal(best, np.argsort(-scores, axis=1, kind="stable")[:, :k])
    np.testing.assert_array_equal(own, np.take_along_axis(scores, best, axis=1))


def test_a_precision_of_a_class_is_no_loss_whatever_its_name():
    assert lower_is_better("rank_loss")
    assert not lower_is_better("ap_hair_loss")
