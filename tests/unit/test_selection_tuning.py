"""Tuning: paths, folds, extension, refinement, files."""

from dataclasses import replace

import numpy as np
import pytest
from standin import Recorder, multiclass_set, problems_of, regions_set, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import LINEAR, Axis, Budget, EquallySpaced, Refinement
from toplabel.reproduction.selection.fitting import Limits, by_solver, pool
from toplabel.reproduction.selection.grids import coarse_points, extended_points, refined_points
from toplabel.reproduction.selection.problems import (
    fold_problem,
    folds_of,
    join_parts,
    training_labels,
)
from toplabel.reproduction.selection.results import (
    TuneResult,
    average,
    candidates,
    load_units,
    merge,
    save_unit,
    seconds_by_split,
)
from toplabel.reproduction.selection.tuning import FoldPath, tune_block, tune_split

SOFTMAX = Method("lr_multi", "A", "lr_multi")
MULTILABEL = Method("lr_ml", "A", "lr_ml")
KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
BUDGET = Budget(Axis(2, -4, 2, 2), Axis(2, -2, 1, 1), folds=3)
METRICS = ["top1", "top2"]
LIMITS = Limits(3, 1e-3, 100, ("toy",))


def _protocol(validation="holdout"):
    return task_of(SOFTMAX, BUDGET, METRICS, validation).protocol


def _tune(prepared, method=SOFTMAX, budget=BUDGET, metrics=METRICS, solve=None, validation=None):
    task = task_of(method, budget, metrics, validation or "holdout", dataset=prepared.name)
    return tune_split(problems_of(prepared, task), task, solve or Recorder())


def test_values_are_those_of_the_models(repository):
    prepared = multiclass_set()
    result = _tune(prepared)
    assert result.C.tolist() == [2.0**-4, 2.0**-2, 1.0, 4.0]
    train, val = prepared.parts["train"], prepared.parts["val"]
    for j, C in enumerate(result.C):
        model = Recorder()(train.X, train.y, C=C, kernel="linear", n_classes=3)
        right = np.argmax(model.decision_function(val.X), axis=1) == val.y
        assert result.value[0, j, 0, 0] == pytest.approx(100 * right.mean(), abs=3)
    assert (result.value[..., 1] >= result.value[..., 0]).all()
    assert (result.seconds > 0).all()


def test_a_path_visits_the_smallest_C_first():
    solve = Recorder()
    _tune(multiclass_set(), solve=solve)
    Cs = [call["C"] for call in solve.calls]
    assert Cs == sorted(Cs)


def test_a_model_does_not_depend_on_what_was_trained_before_it():
    part = multiclass_set().parts["train"]

    def models(Cs):
        train = by_solver(Recorder(), part.X, part.y, SOFTMAX, LIMITS)
        return {C: train(C).W for C in Cs}

    up, down = models([0.5, 4.0, 8.0]), models([8.0, 0.5])
    for C, W in down.items():
        np.testing.assert_array_equal(W, up[C])


def test_every_C_has_a_seed_of_its_own_and_starts_from_nothing():
    solve = Recorder()
    method = Method("topk_ent_tr_k2", "A", "topk_ent_tr", k=2)
    part = multiclass_set().parts["train"]
    train = by_solver(solve, part.X, part.y, method, LIMITS)
    for C in (4.0, 16.0):
        train(C)
    assert len({call["seed"] for call in solve.calls}) == 2
    for call in solve.calls:
        assert "warm_start" not in call
        assert (call["loss"], call["k"], call["max_epochs"]) == ("topk_ent_tr", 2, 100)


def test_an_interrupted_solver_interrupts_the_job():
    with pytest.raises(KeyboardInterrupt):
        _tune(multiclass_set(), solve=Recorder(status="interrupted"))


def test_seeds_depend_on_names_and_C_only():
    first, second = Recorder(), Recorder()
    _tune(multiclass_set(), solve=first)
    _tune(multiclass_set(), budget=replace(BUDGET, C=Axis(2, -2, 2, 2)), solve=second)
    seeds = {call["C"]: call["seed"] for call in first.calls}
    assert len(set(seeds.values())) == len(seeds)
    assert all(seeds[call["C"]] == call["seed"] for call in second.calls)


