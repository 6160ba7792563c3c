"""Savings on large sets: fewer folds, fewer rows to screen, early stopping of paths, single
precision.
"""

from dataclasses import replace

import numpy as np
import pytest
from standin import Recorder, blobs, multiclass_set, problems_of, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import LINEAR, Axis, Budget, Refinement
from toplabel.reproduction.selection import tuning
from toplabel.reproduction.selection.grids import refined_points
from toplabel.reproduction.selection.problems import ValidationProblem, fewer_rows
from toplabel.reproduction.selection.results import Point, average, candidates
from toplabel.reproduction.selection.tuning import (
    EarlyStopping,
    FoldPath,
    best_values,
    tune_block,
    tune_ks,
    tune_split,
)

SOFTMAX = Method("lr_multi", "A", "lr_multi")
KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
BUDGET = Budget(Axis(2, -4, 6, 2), Axis(2, -4, 4, 2), folds=3)
METRICS = ["top1", "top2"]


def _problem(n_per_class=12):
    X, y = blobs(n_per_class)
    X_eval, truth = blobs(seed=1)
    return ValidationProblem(X, y, X_eval, truth, None, 3)


def _task(method=SOFTMAX, budget=BUDGET):
    return task_of(method, budget, METRICS)


def _path(budget, method=SOFTMAX, solve=None):
    return FoldPath(_problem(), _task(method, budget), 0, solve or Recorder())


# ---- giving up ----------------------------------------------------------------------------------


def test_early_stopping_needs_every_metric_to_be_worse_several_times_in_a_row():
    stopping = EarlyStopping(METRICS, 2)
    assert not stopping.update(np.array([1.0, 1.0]))
    assert not stopping.update(np.array([0.5, 0.5]))
    assert not stopping.update(np.array([0.5, 1.0]))  # equal is not worse: counts anew
    assert not stopping.update(np.array([0.5, 0.5]))
    assert stopping.update(np.array([0.9, 0.9]))
    assert stopping.best.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("metrics", "perfect"), [(["top1", "top5"], 100.0), (["top1", "rank_loss"], 0.0)]
)
def test_a_metric_that_was_perfect_does_not_hold_up_the_end(metrics, perfect):
    stopping = EarlyStopping(metrics, 2)
    assert not stopping.update(np.array([90.0, perfect]))
    assert not stopping.update(np.array([80.0, perfect]))
    assert stopping.update(np.array([70.0, perfect]))


def test_without_patience_no_path_ends():
    stopping = EarlyStopping(METRICS, None)
    assert not any(stopping.update(np.array([-i, -i])) for i in range(10))


def test_best_values_go_over_the_thresholds_and_up():
    values = np.array([[0.2, 30.0], [np.nan, 50.0]])
    point = Point(np.nan, 1.0, values, 0.0, 1, 1.0)
    assert best_values(point, ["rank_loss", "f1_micro"]).tolist() == [-0.2, 50.0]


def _measured(monkeypatch, value):
    """Let the validation values be a function of C and theta."""

    def values(path, theta, result, held_out):
        both = np.full((1, len(METRICS)), value(theta, result.C))
        return Point(theta, result.C, both, 0.0, 1, 1.0)

    monkeypatch.setattr(tuning.FoldPath, "_measure", values)


def test_a_path_is_left_after_a_clear_decline(monkeypatch):
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(C) + 2))
    points = {LINEAR: BUDGET.C.exponents()}
    found = _path(replace(BUDGET, patience=2)).survey(points)
    assert np.log2(found.C).tolist() == [-4, -2, 0, 2]
    assert len(_path(BUDGET).survey(points).C) == 6
    assert len(_path(replace(BUDGET, patience=2)).visit(points).C) == 6


def test_a_split_with_all_its_folds_is_left_too(monkeypatch):
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(C) + 2))
    prepared = multiclass_set(with_val=False)
    problems = problems_of(prepared, _task())
    for patience, expected in ((2, [-4, -2, 0, 2]), (None, BUDGET.C.exponents())):
        budget = replace(BUDGET, patience=patience)
        found = tuning.tune_split(problems, _task(budget=budget), Recorder())
        assert np.log2(found.C).tolist() == expected


def test_widths_are_left_after_a_clear_decline(monkeypatch):
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(theta) + 2))
    points = {theta: [0.0] for theta in BUDGET.thetas("rbf")}
    found = _path(replace(BUDGET, patience=1), KERNEL).survey(points)
    assert np.log2(found.theta).tolist() == [-4, -2, 0]


