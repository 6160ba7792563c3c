"""Ctrl-C: whenever it comes, the run ends, and what there is comes back with its certificate."""

import itertools
import os
import signal
import threading

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from solver_cases import check_certificate, is_feasible, objective

from toplabel import MultilabelClassifier, path, solve
from toplabel._core.clock import Clock
from toplabel._core.run import Deadline
from toplabel._core.training import _Listener

LONG = {"C": 1e4, "tol": 0.0, "max_iter": 10**9}
ROUTES = [("svm_multi", "sdca", 1), ("svm_multi", "newton", 1), ("topk_ent_tr", "auto", 2)]


@pytest.fixture
def press(monkeypatch):
    """Let Ctrl-C come where a method is called for the so-many-th time; return the calls so far."""

    def at(owner, name, call, condition=lambda self: True):
        original, calls = getattr(owner, name), []

        def method(self, *arguments):
            if condition(self):
                calls.append(1)
                if len(calls) == call:
                    raise KeyboardInterrupt
            return original(self, *arguments)

        monkeypatch.setattr(owner, name, method)
        return calls

    return at


@pytest.fixture
def signal_soon():
    """Send the signal of Ctrl-C in a third of a second."""
    # A shell may have started the tests with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    yield
    timer.join()
    signal.signal(signal.SIGINT, before)


# ---- a signal ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("signal_soon")
@pytest.mark.parametrize(("key", "n_jobs"), [("svm_multi", 1), ("svm_ova", 1), ("svm_ova", 2)])
def test_a_signal_ends_a_path_amid_its_passes(seventy_labels, key, n_jobs):
    X, y = seventy_labels[0], np.arange(200) % 70  # of which svm_ova trains two groups
    (found,) = path(X, y, [1e3, 2e3], key, tol=0, max_iter=10**9, method="sdca", n_jobs=n_jobs)
    assert found.status == "interrupted"
    assert found.epochs > 0
    check_certificate(X, y, found)


@pytest.mark.usefixtures("signal_soon")
@pytest.mark.parametrize("loss", ["svm_ova", "lr_ml"])
def test_a_signal_ends_all_folds(seventy_labels, loss):
    X, Y = seventy_labels
    model = MultilabelClassifier(loss, C=1e4, tol=0, max_iter=10**9, warm_start=True, n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.set_params(C=1.0, tol=1e-3, threshold=0.0, max_iter=1000).fit(X, Y)
    assert model.status_ == "converged"


# ---- between and in the evaluations -----------------------------------------------------------------


@pytest.mark.parametrize("place", ["callback", "watch_metric"])
@pytest.mark.parametrize(("key", "method", "k"), ROUTES)
def test_in_a_function_of_the_user(wide_problem, key, method, k, place):
    X, y = wide_problem[0][:, :9], wide_problem[1]
    calls = []

    def press_at_the_third(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return 0.0

    options = LONG | {"watch": {"train": (X, y)}, place: press_at_the_third}
    found = solve(X, y, key, k=k, method=method, **options)
    assert found.status == "interrupted"
    assert (len(found.history), found.history[-1].epoch) == (3, found.epochs)
    check_certificate(X, y, found)


def test_before_the_first_line_of_the_callback(wide_problem, press):
    """Python may deliver a signal as soon as a function is entered: no handler inside would see
    it.
    """
    X, y, _ = wide_problem
    press(_Listener, "__call__", 1)
    found = solve(X, y, acceleration=2.0, **LONG)
    assert (found.status, found.epochs, len(found.history)) == ("interrupted", 0, 1)
    check_certificate(X, y, found)


# ---- paths ------------------------------------------------------------------------------------------


def test_at_the_optimum_it_still_ends_a_path(wide_problem):
    """The run has converged; the signal has an effect all the same."""
    X, y, _ = wide_problem

    def press_at_the_end(record):
        if record.relative_gap <= 1e-3:
            raise KeyboardInterrupt
        return False

    solutions = path(X, y, [0.1, 1.0, 2.0], tol=1e-3, callback=press_at_the_end)
    assert [solution.status for solution in solutions] == ["interrupted"]


def test_in_the_softmax_before_a_descent(wide_problem, press):
    X, y, _ = wide_problem
    press(_Listener, "_between", 13)
    solutions = path(X, y, [0.1, 100.0], "topk_ent_tr", k=2)
    assert [solution.status for solution in solutions] == ["converged", "interrupted"]
    assert solutions[1].epochs == 0
    assert solutions[1].primal == pytest.approx(objective(X, y, solutions[1]), rel=1e-10)


@pytest.mark.parametrize("call", range(1, 24, 2))
def test_while_the_rows_as_passed_are_evaluated(press, no_grace, many_classes, call):
    X, _, y = many_classes
    calls = press(Clock, "is_late", call)
    options = {"n_classes": 3000, "dtype": np.float32, "method": "sdca", "tol": 0.5}
    found = path(X, y, [0.1, 1.0], **options)
    if len(calls) >= call:
        assert found[-1].status == "interrupted"
    for solution in found:
        assert is_feasible(solution, y)
        assert np.isfinite(solution.W).all()


def test_in_a_certificate_of_newtons_method(press):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    press(Deadline, "is_late", 1, condition=lambda asked: not asked.has_limits)
    (found,) = path(X, y, [0.1, 1.0], tol=1e-6, method="newton")
    assert found.status == "interrupted"
    assert np.isfinite(found.relative_gap)


# ---- cross-validation -------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [2, 5])
def test_it_keeps_the_last_training_but_ends_a_cross_validation(wide_problem, monkeypatch, last):
    X, _, Y = wide_problem
    trainings, numbers = [], itertools.count(1)

    def interrupted(X, y, **arguments):
        trainings.append(len(X))
        if next(numbers) == last:
            arguments["callback"] = lambda record: True
        return solve(X, y, **arguments)

    monkeypatch.setattr("toplabel.estimators.base.solve", interrupted)
    model = MultilabelClassifier("lr_ml", threshold="tune", cv=4)
    if last == 2:
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, Y)
        assert trainings == [45] * 2
    else:
        with pytest.warns(UserWarning, match="'interrupted'"):
            model.fit(X, Y)
        assert trainings == [45] * 4 + [60]
