"""The simplex SVMs and online training: warm starts, seeds, limits, and what they refuse."""

import numpy as np
import pytest

from toplabel import ToplabelError, simplex

T = 4


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    y = np.arange(60) % T
    return rng.normal(size=(60, 5)) + 1.5 * rng.normal(size=(T, 5))[y], y


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm"])
def test_a_warm_start_saves_passes(problem, loss):
    X, y = problem
    options = {"tol": 1e-6, "max_iter": 10**5, "eval_every": 1}
    cold = simplex.solve(X, y, loss, 1.0, **options)
    same = simplex.solve(X, y, loss, 1.0, warm_start=cold, **options)
    assert same.epochs == 0
    assert same.primal == pytest.approx(cold.primal, rel=1e-12)
    near = simplex.solve(X, y, loss, 1.1, warm_start=cold, **options)
    assert near.history[0].relative_gap < 0.2
    assert near.status == "converged"
    assert cold.dual_variables.max() <= 1.0  # those of the start stay as they are


def test_the_seed_gives_the_order(problem):
    X, y = problem
    for train in (simplex.solve, simplex.solve_online):
        one, again, other = (train(X, y, "sc_svm", 0.5, seed=s).W for s in (1, 1, 2))
        assert np.array_equal(one, again)
        assert not np.array_equal(one, other)


def test_a_class_without_example_has_a_code_all_the_same(problem):
    X, y = problem
    found = simplex.solve(X, y, "sc_svm", 0.5, n_classes=6)
    assert found.W.shape == (5, 5)
    assert set(found.predict(X)) <= set(range(6))


def test_a_callback_and_a_limit_end_a_run(problem):
    X, y = problem
    assert simplex.solve(X, y, callback=lambda record: True).status == "interrupted"
    assert simplex.solve(X, y, tol=0.0, max_iter=3).status == "max_iter"
    # No time at all: on a problem this small a limit of some milliseconds races the end of the fit.
    assert simplex.solve(X, y, tol=0.0, max_iter=10**9, time_limit=0.0).status == "time_limit"


def test_online_training_says_that_numbers_overflow(problem):
    X, y = problem
    with pytest.raises(ToplabelError, match="overflow"):
        simplex.solve_online(1e80 * X, y, "s_ls", 1e3, epochs=3)


@pytest.mark.parametrize(
    ("train", "arguments", "message"),
    [
        (simplex.solve, {"loss": "hinge"}, "loss must be one of"),
        (simplex.solve, {"n_classes": 3}, r"y\[3\] is 3"),
        (simplex.solve_online, {"loss": "hinge"}, "loss must be one of"),
        (simplex.solve_online, {"epochs": 0}, "epochs must be >= 1"),
        (simplex.solve_online, {"C": -1.0}, "C must be > 0"),
    ],
)
def test_what_does_not_fit_is_named(problem, train, arguments, message):
    with pytest.raises(ValueError, match=message):
        train(*problem, **arguments)


def test_a_warm_start_of_something_else_is_refused(problem):
    X, y = problem
    found = simplex.solve(X, y, "sc_svm")
    with pytest.raises(ValueError, match="warm_start has no meaning for loss='s_ls'"):
        simplex.solve(X, y, "s_ls", warm_start=found)
    with pytest.raises(ValueError, match="warm_start must be a solution for loss='sh_svm'"):
        simplex.solve(X, y, "sh_svm", warm_start=found)
    with pytest.raises(ValueError, match=r"dual variables of shape \(59, 4\), got \(60, 4\)"):
        simplex.solve(X[:59], y[:59], "sc_svm", warm_start=found)


def test_the_width_of_the_kernel_takes_its_part_of_the_time(problem, monkeypatch):
    X, y = problem
    rest = []

    def solve(*_, time_limit, **options):
        rest.append(time_limit)
        raise KeyboardInterrupt

    monkeypatch.setattr("toplabel.solver.solve", solve)
    with pytest.raises(KeyboardInterrupt):
        simplex.solve(X, y, kernel="rbf", time_limit=5.0)
    assert 0.0 <= rest[0] < 5.0


@pytest.mark.parametrize("loss", ["sc_svm", "sh_svm"])
def test_blocks_of_rows_change_no_bit_of_the_conversion(problem, monkeypatch, loss):
    X, y = problem
    whole = simplex.solve(X, y, loss)
    monkeypatch.setattr("toplabel._core.tuning.ROW_BLOCK", 10 * T + 1)
    in_blocks = simplex.solve(X, y, loss)
    for name in ("W", "A", "dual_variables"):
        np.testing.assert_array_equal(getattr(in_blocks, name), getattr(whole, name))


def test_dual_variables_are_left_out_where_no_time_is_left_to_convert_them(problem, monkeypatch):
    X, y = problem
    whole = simplex.solve(X, y, time_limit=0.0)
    monkeypatch.setattr("toplabel.simplex.svm.Clock.is_late", lambda clock: True)
    late = simplex.solve(X, y, time_limit=0.0)
    np.testing.assert_array_equal(late.W, whole.W)
    assert late.A is late.dual_variables is None
    with pytest.raises(ValueError, match="warm_start has no dual variables: its time was over"):
        simplex.solve(X, y, warm_start=late)
    kernel = simplex.solve(X, y, kernel="rbf", time_limit=0.0)
    assert kernel.values(X).shape == (60, T - 1)  # of a kernel's model A is all there is
