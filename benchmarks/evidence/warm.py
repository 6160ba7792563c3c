"""Evidence for warm starts: ``python benchmarks/evidence/warm.py [--tol TOL] [SET ...]`` prints the CPU seconds
of `toplabel.path` over a grid of C beside those of `toplabel.solve` for each C, on one thread.

All go in turn, `ROUNDS` times, and the smallest time counts. The columns: set and loss, `tol`, seconds of the
cold fits and of the path, their ratio; the ratio of fits by ``solve(warm_start=...)`` from the C before;
the largest ratio of one of these that took `MORE` seconds more than cold.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from common import load, stages
from threadpoolctl import threadpool_limits

import toplabel

ROUNDS, LIMIT, MORE = 2, 10.0, 0.02
LOSSES = {
    "letter": (
        ("svm_multi", 1, 0.0),
        ("svm_multi", 1, 1.0),
        ("topk_svm_alpha", 5, 0.0),
        ("topk_svm_beta", 5, 1.0),
        ("svm_ova", 1, 0.0),
        ("lr_multi", 1, 0.0),
        ("topk_ent", 5, 0.0),
    ),
    "emotions": (("svm_ml", 1, 0.0), ("svm_ml", 1, 1.0), ("lr_ml", 1, 0.0)),
}
GRIDS = {"letter": 10.0 ** np.arange(-5, 4), "emotions": 2.0 ** np.arange(-20, 6, 3)}


def times_of(X, y, loss, Cs, tol: float):
    """Return the CPU seconds of each C from zero and from the C before, and of the path."""
    key, k, gamma = loss
    options = {"k": k, "gamma": gamma, "tol": tol, "max_iter": 10**6, "cpu_limit": LIMIT}
    times, found, before = [], [], None
    for C in Cs:
        began = time.process_time()
        cold = toplabel.solve(X, y, key, C=C, **options)
        then = time.process_time()
        before = toplabel.solve(X, y, key, C=C, warm_start=before, **options)
        times.append((then - began, time.process_time() - then))
        found.append((cold, before))
    began = time.process_time()
    toplabel.path(X, y, Cs, key, **options)
    return *np.array(times).T, time.process_time() - began, found


def ran(solution) -> str:
    return f"{stages(solution)} ({solution.relative_gap:.0e})"


def main() -> None:
    """Print a line for each set and loss."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--each", action="store_true", help="print each C")
    parser.add_argument("names", nargs="*", default=LOSSES)
    given = parser.parse_args()
    for name in given.names:
        X, y = load(name)[:2]
        for loss in LOSSES[name]:
            rounds = [times_of(X, y, loss, GRIDS[name], given.tol) for _ in range(ROUNDS)]
            cold, warm, path = (np.min([r[i] for r in rounds], axis=0) for i in range(3))
            late = (warm / cold)[warm - cold > MORE]
            key, k, gamma = loss
            print(
                f"| {name} {key} k {k} γ {gamma:g} | {given.tol:g} | {cold.sum():.2f} | {path:.2f} |"
                f" {path / cold.sum():.2f} | {warm.sum() / cold.sum():.2f} | {max(late, default=1.0):.2f} |",
                flush=True,
            )
            if given.each:
                for C, *seconds, pair in zip(GRIDS[name], cold, warm, rounds[0][3], strict=True):
                    print(
                        f"    C {C:g}: {seconds[0]:.3f} {seconds[1]:.3f}; {ran(pair[0])}; {ran(pair[1])}"
                    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
