"""Working sets of pairs: their steps, what they take, where they take over, threads, and Ctrl-C."""

import threading
import time

import numpy as np
import pytest
from solver_cases import N_CLASSES, overlapping_rows, solve_by

import toplabel
from toplabel import losses
from toplabel._core import pairs, tuning
from toplabel._core.clock import Clock


@pytest.fixture(scope="module")
def problem():
    return overlapping_rows(120)


def test_what_ran_is_told(problem):
    solution = solve_by("pairs", problem, "svm_multi", C=1e3)
    assert [stage.method for stage in solution.methods] == ["sdca", "pairs"]
    assert solution.methods[1].steps > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gram_matrix_has_the_optimum_of_its_rows(problem, dtype):
    X = problem[0].astype(np.float32).astype(np.float64)
    X = np.round(8 * X) / 8  # the Gram matrix is exact in float32
    options = {"C": 50.0, "tol": 1e-6, "fit_intercept": True}
    rows = solve_by("pairs", problem, "svm_multi", X=X, **options)
    K = (X @ X.T).astype(dtype)
    kernel = solve_by("pairs", problem, "svm_multi", X=K, kernel="precomputed", **options)
    assert kernel.status == "converged"
    assert kernel.methods[-1].method == "pairs"
    assert kernel.primal == pytest.approx(rows.primal, rel=1e-5)
    assert np.abs(X.T @ kernel.coefficients - rows.W).max() < 1e-2


def test_gaps_below_the_rounding_of_the_blocks(problem):
    solution = solve_by("pairs", problem, "svm_multi", kernel="rbf", theta=0.01, C=100.0, tol=1e-10)
    assert solution.status == "converged"


def test_newton_steps_go_on_where_their_gain_is_below_the_rounding_of_a_projection():
    """With all steps projected, 35 outer steps were made: from the eighth on by passes alone."""
    rng = np.random.default_rng(0)
    n, d, m = 400, 100, 30
    X = np.round(rng.random((n, d)) * (rng.random((n, d)) < 0.5), 1)
    y = rng.integers(0, m, n)
    options = {"k": 5, "C": 1e4, "tol": 1e-8, "max_iter": 3000, "method": "pairs"}
    solution = toplabel.solve(X, y, "topk_svm_alpha", n_classes=m, **options)
    assert solution.status == "converged"
    assert solution.methods[1].steps <= 14


def test_a_class_without_rows(problem):
    X, y, _ = problem
    labels = np.minimum(y, N_CLASSES - 2)
    options = {"C": 10.0, "tol": 1e-8, "n_classes": N_CLASSES, "method": "pairs"}
    solution = toplabel.solve(X, labels, "svm_multi", **options)
    assert solution.status == "converged"
    assert toplabel.certify(X, labels, solution).relative_gap <= 2e-8


@pytest.mark.parametrize("form", ["gathered", "by class"])
def test_a_limit_within_the_choice_of_pairs_ends_the_run(monkeypatch, form):
    """All pairs of so many rows are so many products that the C library asks before it gathers them."""
    if form == "by class":
        monkeypatch.setattr(tuning, "PAIRS_GRAM_BYTES", 0)
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(1400, 6)), (rng.random((1400, N_CLASSES)) < 0.3).astype(int)
    fill = pairs._Kernel.fill

    def fill_late(*arguments):
        monkeypatch.setattr(Clock, "is_over", lambda clock: True)
        return fill(*arguments)

    monkeypatch.setattr(pairs._Kernel, "fill", fill_late)
    solution = toplabel.solve(X, Y, "svm_ova", gamma=1.0, tol=0.0, method="pairs", max_iter=10**6)
    assert solution.status == "time_limit"
    assert solution.relative_gap < 1.0


def test_no_gap_below_rounding_is_claimed(problem):
    solution = solve_by("pairs", problem, "svm_multi", C=1e3, tol=1e-17)
    assert solution.status in ("stalled", "imprecise")
    assert 0.0 < solution.relative_gap < 1e-10


def test_what_the_method_does_not_take_is_refused(problem):
    with pytest.raises(ValueError, match="hinge"):
        solve_by("pairs", problem, "lr_multi")
    with pytest.raises(ValueError, match="mean"):
        solve_by("pairs", problem, "sc_svm")


