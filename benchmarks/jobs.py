"""Print how much faster `n_jobs` makes folds, one-vs-all losses and kernel matrices.

    python benchmarks/jobs.py [--quick]

Wall time needs a quiet machine: the load average is printed. The cases take turns, and the fastest of
three rounds counts. CPU seconds say what the split itself costs.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmark_utils.measuring import best_of_rounds
from toplabel import MultilabelClassifier, kernels
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.timing import cpu_name, load_average
from toplabel.solver import solve

CASES = {
    "five folds and the model, lr_ml, 100 labels": ("lr_ml", "tune"),
    "five folds and the model, lr_ova, 100 labels": ("lr_ova", "tune"),
    "lr_ova, 100 labels": ("lr_ova", None),
    "svm_ova, 100 labels": ("svm_ova", None),
    "matrix of the RBF kernel": None,
}


def label_sets(n: int, d: int = 200, m: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Return noisy sums of directions of the labels, of norm 1, and three labels a row."""
    rng = np.random.default_rng(seed_of("jobs", n, d, m))
    Y = np.zeros((n, m), np.uint8)
    Y[np.arange(n)[:, None], rng.integers(0, m, (n, 3))] = 1
    X = Y @ rng.standard_normal((m, d)) + 2.0 * rng.standard_normal((n, d))
    return X / np.linalg.norm(X, axis=1, keepdims=True), Y


def times(X: np.ndarray, Y: np.ndarray, case, n_jobs: int | None) -> tuple[float, float]:
    """Return seconds of wall time and of CPU time."""
    wall, cpu = time.perf_counter(), time.process_time()
    if case is None:
        kernels.rbf_gram(X, 0.5, n_jobs=n_jobs)
    elif case[1] is None:
        solve(X, Y, case[0], C=10.0, n_jobs=n_jobs)
    else:
        model = MultilabelClassifier(case[0], C=10.0, cv=5, n_jobs=n_jobs, random_state=0)
        model.fit(X, Y)
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print the table."""
    quick = "--quick" in sys.argv
    X, Y = label_sets(400 if quick else 8000)
    rows = []
    with threadpool_limits(1):
        for name, case in CASES.items():
            ways = {n: partial(times, X, Y, case, n) for n in (None, 1, 2)}
            best = best_of_rounds(ways, 1 if quick else 3)
            rows += [(name, n, *best[n], best[1][0] / best[n][0]) for n in ways]
    names = ["case", "n_jobs", "wall", "cpu", "times as fast as n_jobs=1"]
    table = pd.DataFrame(rows, columns=names).astype({"n_jobs": "object"})
    table["n_jobs"] = [str(n) for _, n, *_ in rows]
    print(table.to_string(index=False, float_format=lambda value: f"{value:.3g}"))
    print(
        f"{cpu_name()}, load average {load_average():.1f}: above about 2, wall times are of no use"
    )


if __name__ == "__main__":
    main()
