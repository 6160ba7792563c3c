"""The forms of input and the options of the solver: all lead to the same certified optimum."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from solver_cases import CONVEX, bare_run, target

import toplabel
from toplabel import losses
from toplabel._core import run as _run
from toplabel._core.run import Start
from toplabel.kernels import rbf_gram


@pytest.fixture(scope="module")
def problem():
    """Sparse rows, wide enough for blocks when dense; row 0 is zero, feature 3 constant, rows 4 and
    5 are equal.
    """
    rng = np.random.default_rng(3)
    n, d, m = 90, 80, 7
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.15)
    X[:, 3] = 1.0
    X[0] = 0.0
    X[5] = X[4]
    X = X.astype(np.float32).astype(np.float64)  # exact in both types
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    y[:m] = np.arange(m)
    Y = np.maximum(np.eye(m, dtype=int)[y], rng.random((n, m)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1  # an empty and a full label set
    return X, y, Y


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, np.asfortranarray])
def test_every_form_has_the_same_optimum(problem, form):
    X, y, _ = problem
    options = {"C": 0.5, "tol": 1e-8, "max_iter": 20000}
    dense, other = (toplabel.solve(rows, y, **options) for rows in (X, form(X)))
    assert dense.status == other.status == "converged"
    assert other.primal == pytest.approx(dense.primal, rel=2e-8)


def test_dtype_is_that_of_the_products(problem):
    X, y, _ = problem
    single = X.astype(np.float32)
    options = {"C": 0.5, "tol": 1e-4, "max_iter": 7, "eval_every": 7}
    as_is, asked = (
        toplabel.solve(single, y, **options),
        toplabel.solve(X, y, dtype="float32", **options),
    )
    np.testing.assert_array_equal(as_is.A, asked.A)
    double = toplabel.solve(single, y, dtype=np.float64, **options)
    np.testing.assert_array_equal(double.A, toplabel.solve(X, y, **options).A)
    assert not np.array_equal(double.A, asked.A)


@pytest.mark.parametrize("key", ["svm_multi", "topk_ent_tr"])
def test_a_sparse_gram_matrix_may_be_rounded_to_float32(problem, key):
    X, y = problem[0] + 1e-9 * np.pi, target(problem, key)
    K, options = X @ X.T, {"loss": key, "kernel": "precomputed", "dtype": np.float32}
    dense, of_sparse = (toplabel.solve(k, y, **options) for k in (K, sparse.csr_array(K)))
    assert of_sparse.primal == dense.primal
    assert of_sparse.status == "converged"


def test_a_descent_in_float32_ends_with_the_numbers_of_the_rows_that_were_passed():
    X, y = np.array([[1e-50], [-1e-50], [2e-50]]), [0, 1, 2]
    options = {"loss": "topk_ent_tr", "C": 1e100, "dtype": np.float32}
    with pytest.warns(UserWarning, match="3 numbers that are 0 in float32"):
        solution = toplabel.solve(X, y, **options)
    assert solution.status == "imprecise"  # W = 0 is the optimum for rows of zeros alone
    assert solution.gradient_norm > 0.0
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + 1e-9
    solution = toplabel.solve(X, np.arange(40) % 4, **{**options, "C": 1.0}, k=2)
    penalty = (solution.W**2).sum() / (2 * 40)
    mean = toplabel.losses.value("topk_ent_tr", X @ solution.W, np.arange(40) % 4, k=2).mean()
    assert (
        solution.primal == solution.history[-1].primal == pytest.approx(mean + penalty, rel=1e-14)
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_numbers_beyond_float32_are_named(form):
    X = form(np.array([[1.0], [1e100]]))
    with pytest.raises(ValueError, match=r"is 1e\+100, beyond the range of float32"):
        toplabel.solve(X, [0, 1], dtype=np.float32)


def test_numbers_that_float32_makes_zero_are_named_and_prove_nothing():
    X = [[1e-50], [-1e-50]]
    with pytest.warns(
        UserWarning, match="X has 2 numbers that are 0 in float32, the first .* 1e-50"
    ):
        solution = toplabel.solve(X, [0, 1], C=1e100, dtype=np.float32)
    assert solution.status == "imprecise"
    assert solution.primal - solution.dual >= 2.0


def test_memory_mapped_rows_are_read_in_place(problem, tmp_path, monkeypatch):
    X, y = problem[0] + 0.5, problem[1]  # no zeros: in memory, such rows become sparse ones
    for dtype in (np.float32, np.float64):
        file = tmp_path / f"X_{np.dtype(dtype)}.npy"
        np.save(file, X.astype(dtype))
        mapped = np.load(file, mmap_mode="r")
        seen = []
        original = _run.describe

        def describe(problem, *rest, seen=seen, original=original):
            seen.append(problem.features)
            return original(problem, *rest)

        monkeypatch.setattr(_run, "describe", describe)
        solution = toplabel.solve(mapped, y, tol=1e-3)
        assert np.shares_memory(seen[0], mapped)
        here = toplabel.solve(X.astype(dtype), y, tol=1e-3, dtype=dtype)  # no float32 copy
        assert solution.primal == here.primal


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_may_be_shuffled_in_windows(problem, form):
    X, y = form(np.tile(problem[0], (9, 1))), np.tile(problem[1], 9)
    options = {"loss": "svm_multi", "gamma": 0.5, "C": 0.05, "tol": 1e-7, "max_iter": 5000}
    whole = toplabel.solve(X, y, **options)
    for window in (1, 100, 300, 10**9):
        windows = toplabel.solve(X, y, window=window, **options)
        assert windows.status == "converged"
        assert toplabel.certify(X, y, windows).relative_gap <= 2e-7
        assert windows.primal == pytest.approx(whole.primal, rel=3e-7)
        assert np.array_equal(windows.A, whole.A) == (window == 10**9)


def test_pages_of_a_mapped_file_are_given_back(problem, tmp_path, monkeypatch):
    """What is dropped is read again: the result is that of the array in memory, NaN is found."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 700)).astype(np.float32), np.arange(3000) % 4
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    options = {"C": 1e-3, "window": 640, "max_iter": 3, "tol": 1e-9}
    np.testing.assert_array_equal(
        toplabel.solve(mapped, y, **options).A, toplabel.solve(X, y, **options).A
    )
    np.testing.assert_array_equal(mapped, X)
    X[2001, 13] = np.nan
    np.save(tmp_path / "bad.npy", X)
    with pytest.raises(ValueError, match=r"X\[2001, 13\] is nan"):
        toplabel.solve(np.load(tmp_path / "bad.npy", mmap_mode="r"), y)