def test_folds_are_averaged_and_equal_for_all_methods():
    prepared = multiclass_set(with_val=False)
    result = _tune(prepared)
    assert result.fold == "all"
    split, protocol = prepared.splits[0], _protocol("folds")
    folds = folds_of(prepared, split, _protocol(), BUDGET, 0)
    by_hand = [
        FoldPath(
            fold_problem(prepared.parts["train"], fold, SOFTMAX, 3),
            task_of(SOFTMAX, BUDGET, METRICS, "folds"),
            i,
            Recorder(),
        ).visit(coarse_points(SOFTMAX, BUDGET))
        for i, fold in enumerate(folds)
    ]
    np.testing.assert_allclose(result.value, np.mean([r.value for r in by_hand], axis=0))
    other = folds_of(prepared, split, protocol, BUDGET, 0)
    again = folds_of(prepared, split, protocol, BUDGET, 0)
    assert all((a.val == b.val).all() for a, b in zip(other, again, strict=True))


def test_the_grid_of_C_may_be_relative_to_the_mean_squared_norm():
    solve, prepared = Recorder(), multiclass_set()
    task = replace(task_of(SOFTMAX, BUDGET, METRICS, "holdout"), C_scale="mean_squared_norm")
    budget = replace(BUDGET, refine=Refinement(1, 1), extend=1)
    result = tune_split(problems_of(prepared, task), replace(task, budget=budget), solve)
    square = np.mean(np.sum(prepared.parts["train"].X ** 2, axis=1))
    exponents = np.log2(np.array(sorted(call["C"] for call in solve.calls)) * square)
    np.testing.assert_allclose(exponents, np.round(exponents), atol=1e-6)
    assert len(set(exponents.round())) == len(exponents)  # the finer grid meets the coarse one
    assert set(np.arange(-4, 3, 2)) <= set(exponents.round())
    np.testing.assert_allclose(result.C, sorted({call["C"] for call in solve.calls}))
    blocks = tune_block(problems_of(prepared, task), task, Recorder(), 0)
    np.testing.assert_allclose(blocks[0].C * square, 2.0 ** np.arange(-4, 3, 2), rtol=1e-6)


def _grown(monkeypatch, axis, extend, peak):
    """Exponents visited when a metric is best at 2^peak."""

    class Flat(Recorder):
        def __call__(self, X, y, *, C, **arguments):
            solution = super().__call__(X, y, C=C, **arguments)
            return replace(solution, W=np.full((2, 3), C))

    def values(metrics, truth, scores, thresholds):
        exponent = np.log2(np.abs(scores).max() / scale)
        return np.full((1, len(metrics)), -((exponent - peak) ** 2))

    prepared = multiclass_set()
    scale = np.abs(prepared.parts["val"].X.sum(axis=1)).max()
    monkeypatch.setattr("toplabel.reproduction.selection.tuning.all_values", values)
    budget = replace(BUDGET, C=axis, extend=extend)
    return np.log2(_tune(prepared, budget=budget, solve=Flat()).C).tolist()


@pytest.mark.parametrize(
    ("extend", "peak", "expected"),
    [(9, 3, [0, 1, 2, 3, 4]), (9, -2, [-3, -2, -1, 0, 1]), (2, 9, [0, 1, 2, 3]), (0, 9, [0, 1])],
)
def test_the_grid_grows_until_the_best_lies_inside(monkeypatch, extend, peak, expected):
    assert _grown(monkeypatch, Axis(2, 0, 1, 1), extend, peak) == expected


def test_a_grid_of_one_value_has_no_edge(monkeypatch):
    assert _grown(monkeypatch, Axis(2, 0, 0, 1), 9, 3) == [0]


def _result(values, C, theta=(np.nan,), metric=("top1",)):
    values = np.asarray(values, dtype=float).reshape(len(theta), len(C), 1, len(metric))
    table = np.where(np.isnan(values[..., 0, 0]), np.nan, 0.5)
    return TuneResult(
        "main",
        "0",
        np.array(theta, dtype=float),
        np.array(C, dtype=float),
        np.array([np.nan]),
        np.array(metric),
        values,
        table,
        table,
        table,
    )


