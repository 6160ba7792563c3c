"""Evidence for the speed of small fits: ``python benchmarks/evidence/small.py`` prints CPU seconds on one
thread beside LIBLINEAR and scikit-learn, all at the same (P - P*)/P*: that of our model at a gap of 1e-3.

A peer is run with ever more iterations, and the first run that is as accurate counts. Ours and that
run are then timed in alternation, and the smallest time of each counts.
The sixteen problems had no part in the constants of the solver.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from peers import peers_of
from sklearn import datasets
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import toplabel
from benchmark_utils.peers import quiet
from toplabel.reproduction.timing import timed
from toplabel.reproduction.timing.training import primal

TOL, EXACT, ROUNDS, LIMIT = 1e-3, 1e-9, 7, 0.5


def drawn(seed: int, n: int, d: int, m: int, *, share: float = 1.0):
    """Return rows of a softmax, of which so large a share of the entries is not 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < share)
    y = np.argmax(2 * X @ rng.normal(size=(d, m)) / np.sqrt(share * d) + rng.gumbel(size=(n, m)), 1)
    return X, y


def clusters(seed: int, n: int, d: int, m: int):
    X, y = datasets.make_classification(
        n, d, n_informative=d // 2, n_redundant=d // 4, n_classes=m, random_state=seed
    )
    return X, y


def bits(seed: int, n: int, d: int, m: int):
    """Return rows of zeros and ones, whose odds are those of their class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, m, n)
    odds = rng.beta(0.5, 0.5, size=(m, d))
    return (rng.random((n, d)) < 0.25 + 0.5 * odds[y]).astype(float), y


def scaled(name: str):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def problems():
    """Yield a name, rows, classes, loss and C."""
    yield "digits, scaled", *scaled("digits"), "lr_multi", 0.1
    yield "digits, scaled", *scaled("digits"), "svm_multi", 0.01
    yield "wine, scaled", *scaled("wine"), "lr_multi", 10.0
    yield "breast cancer, scaled", *scaled("breast_cancer"), "lr_ova", 1.0
    yield "wine, scaled", *scaled("wine"), "svm_ova", 0.1
    yield "drawn 800 x 30, 4", *drawn(11, 800, 30, 4), "lr_multi", 3.0
    yield "drawn 2500 x 100, 5", *drawn(12, 2500, 100, 5), "lr_multi", 1.0
    yield "drawn 2500 x 100, 5", *drawn(12, 2500, 100, 5), "svm_multi", 1.0
    yield "drawn 3000 x 15, 12", *drawn(13, 3000, 15, 12), "lr_ova", 100.0
    yield "sparse 1500 x 200, 6", *drawn(14, 1500, 200, 6, share=0.1), "lr_multi", 30.0
    yield "sparse 1500 x 200, 6", *drawn(14, 1500, 200, 6, share=0.1), "svm_ova", 1.0
    yield "clusters 2000 x 40, 8", *clusters(15, 2000, 40, 8), "lr_multi", 100.0
    yield "clusters 2000 x 40, 8", *clusters(15, 2000, 40, 8), "svm_multi", 0.1
    yield "bits 1600 x 120, 3", *bits(16, 1600, 120, 3), "lr_multi", 10.0
    yield "bits 1600 x 120, 3", *bits(16, 1600, 120, 3), "lr_ova", 3.0
    yield "bits 3000 x 60, 10", *bits(17, 3000, 60, 10), "svm_multi", 1.0


def seconds_of(train, peer) -> tuple[float, float]:
    """Return the smallest times of both, in alternation."""
    times = [[timed(run, time.process_time)[0] for run in (train, peer)] for _ in range(ROUNDS)]
    ours, other = np.min(times, axis=0)
    return float(ours), float(other)


def first_run(train, X, y, C: float, loss: str, goal: float):
    """Return the run of a peer, with the fewest iterations, whose P is at most the goal; None if it takes
    more than `LIMIT` seconds.
    """
    step, took = 1, 0.0
    while took < LIMIT:
        run = partial(quiet, train, X, y, C, step)
        took, W = timed(run, time.process_time)
        if primal(loss, X, y, W, C) <= goal:
            return run
        step += max(1, step // 8)
    return None


def main() -> None:
    """Print a line for each problem and peer."""
    print("| problem | loss | C | (P - P*)/P* | ours, ms | peer | its ms | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    fastest = []
    for name, X, y, loss, C in problems():
        best = toplabel.solve(X, y, loss, C=C, tol=EXACT, max_iter=10**6)
        train = partial(toplabel.solve, X, y, loss, C=C, tol=TOL, max_iter=10**6)
        goal = train().primal
        ratios = []
        for peer, of_peer in peers_of(X, y, [loss])[loss].items():
            run = first_run(of_peer, X, y, C, loss, goal)
            if run is None:
                continue
            ours, other = seconds_of(train, run)
            ratios.append(other / ours)
            excess = f"{goal / best.dual - 1:.1e} | {1e3 * ours:.1f}"
            print(
                f"| {name} | {loss} | {C:g} | {excess} | {peer} | {1e3 * other:.1f} | {ratios[-1]:.2f} |",
                flush=True,
            )
        fastest.append(min(ratios, default=np.inf))
    reached = np.array([ratio for ratio in fastest if np.isfinite(ratio)])
    print(
        f"fastest peer over ours: {len(reached)} of {len(fastest)} problems, geometric mean "
        f"{np.exp(np.log(reached).mean()):.2f}, smallest {reached.min():.2f}, below .9: {np.sum(reached < 0.9)}"
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