def test_sparse_input_is_left_alone(problem):
    X, y, _ = problem
    rows = sparse.coo_array(X)
    twice = sparse.csr_array(
        (
            np.repeat(rows.data / 2, 2)[::-1],
            (np.repeat(rows.row, 2)[::-1], np.repeat(rows.col, 2)[::-1]),
        ),
        shape=X.shape,
    )
    data = twice.data.copy()
    solution = toplabel.solve(twice, y, tol=1e-6)
    np.testing.assert_array_equal(twice.data, data)
    assert solution.primal == pytest.approx(toplabel.solve(X, y, tol=1e-6).primal, rel=2e-6)
    twice.data[3] = np.nan
    with pytest.raises(ValueError, match=r"X.data\[\d+\] is nan"):
        toplabel.solve(twice, y)


def test_sparse_rows_may_be_views_with_gaps(problem):
    X, y, _ = problem
    whole = sparse.csr_array(X)
    gaps = sparse.csr_array(
        (
            np.repeat(whole.data, 2)[::2],
            np.repeat(whole.indices, 2)[::2],
            np.repeat(whole.indptr, 3)[::3],
        ),
        shape=whole.shape,
    )
    assert not gaps.data.flags.c_contiguous
    expected, found = toplabel.solve(whole, y), toplabel.solve(gaps, y)
    np.testing.assert_array_equal(found.W, expected.W)
    np.testing.assert_array_equal(found.decision_function(gaps), expected.decision_function(whole))


def test_sparse_rows_may_be_empty_all():
    X = sparse.csr_array((4, 3))
    solution = toplabel.solve(X, [0, 1, 0, 1], loss="lr_multi", tol=1e-8)
    assert solution.status == "converged"
    assert solution.primal == pytest.approx(np.log(2))


# ---- kernels ----------------------------------------------------------------------------------------


