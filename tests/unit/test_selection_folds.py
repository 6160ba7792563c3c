"""Folds: who trains, who validates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_sets import multiclass_set, problems_of, regions_set, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.selection.problems import half_fold, stratified_folds

METHOD = Method("lr_multi", "A", "lr_multi")
BUDGET = Budget(Axis(2, -4, 6, 2), None, folds=3)


@given(st.lists(st.integers(0, 4), min_size=4, max_size=60), st.integers(2, 4), st.integers(0, 5))
def test_stratified_folds_partition_and_spread_every_class(labels, count, seed):
    y = np.array(labels)
    folds = stratified_folds(y, count, seed)
    together = np.sort(np.concatenate([fold.val for fold in folds]))
    np.testing.assert_array_equal(together, np.arange(len(y)))
    for fold in folds:
        np.testing.assert_array_equal(np.sort(np.r_[fold.train, fold.val]), np.arange(len(y)))
    for label in np.unique(y):
        per_fold = [(y[fold.val] == label).sum() for fold in folds]
        assert max(per_fold) - min(per_fold) <= 1


def test_there_are_no_more_folds_than_instances():
    with pytest.raises(ValueError, match="8 folds of 7 instances"):
        stratified_folds(np.zeros(7), 8, 0)


def test_folds_depend_on_names_and_on_nothing_else():
    first, again = (stratified_folds(np.zeros(50), 5, 0, "yeast", "main") for _ in range(2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.val, b.val)
    for names in [(1, "yeast", "main"), (0, "scene", "main"), (0, "yeast", "s01")]:
        other = stratified_folds(np.zeros(50), 5, *names)
        assert any((a.val != b.val).any() for a, b in zip(first, other, strict=True))


def test_the_larger_half_trains():
    fold = half_fold(7, 0, "voc2007", "main")
    assert len(fold.train) == 4
    np.testing.assert_array_equal(np.sort(np.r_[fold.train, fold.val]), np.arange(7))


def test_the_regions_of_an_image_stay_together():
    part = regions_set().parts["train"]
    task = task_of(Method("lr_ml", "A", "lr_ml"), BUDGET, ["rank_loss"], "half", dataset="scenes")
    (problem,) = problems_of(regions_set(), task)
    assert len(problem.X) + len(problem.X_eval) == len(part.X)
    assert problem.groups.max() + 1 == len(problem.truth)
    rows = {tuple(row): image for row, image in zip(part.X, part.groups, strict=True)}
    images = [{rows[tuple(row)] for row in X} for X in (problem.X, problem.X_eval)]
    assert not images[0] & images[1]


@pytest.mark.parametrize(("share", "used"), [(0.1, 1), (0.4, 2), (0.9, 3), (9.0, 3)])
def test_as_many_folds_are_used_as_hold_the_rows_asked_for(share, used):
    prepared = multiclass_set(with_val=False)
    rows = round(share * prepared.parts["train"].n_instances)
    some = Budget(BUDGET.C, None, folds=3, validation_rows=rows)
    found, whole = (problems_of(prepared, task_of(METHOD, b)) for b in (some, BUDGET))
    assert (len(found), len(whole)) == (used, 3)
    for one, other in zip(found, whole, strict=False):
        np.testing.assert_array_equal(one.X_eval, other.X_eval)
