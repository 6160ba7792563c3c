"""Limits and Ctrl-C reach set-up and evaluations, whenever they come, and what is there is returned."""

import itertools
import warnings

import numpy as np
import pytest

from toplabel import kernels, losses, path, solve
from toplabel._core import clock as clocks
from toplabel._core.clock import Clock
from toplabel._core.run import _Deadline

N, M = 700, 3000  # an evaluation of so many classes asks the clock several times


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(M, size=N)
    y[-1] = M - 1
    return rng.normal(size=(N, 6)), rng.normal(size=(N, 80)), y


@pytest.fixture
def no_grace(monkeypatch):
    monkeypatch.setattr(clocks, "_GRACE", 0.0)
    monkeypatch.setattr(clocks, "_GRACE_PART", 0.0)


def over_after(monkeypatch, asked: int) -> None:
    """Have the time be over when the clock has been asked so often."""
    questions = itertools.count()
    monkeypatch.setattr(Clock, "is_over", lambda self: next(questions) >= asked)


def check_model(solution, X, y, *, is_plain: bool) -> None:
    """The dual variables are feasible, and the weights those that were reached."""
    conjugates = losses.conjugate(
        solution.loss, -solution.A / solution.C, y, k=solution.k, gamma=solution.gamma
    )
    assert np.isfinite(conjugates).all()
    assert np.isfinite(solution.W).all()
    if is_plain:
        W = X.T.astype(np.float64) @ solution.A
        np.testing.assert_allclose(solution.W, W, rtol=0, atol=1e-5 * max(1e-3, np.abs(W).max()))


@pytest.mark.parametrize("asked", [0, 1, 2, 3, 4, 5, 7, 10, 14])
@pytest.mark.parametrize(
    ("wide", "options"),
    [
        (False, {"acceleration": False}),
        (True, {"acceleration": False}),
        (True, {"acceleration": False, "dtype": np.float32}),
        (False, {"acceleration": 3.0}),
        (True, {"acceleration": 3.0}),
    ],
    ids=["rows", "copy", "float32", "accelerated rows", "accelerated copy"],
)
def test_the_time_may_be_over_at_any_moment(monkeypatch, no_grace, data, asked, wide, options):
    X, y = data[wide], data[2]
    over_after(monkeypatch, asked)
    found = solve(X, y, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca", **options)
    assert found.status == "time_limit"
    check_model(found, X, y, is_plain=options["acceleration"] is False)
    if np.isfinite(found.relative_gap):
        assert found.dual <= found.primal
    else:
        assert (found.primal, found.dual) == (np.inf, -np.inf)
    assert found.history[-1].relative_gap == found.relative_gap


def test_some_of_these_moments_leave_no_time_for_the_certificate(monkeypatch, no_grace, data):
    X, _, y = data
    over_after(monkeypatch, 5)
    found = solve(X, y, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca")
    assert found.epochs > 0
    assert np.abs(found.W).max() > 0
    assert found.relative_gap == np.inf


def test_an_evaluation_at_the_end_is_waited_for(monkeypatch, data):
    X, _, y = data
    monkeypatch.setattr(clocks, "_GRACE", 60.0)
    over_after(monkeypatch, 5)
    found = solve(X, y, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca")
    assert found.status == "time_limit"
    assert found.relative_gap < 1.0


def interrupt_at(monkeypatch, call):
    """Let Ctrl-C come where an evaluation asks for the time the so-many-th time; return the count."""
    calls = itertools.count(1)

    def interrupt(self):
        if next(calls) == call:
            raise KeyboardInterrupt
        return self.is_interrupted

    monkeypatch.setattr(Clock, "is_late", interrupt)
    return calls


@pytest.mark.parametrize("call", [1, 2, 4])
def test_ctrl_c_in_an_evaluation_returns_the_model(monkeypatch, no_grace, data, call):
    X, _, y = data
    interrupt_at(monkeypatch, call)
    found = solve(X, y, n_classes=M, tol=0.0, max_iter=10**6, eval_every=1, method="sdca")
    assert found.status == "interrupted"
    check_model(found, X, y, is_plain=False)


def rounded_path(data, **options):
    X, _, y = data
    return path(X, y, [0.1, 1.0], n_classes=M, dtype=np.float32, method="sdca", **options)


@pytest.mark.parametrize("asked", range(6, 30, 2))
def test_no_time_for_the_rows_as_passed_is_not_taken_for_rounding(
    monkeypatch, no_grace, data, asked
):
    over_after(monkeypatch, asked)
    found = rounded_path(data, tol=0.5, time_limit=1.0)
    assert all(np.isfinite(one.relative_gap) or one.status == "time_limit" for one in found)


@pytest.mark.parametrize("call", range(1, 24, 2))
def test_ctrl_c_ends_a_path_while_the_rows_as_passed_are_evaluated(
    monkeypatch, no_grace, data, call
):
    calls = interrupt_at(monkeypatch, call)
    found = rounded_path(data, tol=0.5)
    if next(calls) > call:
        assert found[-1].status == "interrupted"


def test_ctrl_c_in_a_certificate_of_newtons_method_ends_a_path(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    calls = itertools.count()

    def interrupt(self):
        if not self.has_limits and next(calls) == 0:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(_Deadline, "is_late", interrupt)
    (found,) = path(X, y, [0.1, 1.0], tol=1e-6, method="newton")
    assert found.status == "interrupted"
    assert np.isfinite(found.relative_gap)


def test_each_c_of_a_path_has_the_limit(monkeypatch, no_grace, data):
    X, _, y = data
    over_after(monkeypatch, 3)
    Cs = [0.1, 1.0, 10.0]
    found = path(X, y, Cs, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca")
    assert [solution.C for solution in found] == Cs
    for solution in found:
        assert solution.status == "time_limit"
        check_model(solution, X, y, is_plain=False)


@pytest.mark.parametrize("kernel", ["precomputed", "rbf"])
def test_a_gram_matrix_is_given_up_in_time(monkeypatch, no_grace, kernel):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1100, 5)) - 1.0, rng.integers(3, size=1100)
    options = {"kernel": "rbf", "theta": 0.1} if kernel == "rbf" else {"kernel": kernel}
    data = X if kernel == "rbf" else kernels.rbf_gram(X, 0.1)
    over_after(monkeypatch, 2)
    options |= {"fit_intercept": True, "intercept_scaling": "auto"}
    with warnings.catch_warnings(action="error"):
        found = solve(data, y, time_limit=1.0, **options)
    assert (found.status, found.epochs, found.relative_gap) == ("time_limit", 0, np.inf)
    assert found.decision_function(data[:4]).shape == (4, 3)
    assert not found.A.any()


def test_a_warm_start_is_kept_where_no_time_is_left(monkeypatch, no_grace, data):
    X, _, y = data
    start = solve(X, y, n_classes=M, C=2.0, tol=1e-2, method="sdca")
    over_after(monkeypatch, 0)
    found = solve(X, y, n_classes=M, C=1.0, time_limit=1.0, warm_start=start)
    assert found.status == "time_limit"
    assert np.abs(found.A).max() > 0
    check_model(found, X, y, is_plain=False)


def test_groups_of_classes_end_together(monkeypatch, no_grace, data):
    X, _, y = data
    over_after(monkeypatch, 6)
    found = solve(X, y, "svm_ova", n_classes=M, tol=1e-9, time_limit=1.0)
    assert found.status == "time_limit"
    assert found.dual <= found.primal
    check_model(found, X, y, is_plain=False)