def test_a_flat_start_is_not_a_decline(monkeypatch):
    _measured(monkeypatch, lambda theta, C: max(0.0, np.log2(C)))
    found = _path(replace(BUDGET, patience=1)).survey({LINEAR: BUDGET.C.exponents()})
    assert len(found.C) == 6


def test_folds_that_gave_up_at_different_points_are_averaged_where_all_have_been():
    def tune(fold, points):
        return FoldPath(_problem(), _task(), fold, Recorder()).visit(points)

    long, short = tune(0, {LINEAR: [-4, -2, 0]}), tune(1, {LINEAR: [-4, -2]})
    mean = average([long, short])
    assert mean.C.tolist() == [2.0**-4, 2.0**-2]
    np.testing.assert_allclose(mean.value, (long.value[:, :2] + short.value) / 2)
    with pytest.raises(ValueError, match="no point in common"):
        average([tune(0, {LINEAR: [-4]}), tune(1, {LINEAR: [-2]})])


def test_widths_in_common_may_lack_a_point():
    def tune(fold, points):
        return FoldPath(_problem(), _task(KERNEL), fold, Recorder()).visit(points)

    mean = average([tune(0, {-2: [0, 2], 0: [0, 2]}), tune(1, {-2: [0, 2], 0: [0], 2: [0]})])
    assert mean.value.shape[:2] == (2, 2)
    seen = ~np.isnan(mean.value[:, :, 0, 0])
    assert seen.tolist() == [[True, True], [True, False]]
    assert np.isnan(mean.epochs).tolist() == (~seen).tolist()


# ---- fewer rows and folds -----------------------------------------------------------------------


def test_screening_takes_rows_at_random_but_always_the_same():
    problem = _problem(40)
    few = fewer_rows(problem, 30, ("toy", 0))
    assert few.X.shape == (30, 2)
    assert few.labels.shape == (30,)
    rows = {tuple(row): label for row, label in zip(problem.X, problem.labels, strict=True)}
    assert all(rows[tuple(row)] == label for row, label in zip(few.X, few.labels, strict=True))
    assert few.X_eval is problem.X_eval
    np.testing.assert_array_equal(fewer_rows(problem, 30, ("toy", 0)).X, few.X)
    assert not np.array_equal(fewer_rows(problem, 30, ("toy", 1)).X, few.X)
    assert fewer_rows(problem, 120, ("toy", 0)) is problem


def test_the_job_of_a_split_screens_and_keeps_what_is_screened_for_its_times():
    sizes = []

    def solve(X, y, **arguments):
        sizes.append(len(X))
        return Recorder()(X, y, **arguments)

    budget = replace(BUDGET, screen_rows=10, refine=Refinement(1, 1))
    problem, task = _problem(), _task(budget=budget)
    found = tune_ks([problem], task, solve)
    coarse = len(budget.C.exponents())
    assert set(sizes[:coarse]) == {10}
    assert set(sizes[coarse:]) == {len(problem.labels)}
    assert [one.fold for one in found] == ["0", "all"]
    assert list(candidates(found)) == [task.split]
    fine = tune_split([problem], task, Recorder(), found[:1])
    np.testing.assert_array_equal(found[1].value, fine.value)


def test_a_block_is_screened():
    sizes = []

    def solve(X, y, **arguments):
        sizes.append(len(X))
        return Recorder()(X, y, **arguments)

    budget = replace(BUDGET, screen_rows=10, refine=Refinement(1, 1))
    tune_block([_problem()], _task(budget=budget), solve, 0)
    assert set(sizes) == {10}


def test_after_a_screening_the_best_points_themselves_are_visited_again():
    budget = Budget(Axis(2, -4, 4, 4), None, refine=Refinement(1, 1))
    result = _path(budget).visit({LINEAR: budget.C.exponents()})
    without, again = (
        refined_points(result, b)[LINEAR] for b in (budget, replace(budget, screen_rows=10))
    )
    assert set(without) < set(again)
    assert any(exponent in budget.C.exponents() for exponent in again)


@pytest.mark.parametrize(("share", "used"), [(0.1, 1), (1 / 3, 1), (0.4, 2), (0.9, 3), (9.0, 3)])
def test_as_many_folds_are_used_as_hold_the_rows_asked_for(share, used):
    prepared = multiclass_set(with_val=False)
    rows = prepared.parts["train"].n_instances

    def folds(budget):
        task = task_of(SOFTMAX, budget, METRICS, "folds")
        return [problem.X_eval for problem in problems_of(prepared, task)]

    some, all_folds = folds(replace(BUDGET, validation_rows=round(share * rows))), folds(BUDGET)
    assert len(all_folds) == 3
    assert len(some) == used
    for one, other in zip(some, all_folds, strict=False):
        np.testing.assert_array_equal(one, other)
