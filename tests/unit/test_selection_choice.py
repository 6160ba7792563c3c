"""The choice of hyper-parameters: directions, ties, edges, k."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from toplabel.reproduction.selection.choice import (
    GridValues,
    best_points,
    choose,
    edge_of_C,
    points_by,
)


def _result(value, theta=None, threshold=None, metric=("top1",)):
    value = np.asarray(value, dtype=float)
    zeros = np.zeros(value.shape[:2])
    return GridValues(
        split="main",
        fold="all",
        metric=np.array(metric),
        value=value,
        relative_gap=zeros,
        epochs=zeros,
        seconds=zeros,
        theta=None if theta is None else np.array(theta, dtype=float),
        C=np.arange(1.0, value.shape[1] + 1),
        threshold=None if threshold is None else np.array(threshold, dtype=float),
    )


def _cube(values, metric="top1"):
    return _result(np.array(values, dtype=float)[None, :, None, None], metric=(metric,))


@pytest.mark.parametrize(("metric", "C"), [("top5", 1), ("rank_loss", 2), ("hamming_loss", 2)])
def test_losses_are_minimised_and_all_else_maximised(metric, C):
    assert best_points(_cube([3, 1, 2], metric))[0].C == C


def test_a_tie_goes_to_the_smallest_C():
    assert best_points(_cube([1, 2, 2, 2, 1]))[0].C == 2
    assert best_points(_cube([1, 2 - 1e-13, 2]))[0].C == 2


def test_then_to_the_smallest_theta_then_to_the_threshold_nearest_to_zero():
    value = np.zeros((2, 2, 4, 1))
    known = {"theta": [0.5, 1], "threshold": [-1.0, -0.5, 0.5, 2.0], "metric": ("f1_micro",)}
    best = best_points(_result(value, **known))[0]
    assert (best.C, best.theta, best.threshold) == (1, 0.5, -0.5)
    value[1, 0, 3] = value[0, 1, 2] = 1
    best = best_points(_result(value, **known))[0]
    assert (best.C, best.theta, best.threshold) == (1, 1, 2)


@pytest.mark.parametrize(
    ("values", "edge"),
    [([3, 2, 1], -1), ([1, 2, 3], 1), ([1, 3, 2], 0), ([3, 3, 1], 0), ([2, 1, 2], 0), ([5], 0)],
)
def test_an_edge_must_be_strictly_best(values, edge):
    assert edge_of_C(_cube(values), 0) == edge
    assert choose([_cube(values)])[0].at_edge == (edge != 0)


def test_candidates_have_no_edge():
    result = replace(_cube([3, 2, 1]), C=None, candidate=np.arange(3))
    (choice,) = choose([result])
    assert (choice.candidate, choice.at_edge) == (0, False)


def test_one_metric_may_choose_the_point_of_all():
    value = np.array([[[61.0, 80.0]], [[62.0, 79.0]], [[60.0, 81.0]]])[None]
    result = _result(value, metric=("top1", "top5"))
    assert [one.C for one in choose([result])] == [2, 3]
    chosen = [(one.metric, one.C, one.value) for one in choose([result], "top1")]
    assert chosen == [("top1", 2, 62.0), ("top5", 2, 79.0)]
    other_k = replace(_result(value - 0.5, metric=("top1", "top5")), k=5)  # better in top5 alone
    other_k.value[0, 2, 0, 1] = 99.0
    of_ks = choose([replace(result, k=2), other_k], "top1")
    assert [(one.metric, one.k, one.C) for one in of_ks] == [("top1", 2, 2), ("top5", 2, 2)]
    cut = _result(np.zeros((1, 2, 1, 2)), threshold=[0.0], metric=("rank_loss", "f1_micro"))
    with pytest.raises(ValueError, match="'f1_micro' has a threshold"):
        points_by(cut, "rank_loss")


def test_points_that_were_not_visited_do_not_count():
    assert best_points(_cube([np.nan, 1, np.nan], "rank_loss"))[0].C == 2
    with pytest.raises(ValueError, match="split 'main': metric 'top1' has no validation value"):
        best_points(_cube([np.nan, np.nan]))


def test_a_metric_without_threshold_has_none():
    value = np.full((1, 2, 3, 2), np.nan)
    value[0, :, 0, 0] = [0.2, 0.1]
    value[0, :, :, 1] = [[1, 2, 3], [3, 2, 1]]
    rank, accuracy = choose(
        [_result(value, threshold=[-1, 0, 1], metric=("rank_loss", "accuracy"))]
    )
    assert rank.threshold is None
    assert rank.k is None
    assert (accuracy.C, accuracy.threshold, accuracy.value) == (1, 1, 3)


def test_splits_are_sorted():
    results = [replace(_cube([0, 1]), split=name) for name in ("s01", "s00")]
    assert [one.split for one in choose(results)] == ["s00", "s01"]


def test_each_metric_has_its_own_k_and_a_tie_goes_to_the_smallest():
    metric = ("rank_loss", "map", "p_at_1")
    values = {5: [0.2, 70, 8], 3: [0.1, 60, 8], 2: [0.3, 50, 7]}
    results = [replace(_result([[[row]]], metric=metric), k=k) for k, row in values.items()]
    found = [(one.metric, one.k, one.value) for one in choose(results)]
    assert found == [("rank_loss", 3, 0.1), ("map", 5, 70), ("p_at_1", 3, 8)]


@given(arrays(float, (2, 3, 4, 1), elements=st.integers(0, 5).map(float)))
def test_nothing_is_better_than_the_choice(value):
    result = _result(value, theta=[1, 2], threshold=[-1, 0, 1, 3], metric=("f1_macro",))
    best = best_points(result)[0]
    i, j = result.theta.tolist().index(best.theta), result.C.tolist().index(best.C)
    d = result.threshold.tolist().index(best.threshold)
    assert value[i, j, d, 0] == best.value == value.max()
    assert (value[:, :j] < best.value).all()
    assert (value[:i, j] < best.value).all()
