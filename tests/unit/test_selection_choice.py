"""The choice of hyper-parameters: directions, ties, edges."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from toplabel.reproduction.selection.choice import select
from toplabel.reproduction.selection.points import best_points, points_by
from toplabel.reproduction.selection.results import TuneResult
from toplabel.reproduction.tables.cells import SELECTION


def _result(value, theta=(np.nan,), C=None, threshold=(np.nan,), metric=("top1",)):
    value = np.asarray(value, dtype=float)
    C = np.arange(1.0, value.shape[1] + 1) if C is None else np.array(C, dtype=float)
    gap = np.zeros(value.shape[:2])
    return TuneResult(
        "main",
        "all",
        np.array(theta, dtype=float),
        C,
        np.array(threshold, dtype=float),
        np.array(metric),
        value,
        gap,
        gap,
        gap,
    )


def _cube(values, metric):
    return _result(np.array(values, dtype=float)[None, :, None, None], metric=(metric,))


def test_losses_are_minimised_and_all_else_maximised():
    assert best_points(_cube([3, 1, 2], "top5"))[0].C == 1
    assert best_points(_cube([3, 1, 2], "rank_loss"))[0].C == 2
    assert best_points(_cube([3, 1, 2], "hamming_loss"))[0].C == 2


def test_a_tie_goes_to_the_smallest_C():
    best = best_points(_cube([1, 2, 2, 2, 1], "top1"))[0]
    assert (best.C, best.edge_C) == (2, 0)
    rounding = best_points(_cube([1, 2 - 1e-13, 2], "top1"))[0]
    assert rounding.C == 2


def test_then_to_the_smallest_theta_then_to_the_delta_nearest_to_zero():
    threshold = [-1.0, -0.5, 0.5, 2.0]
    value = np.zeros((2, 2, 4, 1))
    result = _result(value, theta=[0.5, 1], threshold=threshold, metric=("f1_micro",))
    best = best_points(result)[0]
    assert (best.C, best.theta, best.threshold) == (1, 0.5, -0.5)
    value[1, 0, 3] = value[0, 1, 2] = 1
    best = best_points(result)[0]
    assert (best.C, best.theta, best.threshold) == (1, 1, 2)


@pytest.mark.parametrize(
    ("values", "edge"),
    [([3, 2, 1], -1), ([1, 2, 3], 1), ([1, 3, 2], 0), ([3, 3, 1], 0), ([2, 1, 2], 0), ([5], 0)],
)
def test_an_edge_must_be_strictly_best(values, edge):
    assert best_points(_cube(values, "top1"))[0].edge_C == edge


def test_one_metric_may_choose_the_point_of_all():
    value = np.array([[[61.0, 80.0]], [[62.0, 79.0]], [[60.0, 81.0]]])[None]
    result = _result(value, metric=("top1", "top5"))
    assert [best.C for best in best_points(result)] == [2, 3]
    chosen = points_by(result, "top1")
    assert [(best.metric, best.C, best.value) for best in chosen] == [
        ("top1", 2, 62.0),
        ("top5", 2, 79.0),
    ]
    table = pd.DataFrame(select({"main": result}, "top1"))
    assert table[["metric", "C", "value"]].to_numpy().tolist() == [
        ["top1", 2, 62.0],
        ["top5", 2, 79.0],
    ]


def test_a_metric_with_a_threshold_is_selected_by_itself():
    result = _result(np.zeros((1, 2, 1, 2)), threshold=[0.0], metric=("rank_loss", "f1_micro"))
    with pytest.raises(ValueError, match="'f1_micro' has a threshold"):
        points_by(result, "rank_loss")


def test_points_that_were_not_visited_do_not_count():
    assert best_points(_cube([np.nan, 1, np.nan], "rank_loss"))[0].C == 2
    with pytest.raises(ValueError, match="split 'main': metric 'top1' has no validation value"):
        best_points(_cube([np.nan, np.nan], "top1"))


def test_a_metric_without_threshold_has_none():
    value = np.full((1, 2, 3, 2), np.nan)
    value[0, :, 0, 0] = [0.2, 0.1]
    value[0, :, :, 1] = [[1, 2, 3], [3, 2, 1]]
    result = _result(value, threshold=[-1, 0, 1], metric=("rank_loss", "accuracy"))
    table = pd.DataFrame(select({"main": result})).set_index("metric")
    assert np.isnan(table.loc["rank_loss", "threshold"])
    assert table.loc["accuracy", ["C", "threshold", "value"]].tolist() == [1, 1, 3]


def test_the_table_has_one_row_a_split_and_metric():
    value = np.zeros((1, 2, 1, 2))
    result = _result(value, metric=("top1", "top2"))
    results = {name: replace(result, split=name) for name in ("s01", "s00")}
    table = pd.DataFrame(select(results))
    assert list(table.columns) == SELECTION.names
    assert list(zip(table["split"], table["metric"], strict=True)) == [
        ("s00", "top1"),
        ("s00", "top2"),
        ("s01", "top1"),
        ("s01", "top2"),
    ]
    pd.testing.assert_frame_equal(table, pd.DataFrame(select(dict(reversed(results.items())))))


def test_each_metric_has_its_own_k_and_a_tie_goes_to_the_smallest():
    metric = ("rank_loss", "map", "p_at_1")
    values = {2: [0.3, 50, 7], 3: [0.1, 60, 8], 5: [0.2, 70, 8]}
    results = {
        f"main, k = {k}": replace(_result([[[row]]], metric=metric), k=float(k))
        for k, row in reversed(values.items())
    }
    table = pd.DataFrame(select(results)).set_index("metric")
    assert table["k"].to_dict() == {"rank_loss": 3, "map": 5, "p_at_1": 3}
    assert table["value"].to_dict() == {"rank_loss": 0.1, "map": 70, "p_at_1": 8}


def test_without_a_k_to_select_there_is_none():
    (row,) = select({"main": _cube([1, 2], "top1")})
    assert np.isnan(row.k)


@given(arrays(float, (2, 3, 4, 1), elements=st.integers(0, 5).map(float)))
def test_nothing_is_better_than_the_choice(value):
    result = _result(value, theta=[1, 2], threshold=[-1, 0, 1, 3], metric=("f1_macro",))
    best = best_points(result)[0]
    assert best.value == value.max()
    i = result.theta.tolist().index(best.theta)
    j = result.C.tolist().index(best.C)
    d = result.threshold.tolist().index(best.threshold)
    assert value[i, j, d, 0] == best.value
    assert (value[:, :j] < best.value).all()
    assert (value[:i, j] < best.value).all()
