"""Folds: who trains, who validates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toplabel.reproduction.selection.problems import (
    half_fold,
    random_folds,
    rows_of,
    stratified_folds,
)


@given(st.lists(st.integers(0, 4), min_size=4, max_size=60), st.integers(2, 4), st.integers(0, 5))
def test_stratified_folds_partition_and_spread_every_class(labels, count, seed):
    y = np.array(labels)
    folds = stratified_folds(y, count, seed)
    assert len(folds) == count
    together = np.sort(np.concatenate([fold.val for fold in folds]))
    np.testing.assert_array_equal(together, np.arange(len(y)))
    for fold in folds:
        assert np.intersect1d(fold.train, fold.val).size == 0
        assert len(fold.train) + len(fold.val) == len(y)
    for label in np.unique(y):
        per_fold = [(y[fold.val] == label).sum() for fold in folds]
        assert max(per_fold) - min(per_fold) <= 1
    sizes = [len(fold.val) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


@given(st.integers(2, 60), st.integers(2, 10), st.integers(0, 5))
def test_random_folds_partition(n, count, seed):
    if count > n:
        with pytest.raises(ValueError, match=f"{count} folds of {n} instances"):
            random_folds(n, count, seed)
        return
    folds = random_folds(n, count, seed)
    together = np.sort(np.concatenate([fold.val for fold in folds]))
    np.testing.assert_array_equal(together, np.arange(n))
    assert all((np.diff(fold.train) > 0).all() for fold in folds)


def test_folds_depend_on_names_and_on_nothing_else():
    first, again = random_folds(50, 5, 0, "yeast", "main"), random_folds(50, 5, 0, "yeast", "main")
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a.val, b.val)
    for names in [(1, "yeast", "main"), (0, "scene", "main"), (0, "yeast", "s01")]:
        other = random_folds(50, 5, *names)
        assert any((a.val != b.val).any() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("n", [2, 7, 100])
def test_halves(n):
    fold = half_fold(n, 0, "voc2007", "main")
    assert len(fold.train) == (n + 1) // 2
    np.testing.assert_array_equal(np.sort(np.r_[fold.train, fold.val]), np.arange(n))


def test_one_instance_has_no_halves():
    with pytest.raises(ValueError, match="1 instance"):
        half_fold(1)


def test_regions_of_an_image_stay_together():
    groups = np.array([0, 0, 1, 2, 2, 2, 3])
    fold = half_fold(4, 0)
    train, val = rows_of(fold.train, groups), rows_of(fold.val, groups)
    assert np.intersect1d(groups[train], groups[val]).size == 0
    np.testing.assert_array_equal(np.sort(np.r_[train, val]), np.arange(7))
    np.testing.assert_array_equal(rows_of(fold.val, None), fold.val)