def test_a_function_may_be_the_kernel(problem):
    X, y, _ = problem

    def cubic(A, B):
        return (1.0 + A @ B.T / 80) ** 3

    options = {"tol": 1e-6, "C": 2.0}
    called = toplabel.solve(X, y, kernel=cubic, **options)
    given = toplabel.solve(cubic(X, X), y, kernel="precomputed", **options)
    np.testing.assert_array_equal(called.A, given.A)
    np.testing.assert_allclose(
        called.decision_function(X[:5]), cubic(X[:5], X) @ called.coefficients
    )
    assert [s.kernel for s in toplabel.path(X, y, [0.1, 1.0], kernel=cubic)] == [cubic, cubic]
    with pytest.raises(ValueError, match=r"kernel must return an array of shape \(90, 90\)"):
        toplabel.solve(X, y, kernel=lambda A, B: A)
    with pytest.raises(ValueError, match="kernel returned NaN"):
        toplabel.solve(X, y, kernel=lambda A, B: np.full((len(A), len(B)), np.nan))


def test_float32_rows_do_not_make_a_float32_gram_matrix(problem):
    X, y, _ = problem
    single, double = (
        toplabel.solve(rows, y, kernel="rbf", theta=0.1) for rows in (X.astype(np.float32), X)
    )
    assert (single.primal, single.dual) == (double.primal, double.dual)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_warm_start_finds_its_scale_from_a_part_of_many_rows(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4200, 3))
    y = np.argmax(X + rng.gumbel(size=X.shape), axis=1)
    K = rbf_gram(X, 0.2, dtype)
    options = {"loss": "lr_multi", "kernel": "precomputed", "tol": 1e-3}
    small = toplabel.solve(K, y, C=0.1, **options)
    C = 0.4
    begun = toplabel.solve(K, y, C=C, warm_start=small, max_iter=0, **options)

    def dual(s):
        conjugates = losses.conjugate("lr_multi", -s * small.A / C, y).sum()
        return (-C * conjugates - 0.5 * s * s * np.sum(small.A * (K @ small.A))) / (C * len(y))

    best = max(dual(s) for s in np.linspace(1.0, 4.0, 61))
    assert best - begun.dual <= 0.02 * (best - dual(1.0))


@pytest.mark.parametrize("acceleration", [False, 2.0])
@pytest.mark.parametrize("key", CONVEX)
def test_a_warm_start_with_a_gram_matrix_has_an_estimate(wide_problem, key, acceleration):
    """Of the coefficients, where there are any: that of the dual variables alone is larger."""
    y = target(wide_problem, key)
    K = rbf_gram(wide_problem[0], 0.3)
    options = {"kernel": "precomputed", "C": 0.5, "tol": 1e-3, "acceleration": acceleration}
    small = toplabel.solve(K, y, key, **options)
    start = Start(small.A.copy(), 0.5, small.coefficients, small.r)
    run = bare_run(K, y, key, 2.0, start, kernel="precomputed")
    # With so few rows the sample is all of them.
    assert run.progress().relative_gap == pytest.approx(run.evaluate().relative_gap, rel=1e-6)


def test_a_start_far_from_done_is_not_evaluated_with_a_gram_matrix(problem):
    X, y, _ = problem
    K = rbf_gram(X, 0.1)
    options = {"kernel": "precomputed", "loss": "lr_multi"}
    small = toplabel.solve(K, y, C=0.5, tol=1e-6, **options)
    options |= {"warm_start": small, "C": 2.0}
    plain = toplabel.solve(K, y, tol=1e-6, **options)
    watched = toplabel.solve(K, y, tol=1e-6, callback=lambda record: False, **options)
    assert plain.history[0].epoch > 0
    assert watched.history[0].epoch == 0
    np.testing.assert_array_equal(plain.A, watched.A)
    near = toplabel.solve(K, y, tol=0.9, **options)
    assert (near.epochs, len(near.history)) == (0, 1)
    stopped = toplabel.solve(K, y, tol=1e-6, max_iter=0, **options)
    assert (stopped.status, stopped.epochs, len(stopped.history)) == ("max_iter", 0, 1)
    late = toplabel.solve(K, y, tol=1e-6, time_limit=0.0, **options)
    assert (late.status, late.epochs, len(late.history)) == ("time_limit", 0, 1)


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_a_path_does_not_take_the_estimate_of_the_last_C_for_one_of_the_next(problem, kernel):
    X, y, _ = problem
    data = rbf_gram(X, 0.1) if kernel == "precomputed" else X
    options = {"kernel": kernel, "loss": "lr_multi", "max_iter": 1, "tol": 1e-6}
    same = [s.history[0].epoch for s in toplabel.path(data, y, [0.02, 0.02, 0.02], **options)]
    assert same == [0, 0, 0]
    if kernel == "linear":
        other = [s.history[0].epoch for s in toplabel.path(data, y, [0.01, 0.02, 1.0], **options)]
        assert other == [0, 0, 0]


