"""Thresholds: the grids of the papers, the three strategies, and all of a grid at once."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from toplabel import metrics, thresholds

PLAIN = {
    "accuracy": metrics.multilabel_accuracy,
    "subset_accuracy": metrics.subset_accuracy,
    "f1_micro": lambda Y, P: metrics.f1(Y, P, "micro"),
    "f1_macro": lambda Y, P: metrics.f1(Y, P, "macro"),
    "f1_instance": lambda Y, P: metrics.f1(Y, P, "instance"),
    "hamming_loss": metrics.hamming_loss,
}


@st.composite
def problems(draw):
    """Scores that often lie exactly on a threshold, label sets, grids in any order."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    scores = draw(arrays.arrays(float, shape, elements=st.integers(-3, 3).map(lambda i: i / 2)))
    grid = draw(st.lists(st.integers(-4, 4).map(lambda i: i / 2), min_size=1, max_size=8))
    return scores, draw(arrays.arrays(bool, shape)), grid


def test_the_grids_have_71_values_and_100():
    grid = thresholds.GRID
    assert len(grid) == 71
    assert (np.diff(grid) > 0).all()
    assert grid[35] == 0.0
    np.testing.assert_array_equal(grid, -grid[::-1])
    np.testing.assert_allclose(np.log10(grid[36:]), np.arange(-5.9, 1, 0.2), atol=1e-12)
    grid = thresholds.GRID_VOC
    assert (len(grid), grid[0], grid[-1]) == (100, 0.1, 10.0)
    np.testing.assert_allclose(np.diff(grid), 0.1)


def test_the_grids_are_those_of_the_protocols(protocols):
    for name, grid in (("multilabel", thresholds.GRID), ("half_half", thresholds.GRID_VOC)):
        np.testing.assert_array_equal(protocols[name].budgets["paper"].threshold_values(), grid)
    with pytest.raises(ValueError, match="read-only"):
        grid[0] = 1.0


def test_predict_includes_the_threshold_itself():
    np.testing.assert_array_equal(
        thresholds.predict([[0.5, 0.2], [0.1, 0.3]], 0.2), [[1, 1], [0, 1]]
    )


def test_constant_is_the_value():
    assert thresholds.constant() == 0.0
    assert thresholds.constant(1) == 1.0
    with pytest.raises(ValueError, match="value must be"):
        thresholds.constant(np.inf)


@given(problems())
def test_sweep_is_the_plain_measures_at_every_threshold(problem):
    scores, labels, grid = problem
    swept = thresholds.sweep(scores, labels, grid)
    for name, measure in PLAIN.items():
        expected = [measure(labels, thresholds.predict(scores, threshold)) for threshold in grid]
        np.testing.assert_allclose(swept[name], expected, rtol=0, atol=1e-12)