@pytest.fixture(scope="module")
def wide():
    """Rows of separated classes with more features than most classes have rows."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 12
    rows = 0.35 * rng.normal(size=(12, 150))[y] + rng.normal(size=(400, 150))
    return np.round(8 * rows) / 8, y


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_the_pairs_take_over_where_passes_are_slow(wide, kernel):
    X, y = wide
    rows = X @ X.T if kernel == "precomputed" else X
    options = {"gamma": 1.0, "C": 1e5, "tol": 1e-6, "kernel": kernel}
    solution = toplabel.solve(rows, y, "svm_multi", **options)
    assert solution.status == "converged"
    assert [stage.method for stage in solution.methods] == ["sdca", "pairs"]
    again = toplabel.solve(rows, y, "svm_multi", **options)
    assert np.array_equal(again.A, solution.A)
    plain = toplabel.solve(
        rows, y, "svm_multi", **options | {"acceleration": 10.0, "max_iter": 500}
    )
    assert [stage.method for stage in plain.methods] == ["sdca"]


def test_coordinate_ascent_stays_where_it_is_fast(wide):
    X, y = wide
    solution = toplabel.solve(X, y, "svm_multi", gamma=1.0, C=1.0, tol=1e-6)
    assert [stage.method for stage in solution.methods] == ["sdca"]


@pytest.mark.parametrize("more", [2, 3, 10, 100])
def test_the_pairs_stop_at_the_number_of_passes(more):
    """With 6 features a pass over the pairs costs more than one over the rows."""
    limit = tuning.PAIRS_FIRST + more
    solution = solve_by("pairs", overlapping_rows(6), "svm_multi", C=1e3, max_iter=limit)
    assert solution.status == "max_iter"
    assert solution.epochs <= limit
    assert solution.methods[1].steps > 0


@pytest.mark.parametrize(
    ("key", "kernel"), [("svm_multi", {}), ("svm_ml", {"kernel": "rbf", "theta": 0.05})]
)
def test_threads_share_the_blocks_and_leave_the_bits(key, kernel, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 20))
    y = np.argmax(
        X @ rng.normal(size=(20, N_CLASSES)) + 2 * rng.gumbel(size=(900, N_CLASSES)), axis=1
    )
    y = np.eye(N_CLASSES, dtype=int)[y] if losses.get(key).labels == "set" else y
    parts = []
    run = pairs._Team.run

    def count(team, number, *task):
        parts.append(number)
        run(team, number, *task)

    monkeypatch.setattr(pairs._Team, "run", count)
    options = {"method": "pairs", "tol": 1e-6, "max_iter": 10**6} | kernel
    alone = toplabel.solve(X, y, key, **options)
    assert not parts
    shared = toplabel.solve(X, y, key, n_jobs=3, **options)
    assert set(parts) == {3}
    assert shared.status == "converged"
    np.testing.assert_array_equal(shared.A, alone.A)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_leaves_no_part_of_a_task_out(times):
    clock = Clock()
    team = pairs._Team(2, clock)
    done = []

    def task(argument, part):
        done.append(part)
        if part == 0 and done.count(0) <= times:
            raise KeyboardInterrupt

    team.run(3, task, None)
    team.end()
    assert clock.is_interrupted
    assert [done.count(part) for part in range(3)] == [1 + times, 2, 2]


def test_ctrl_c_leaves_no_thread_at_work(monkeypatch):
    """It comes when a part has been given to a thread, and its future is not known yet."""
    team = pairs._Team(2, Clock())
    submit, began, ended = team._pool.submit, [], []

    def submit_and_interrupt(*call):
        submit(*call)
        raise KeyboardInterrupt

    def task(argument, part):
        began.append(part)
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.2)
        ended.append(part)

    monkeypatch.setattr(team._pool, "submit", submit_and_interrupt)
    team.run(3, task, None)
    assert sorted(began) == sorted(ended) == [0, 1, 1, 2]


def test_parts_are_done_where_no_thread_can_be_started(monkeypatch):
    team = pairs._Team(2, Clock())
    done = []

    def refuse(*call):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(team._pool, "submit", refuse)
    for _ in range(2):
        team.run(3, lambda argument, part: done.append(part), None)
    assert done == [0, 1, 2, 0, 1, 2]
