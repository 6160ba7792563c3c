"""Tuning: paths over C, folds, extension, refinement, screening, early stopping, k."""

from dataclasses import replace

import numpy as np
import pytest
from small_sets import blobs, multiclass_set, problems_of, regions_set, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget, ThresholdRange
from toplabel.reproduction.methods import Recipe
from toplabel.reproduction.selection import tuning
from toplabel.reproduction.selection.choice import (
    GridValues,
    Point,
    average,
    extended_points,
    means,
    refined_points,
)
from toplabel.reproduction.selection.models import pool
from toplabel.reproduction.selection.problems import (
    ValidationProblem,
    fewer_rows,
    training_labels,
)
from toplabel.reproduction.selection.tuning import (
    EarlyStopping,
    FoldPath,
    coarse_points,
    tune_split,
)

SOFTMAX = Method("lr_multi", "A", "lr_multi")
MULTILABEL = Method("lr_ml", "A", "lr_ml")
KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
BUDGET = Budget(Axis(2, -4, 2, 2), Axis(2, -2, 1, 1), folds=3)
METRICS = ("top1", "top2")


def _tune(prepared, method=SOFTMAX, budget=BUDGET, names=METRICS, validation="holdout"):
    task = task_of(method, budget, names, validation, dataset=prepared.name)
    return tune_split(problems_of(prepared, task), task)


def _problem(n_per_class=12):
    X, y = blobs(n_per_class)
    X_eval, truth = blobs(seed=1)
    return ValidationProblem(X, y, X_eval, truth, None, 3)


def _path(budget=BUDGET, method=SOFTMAX, fold=0):
    return FoldPath(_problem(), task_of(method, budget, METRICS), fold)


def _result(values, C, theta=None, metric=("top1",)):
    values = np.asarray(values, dtype=float).reshape(-1, len(C), 1, len(metric))
    table = np.where(np.isnan(values[..., 0, 0]), np.nan, 0.5)
    axes = {"C": np.array(C, dtype=float)}
    if theta is not None:
        axes["theta"] = np.array(theta, dtype=float)
    return GridValues("main", "0", np.array(metric), values, table, table, table, **axes)


# ---- fits along C ----------------------------------------------------------------------------------


def test_values_are_those_of_a_model_for_each_C(fits):
    prepared = multiclass_set()
    (result,) = _tune(prepared)
    assert result.C.tolist() == [2.0**-4, 2.0**-2, 1.0, 4.0] == [fit["C"] for fit in fits]
    assert result.fold == "all"
    val = prepared.parts["val"]
    for j, C in enumerate(result.C):
        task = task_of(SOFTMAX, replace(BUDGET, C=Axis(2, np.log2(C), np.log2(C), 1)), METRICS)
        (alone,) = tune_split(problems_of(prepared, task), task)
        assert (alone.value == result.value[:, [j]]).all()  # whatever was trained before
    assert len({fit["seed"] for fit in fits}) == 4  # of names and C, not of the order
    assert (result.value[..., 1] >= result.value[..., 0]).all()
    assert (result.seconds > 0).all()
    assert len(val.y) == 36


def _visited(path, points):
    """The grid of what a path finds at some points."""
    return path.arranged(path.visit(points))


def test_a_kernel_method_is_trained_on_gram_matrices(fits):
    (result,) = _tune(multiclass_set(), KERNEL)
    assert result.value.shape == (4, 4, 1, 2)
    assert {fit["kernel"] for fit in fits} == {"precomputed"}
    assert (result.value[..., 0] > 60).any()


def test_an_interrupted_solver_interrupts_the_job(monkeypatch):
    from toplabel.reproduction.methods import trained

    solve = trained.solve
    monkeypatch.setattr(
        trained, "solve", lambda *a, **k: replace(solve(*a, **k), status="interrupted")
    )
    with pytest.raises(KeyboardInterrupt):
        _tune(multiclass_set())


def test_each_fit_leaves_a_line_in_the_log(caplog):
    caplog.set_level("INFO", "toplabel")
    _tune(multiclass_set())
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(", gap")[0] for line in lines] == [
        f"split main, fold 0, k 1, C {C}" for C in ("0.0625", "0.25", "1", "4")
    ]
    assert all(line.endswith(" s, converged") for line in lines)


# ---- grids -----------------------------------------------------------------------------------------


