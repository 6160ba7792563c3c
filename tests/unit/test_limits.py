"""What ends a run: limits, the callback, rounding. Whenever the time is over, what there is comes back."""

import itertools
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from solver_cases import check_certificate, is_feasible

from toplabel import kernels, path, solve
from toplabel._core import clock as clocks
from toplabel._core import tuning
from toplabel._core.clock import Clock

M = 3000  # classes of `many_classes`

# A loss, the form of the rows, options; each by other code.
ROUTES = {
    "plain": ("svm_multi", "narrow", {"method": "sdca", "acceleration": False}),
    "accelerated": ("svm_multi", "narrow", {"acceleration": 2.0}),
    "blocks in float32": ("lr_multi", "float32", {"acceleration": 2.0}),
    "Gram matrix": ("svm_multi", "gram", {"acceleration": 2.0, "kernel": "precomputed"}),
    "Newton": ("svm_multi", "narrow", {"method": "newton"}),
    "descent": ("topk_ent_tr", "narrow", {"k": 2}),
}


@pytest.fixture(params=ROUTES)
def trained(wide_problem, request):
    """Train to no gap at all by one of the routes."""
    X, y, _ = wide_problem
    key, form, fixed = ROUTES[request.param]
    forms = {"narrow": X[:, :9], "float32": X.astype(np.float32), "gram": kernels.rbf_gram(X, 0.3)}

    def train(**options):
        found = solve(forms[form], y, key, **{"C": 1e5, "tol": 0.0} | fixed | options)
        check_certificate(forms[form], y, found)
        return found

    return train


def over_after(monkeypatch, asked: int) -> None:
    """Have the time be over when the clock has been asked so often."""
    questions = itertools.count()
    monkeypatch.setattr(Clock, "is_over", lambda self: next(questions) >= asked)


def check_model(solution, X, y, *, is_plain: bool = False) -> None:
    """The dual variables are feasible, and the weights those that were reached."""
    assert is_feasible(solution, y)
    assert np.isfinite(solution.W).all()
    if is_plain:
        W = X.T.astype(np.float64) @ solution.A
        np.testing.assert_allclose(solution.W, W, rtol=0, atol=1e-5 * max(1e-3, np.abs(W).max()))


# ---- the status -------------------------------------------------------------------------------------


def test_the_number_of_passes_ends_a_run(trained):
    short = trained(max_iter=3)
    assert (short.status, short.epochs, short.history[-1].epoch) == ("max_iter", 3, 3)
    none = trained(max_iter=0)
    assert (none.status, none.epochs, len(none.history)) == ("max_iter", 0, 1)


@pytest.mark.parametrize("limit", ["time_limit", "cpu_limit"])
def test_a_limit_of_no_time_leaves_the_start(trained, limit):
    found = trained(max_iter=1000, **{limit: 0.0})
    assert (found.status, found.epochs) == ("time_limit", 0)


def test_the_callback_ends_a_run(trained, request):
    seen = []
    found = trained(eval_every=2, callback=lambda r: seen.append(r) or len(seen) == 3)
    assert found.status == "interrupted"
    assert found.epochs == seen[-1].epoch == found.history[-1].epoch
    if "Newton" not in request.node.callspec.params["trained"]:
        assert [record.epoch for record in seen] == [0, 2, 4]
        assert seen == found.history


def test_the_history_ends_with_the_solution(trained):
    found = trained(max_iter=7, eval_every=2)
    last = found.history[-1]
    assert (last.primal, last.epoch) == (found.primal, found.epochs)
    np.testing.assert_array_equal(last.relative_gap, found.relative_gap)  # or both are NaN
    assert last.dual == found.dual


def test_rounding_ends_a_run(trained):
    found = trained(C=1.0, tol=1e-30, max_iter=60_000)
    assert found.status in ("stalled", "imprecise")
    assert found.epochs < 50_000
    assert not found.relative_gap > 1e-5