@pytest.mark.parametrize("key", [key for key in CONVEX if "svm" in key])
@pytest.mark.parametrize("C", [1.0, 300.0, 1e5])
def test_a_float32_gram_matrix_reaches_what_its_exact_copy_does(key, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    Y = (X[:, :4] + rng.gumbel(size=(120, 4)) > 0.3).astype(int)
    y = Y if losses.get(key).labels == "set" else Y.argmax(axis=1)
    K = rbf_gram(X, 1.0, np.float32)
    options = {"loss": key, "kernel": "precomputed", "C": C, "tol": 1e-6, "max_iter": 20000}
    single = toplabel.solve(K, y, **options)
    double = toplabel.solve(K.astype(np.float64), y, **options)
    assert (single.status, double.status) == ("converged", "converged")
    assert single.epochs <= 2 * double.epochs + 20


def test_the_float32_copy_of_the_duals_follows_every_change_of_C(problem):
    """Rows at a vertex do not move, so no epoch brings a stale copy up to date; and nothing is
    evaluated between.
    """
    X, y, _ = problem
    K = rbf_gram(X, 0.1, np.float32)
    run = bare_run(K, y, C=1e-3, kernel="precomputed")
    for C in (1e-3, 1e-2, 3e-2, 1e-2):
        run.set_C(C)
        run.run(200)
    assert run.evaluate().relative_gap <= 1e-5


def test_a_float32_gram_matrix_beyond_the_range_of_float32_products(problem):
    X, y, _ = problem
    K = rbf_gram(X, 0.1, np.float32)
    options = {"kernel": "precomputed", "C": 1e31, "max_iter": 3}
    single, double = toplabel.solve(K, y, **options), toplabel.solve(K.astype(float), y, **options)
    np.testing.assert_array_equal(single.A, double.A)


# ---- the centre of the regulariser ------------------------------------------------------------------


# ---- the run -----------------------------------------------------------------------------------------


def test_watched_sets_are_measured_with_each_evaluation(problem):
    X, y, _ = problem
    watch = {"rest": (X[60:], y[60:]), "all": (sparse.csr_array(X), y)}
    options = {"loss": "lr_multi", "tol": 1e-4, "eval_every": 2}
    solution = toplabel.solve(X[:60], y[:60], watch=watch, n_classes=7, **options)
    assert len(solution.history) > 2
    for record in solution.history:
        assert set(record.watched) == {"rest", "all"}
    loss = losses.value("lr_multi", X[60:] @ solution.W, y[60:]).mean()
    assert solution.history[-1].watched["rest"] == pytest.approx(loss)
    assert solution.history[0].watched["rest"] == pytest.approx(np.log(7))

    def accuracy(labels, scores):
        return np.mean(scores.argmax(1) == labels)

    options["watch_metric"] = accuracy
    rbf = {"kernel": "rbf", "theta": 0.1}
    for extra in ({}, rbf, rbf | {"loss": "topk_ent_tr", "k": 2}):
        solution = toplabel.solve(X, y, watch={"train": (X, y)}, **options | extra)
        measured = np.mean(solution.decision_function(X).argmax(1) == y)
        assert solution.history[-1].watched["train"] == pytest.approx(measured)
    with pytest.raises(ValueError, match=r"watch\['w'\] must have 80 columns, got 79"):
        toplabel.solve(X, y, watch={"w": (X[:, 1:], y)})


def test_watching_changes_nothing(problem):
    X, y, _ = problem
    plain = toplabel.solve(X, y, tol=1e-5)
    watched = toplabel.solve(X, y, tol=1e-5, watch={"train": (X, y)})
    np.testing.assert_array_equal(plain.A, watched.A)


def test_exact_evaluations_are_few_and_the_last_certifies(problem):
    X, y, _ = problem
    X, y = np.tile(X, (40, 1)), np.tile(y, 40)  # enough rows for a good sample
    solution = toplabel.solve(X, y, loss="lr_multi", C=0.1, tol=1e-5)
    assert solution.status == "converged"
    assert solution.epochs >= 5
    assert len(solution.history) <= 4
    seconds = [(r.solve_seconds, r.evaluate_seconds) for r in solution.history]
    assert seconds == sorted(seconds)


def test_errors_travel_between_processes():
    error = toplabel.ToplabelError(6, "TL_ERR_OVERFLOW", "numbers overflow")
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.name, str(again)) == (error.code, error.name, str(error))