def test_sweep_of_many_labels_stays_small():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(1292, 983))
    labels = rng.random(scores.shape) < 0.02
    tracemalloc.start()
    thresholds.sweep(scores, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # one array for every threshold would take 90 MB as bytes, 720 MB as floats


@given(problems(), st.floats(0, 1))
def test_match_cardinality_is_as_close_as_any_threshold(problem, share):
    scores, _, _ = problem
    cardinality = share * scores.shape[1]
    threshold = thresholds.match_cardinality(scores, cardinality)
    reached = thresholds.predict(scores, threshold).sum(axis=1).mean()
    cuts = [*np.unique(scores), scores.max() + 1.0]
    possible = [(scores >= cut).sum(axis=1).mean() for cut in cuts]
    assert reached in possible
    closest = min(abs(value - cardinality) for value in possible)
    assert abs(reached - cardinality) == pytest.approx(closest, abs=1e-12)


def test_match_frequencies_cuts_each_label_by_itself():
    rng = np.random.default_rng(1)
    scores = rng.standard_normal((200, 4)) * [1, 10, 1, 1] + [0, 5, -3, 0]
    frequencies = np.array([0.1, 0.5, 0.9, 0.0])
    found = thresholds.match_frequencies(scores, frequencies)
    assert found.shape == (4,)
    predicted = thresholds.predict(scores, found)
    np.testing.assert_allclose(predicted.mean(axis=0), frequencies, atol=0.5 / 200)
    with pytest.raises(ValueError, match="threshold must be 3, one per label, got 4"):
        thresholds.predict(scores[:, :3], found)


@pytest.mark.parametrize(
    ("frequencies", "message"),
    [([0.1], "must be 2, one per label, got 1"), ([0.1, 1.2], "must lie in 0..1")],
)
def test_frequencies_are_checked(frequencies, message):
    with pytest.raises(ValueError, match=message):
        thresholds.match_frequencies(np.zeros((3, 2)), frequencies)


def test_match_cardinality_by_hand():
    scores = [[4.0, 1.0], [2.0, 3.0]]
    assert thresholds.match_cardinality(scores, 1.0) == 2.5
    assert thresholds.match_cardinality(scores, 1.25) == 2.5  # one label or one and a half: fewer
    assert thresholds.match_cardinality(scores, 2.0) == 1.0
    assert thresholds.predict(scores, thresholds.match_cardinality(scores, 0.0)).sum() == 0


def test_match_cardinality_between_neighbouring_floats():
    low = 1.0
    high = np.nextafter(low, 2.0)
    threshold = thresholds.match_cardinality([[low, high]], 1.0)
    assert thresholds.predict([[low, high]], threshold).tolist() == [[0, 1]]


def test_tune_finds_the_best_threshold():
    scores, labels = [[0.9, 0.2], [0.4, 0.6]], [[1, 0], [0, 1]]
    assert thresholds.tune(scores, labels, "subset_accuracy", [0.1, 0.5, 0.8]) == (0.5, 1.0)
    assert thresholds.tune(scores, labels, "hamming_loss", [0.1, 0.8]) == (0.8, 0.25)


def test_tune_takes_the_smallest_of_equal_thresholds_then_the_negative_one():
    scores, labels = [[3.0, -3.0]], [[1, 0]]
    assert thresholds.tune(scores, labels, "f1_micro", [2.0, 1.0, -1.0, -2.0])[0] == -1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: thresholds.sweep([[1.0]], [[1]], []), "grid must be"),
        (lambda: thresholds.sweep([[1.0]], [[1]], [np.nan]), r"grid\[0\] is nan"),
        (lambda: thresholds.match_cardinality([[1.0]], 2.0), "cardinality must be .* <= 1, got 2"),
        (lambda: thresholds.tune([[1.0]], [[1]], "rank_loss"), "metric must be one of accuracy"),
        (lambda: thresholds.predict([[1.0]], np.nan), "threshold must be"),
    ],
)
def test_bad_input_is_refused_with_the_name_of_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans(), st.floats(0, 1))
def test_the_largest_scores_are_enough_to_match_a_cardinality(seed, step, weighted, share):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 12, size=(30, 4)) / 4  # many ties
    weight = rng.integers(0, 3, size=30) + (np.arange(30) == 0.0) if weighted else None
    largest = thresholds.LargestScores(share * 4 * (30 if weight is None else weight.sum()))
    for first in range(0, 30, step):
        part = slice(first, first + step)
        largest.add(scores[part], None if weight is None else weight[part].astype(float))
    assert largest.threshold() == thresholds.match_cardinality(scores, share * 4, weight)


def test_parts_of_the_rows_and_joined_sweeps_are_the_whole():
    rng = np.random.default_rng(3)
    scores, weight = rng.normal(size=(40, 5)), rng.integers(0, 3, 40).astype(float)
    Y = rng.random((40, 5)) < 0.3
    Y[:, 4] = False  # no label to find
    grid = np.array([0.5, -1.0, 0.0, 1.0])
    for w in (None, weight):
        parts = [thresholds.Sweep(grid, 5) for _ in range(2)]
        for first in range(0, 40, 7):
            part = slice(first, first + 7)
            parts[first % 2].add(scores[part], Y[part], None if w is None else w[part])
        parts[0].join(parts[1])
        expected = thresholds.sweep(scores, Y, grid, w)
        for name, values in parts[0].values().items():
            np.testing.assert_allclose(values, expected[name], atol=1e-14)
        found, f1 = parts[0].best_per_label(common=1.0)
        assert found[4] == 1.0
        each = [thresholds.tune(scores[:, [j]], Y[:, [j]], "f1_micro", grid, w) for j in range(5)]
        assert found[:4].tolist() == [threshold for threshold, _ in each[:4]]
        assert f1 == pytest.approx(np.mean([value for _, value in each]))
        least = each[0][1] + 1e-9  # the F1 of the first label is not enough
        found, f1 = parts[0].best_per_label(-1.0, least)
        assert found[0] == -1.0
        for j, (threshold, value) in enumerate(each):
            assert found[j] == (threshold if value >= least else -1.0)
        by_hand = [thresholds.sweep(scores[:, [j]], Y[:, [j]], [found[j]], w) for j in range(5)]
        assert f1 == pytest.approx(np.mean([value["f1_micro"][0] for value in by_hand]))
