"""Working sets of pairs: certified optima of every hinge, the arguments that change the problem, and
what ends a run.
"""

import itertools
import threading
import time

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import losses
from toplabel._core import pairs, tuning
from toplabel._core.clock import Clock

N, M = 80, 5


def draw(d: int):
    """Return rows and labels of classes that overlap: a row of zeros, rows that are there twice, of
    the same and of different classes, label sets with an empty and a full one.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, d))
    X[3] = 0.0
    X[10:14] = X[20:24]
    y = np.argmax(X @ rng.normal(size=(d, M)) + 2 * rng.gumbel(size=(N, M)), axis=1)
    y[:M] = np.arange(M)
    y[10:12], y[20:22] = y[20:22], y[20:22]
    y[12:14] = (y[22:24] + 1) % M
    Y = np.maximum(np.eye(M, dtype=int)[y], rng.random((N, M)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1
    return X, y, Y


@pytest.fixture(scope="module")
def problem():
    return draw(120)


def cases() -> list[tuple[str, int, float]]:
    """Every hinge but those of centred scores, with k in {1, 2, m - 1} and gamma in {0, 0.5}."""
    hinges = [loss for loss in losses.LOSSES.values() if loss.smoothing and not loss.centred]
    ks = {loss.key: (1, 2, M - 1) if loss.top_k else (1,) for loss in hinges}
    return [(key, k, gamma) for key in ks for k, gamma in itertools.product(ks[key], (0.0, 0.5))]


def solve(problem, key, *, X=None, **options):
    y = problem[2] if losses.get(key).labels == "set" else problem[1]
    options = {"tol": 1e-8, "method": "pairs", "max_iter": 10**7} | options
    return toplabel.solve(problem[0] if X is None else X, y, key, **options)


def check(problem, key, solution, X=None) -> None:
    y = problem[2] if losses.get(key).labels == "set" else problem[1]
    certificate = toplabel.certify(problem[0] if X is None else X, y, solution)
    assert certificate.relative_gap <= 2e-8
    assert solution.primal == pytest.approx(certificate.primal, rel=1e-9)


@pytest.mark.parametrize("C", [0.1, 1e3])
@pytest.mark.parametrize("d", [6, 120])
@pytest.mark.parametrize(("key", "k", "gamma"), cases())
def test_every_hinge_has_a_certified_optimum(key, k, gamma, d, C):
    """With 6 features the blocks of the Gram matrix are singular, and most rows are at a bound."""
    problem = draw(d)
    solution = solve(problem, key, k=k, gamma=gamma, C=C)
    assert solution.status == "converged"
    check(problem, key, solution)


def test_what_ran_is_told(problem):
    solution = solve(problem, "svm_multi", C=1e3)
    assert [stage.method for stage in solution.methods] == ["sdca", "pairs"]
    assert solution.methods[1].steps > 0


@pytest.mark.parametrize("gamma", [0.0, 0.5])
@pytest.mark.parametrize("form", ["dense", "sparse", "float32", "by class", "sparse by class"])
def test_the_optimum_is_that_of_coordinate_ascent(problem, monkeypatch, form, gamma):
    if form.endswith("by class"):
        monkeypatch.setattr(tuning, "PAIRS_GRAM_BYTES", 0)
        monkeypatch.setattr(tuning, "DENSE_BYTES", 0)
    X = problem[0].astype(np.float32).astype(np.float64)
    X = sparse.csr_array(X) if form.startswith("sparse") else X
    X = X.astype(np.float32) if form == "float32" else X
    rng = np.random.default_rng(1)
    weight = rng.choice([0.0, 0.5, 3.0], N)
    W0 = rng.normal(size=(120, M))
    options = {"X": X, "C": 2.0, "gamma": gamma, "sample_weight": weight, "W0": W0}
    options["tol"] = (
        1e-5 if form == "float32" else 1e-8
    )  # the certificate of float32 rows is as fine
    pairs = solve(problem, "svm_multi", fit_intercept=True, **options)
    sdca = solve(problem, "svm_multi", fit_intercept=True, method="sdca", **options)
    assert pairs.status == sdca.status == "converged"
    assert pairs.methods[-1].method == "pairs"
    assert pairs.primal == pytest.approx(sdca.primal, rel=2 * options["tol"])
    assert np.abs(pairs.W - sdca.W).max() < (0.1 if form == "float32" else 1e-2)
    assert np.abs(pairs.intercept - sdca.intercept).max() < (0.1 if form == "float32" else 1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gram_matrix_has_the_optimum_of_its_rows(problem, dtype):
    X = problem[0].astype(np.float32).astype(np.float64)
    X = np.round(8 * X) / 8  # the Gram matrix is exact in float32
    options = {"C": 50.0, "tol": 1e-6, "fit_intercept": True}
    rows = solve(problem, "svm_multi", X=X, **options)
    K = (X @ X.T).astype(dtype)
    kernel = solve(problem, "svm_multi", X=K, kernel="precomputed", **options)
    assert kernel.status == "converged"
    assert kernel.methods[-1].method == "pairs"
    assert kernel.primal == pytest.approx(rows.primal, rel=1e-5)
    assert np.abs(X.T @ kernel.coefficients - rows.W).max() < 1e-2


def test_gaps_below_the_rounding_of_the_blocks(problem):
    solution = solve(problem, "svm_multi", kernel="rbf", theta=0.01, C=100.0, tol=1e-10)
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
    labels = np.minimum(y, M - 2)
    options = {"C": 10.0, "tol": 1e-8, "n_classes": M, "method": "pairs"}
    solution = toplabel.solve(X, labels, "svm_multi", **options)
    assert solution.status == "converged"
    assert toplabel.certify(X, labels, solution).relative_gap <= 2e-8


def test_a_warm_start_goes_on_from_a_solution(problem):
    first = solve(problem, "svm_multi", C=1e3, tol=1e-6)
    again = solve(problem, "svm_multi", C=1e3, tol=1e-6, warm_start=first)
    assert again.epochs == 0
    near = solve(problem, "svm_multi", C=2e3, warm_start=first)
    check(problem, "svm_multi", near)


def test_a_path_goes_from_one_C_to_the_next(problem):
    X, y, _ = problem
    Cs = [1e3, 0.1, 10.0]
    path = toplabel.path(X, y, Cs, "svm_multi", tol=1e-8, method="pairs", max_iter=10**6)
    assert [solution.C for solution in path] == Cs
    for solution in path:
        check(problem, "svm_multi", solution)


def test_records_reach_the_callback_which_ends_the_run(problem):
    X, y, _ = problem
    seen = []

    def stop(record):
        seen.append(record)
        return record.epoch > tuning.PAIRS_FIRST

    solution = solve(problem, "svm_multi", C=1e3, callback=stop, watch={"itself": (X, y)})
    assert solution.status == "interrupted"
    assert [record.epoch for record in seen] == sorted(record.epoch for record in seen)
    scores = solution.decision_function(X)
    mean = losses.value("svm_multi", scores, y).mean()
    assert solution.history[-1].watched["itself"] == pytest.approx(mean)


def test_limits_end_the_run_with_what_was_reached(problem):
    for limit in ({"time_limit": 0.0}, {"cpu_limit": 0.0}):
        solution = solve(problem, "svm_multi", **limit)
        assert (solution.status, solution.epochs) == ("time_limit", 0)
        assert solution.relative_gap < np.inf
    solution = solve(problem, "svm_multi", C=1e3, tol=0.0, max_iter=tuning.PAIRS_FIRST + 1)
    assert (solution.status, solution.epochs) == ("max_iter", tuning.PAIRS_FIRST + 1)
    assert solve(problem, "svm_multi", max_iter=0).epochs == 0


@pytest.mark.parametrize("form", ["gathered", "by class"])
def test_a_limit_within_the_choice_of_pairs_ends_the_run(monkeypatch, form):
    """All pairs of so many rows are so many products that the C library asks before it gathers them."""
    if form == "by class":
        monkeypatch.setattr(tuning, "PAIRS_GRAM_BYTES", 0)
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(1400, 6)), (rng.random((1400, M)) < 0.3).astype(int)
    fill = pairs._Kernel.fill

    def fill_late(*arguments):
        monkeypatch.setattr(Clock, "is_over", lambda clock: True)
        return fill(*arguments)

    monkeypatch.setattr(pairs._Kernel, "fill", fill_late)
    solution = toplabel.solve(X, Y, "svm_ova", gamma=1.0, tol=0.0, method="pairs", max_iter=10**6)
    assert solution.status == "time_limit"
    assert solution.relative_gap < 1.0


def test_ctrl_c_ends_the_run_with_what_was_reached(problem):
    def interrupt(record):
        if record.epoch > tuning.PAIRS_FIRST:
            raise KeyboardInterrupt
        return False

    solution = solve(problem, "svm_multi", C=1e3, callback=interrupt)
    assert solution.status == "interrupted"
    assert solution.relative_gap < 1.0


def test_no_gap_below_rounding_is_claimed(problem):
    solution = solve(problem, "svm_multi", C=1e3, tol=1e-17)
    assert solution.status in ("stalled", "imprecise")
    assert 0.0 < solution.relative_gap < 1e-10


def test_the_same_seed_gives_the_same_numbers(problem):
    first, second = (solve(problem, "svm_multi", C=1e3, seed=3) for _ in range(2))
    assert np.array_equal(first.A, second.A)


def test_what_the_method_does_not_take_is_refused(problem, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="hinge"):
        solve(problem, "lr_multi")
    with pytest.raises(ValueError, match="mean"):
        solve(problem, "sc_svm")
    np.save(tmp_path / "X.npy", problem[0])
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert solve(problem, "svm_multi", X=mapped).status == "converged"
    monkeypatch.setattr(tuning, "LARGE_FILE", mapped.nbytes - 1)
    with pytest.raises(ValueError, match="memory"):
        solve(problem, "svm_multi", X=mapped)


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
    solution = solve(draw(6), "svm_multi", C=1e3, max_iter=limit)
    assert solution.status == "max_iter"
    assert solution.epochs <= limit
    assert solution.methods[1].steps > 0


@pytest.mark.parametrize(
    ("key", "kernel"), [("svm_multi", {}), ("svm_ml", {"kernel": "rbf", "theta": 0.05})]
)
def test_threads_share_the_blocks_and_leave_the_bits(key, kernel, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 20))
    y = np.argmax(X @ rng.normal(size=(20, M)) + 2 * rng.gumbel(size=(900, M)), axis=1)
    y = np.eye(M, dtype=int)[y] if losses.get(key).labels == "set" else y
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
