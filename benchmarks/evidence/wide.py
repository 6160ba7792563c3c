"""Evidence for wide problems: ``python benchmarks/evidence/wide.py [--limit SECONDS] [SET ...]`` prints the CPU
seconds of the default, on one thread, to relative gaps of 1e-3 and 1e-6.

The problems are those of a table in docs/evidence/solver.md. A gap in brackets was reached where the limit
was not enough.
A set without raw files is left out.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from common import ROOT, training_part
from sklearn.datasets import load_svmlight_file
from threadpoolctl import threadpool_limits

import toplabel
from benchmark_utils.problems import topics
from toplabel.reproduction.data.fetch import mirror_folders

TOLS = (1e-3, 1e-6)
CS = (1.0, 10.0, 100.0, 1000.0)
PROBLEMS = {
    "caltech101_silhouettes": (
        *(("svm_multi", 1, 1.0, C, {}) for C in CS),
        *(("topk_svm_alpha", 10, 1.0, C, {}) for C in CS),
        ("lr_multi", 1, 0.0, 1000.0, {}),
    ),
    "delicious": (("svm_ml", 1, 0.0, 32.0, {}), ("svm_ml", 1, 1.0, 32.0, {})),
    "scene": (
        ("svm_ml", 1, 0.0, 32.0, {}),
        ("svm_ml", 1, 0.0, 32.0, {"kernel": "rbf", "theta": "scale"}),
    ),
    "news20": (("svm_multi", 1, 0.0, 0.01, {}), ("svm_multi", 1, 1.0, 1.0, {})),
    "topics": (
        ("svm_multi", 1, 0.0, 1.0, {}),
        ("svm_multi", 1, 0.0, 100.0, {}),
        ("lr_multi", 1, 0.0, 100.0, {}),
    ),
}


def load(name: str):
    """Return rows and labels, or None."""
    if name == "topics":
        return topics(np.random.default_rng(0), 6412, 55_000, 105)
    if name == "news20":  # the training part alone
        for folder in mirror_folders((), ROOT):
            for path in Path(folder).glob("news20/news20.bz2"):
                X, y = load_svmlight_file(str(path))
                return X, np.unique(y, return_inverse=True)[1]
    return training_part(name)


def main() -> None:
    """Print a line for each problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("names", nargs="*", default=PROBLEMS)
    given = parser.parse_args()
    print("| problem | n, d, m | passes to 1e-3 | s | passes to 1e-6 | s |")
    print("|---|---|---|---|---|---|")
    for name in given.names:
        data = load(name)
        if data is None:
            continue
        X, y = data
        for key, k, gamma, C, more in PROBLEMS[name]:
            cells = []
            for tol in TOLS:
                began = time.process_time()
                options = {"k": k, "gamma": gamma, "C": C, "tol": tol, "max_iter": 10**7} | more
                solution = toplabel.solve(X, y, key, cpu_limit=given.limit, **options)
                took = time.process_time() - began
                missed = solution.status != "converged"
                passes = f"{solution.epochs:,}"
                cells += [passes, f"- ({solution.relative_gap:.1e})" if missed else f"{took:.2f}"]
                if missed:
                    break
            cells += ["", ""] * (2 - len(cells) // 2)
            m = y.shape[1] if np.ndim(y) == 2 else int(y.max()) + 1
            kernel = f", {more['kernel']}" if more else ""
            label = f"{name} {key} k {k} γ {gamma:g}, C {C:g}{kernel}"
            print(
                f"| {label} | {X.shape[0]}, {X.shape[1]}, {m} | {' | '.join(cells)} |", flush=True
            )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