def test_progress_from_far_away_is_not_a_stall():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 100)), np.arange(60) % 4
    for arguments in ({"X": X * 1e6}, {"X": X, "C": 1e14}):
        solution = toplabel.solve(y=y, max_iter=500, method="sdca", **arguments)
        assert solution.status in ("converged", "max_iter")


def test_nan_in_a_mapped_file_is_found_wherever_it_is_used(problem, tmp_path):
    X, y, _ = problem
    bad = X.copy()
    bad[7, 3] = np.nan
    np.save(tmp_path / "bad.npy", bad)
    mapped = np.load(tmp_path / "bad.npy", mmap_mode="r")
    good = toplabel.solve(X, y)
    for use in (
        lambda: toplabel.solve(mapped, y, kernel="rbf", theta=0.1),
        lambda: toplabel.solve(mapped, y, loss="topk_ent_tr", k=2, warm_start=good),
        lambda: toplabel.solve(X, y, watch={"w": (mapped, y)}),
        lambda: good.decision_function(mapped),
    ):
        with pytest.raises(ValueError, match=r"\[7, 3\] is nan"):
            use()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"C": 10**400}, ValueError, "C must be finite and > 0, got a huge number"),
        ({"callback": 3}, TypeError, "callback must be a function, got 3"),
        ({"watch_metric": 3}, TypeError, "watch_metric must be a function"),
        ({"watch": [1]}, TypeError, "watch must map names to pairs"),
        ({"watch": {"a": np.ones(3)}}, TypeError, r"watch\['a'\] must be a pair"),
        ({"sample_weight": np.full(90, 1e308)}, ValueError, "finite sum of .*, got inf"),
        ({"sample_weight": np.full(90, 1e-200)}, ValueError, "sum of at least 1e-100, got 9e-199"),
    ],
)
def test_every_refusal_names_the_argument(problem, arguments, error, message):
    with pytest.raises(error, match=message):
        toplabel.solve(problem[0], problem[1], **arguments)


def test_a_class_of_a_huge_index_takes_no_memory(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match="class 1 has no example"):
        toplabel.solve(X, np.where(y == y[0], 2**31 - 2, 0), "svm_multi")


def test_one_number_is_no_path(problem):
    with pytest.raises(TypeError, match="Cs must be a sequence"):
        toplabel.path(problem[0], problem[1], Cs=1.0)


def test_a_kernel_function_may_return_a_sparse_matrix(problem):
    X, y, _ = problem
    solution = toplabel.solve(sparse.csr_array(X), y, kernel=lambda A, B: A @ B.T, tol=1e-6)
    expected = toplabel.solve(X, y, tol=1e-6).primal
    assert solution.primal == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("part", "place", "value"),
    [
        ("indptr", 5, 10**8),
        ("indptr", 5, -7),
        ("indptr", 5, 0),
        ("indptr", 0, 3),
        ("indptr", -1, 10**7),
        ("indices", 3, 10**7),
        ("indices", 3, -1),
    ],
)
def test_a_sparse_matrix_that_leads_out_of_its_arrays_is_refused(problem, form, part, place, value):
    """SciPy follows it without looking."""
    X, y, *_ = problem
    model = toplabel.TopKClassifier().fit(X, y)
    rows = sparse.csr_array(X).asformat(form)
    getattr(rows, part)[place] = value
    for use in (
        lambda: toplabel.solve(rows, y),
        lambda: toplabel.TopKClassifier().fit(rows, y),
        lambda: model.predict(rows),
        lambda: toplabel.metrics.rank_loss(rows, np.zeros(rows.shape)),
    ):
        with pytest.raises(ValueError, match=rf"^[XY]\.{part} must"):
            use()