def test_a_clock_counts_wall_and_cpu_time(monkeypatch):
    now = SimpleNamespace(wall=5.0, cpu=3.0)
    times = SimpleNamespace(perf_counter=lambda: now.wall, process_time=lambda: now.cpu)
    monkeypatch.setattr(clocks, "time", times)
    for limits, wall, cpu in (({"time_limit": 2.0}, 2.0, 9.0), ({"cpu_limit": 2.0}, 9.0, 2.0)):
        clock = Clock(**limits)
        start = now.wall, now.cpu
        now.wall, now.cpu = start[0] + wall - 0.01 * (wall == 2), start[1] + cpu - 0.01 * (cpu == 2)
        assert not clock.is_over()
        now.wall, now.cpu = start[0] + wall, start[1] + cpu
        assert clock.is_over()
        assert clock.why_to_end() == "time_limit"


def test_an_error_in_the_callback_comes_out_as_it_is(wide_problem):
    X, y, _ = wide_problem

    class OwnError(Exception):
        pass

    for error in (OwnError("mine"), SystemExit(3), GeneratorExit()):

        def fail(*_, error=error):
            raise error

        for arguments in (
            {"callback": fail},
            {"watch": {"train": (X, y)}, "watch_metric": fail},
            {"callback": lambda record, fail=fail: record.epoch > 3 and fail()},
        ):
            with pytest.raises(type(error)) as caught:
                solve(X, y, C=1e5, tol=0.0, eval_every=2, acceleration=2.0, **arguments)
            assert caught.value is error


