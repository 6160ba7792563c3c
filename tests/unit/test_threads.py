"""The library lets other Python threads run, and gives them the same numbers."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from toplabel import losses, solve


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


def test_problems_that_are_solved_side_by_side_give_the_same_numbers():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((300, 10)), rng.integers(0, 5, 300)

    def train(C):
        return solve(X, y, "topk_svm_alpha", k=2, C=C, eps=1e-6, seed=3).W

    values = [0.01, 0.1, 1.0, 10.0]
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(train, values)]
    for C, W in zip(values, found, strict=True):
        np.testing.assert_array_equal(W, train(C))