def test_extension_needs_an_edge_that_is_strictly_best():
    axis = Axis(10, -1, 1, 1)
    budget = Budget(axis, None, extend=1)
    C = [0.1, 1, 10]
    assert extended_points(_result([1, 2, 3], C), budget, [LINEAR]) == {LINEAR: [2]}
    assert extended_points(_result([3, 2, 1], C), budget, [LINEAR]) == {LINEAR: [-2]}
    assert extended_points(_result([1, 3, 3], C), budget, [LINEAR]) == {}
    assert extended_points(_result([1, 3, 2], C), budget, [LINEAR]) == {}


def test_refinement_surrounds_each_best_point_and_repeats_nothing():
    budget = Budget(Axis(2, -4, 4, 4), None, refine=Refinement(1, 1))
    C = [2.0**-4, 1, 2.0**4]
    assert refined_points(_result([1, 3, 2], C), budget) == {LINEAR: [-1, 1]}
    assert refined_points(_result([3, 1, 2], C), budget) == {LINEAR: [-3]}
    both = _result([[3, 1], [1, 2], [2, 3]], C, metric=("top1", "rank_loss"))
    assert refined_points(both, budget) == {LINEAR: [-3]}  # rank loss is best when lowest
    assert refined_points(both, replace(budget, refine=None)) == {}


def test_refinement_of_a_kernel_covers_both_axes():
    budget = Budget(Axis(2, 0, 4, 2), Axis(2, 0, 4, 2), refine=Refinement(1, 1))
    values = np.zeros((3, 3))
    values[1, 1] = 1
    result = _result(values, [1, 4, 16], theta=[1, 4, 16])
    assert refined_points(result, budget) == {1: [1, 2, 3], 2: [1, 3], 3: [1, 2, 3]}


def test_refined_split_contains_coarse_and_fine_points():
    budget = replace(BUDGET, refine=Refinement(1, 1))
    solve = Recorder()
    result = _tune(multiclass_set(with_val=False), budget=budget, solve=solve)
    assert set(BUDGET.C.exponents()) <= set(np.log2(result.C))
    assert len(result.C) > len(BUDGET.C.exponents())
    assert len(solve.calls) == 3 * len(result.C)  # three folds, nothing twice


def test_a_kernel_method_gets_one_gram_matrix_a_width():
    solve = Recorder()
    result = _tune(multiclass_set(), method=KERNEL, solve=solve)
    assert result.value.shape == (4, 4, 1, 2)
    assert {call["kernel"] for call in solve.calls} == {"precomputed"}
    assert (result.value[..., 0] > 60).any()


def test_blocks_and_phases_merge_to_the_whole_grid():
    prepared = multiclass_set(with_val=False)
    budget = replace(BUDGET, theta_block=3)
    fold = folds_of(prepared, prepared.splits[0], _protocol("folds"), budget, 0)[0]
    problem = fold_problem(prepared.parts["train"], fold, KERNEL, 3)

    def tune(points):
        task = task_of(KERNEL, budget, METRICS, "folds")
        return FoldPath(problem, task, 0, Recorder()).visit(points)

    assert budget.blocks("rbf") == 2
    parts = [tune(coarse_points(KERNEL, budget, block)) for block in range(2)]
    whole = tune(coarse_points(KERNEL, budget))
    merged = merge(parts)
    np.testing.assert_array_equal(merged.value, whole.value)
    np.testing.assert_array_equal(merged.theta, whole.theta)
    extra = tune({0: [0.5]})
    both = merge([whole, extra])
    assert np.isnan(both.relative_gap).sum() == 3
    without_gap = replace(whole, relative_gap=np.full_like(whole.relative_gap, np.nan))
    np.testing.assert_array_equal(merge([without_gap, extra]).value, both.value)
    assert seconds_by_split([whole, extra])["main"] == pytest.approx(
        whole.seconds.sum() + extra.seconds.sum()
    )


@pytest.mark.parametrize("screen_rows", [None, 20])
def test_a_split_goes_on_from_its_blocks(screen_rows):
    prepared = multiclass_set(with_val=False)
    refine = Refinement(1, 1)
    budget = replace(BUDGET, theta_block=2, refine=refine, screen_rows=screen_rows)
    task = task_of(KERNEL, budget, METRICS, "folds")

    def problems():
        return problems_of(prepared, task)

    calls = Recorder()
    blocks = [one for j in range(2) for one in tune_block(problems(), task, Recorder(), j)]
    found = tune_split(problems(), task, calls, blocks)
    alone = tune_split(problems(), task, Recorder())
    if screen_rows is None:
        np.testing.assert_array_equal(found.value, alone.value)
        assert len(calls.calls) < 3 * (~np.isnan(found.epochs)).sum()  # the rest was visited before
    else:
        assert len(calls.calls) == 3 * (~np.isnan(found.epochs)).sum()  # only the fine grid counts
        assert found.value.size < alone.value.size
    assert candidates([*blocks, found]) == {"main": found}