def test_the_grid_of_C_may_be_relative_to_the_mean_squared_norm(fits):
    prepared = multiclass_set()
    task = task_of(SOFTMAX, replace(BUDGET, refine=1, extend=1), METRICS)
    tune_split(problems_of(prepared, task), replace(task, C_scale="mean_squared_norm"))
    square = np.mean(np.sum(prepared.parts["train"].X ** 2, axis=1))
    exponents = np.log2(np.array(sorted(fit["C"] for fit in fits)) * square)
    np.testing.assert_allclose(exponents, np.round(exponents), atol=1e-6)
    assert len(set(exponents.round())) == len(exponents)  # the finer grid meets the coarse one
    assert set(np.arange(-4, 3, 2)) <= set(exponents.round())


def test_extension_needs_an_edge_that_is_strictly_best():
    budget = Budget(Axis(10, -1, 1, 1), None, extend=1)
    C = [0.1, 1, 10]
    assert extended_points(_result([1, 2, 3], C), budget, [None]) == {None: [2]}
    assert extended_points(_result([3, 2, 1], C), budget, [None]) == {None: [-2]}
    assert extended_points(_result([1, 3, 3], C), budget, [None]) == {}
    assert extended_points(_result([1, 3, 2], C), budget, [None]) == {}


def test_refinement_surrounds_each_best_point_and_repeats_nothing():
    budget = Budget(Axis(2, -4, 4, 4), None, refine=1)
    C = [2.0**-4, 1, 2.0**4]
    assert refined_points(_result([1, 3, 2], C), budget) == {None: [-1, 1]}
    assert refined_points(_result([3, 1, 2], C), budget) == {None: [-3]}
    both = _result([[3, 1], [1, 2], [2, 3]], C, metric=("top1", "rank_loss"))
    assert refined_points(both, budget) == {None: [-3]}  # rank loss is best when lowest
    screened = refined_points(_result([1, 3, 2], C), replace(budget, screen_rows=10))
    assert screened == {None: [-1, 0, 1]}  # the best point is trained again, on all rows


def test_refinement_of_a_kernel_covers_both_axes():
    budget = Budget(Axis(2, 0, 4, 2), Axis(2, 0, 4, 2), refine=1)
    values = np.zeros((3, 3))
    values[1, 1] = 1
    result = _result(values, [1, 4, 16], theta=[1, 4, 16])
    assert refined_points(result, budget) == {1: [1, 2, 3], 2: [1, 3], 3: [1, 2, 3]}
    screened = refined_points(result, replace(budget, screen_rows=10))
    assert screened == {theta: [1, 2, 3] for theta in (1, 2, 3)}  # the point itself, on all rows


def _measured(monkeypatch, value):
    """Let the validation values be a function of theta and C."""

    def measure(path, theta, fit, held_out):
        return Point(np.full((1, 2), value(theta, fit.C)), 0.0, 1, 1.0, theta, fit.C)

    monkeypatch.setattr(tuning.FoldPath, "_measure", measure)


@pytest.mark.parametrize(
    ("extend", "peak", "expected"), [(9, 3, [0, 1, 2, 3, 4]), (2, 9, [0, 1, 2, 3]), (0, 9, [0, 1])]
)
def test_the_grid_grows_until_the_best_lies_inside(monkeypatch, extend, peak, expected):
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(C) - peak))
    (found,) = _tune(multiclass_set(), budget=replace(BUDGET, C=Axis(2, 0, 1, 1), extend=extend))
    assert np.log2(found.C).tolist() == expected


# ---- early stopping --------------------------------------------------------------------------------


def test_a_path_ends_when_every_metric_was_worse_several_times_in_a_row():
    stopping = EarlyStopping(METRICS, 2)
    assert not stopping.update(np.array([1.0, 1.0]))
    assert not stopping.update(np.array([0.5, 0.5]))
    assert not stopping.update(np.array([0.5, 1.0]))  # equal is not worse: counts anew
    assert not stopping.update(np.array([0.5, 0.5]))
    assert stopping.update(np.array([0.9, 0.9]))


@pytest.mark.parametrize(("metric", "perfect"), [("top5", 100.0), ("rank_loss", 0.0)])
def test_a_metric_that_was_perfect_does_not_hold_up_the_end(metric, perfect):
    stopping = EarlyStopping(["top1", metric], 2)
    assert not stopping.update(np.array([90.0, perfect]))
    assert not stopping.update(np.array([80.0, perfect]))
    assert stopping.update(np.array([70.0, perfect]))


