"""Training runs: stopping, warm starts, paths, callbacks, and bad input."""

import signal
import threading

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import losses
from toplabel._core.arrays import as_labels
from toplabel._core.problem import Problem
from toplabel._core.run import Run, RunSettings


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    n, d, m = 120, 6, 5
    X = rng.normal(size=(n, d))
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    return X, y, m


@pytest.fixture(scope="module")
def indicator(problem):
    _, y, m = problem
    rng = np.random.default_rng(1)
    return np.maximum(np.eye(m, dtype=int)[y], rng.random((len(y), m)) < 0.2).astype(int)


CONVEX = [key for key, loss in losses.LOSSES.items() if loss.convex]


@pytest.mark.parametrize("gram", [False, True])
@pytest.mark.parametrize("key", CONVEX)
def test_blocks_do_not_change_the_iterates(problem, indicator, key, gram):
    X, y, _ = problem
    loss = losses.get(key)
    labels = as_labels(
        indicator if loss.labels == "set" else y, len(y), multilabel=loss.labels == "set"
    )
    matrix, kernel = (X @ X.T, "precomputed") if gram else (X, "linear")
    duals = []
    for block in (1, 7, 32, len(y), 0):
        settings = RunSettings(seed=4, block=block)
        run = Run(Problem(matrix, matrix, labels, kernel, None, loss), 0.3, None, settings)
        run.run(3)
        duals.append(run.A)
    for other in duals[1:]:
        np.testing.assert_allclose(other, duals[0], atol=1e-12)


@pytest.mark.parametrize("acceleration", [False, "auto", 3.0])
def test_the_dual_bounds_the_primal_and_falls_in_no_plain_pass(problem, acceleration):
    X, y, _ = problem
    options = {"C": 1.0, "tol": 1e-10, "eval_every": 1, "max_iter": 300, "method": "sdca"}
    for loss in ("svm_multi", "lr_multi"):
        solution = toplabel.solve(X, y, loss=loss, acceleration=acceleration, **options)
        dual = np.array([record.dual for record in solution.history])
        primal = np.array([record.primal for record in solution.history])
        if acceleration is False:
            assert (np.diff(dual) >= -1e-13).all()
        assert dual.max() <= primal.min() + 1e-13
        assert [record.epoch for record in solution.history] == list(range(len(dual)))


def test_the_history_ends_with_the_solution(problem):
    X, y, _ = problem
    solution = toplabel.solve(X, y, loss="lr_multi", tol=1e-6)
    last = solution.history[-1]
    assert (last.primal, last.dual, last.relative_gap, last.epoch) == (
        solution.primal,
        solution.dual,
        solution.relative_gap,
        solution.epochs,
    )
    scores = X @ solution.W
    np.testing.assert_allclose(solution.decision_function(X), scores)
    np.testing.assert_allclose(solution.decision_function(sparse.csr_matrix(X)), scores)
    penalty = (solution.W**2).sum() / (2 * solution.C * len(y))
    assert solution.primal == pytest.approx(
        losses.value("lr_multi", scores, y).mean() + penalty, rel=1e-12
    )


def test_the_same_seed_gives_the_same_bytes(problem):
    X, y, _ = problem
    first = toplabel.solve(X, y, seed=3, max_iter=5, tol=0.0)
    again = toplabel.solve(X, y, seed=3, max_iter=5, tol=0.0)
    other = toplabel.solve(X, y, seed=4, max_iter=5, tol=0.0)
    assert first.W.tobytes() == again.W.tobytes()
    assert not np.array_equal(first.W, other.W)


def test_status_tells_what_ended_the_run(problem):
    X, y, _ = problem
    assert toplabel.solve(X, y, tol=1e-3).status == "converged"
    short = toplabel.solve(X, y, tol=1e-12, max_iter=2)
    assert (short.status, short.epochs) == ("max_iter", 2)
    assert toplabel.solve(X, y, max_iter=0).epochs == 0
    endless = {"tol": 0.0, "C": 1e4, "max_iter": 10**8, "method": "sdca"}
    limited = toplabel.solve(X, y, time_limit=0.05, **endless)
    assert limited.status == "time_limit"
    assert limited.history[-1].epoch == limited.epochs
    seen = []
    stopped = toplabel.solve(
        X, y, tol=0.0, eval_every=2, callback=lambda record: seen.append(record) or len(seen) == 3
    )
    assert (stopped.status, stopped.epochs) == ("interrupted", 4)
    assert seen == stopped.history