def test_folds_are_averaged_at_the_points_that_all_have_visited():
    one, two = _result([1, 2], [1, 2]), replace(_result([3, 4], [1, 2]), fold="1")
    assert average([one, two]).value.ravel().tolist() == [2, 3]
    mean = average([one, replace(_result([5, 6], [1, 4]), fold="1")])
    assert mean.C.tolist() == [1]
    assert mean.value.ravel().tolist() == [3]


def test_results_survive_their_file(tmp_path):
    result = _tune(multiclass_set())
    other = replace(result, split="other", value=result.value + 1)
    save_unit([result, other], tmp_path / "both.npz")
    save_unit([result], tmp_path / "one.npz")
    again = list(load_units([tmp_path / "both.npz", tmp_path / "one.npz"]))
    assert [one.split for one in again] == ["main", "other", "main"]
    for found, wanted in zip(again, (result, other, result), strict=True):
        np.testing.assert_array_equal(found.value, wanted.value)
        assert found.fold == "all"
        assert [str(name) for name in found.metric] == METRICS


def test_tuning_of_another_version_is_refused(tmp_path):
    old = tmp_path / "old.npz"
    np.savez(old, split="main", fold="0", **{"1.split": "main"})
    with pytest.raises(
        ValueError, match=r"old\.npz: written by another version \(1\.C, .*tune again"
    ):
        list(load_units([old]))
    np.savez(old)
    with pytest.raises(ValueError, match="another version"):
        list(load_units([old]))


# ---- regions ------------------------------------------------------------------------------------


def test_pooling_takes_the_maximum_over_an_instances_rows():
    scores = np.array([[1.0, 5], [2, 0], [7, 1], [0, 9]])
    groups = np.array([0, 1, 0, 1])
    assert pool(scores, groups).tolist() == [[7, 5], [2, 9]]
    assert pool(scores, None) is scores


def test_regions_get_the_labels_of_their_image():
    part = regions_set().parts["train"]
    assert (training_labels(part, SOFTMAX) == part.y[part.groups]).all()
    assert (training_labels(part, MULTILABEL) == part.Y[part.groups]).all()
    with pytest.raises(ValueError, match="'lr_ml' needs label sets"):
        training_labels(replace(part, Y=None), MULTILABEL)


def test_methods_of_both_kinds_are_measured_against_label_sets():
    prepared = regions_set()
    budget = replace(BUDGET, thresholds=[EquallySpaced(-1, 1, 5)])
    metrics = ["rank_loss", "f1_micro"]
    for method in (SOFTMAX, MULTILABEL):
        result = _tune(prepared, method=method, budget=budget, metrics=metrics, validation="half")
        assert result.value.shape == (1, 4, 5, 2)
        assert np.isnan(result.value[0, :, 1:, 0]).all()  # the rank loss has no threshold
        assert (result.value[0, :, 0, 0] < 0.3).any()
        assert (result.value[..., 1] > 50).any()


def test_a_fold_keeps_regions_together_and_renumbers_them():
    prepared = regions_set()
    part = prepared.parts["train"]
    fold = folds_of(prepared, prepared.splits[0], _protocol("folds"), BUDGET, 0)[0]
    problem = fold_problem(part, fold, MULTILABEL, 3)
    assert len(problem.X) + len(problem.X_eval) == len(part.X)
    assert problem.groups.max() + 1 == len(problem.truth) == len(fold.val)
    np.testing.assert_array_equal(
        problem.X_eval[problem.groups == 0], part.X[part.groups == fold.val[0]]
    )


def test_joined_parts_keep_rows_and_shift_groups():
    parts = regions_set().parts
    both = join_parts(parts["train"], parts["test"])
    n = parts["train"].n_instances
    assert both.n_instances == n + parts["test"].n_instances
    assert (both.groups[len(parts["train"].X) :] == parts["test"].groups + n).all()
    np.testing.assert_array_equal(both.Y[n:], parts["test"].Y)
