"""Evidence for more cores: ``python benchmarks/evidence/cores.py [PROBLEM ...]`` prints the seconds of training with
one and with two threads of BLAS, and what more cores would give.

The seconds are CPU seconds of the thread that trains, the smaller of two runs of each in turn, so that what
else runs on the machine counts little. With two threads that thread has half of the work that they share.
From the ratio follow the share of the time that is shared, and by Amdahl's law the ratios of 8 and of 64
cores.
A set without raw files is left out.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from common import training_part
from threadpoolctl import threadpool_limits

import toplabel
from toplabel.kernels import rbf_gram

ROUNDS = 2


def problems():
    """Yield a name, rows or a Gram matrix, classes, and the options of `solve`."""
    X, y = training_part("b")
    yield "b, svm_multi", X, y, {"C": 10.0}
    yield "b, lr_multi", X, y, {"loss": "lr_multi", "C": 10.0}
    if (silhouettes := training_part("caltech101_silhouettes")) is not None:
        X, y = silhouettes
        yield "silhouettes, svm_multi γ 1", X, y, {"C": 1.0, "gamma": 1.0}
        theta = 1 / (X.shape[1] * X.var())
        options = {"C": 10.0, "kernel": "precomputed", "check_input": False}
        yield "silhouettes, RBF matrix, svm_multi", rbf_gram(X, theta), y, options
    if (letter := training_part("letter")) is not None:
        X, y = letter
        options = {"C": 1e4, "method": "newton", "tol": 1e-6}
        yield "letter, lr_multi, Newton", X, y, options | {"loss": "lr_multi"}
        yield "letter, svm_multi, Newton", X, y, options


def seconds(X, y, options, threads: int) -> float:
    with threadpool_limits(threads):
        began = time.thread_time()
        toplabel.solve(X, y, max_iter=10**6, cpu_limit=20.0, **options)
        return time.thread_time() - began


def main(names: list[str]) -> None:
    """Print a line for each problem."""
    print("| problem | 1 thread, s | 2 threads, s | ratio | share | 8 cores | 64 cores |")
    print("|---|---|---|---|---|---|---|")
    for name, X, y, options in problems():
        if names and not any(name.startswith(one) for one in names):
            continue
        one, two = np.min(
            [[seconds(X, y, options, n) for n in (1, 2)] for _ in range(ROUNDS)], axis=0
        )
        share = min(max(2 * (1 - two / one), 0.0), 1.0)
        more = (1 / (1 - share + share / cores) for cores in (8, 64))
        cells = f"{one:.2f} | {two:.2f} | {one / two:.2f} | {share:.2f}"
        print(f"| {name} | {cells} | {' | '.join(f'{ratio:.2f}' for ratio in more)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