# ---- any moment -------------------------------------------------------------------------------------


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
def test_the_time_may_be_over_at_any_moment(
    monkeypatch, no_grace, many_classes, asked, wide, options
):
    X, y = many_classes[wide], many_classes[2]
    over_after(monkeypatch, asked)
    found = solve(X, y, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca", **options)
    assert found.status == "time_limit"
    check_model(found, X, y, is_plain=options["acceleration"] is False)
    if np.isfinite(found.relative_gap):
        assert found.dual <= found.primal
    else:
        assert (found.primal, found.dual) == (np.inf, -np.inf)
    assert found.history[-1].relative_gap == found.relative_gap


@pytest.mark.parametrize("grace", [0.0, 60.0])
def test_an_evaluation_at_the_end_is_waited_for_in_grace(
    monkeypatch, no_grace, many_classes, grace
):
    X, _, y = many_classes
    monkeypatch.setattr(tuning, "GRACE", grace)
    over_after(monkeypatch, 5)
    found = solve(X, y, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca")
    assert found.status == "time_limit"
    assert found.epochs > 0
    assert np.abs(found.W).max() > 0
    assert found.relative_gap < 1.0 if grace else found.relative_gap == np.inf


@pytest.mark.parametrize("asked", range(6, 30, 2))
def test_no_time_for_the_rows_as_passed_is_not_taken_for_rounding(
    monkeypatch, no_grace, many_classes, asked
):
    X, _, y = many_classes
    over_after(monkeypatch, asked)
    options = {"n_classes": M, "dtype": np.float32, "method": "sdca", "tol": 0.5}
    found = path(X, y, [0.1, 1.0], time_limit=1.0, **options)
    assert all(np.isfinite(each.relative_gap) or each.status == "time_limit" for each in found)


def test_each_c_of_a_path_has_the_limit(monkeypatch, no_grace, many_classes):
    X, _, y = many_classes
    over_after(monkeypatch, 3)
    Cs = [0.1, 1.0, 10.0]
    found = path(X, y, Cs, n_classes=M, tol=1e-9, time_limit=1.0, method="sdca")
    assert [solution.C for solution in found] == Cs
    for solution in found:
        assert solution.status == "time_limit"
        check_model(solution, X, y)


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


@pytest.mark.parametrize("C", [2e-3, 1.0, 2e3])
def test_the_start_is_kept_where_no_time_is_left(monkeypatch, no_grace, many_classes, C):
    X, _, y = many_classes
    start = solve(X, y, n_classes=M, C=2.0, tol=1e-2, method="sdca")
    over_after(monkeypatch, 0)
    kept = solve(X, y, n_classes=M, C=C, time_limit=1.0, warm_start=start)
    assert kept.status == "time_limit"
    assert is_feasible(kept, y)
    assert kept.A.any()
    np.testing.assert_array_equal(kept.W, start.W)
    if C >= start.C:  # of an array there are no weights
        alone = solve(X, y, n_classes=M, C=C, time_limit=1.0, warm_start=start.A)
        assert not alone.A.any()
        assert not alone.W.any()


# ---- groups of classes ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_limits_and_the_callback_hold_for_all_groups_together(seventy_labels, monkeypatch, n_jobs):
    X, Y = seventy_labels
    options = {"C": 1e3, "n_jobs": n_jobs}
    records = []
    found = solve(X, Y, "svm_ova", callback=records.append, **options)
    assert records == found.history
    assert records[0].relative_gap == found.relative_gap
    assert solve(X, Y, "svm_ova", max_iter=2, **options).status == "max_iter"
    assert len(path(X, Y, [1, 2], "svm_ova", n_jobs=n_jobs, callback=lambda record: True)) == 1
    over_after(monkeypatch, 20)
    late = solve(X, Y, "svm_ova", tol=0, max_iter=10**9, time_limit=1.0, **options)
    assert late.status == "time_limit"
    assert late.epochs > 0
    assert late.dual <= late.primal


def test_groups_on_one_thread_share_the_time(seventy_labels, monkeypatch):
    ticks = itertools.count()
    times = SimpleNamespace(perf_counter=lambda: 0.01 * next(ticks), process_time=lambda: 0.0)
    monkeypatch.setattr(clocks, "time", times)
    X, Y = seventy_labels
    found = solve(X, Y, "svm_ova", C=1e3, tol=0.0, max_iter=10**9, time_limit=1.0, method="sdca")
    assert found.status == "time_limit"
    for columns in (slice(0, 35), slice(35, 70)):
        assert np.abs(found.A[:, columns]).max() > 0.0


def test_the_time_that_groups_leave_goes_to_those_that_ended_at_their_share(
    seventy_labels, monkeypatch
):
    X, Y = seventy_labels
    easy = Y.copy()
    easy[:, 35:] = 0  # the second group is trained in no time
    ticks = itertools.count()
    times = SimpleNamespace(perf_counter=lambda: 0.01 * next(ticks), process_time=lambda: 0.0)
    monkeypatch.setattr(clocks, "time", times)
    options = {"C": 1e3, "tol": 1e-3, "method": "sdca"}
    enough = solve(X, easy, "svm_ova", time_limit=1e9, **options)
    first = next(ticks)
    late = solve(X, easy, "svm_ova", time_limit=0.01 * first, **options)
    assert (enough.status, late.status) == ("converged", "time_limit")
    assert next(ticks) - first >= first
    check_certificate(X, easy, late)
    assert late.history[-1].epoch == late.epochs > enough.epochs / 2


def test_the_arrays_of_all_classes_may_be_in_small_pages(seventy_labels, monkeypatch):
    X, Y = seventy_labels
    plain = solve(X, Y, "svm_ova")
    monkeypatch.setattr(tuning, "SMALL_PAGES", 0)
    found = solve(X, Y, "svm_ova")
    np.testing.assert_array_equal(found.A, plain.A)
    np.testing.assert_array_equal(found.W, plain.W)
    assert found.A.flags.writeable
    assert found.W.flags.c_contiguous


def test_groups_have_one_grace_for_their_evaluations(many_classes, monkeypatch):
    ticks = itertools.count()
    times = SimpleNamespace(perf_counter=lambda: 0.01 * next(ticks), process_time=lambda: 0.0)
    monkeypatch.setattr(clocks, "time", times)
    X, _, y = many_classes
    late = solve(X, y, "svm_ova", n_classes=M, time_limit=0.0, method="sdca")
    assert (late.status, late.relative_gap) == ("time_limit", np.inf)


def test_what_is_left_of_the_time_is_divided(monkeypatch):
    now = SimpleNamespace(wall=5.0, cpu=3.0)
    times = SimpleNamespace(perf_counter=lambda: now.wall, process_time=lambda: now.cpu)
    monkeypatch.setattr(clocks, "time", times)
    clock = Clock(time_limit=8.0, cpu_limit=6.0)
    now.wall += 2.0
    now.cpu += 1.0
    part = clock.part(3)
    now.wall += 1.75
    assert not part.is_over()
    now.wall += 0.25  # a third of six seconds
    assert part.is_over()
    now.wall -= 1.0
    now.cpu += 1.75  # more than a third of five
    assert part.is_over()
