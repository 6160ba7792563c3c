"""Evidence for more cores: ``python tests/evidence/cores.py [PROBLEM ...]`` prints the seconds of training with
one and with two threads of BLAS, and what more cores would give.

The seconds are CPU seconds of the thread that trains, the smaller of two runs of each in turn, so that what
else runs on the machine counts little. With two threads that thread has half of the work that they share.
From the ratio follow the share of the time that is shared, and by Amdahl's law the ratios of 8 and of 64
cores. Raw files are looked for in TOPLABEL_MIRROR and data/embedded; a set that is not there is left out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from defaults import load as load_set

import toplabel
from benchmark_utils.problems import synthetic
from toplabel.kernels import rbf_gram

ROUNDS = 2


def problems():
    """Yield a name, rows or a Gram matrix, classes, and the options of `solve`."""
    b = synthetic("b")
    yield "b, svm_multi", b.X, b.y, {"C": b.C}
    yield "b, lr_multi", b.X, b.y, {"loss": "lr_multi", "C": b.C}
    if (silhouettes := load_set("caltech101_silhouettes")) is not None:
        X, y = silhouettes[:2]
        X = np.ascontiguousarray(X, dtype=float)
        yield "silhouettes, svm_multi γ 1", X, y, {"C": 1.0, "gamma": 1.0}
        theta = 1 / (X.shape[1] * X.var())
        options = {"C": 10.0, "kernel": "precomputed", "check_input": False}
        yield "silhouettes, RBF matrix, svm_multi", rbf_gram(X, theta), y, options
    if (letter := load_set("letter")) is not None:
        X, y = letter[:2]
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
