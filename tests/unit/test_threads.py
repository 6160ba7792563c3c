"""The library lets other Python threads run, and gives them the same numbers."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from toplabel import (
    MultilabelClassifier,
    TopKClassifier,
    certify,
    kernels,
    losses,
    path,
    solve,
)
from toplabel._core import threads
from toplabel._core.threads import each, why_to_end


def test_a_call_of_the_library_releases_the_interpreter_lock():
    """The time of processors is counted, which other processes do not take from both threads in
    unequal parts.
    """
    rng = np.random.default_rng(0)
    scores, y = rng.standard_normal((20_000, 400)), rng.integers(0, 400, 20_000)
    spent = []

    def work():
        start = time.thread_time()
        losses.value("topk_ent", scores, y, k=5)
        spent.append(time.thread_time() - start)

    worker = threading.Thread(target=work)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # what a thread gets before and after a call that keeps the lock
    start = time.thread_time()
    worker.start()
    while worker.is_alive():
        pass
    mine = time.thread_time() - start
    sys.setswitchinterval(interval)
    assert mine > 0.25 * spent[0]


# ---- n_jobs -----------------------------------------------------------------------------------------

M = 70  # two groups of classes


def same(first, second):
    for name in ("A", "W", "coefficients", "intercept"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    for name in ("primal", "dual", "relative_gap", "epochs", "visits", "status"):
        assert getattr(first, name) == getattr(second, name)


@pytest.mark.parametrize("loss", ["svm_ova", "lr_ova"])
@pytest.mark.parametrize("form", ["dense", "csr", "float32", "rounded", "rbf", "precomputed"])
def test_one_vs_all_has_the_same_numbers_for_every_n_jobs(seventy_labels, loss, form):
    X, Y = seventy_labels
    X = {"csr": sparse.csr_array(X), "float32": X.astype(np.float32), "precomputed": X @ X.T}.get(
        form, X
    )
    kernel = form if form in ("rbf", "precomputed") else "linear"
    options = {"kernel": kernel, "C": 3.0, "fit_intercept": True, "sample_weight": np.arange(200)}
    options["method"] = "sdca"
    options |= {"theta": 0.5} if form == "rbf" else {}
    options |= {"dtype": np.float32} if form == "rounded" else {}
    one, *others = (solve(X, Y, loss, n_jobs=n_jobs, **options) for n_jobs in (1, 2, 3, None))
    for other in others:
        same(one, other)
    assert one.status == "converged"
    assert one.relative_gap <= 1e-3
    certified = certify(X, Y, one, sample_weight=np.arange(200))
    assert certified.primal == pytest.approx(one.primal, rel=1e-9)
    assert certified.dual == pytest.approx(one.dual, rel=1e-9)
    watch = {"rows": (X, Y)}  # all classes in one problem
    together = solve(X, Y, loss, watch=watch if kernel == "linear" else {}, **options)
    assert together.dual <= one.primal * (1 + 1e-9)
    assert one.dual <= together.primal * (1 + 1e-9)
    np.testing.assert_allclose(
        one.decision_function(X), together.decision_function(X), atol=0.3, rtol=0
    )


def test_classes_of_a_vector_and_a_path_are_shared_out(seventy_labels):
    X, _ = seventy_labels
    y = np.arange(200) % M
    Cs = [10.0, 0.1, 1.0]
    one, two = (path(X, y, Cs, "svm_ova", n_jobs=n_jobs, method="sdca") for n_jobs in (1, -1))
    assert [solution.C for solution in one] == Cs
    for first, second in zip(one, two, strict=True):
        same(first, second)
        assert certify(X, y, first).relative_gap <= 1e-3


def test_groups_of_classes_start_from_a_solution_and_have_a_centre(seventy_labels):
    X, Y = seventy_labels
    W0 = np.random.default_rng(0).standard_normal((80, M))
    first = solve(X, Y, "lr_ova", C=5.0, W0=W0, n_jobs=2)
    again = solve(X, Y, "lr_ova", C=5.0, W0=W0, warm_start=first, n_jobs=2)
    assert again.epochs == 0
    assert again.primal == pytest.approx(first.primal, rel=1e-12)
    assert solve(X, Y, "lr_ova", C=5.0, W0=W0, warm_start=first.A, n_jobs=2).epochs <= 1
    with pytest.raises(ValueError, match="warm_start"):
        solve(X, Y, "lr_ova", C=5.0, warm_start=first.A[:, 1:], n_jobs=2)


def test_a_loss_that_is_not_one_vs_all_is_one_problem(seventy_labels):
    X, Y = seventy_labels
    same(solve(X, Y, "lr_ml", n_jobs=2), solve(X, Y, "lr_ml"))
    same(solve(X, Y[:, :64], "lr_ova", n_jobs=2), solve(X, Y[:, :64], "lr_ova"))


def test_arguments_that_do_not_fit_n_jobs_are_named(seventy_labels):
    X, Y = seventy_labels
    for wrong, error in ((0, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="n_jobs"):
            solve(X, Y, "lr_ova", n_jobs=wrong)
        with pytest.raises(error, match="n_jobs"):
            MultilabelClassifier(n_jobs=wrong).fit(X, Y)


@pytest.mark.parametrize("threshold", [0.0, "tune", "per_label"])
def test_a_classifier_has_the_same_numbers_for_every_n_jobs(seventy_labels, threshold):
    X, Y = seventy_labels
    model = MultilabelClassifier(threshold=threshold, cv=3, random_state=0)
    one, two, many = (clone(model).set_params(n_jobs=n).fit(X, Y) for n in (1, 2, 9))
    for other in (two, many):
        np.testing.assert_array_equal(one.coef_, other.coef_)
        np.testing.assert_array_equal(one.threshold_, other.threshold_)
    top = TopKClassifier("svm_ova", random_state=0)
    y = np.arange(200) % M
    one, two = (clone(top).set_params(n_jobs=n).fit(X, y).coef_ for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_threads_within_threads_have_the_same_numbers_and_end(seventy_labels):
    X, Y = seventy_labels
    model = MultilabelClassifier("svm_ova", cv=3, n_jobs=2, random_state=0)
    alone = clone(model).fit(X, Y)
    threads = threadpool_info()
    with parallel_config("threading"):
        jobs = Parallel(n_jobs=3)(delayed(clone(model).fit)(X, Y) for _ in range(4))
    for fitted in jobs:
        np.testing.assert_array_equal(fitted.coef_, alone.coef_)
        assert fitted.threshold_ == alone.threshold_
    assert threadpool_info() == threads  # each left BLAS as it was


def test_blas_has_its_threads_back_when_the_last_of_several_callers_leaves():
    def in_use():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    threads._libraries.cache_clear()  # another test may have loaded a BLAS since
    with threadpool_limits(2, user_api="blas"):
        before = in_use()  # a BLAS that another test has loaded may have one thread only
        assert 2 in before
        seen = each(lambda _: each(lambda _: in_use(), range(2), 2), range(3), 2)
        assert seen == [[{1}, {1}]] * 3
        assert in_use() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_while_another_thread_sets_blas_threads_does_not_hang(monkeypatch):
    inside = threading.Event()

    class Slow:
        def limit(self, **limits):
            limiter = ThreadpoolController().limit(**limits)
            inside.set()
            time.sleep(0.3)  # with the lock
            return limiter

    monkeypatch.setattr(threads, "_libraries", Slow)
    before = blas_threads()
    other = threading.Thread(target=each, args=(time.sleep, [0.5, 0.5], 2))
    other.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        found = each(abs, [-1, -2], 2) == [1, 2] and blas_threads() == before
        os._exit(0 if found else 1)
    other.join()
    deadline, status = time.monotonic() + 20, (0, 0)
    while status[0] == 0 and time.monotonic() < deadline:
        status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if status[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert status == (child, 0)
    assert blas_threads() == before


def blas_threads() -> list[int]:
    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]


def test_the_first_error_ends_the_other_jobs(seventy_labels):
    X, Y = seventy_labels

    def job(number):
        if number == 1:
            raise RuntimeError("job 1")
        return solve(X, Y, "svm_ova", C=1e3, tol=0, max_iter=10**9).status

    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="job 1"):
        each(job, range(4), 2)
    assert time.perf_counter() - start < 10
    assert why_to_end() == ""


def test_rbf_matrices_are_the_same_for_every_n_jobs():
    X = np.random.default_rng(0).standard_normal((1300, 20))
    for rows in (X, sparse.csr_array(X)):
        one, two = (kernels.rbf_gram(rows, 0.05, n_jobs=n_jobs) for n_jobs in (None, 2))
        np.testing.assert_array_equal(one, two)
