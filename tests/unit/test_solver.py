"""Training runs: stopping, warm starts, paths, callbacks, and bad input."""

import numpy as np
import pytest
from scipy import sparse
from solver_cases import check_certificate

import toplabel
from toplabel import losses


@pytest.mark.parametrize("acceleration", [False, "auto", 3.0])
def test_the_same_seed_gives_the_same_bytes(problem, acceleration):
    X, y, _ = problem
    options = {"C": 10.0, "max_iter": 50, "tol": 0.0, "acceleration": acceleration}
    first, again, other = (toplabel.solve(X, y, seed=seed, **options) for seed in (3, 3, 4))
    assert first.W.tobytes() == again.W.tobytes()
    assert first.A.tobytes() == again.A.tobytes()
    assert not np.array_equal(first.W, other.W)


@pytest.mark.parametrize("acceleration", [False, 1.0])
def test_visits_count_the_rows_that_did_not_rest(acceleration):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 4, 300)
    options = {"tol": 0.0, "max_iter": 40, "acceleration": acceleration}
    assert toplabel.solve(X, y, "lr_multi", **options).visits == 300 * 40
    hinge = toplabel.solve(X, y, "svm_multi", C=1.0 if acceleration else 1e-3, **options)
    assert 300 * 40 / 16 < hinge.visits < 300 * 40
    check_certificate(X, y, hinge)
    two = toplabel.path(X, y, [1e-4, 1e-3], loss="lr_multi", **options | {"max_iter": 3})
    assert all(solution.visits == 300 * solution.epochs for solution in two)


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


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi"])
def test_a_path_needs_fewer_epochs_than_cold_starts(problem, loss):
    X, y, _ = problem
    Cs = [10.0, 0.1, 0.01, 3.0, 1.0, 0.3, 0.03]
    options = {"loss": loss, "gamma": 0.5 if loss == "svm_multi" else 0.0, "tol": 1e-5}
    warm = toplabel.path(X, y, Cs, **options)
    cold = [toplabel.solve(X, y, C=C, **options) for C in Cs]
    assert [solution.C for solution in warm] == Cs
    for one, other in zip(warm, cold, strict=True):
        assert one.status == other.status == "converged"
        assert one.primal == pytest.approx(other.primal, rel=2e-5)
    assert sum(s.epochs for s in warm) < sum(s.epochs for s in cold)


def test_warm_starts_do_not_touch_the_old_solution(problem):
    X, y, _ = problem
    small = toplabel.solve(X, y, C=0.1)
    before = small.A.copy()
    toplabel.solve(X, y, C=1.0, warm_start=small)
    np.testing.assert_array_equal(small.A, before)


@pytest.mark.parametrize("loss", ["svm_multi", "svm_ova"])
def test_classes_without_example_need_n_classes(problem, loss):
    X, y, m = problem
    gap = np.where(y == 2, 3, y)
    with pytest.raises(ValueError, match="class 2 has no example"):
        toplabel.solve(X, gap, loss)
    assert toplabel.solve(X, gap, loss, n_classes=m + 1).W.shape == (X.shape[1], m + 1)


X4, Y4 = np.eye(4, 3), [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"loss": "svm"}, ValueError, "loss must be one of"),
        ({"C": 0.0}, ValueError, "C must be > 0, got 0.0"),
        ({"C": np.inf}, ValueError, "C must be finite and > 0, got inf"),
        ({"C": np.nan}, ValueError, "C must be"),
        ({"C": "1"}, TypeError, "C must be a number"),
        ({"gamma": -0.1}, ValueError, "gamma must be >= 0"),
        ({"k": 2}, ValueError, "k must be in 1..1 for 2 classes, got 2"),
        ({"k": 1.5}, TypeError, "k must be an integer"),
        ({"tol": -1.0}, ValueError, "tol must be >= 0"),
        ({"max_iter": 10**20}, ValueError, r"max_iter must be in 0\.\.9223372036854775807"),
        ({"seed": -1}, ValueError, "seed must be in"),
        ({"eval_every": 0}, ValueError, "eval_every must be >= 1"),
        ({"kernel": "poly"}, ValueError, "kernel must be"),
        ({"kernel": "rbf"}, ValueError, "theta must be given"),
        ({"theta": 1.0}, ValueError, "theta has no meaning"),
        ({"kernel": "precomputed"}, ValueError, "square Gram matrix"),
        ({"warm_start": np.zeros((4, 3))}, ValueError, r"shape \(4, 2\), got \(4, 3\)"),
        ({"sample_weight": [1, 1]}, ValueError, r"shape \(4,\)"),
        ({"sample_weight": [1, 1, -1, 1]}, ValueError, "must not be negative"),
        ({"sample_weight": [0, 0, 0, 0]}, ValueError, "zero for every row"),
        ({"dtype": np.float16}, ValueError, "dtype must be"),
        ({"window": 0}, ValueError, "window must be >= 1"),
        ({"window": 1.5}, TypeError, "window must be an integer"),
        ({"W0": np.zeros((2, 3))}, ValueError, r"W0 must have the shape \(3, 2\), got \(2, 3\)"),
        ({"W0": np.zeros((3, 2)), "kernel": "rbf", "theta": 1.0}, ValueError, "W0 has no meaning"),
        ({"X": np.zeros((0, 3)), "y": []}, ValueError, "X is empty"),
        ({"X": np.zeros(4)}, ValueError, "X must have two dimensions"),
        ({"X": [[0, 1], [np.nan, 2], [0, 1], [1, 2]]}, ValueError, r"X\[1, 0\] is nan"),
        ({"X": np.eye(4) * 1j}, TypeError, "X must hold real numbers"),
        ({"y": [0, 0, 0, 0]}, ValueError, "one class only"),
        ({"y": [0, 1, -1, 0]}, ValueError, r"y\[2\] is -1"),
        ({"y": [0, 1, np.nan, 0]}, ValueError, r"y\[2\] is nan"),
        ({"y": [0, 1, 2**31, 0]}, ValueError, r"y\[2\] is 2147483648: class indices end at"),
        ({"n_classes": 2**40}, ValueError, "n_classes must be in 2.."),
        ({"C": 1e300}, ValueError, r"C must be in \[1e-100, 1e\+100\], got 1e\+300"),
        ({"gamma": 1e300}, ValueError, "gamma must be <= 1e"),
        ({"warm_start": np.full((4, 2), np.nan)}, ValueError, r"warm_start\[0, 0\] is nan"),
        ({"y": ["a", "b", "a", "b"]}, ValueError, "class indices"),
        ({"y": np.eye(4)}, ValueError, "class indices of shape"),
        ({"y": [0, 1, 2, 0], "n_classes": 2}, ValueError, r"y\[2\] is 2, but n_classes is 2"),
        ({"loss": "lr_ml", "y": np.eye(3)}, ValueError, "y must have 4 rows"),
        ({"loss": "lr_ml", "y": np.full((4, 2), 2)}, ValueError, "zeros and ones"),
        ({"loss": "lr_ml", "y": np.ones((4, 1))}, ValueError, "one column"),
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


@pytest.mark.parametrize("key", losses.LOSSES)
def test_overflow_is_an_error_and_never_a_certificate(key):
    Y = np.eye(4, 3, dtype=int) if losses.get(key).labels == "set" else Y4
    for scale in (1e100, 1e200):
        with pytest.raises(toplabel.ToplabelError, match="overflow"):
            toplabel.solve(X4 * scale, Y, loss=key, max_iter=5)
    tiny = toplabel.solve(X4 * 1e-200, Y, loss=key, max_iter=5)
    assert not tiny.relative_gap < -1e-12