def test_ctrl_c_returns_the_model_so_far(problem):
    X, y, _ = problem
    # A shell may have started the tests with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        solution = toplabel.solve(
            X,
            y,
            tol=0.0,
            C=1e4,
            max_iter=10**8,
            eval_every=10**6,
            time_limit=20,
            method="sdca",
        )
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert solution.status == "interrupted"
    assert solution.history[-1].epoch == solution.epochs > 0


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
@pytest.mark.parametrize(
    ("loss", "gamma"), [("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0)]
)
def test_warm_start_from_another_C(problem, loss, gamma, kernel):
    X, y, _ = problem
    data = X if kernel == "linear" else X @ X.T
    common = {"loss": loss, "gamma": gamma, "kernel": kernel, "tol": 1e-6, "max_iter": 10**5}
    small = toplabel.solve(data, y, C=0.1, **common)
    for C in (0.3, 0.02):
        cold = toplabel.solve(data, y, C=C, **common)
        warm = toplabel.solve(data, y, C=C, warm_start=small, **common)
        assert warm.relative_gap <= 1e-6
        assert warm.primal == pytest.approx(cold.primal, rel=2e-6)
        assert warm.history[0].relative_gap < cold.history[0].relative_gap
    again = toplabel.solve(data, y, C=0.1, warm_start=small, **common)
    assert again.epochs == 0
    assert again.relative_gap == pytest.approx(small.relative_gap, rel=1e-3)
    # Dual variables alone are where plain passes ended.
    plain = toplabel.solve(data, y, C=0.1, acceleration=False, **common)
    again = toplabel.solve(data, y, C=0.1, warm_start=plain.A, **common)
    assert again.epochs == 0
    assert again.relative_gap == pytest.approx(plain.relative_gap, rel=1e-3)


def test_warm_starts_do_not_touch_the_old_solution(problem):
    X, y, _ = problem
    small = toplabel.solve(X, y, C=0.1)
    before = small.A.copy()
    toplabel.solve(X, y, C=1.0, warm_start=small)
    np.testing.assert_array_equal(small.A, before)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_path_keeps_the_order_and_saves_epochs(problem, kernel):
    X, y, _ = problem
    Cs = [10.0, 0.01, 1.0, 0.1]
    common = {"loss": "svm_multi", "gamma": 1.0, "kernel": kernel, "tol": 1e-5, "max_iter": 10**5}
    if kernel == "rbf":
        common["theta"] = 0.2
    solutions = toplabel.path(X, y, Cs, **common)
    assert [solution.C for solution in solutions] == Cs
    for C, solution in zip(Cs, solutions, strict=True):
        cold = toplabel.solve(X, y, C=C, **common)
        assert solution.relative_gap <= 1e-5
        assert solution.primal == pytest.approx(cold.primal, rel=2e-5)
        np.testing.assert_allclose(
            solution.decision_function(X[:3]), cold.decision_function(X[:3]), atol=0.1
        )


def test_classes_without_example_need_n_classes(problem):
    X, y, m = problem
    gap = np.where(y == 2, 3, y)
    with pytest.raises(ValueError, match="class 2 has no example"):
        toplabel.solve(X, gap)
    solution = toplabel.solve(X, gap, n_classes=m + 1)
    assert solution.W.shape == (X.shape[1], m + 1)


def test_one_zero_row_alone_closes_the_gap():
    for loss in ("svm_multi", "lr_multi"):
        solution = toplabel.solve(np.zeros((3, 2)), [0, 1, 2], loss=loss, tol=1e-12)
        assert solution.status == "converged"
        assert solution.primal == pytest.approx(1.0 if loss == "svm_multi" else np.log(3))


def test_sparse_indicator_and_integer_features(problem, indicator):
    X, _, _ = problem
    dense = toplabel.solve(X, indicator, loss="lr_ml")
    same = toplabel.solve(X, sparse.csr_matrix(indicator), loss="lr_ml")
    np.testing.assert_array_equal(dense.W, same.W)
    toplabel.solve(np.arange(12).reshape(4, 3), [0, 1, 0, 1])


X4, Y4 = np.eye(4, 3), [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"loss": "svm"}, ValueError, "loss must be one of"),
        ({"C": 0.0}, ValueError, "C must be > 0, got 0.0"),
        ({"C": -1}, ValueError, "C must be > 0, got -1"),
        ({"C": np.inf}, ValueError, "C must be finite and > 0, got inf"),
        ({"C": np.nan}, ValueError, "C must be"),
        ({"C": "1"}, TypeError, "C must be a number"),
        ({"gamma": -0.1}, ValueError, "gamma must be >= 0"),
        ({"k": 2}, ValueError, "k must be in 1..1 for 2 classes, got 2"),
        ({"k": 1.5}, TypeError, "k must be an integer"),
        ({"tol": -1.0}, ValueError, "tol must be >= 0"),
        ({"max_iter": -1}, ValueError, "max_iter must be >= 0"),
        ({"max_iter": 10**20}, ValueError, r"max_iter must be in 0\.\.9223372036854775807"),
        ({"seed": -1}, ValueError, "seed must be in"),
        ({"eval_every": 0}, ValueError, "eval_every must be >= 1"),
        ({"kernel": "poly"}, ValueError, "kernel must be"),
        ({"kernel": "rbf"}, ValueError, "theta must be given"),
        ({"kernel": "rbf", "theta": 0.0}, ValueError, "theta must be > 0"),
        ({"theta": 1.0}, ValueError, "theta has no meaning"),
        ({"kernel": "precomputed"}, ValueError, "square Gram matrix"),
        ({"warm_start": np.zeros((4, 3))}, ValueError, r"shape \(4, 2\), got \(4, 3\)"),
        ({"sample_weight": [1, 1]}, ValueError, r"shape \(4,\)"),
        ({"sample_weight": [1, 1, -1, 1]}, ValueError, "must not be negative"),
        ({"sample_weight": [0, 0, 0, 0]}, ValueError, "zero for every row"),
        ({"dtype": np.float16}, ValueError, "dtype must be"),
        ({"X": np.zeros((0, 3)), "y": []}, ValueError, "X is empty"),
        ({"X": np.zeros(4)}, ValueError, "X must have two dimensions"),
        ({"X": [[0, 1], [np.nan, 2], [0, 1], [1, 2]]}, ValueError, r"X\[1, 0\] is nan"),
        ({"X": np.full((4, 3), np.inf)}, ValueError, r"X\[0, 0\] is inf"),
        ({"X": [["a"]] * 4}, TypeError, "X must hold real numbers"),
        ({"X": np.eye(4) * 1j}, TypeError, "X must hold real numbers"),
        ({"y": [0, 1, 1]}, ValueError, r"y must have the shape \(4,\)"),
        ({"y": [0, 0, 0, 0]}, ValueError, "one class only"),
        ({"y": [0, 1, -1, 0]}, ValueError, r"y\[2\] is -1"),
        ({"y": [0, 1, 0.5, 0]}, ValueError, "class indices"),
        ({"y": [0, 1, np.inf, 0]}, ValueError, r"y\[2\] is inf"),
        ({"y": [0, 1, np.nan, 0]}, ValueError, r"y\[2\] is nan"),
        ({"y": [0, 1, 2**31, 0]}, ValueError, r"y\[2\] is 2147483648: class indices end at"),
        ({"n_classes": 2**40}, ValueError, "n_classes must be in 2.."),
        ({"C": 1e300}, ValueError, r"C must be in \[1e-100, 1e\+100\], got 1e\+300"),
        ({"gamma": 1e300}, ValueError, "gamma must be <= 1e"),
        ({"warm_start": np.full((4, 2), np.nan)}, ValueError, r"warm_start\[0, 0\] is nan"),
        ({"warm_start": "a"}, TypeError, "warm_start must hold real numbers"),
        ({"y": ["a", "b", "a", "b"]}, ValueError, "class indices"),
        ({"y": np.eye(4)}, ValueError, "class indices of shape"),
        ({"y": [0, 1, 2, 0], "n_classes": 2}, ValueError, r"y\[2\] is 2, but n_classes is 2"),
        ({"loss": "lr_ml", "y": np.eye(3)}, ValueError, "y must have 4 rows"),
        ({"loss": "lr_ml", "y": np.full((4, 2), 2)}, ValueError, "zeros and ones"),
        ({"loss": "lr_ml", "y": np.ones((4, 1))}, ValueError, "one column"),
        ({"loss": "lr_ml", "y": np.ones((4, 0))}, ValueError, "y has no columns"),
    ],
)
def test_bad_input_is_named_in_one_line(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        toplabel.solve(**{"X": X4, "y": Y4, **arguments})
    assert "\n" not in str(caught.value)


def test_the_library_refuses_with_its_code():
    with pytest.raises(toplabel.ToplabelError, match="not feasible") as caught:
        toplabel.solve(X4, Y4, warm_start=np.full((4, 2), 5.0))
    assert caught.value.name == "TL_ERR_INFEASIBLE"


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_prediction_checks_its_input(convert):
    solution = toplabel.solve(X4, Y4)
    with pytest.raises(ValueError, match="3 columns like the training data, got 2"):
        solution.decision_function(convert(np.eye(2)))
    with pytest.raises(ValueError, match="is nan"):
        solution.decision_function(convert(np.full((2, 3), np.nan)))


@pytest.mark.parametrize("key", CONVEX)
def test_overflow_is_an_error_and_never_a_certificate(key):
    Y = np.eye(4, 3, dtype=int) if losses.get(key).labels == "set" else Y4
    for scale in (1e100, 1e200):
        with pytest.raises(toplabel.ToplabelError, match="overflow"):
            toplabel.solve(X4 * scale, Y, loss=key, max_iter=5)
    tiny = toplabel.solve(X4 * 1e-200, Y, loss=key, max_iter=5)
    assert tiny.relative_gap >= -1e-12


def test_truth_values_are_indices_too():
    assert toplabel.solve(X4, np.array([True, False, True, False])).status == "converged"


def test_visits_count_the_rows_that_did_not_rest():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 4, 300)
    smooth = toplabel.solve(X, y, "lr_multi", tol=0.0, max_iter=30)
    assert smooth.visits == 300 * 30
    hinge = toplabel.solve(X, y, "svm_multi", C=1e-3, tol=0.0, max_iter=30)
    assert 300 * 30 / 16 < hinge.visits < 300 * 30
    two = toplabel.path(X, y, [1e-4, 1e-3], loss="lr_multi", tol=0.0, max_iter=3)
    assert all(solution.visits == 300 * solution.epochs for solution in two)