def test_paths_and_widths_are_left_after_a_decline(monkeypatch):
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(C) + 2))
    budget = replace(BUDGET, C=Axis(2, -4, 6, 2), theta=Axis(2, -4, 4, 2), patience=2)
    points = {None: budget.C.exponents()}
    assert [np.log2(point.C) for point in _path(budget).visit(points, 2)] == [-4, -2, 0, 2]
    assert len(_path(budget).visit(points)) == 6
    _measured(monkeypatch, lambda theta, C: -abs(np.log2(theta) + 2))
    path = _path(replace(budget, patience=1), KERNEL)
    thetas = coarse_points(path.task.recipe, path.task.grid)
    points = path.visit({theta: [0.0] for theta in thetas}, path.task.grid.patience)
    assert [np.log2(point.theta) for point in points] == [-4, -2, 0]


def test_a_path_ends_where_a_fit_is_far_from_its_optimum():
    task = task_of(Method("svm_rbf", "A", "svm_multi", kernel="rbf"), BUDGET, METRICS)
    task = replace(task, max_iter=1)
    points = {0.0: [-12, -10, 8, 10]}
    found = _visited(FoldPath(_problem(), task, 0), points)
    assert found.C.tolist() == [2.0**-12, 2.0**-10]
    assert (found.relative_gap <= tuning.FAR).all()
    (first,) = FoldPath(_problem(), task, 0).visit({0.0: [10]})
    assert first.relative_gap > tuning.FAR  # alone it is all there is


def test_a_path_goes_on_where_a_method_ends_by_a_rule_of_its_own():
    params = {"tolerance": 10.0}  # its authors' program, ended after ten steps
    program = Method("program", "A", competitor="toppush_program", params=params)
    found = _visited(_path(method=program), {None: [-2, 4, 6]})
    assert found.relative_gap[0, 1] > tuning.FAR
    assert len(found.C) == 3


def test_folds_are_averaged_where_all_have_been():
    def tune(fold, points, method=SOFTMAX):
        return _visited(_path(method=method, fold=fold), points)

    long, short = tune(0, {None: [-4, -2, 0]}), tune(1, {None: [-4, -2]})
    mean = average([long, short])
    assert mean.C.tolist() == [2.0**-4, 2.0**-2]
    np.testing.assert_allclose(mean.value, (long.value[:, :2] + short.value) / 2)
    with pytest.raises(ValueError, match="no point in common"):
        average([tune(0, {None: [-4]}), tune(1, {None: [-2]})])
    rbf = tune(0, {-2: [0, 2], 0: [0, 2]}, KERNEL), tune(1, {-2: [0, 2], 0: [0], 2: [0]}, KERNEL)
    seen = ~np.isnan(average(rbf).epochs)
    assert seen.tolist() == [[True, True], [True, False]]


# ---- screening -------------------------------------------------------------------------------------


def test_a_coarse_grid_that_screens_says_only_where_the_finer_one_lies(fits):
    prepared = multiclass_set(with_val=False)
    budget = replace(BUDGET, refine=1, screen_rows=20)
    task = task_of(KERNEL, budget, METRICS, "folds")
    *coarse, found = tune_split(problems_of(prepared, task), task)
    assert [one.fold for one in coarse] == ["0", "1", "2"]
    assert means([*coarse, found]) == [found]
    assert [fit["shape"][0] for fit in fits].count(20) == 3 * 16
    assert len(fits) == 3 * (16 + int((~np.isnan(found.epochs)).sum()))
    assert len(found.C) < len(BUDGET.C.exponents())


def test_points_of_a_fold_have_the_same_place_in_whatever_order_they_were_visited():
    path = _path(method=KERNEL)
    points = path.visit(coarse_points(path.task.recipe, path.task.grid))
    whole = path.arranged(points)
    np.testing.assert_array_equal(path.arranged(points[::-1]).value, whole.value)
    beyond = path.arranged([*path.visit({0: [0.5]}), *points])
    assert np.isnan(beyond.epochs).sum() == len(whole.theta) - 1


