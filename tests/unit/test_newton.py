"""Newton's method: its steps, what it takes, where it takes over, and what ends a run."""

import numpy as np
import pytest
from solver_cases import check_optimum, overlapping_rows, solve_by

import toplabel
from toplabel._core import tuning
from toplabel._core.clock import Clock


@pytest.fixture
def problem():
    return overlapping_rows(6)


def test_diagonals_take_the_place_of_blocks_that_are_too_large(problem, monkeypatch):
    monkeypatch.setattr(tuning, "DIRECT", 0)
    monkeypatch.setattr(tuning, "BLOCK_BYTES", 0)
    solution = solve_by("newton", problem, "topk_ent", k=2, C=10.0)
    check_optimum(problem, "topk_ent", solution)


def test_groups_of_classes_say_what_ran_in_any_of_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), 35 + np.arange(300) % 35  # none of the first group
    found = toplabel.solve(X, y, "svm_ova", C=100.0, tol=1e-8, n_classes=70)
    assert [stage.method for stage in found.methods] == ["sdca", "newton"]


def test_groups_of_classes_are_trained_on_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.arange(300) % 70
    options = {"C": 1.0, "tol": 1e-6, "method": "newton", "n_jobs": 2}
    found = toplabel.solve(X, y, "svm_ova", **options)
    assert found.status == "converged"
    assert toplabel.certify(X, y, found).relative_gap < 1e-5


def test_what_the_method_does_not_take_is_refused(problem):
    with pytest.raises(ValueError, match="kernel"):
        solve_by("newton", problem, "svm_multi", kernel="rbf", theta=1.0)
    with pytest.raises(ValueError, match="method"):
        solve_by("gradient", problem, "svm_multi")


def test_steps_where_all_rows_are_at_a_bound():
    """Without a row between its bounds a step is along the gradient, and 1e-7 of it is long."""
    rng = np.random.default_rng(2)
    angle = rng.uniform(0.0, np.pi, 200)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    segments = np.minimum((angle / np.pi * 3).astype(int), 2)
    y = np.where(rng.random(200) < 0.4, rng.integers(0, 3, 200), segments)
    found = toplabel.solve(X, y, "svm_ova", C=1e4, tol=1e-7, method="newton")
    assert found.status == "converged"
    assert toplabel.certify(X, y, found).relative_gap < 1e-6


@pytest.fixture(scope="module")
def hard():
    """Numbers from 0 to 255 around a large mean, as in raw pictures; classes that overlap."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    centres = rng.normal(size=(4, 12))
    X = np.clip(np.round(200 + 5 * (centres[y] + 1.5 * rng.normal(size=(400, 12)))), 0, 255)
    return X, y


def test_newton_takes_over_where_passes_are_slow(hard):
    X, y = hard
    seen = []
    options = {"C": 1.0, "tol": 1e-6, "method": "auto", "callback": seen.append}
    found = toplabel.solve(X, y, "svm_multi", **options)
    assert found.status == "converged"
    assert [stage.method for stage in found.methods] == ["sdca", "newton"]
    assert found.methods[0].steps < 200
    assert found.epochs == found.methods[0].steps + found.methods[1].steps
    epochs = [record.epoch for record in seen]
    assert epochs == sorted(epochs)
    assert toplabel.certify(X, y, found).relative_gap <= 2e-6
    again = toplabel.solve(X, y, "svm_multi", **options)
    assert np.array_equal(again.A, found.A)
    assert again.methods == found.methods


def test_coordinate_ascent_stays_where_it_is_fast(problem, hard):
    easy = solve_by("auto", problem, "svm_multi", gamma=1.0, C=0.1, tol=1e-3)
    assert [stage.method for stage in easy.methods] == ["sdca"]
    X, y = hard
    for options in ({"acceleration": False}, {"kernel": "precomputed"}, {"method": "sdca"}):
        rows = X @ X.T if "kernel" in options else X
        options = {"method": "auto", "max_iter": 50} | options
        found = toplabel.solve(rows, y, "svm_multi", **options)
        assert [stage.method for stage in found.methods] == ["sdca"]


def test_limits_hold_for_both_methods_together(hard):
    X, y = hard
    whole = toplabel.solve(X, y, "svm_multi", tol=1e-6, method="auto")
    assert whole.methods[1].steps > 3
    limit = whole.methods[0].steps + 3
    found = toplabel.solve(X, y, "svm_multi", tol=1e-6, method="auto", max_iter=limit)
    assert (found.status, found.epochs) == ("max_iter", limit)


def test_a_limit_within_the_preconditioner_ends_the_run(problem, monkeypatch):
    monkeypatch.setattr(tuning, "DIRECT", 0)
    inverse, inverted = np.linalg.inv, []

    def invert(block):
        monkeypatch.setattr(Clock, "is_over", lambda clock: True)
        inverted.append(block)
        return inverse(block)

    monkeypatch.setattr(np.linalg, "inv", invert)
    found = solve_by("newton", problem, "svm_multi")
    assert (found.status, len(inverted)) == ("time_limit", 1)


@pytest.mark.parametrize("max_iter", [1, 2, 3, 10])
def test_conjugate_gradients_stop_at_the_number_of_passes(max_iter):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 80)), np.arange(300) % 20
    options = {"tol": 1e-15, "max_iter": max_iter, "method": "newton"}
    found = toplabel.solve(X, y, "svm_multi", **options)
    assert (found.status, found.epochs) == ("max_iter", max_iter)
    assert found.methods[0].steps > 0