def test_screening_draws_rows_by_names():
    problem = _problem(40)
    few = fewer_rows(problem, 30, ("toy", 0))
    rows = {tuple(row): label for row, label in zip(problem.X, problem.labels, strict=True)}
    assert all(rows[tuple(row)] == label for row, label in zip(few.X, few.labels, strict=True))
    np.testing.assert_array_equal(fewer_rows(problem, 30, ("toy", 0)).X, few.X)
    assert not np.array_equal(fewer_rows(problem, 30, ("toy", 1)).X, few.X)
    assert fewer_rows(problem, 120, ("toy", 0)) is problem
    same = replace(problem, X_eval=problem.X, truth=problem.labels + 3)
    few = fewer_rows(same, 30, ("toy", 0), same_rows=True)
    assert few.X_eval is few.X
    np.testing.assert_array_equal(few.truth, few.labels + 3)


def test_a_kernel_is_tuned_on_so_many_rows_at_most(fits):
    prepared = multiclass_set(with_val=False)
    budget = replace(BUDGET, kernel_rows=20)
    for method, is_narrowed in ((KERNEL, True), (SOFTMAX, False)):
        fits.clear()
        task = task_of(method, budget, METRICS, "folds")
        tune_split(problems_of(prepared, task), task)
        assert {fit["shape"][0] == 20 for fit in fits} == {is_narrowed}


# ---- k ---------------------------------------------------------------------------------------------


def test_every_k_below_the_number_of_classes_is_tuned():
    method = Method("topk", "A", "topk_svm_beta", gamma=1.0, k=(1, 2, 3))
    prepared = multiclass_set()
    found = _tune(prepared, method)
    assert [one.k for one in found] == [1, 2]
    for one in found:
        (alone,) = _tune(prepared, replace(method, k=one.k))
        np.testing.assert_array_equal(one.value, alone.value)
    with pytest.raises(ValueError, match=r"every k of \[3, 4\] .* number of classes, 3"):
        _tune(prepared, replace(method, k=(3, 4)))


# ---- regions and label sets ------------------------------------------------------------------------


def test_pooling_takes_the_maximum_over_an_instances_rows():
    scores = np.array([[1.0, 5], [2, 0], [7, 1], [0, 9]])
    assert pool(scores, np.array([0, 1, 0, 1])).tolist() == [[7, 5], [2, 9]]
    assert pool(scores, None) is scores


def test_regions_get_the_labels_of_their_image():
    part = regions_set().parts["train"]
    single, sets = Recipe(loss="lr_multi"), Recipe(loss="lr_ml", takes="set")
    assert (training_labels(part, single) == part.y[part.groups]).all()
    assert (training_labels(part, sets) == part.Y[part.groups]).all()
    with pytest.raises(ValueError, match="the method needs label sets"):
        training_labels(replace(part, Y=None), sets)


@pytest.mark.parametrize("method", [SOFTMAX, MULTILABEL])
def test_methods_of_both_kinds_are_measured_against_label_sets(method):
    budget = replace(BUDGET, thresholds=[ThresholdRange(-1, 1, 5)])
    (result,) = _tune(regions_set(), method, budget, ["rank_loss", "f1_micro"], "half")
    assert result.value.shape == (1, 4, 5, 2)
    assert np.isnan(result.value[0, :, 1:, 0]).all()  # the rank loss has no threshold
    assert (result.value[0, :, 0, 0] < 0.3).any()
    assert (result.value[..., 1] > 50).any()


def test_images_without_a_single_label_train_only_methods_for_label_sets():
    scenes = regions_set()
    part = scenes.parts["train"]
    y = np.where(np.arange(len(part.y)) % 4, part.y, -1)
    scenes = replace(scenes, parts=scenes.parts | {"train": replace(part, y=y)})
    tasks = [task_of(one, BUDGET, ["rank_loss"], "half") for one in (SOFTMAX, MULTILABEL, KERNEL)]
    (one,), (sets,) = (problems_of(scenes, task) for task in tasks[:2])
    assert one.labels.min() == 0
    assert len(one.labels) == len(one.X) < len(sets.labels) == len(sets.X)
    with pytest.raises(ValueError, match="images without a label, which a method with a kernel"):
        problems_of(scenes, tasks[2])


def test_a_metric_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="metric 'rank_loss' needs label sets"):
        _tune(multiclass_set(), names=["rank_loss"])
