"""Evidence for the speed beside other solvers: ``python benchmarks/evidence/peers.py [PROBLEM ...]`` prints CPU
seconds to relative gaps of 1e-3 and 1e-6, on one thread.

Ours stops at its own certificate; LIBLINEAR and scikit-learn are run with ever more iterations, and the first
run that is accurate enough counts.
A set without raw files is left out.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from common import training_part
from threadpoolctl import threadpool_limits

from benchmark_utils.peers import hinge, logistic, logistic_ova, quiet
from toplabel.reproduction.timing import fastest, timed
from toplabel.reproduction.timing.training import primal
from toplabel.solver import solve

ACCURACIES = (1e-3, 1e-6)
LARGEST = 3000  # weights
REPEATS = 3  # runs of a solver, of which the fastest counts
_SECONDS = 5.0  # after which a run is the last one of its solver
COLUMNS = ["loss", "ours", "peer", "seconds", "reached"]
PEERS: dict[str, dict[str, Callable[..., np.ndarray]]] = {
    "svm_multi": {"LIBLINEAR": partial(hinge, loss="svm_multi")},
    "svm_ova": {"LIBLINEAR": partial(hinge, loss="svm_ova")},
    "lr_ova": {"LIBLINEAR": partial(logistic_ova, dual=False)},
    "lr_multi": {
        "scikit-learn, sag": partial(logistic, solver="sag"),
        "scikit-learn, lbfgs": partial(logistic, solver="lbfgs"),
        "scikit-learn, newton-cholesky": partial(logistic, solver="newton-cholesky"),
    },
}
"""Other solvers of each loss by their names: functions of X, y, C and the iterations that return W."""
ALL = tuple(PEERS)
PROBLEMS = {
    "letter": ((10.0, ALL), (1000.0, ("svm_multi",)), (1e4, ("lr_multi",))),
    "landsat": ((10.0, ("svm_multi",)), (1.0, ("lr_multi",))),
    "optdigits": ((1.0, ("svm_multi",)), (10.0, ("lr_multi",))),
    "tabular": ((10.0, ALL),),
    "a": ((1.0, ALL),),
    "zeros and ones": ((1.0, ALL), (10.0, ALL)),
    "text": ((1.0, ALL),),
    "b": ((10.0, ("svm_multi", "svm_ova", "lr_multi")),),
}


def zeros_and_ones():
    """Return 2,000 rows of 180 features in 60 groups of which at most one is 1, and three classes, like
    sequences of nucleotides beside a splice junction.
    """
    rng = np.random.default_rng(0)
    y = rng.choice(3, 2000, p=(0.25, 0.25, 0.5))
    near = np.exp(-(((np.arange(60) - 30) / 4.0) ** 2))
    odds = (
        np.log(0.25)
        + 2.5 * near[:, None] * rng.normal(size=(3, 60, 4)) * (np.arange(3) < 2)[:, None, None]
    )
    letters = (odds[y] + rng.gumbel(size=(2000, 60, 4))).argmax(2)
    return (letters[:, :, None] == np.arange(3)).reshape(2000, 180).astype(float), y


def peers_of(X, y, keys):
    """Return the peers of some losses: saga too, and without newton-cholesky where its matrix is large."""
    found = {key: dict(PEERS[key]) for key in keys}
    if "lr_multi" in found:
        found["lr_multi"]["scikit-learn, saga"] = partial(logistic, solver="saga")
        if X.shape[1] * (y.max() + 1) > LARGEST:
            del found["lr_multi"]["scikit-learn, newton-cholesky"]
    return found


def race(X: np.ndarray, y: np.ndarray, C: float, accuracy: float, peers) -> pd.DataFrame:
    """Return the CPU seconds of `toplabel.solve` and of each peer to an accuracy: `COLUMNS`.

    The library stops at its own certificate, a relative duality gap of `accuracy`. A peer is
    trained anew for ever more iterations until its W is as accurate; the seconds are those of the
    last run, and `reached` says whether it was accurate.
    """
    rows = []
    for loss, solvers in peers.items():
        bound = solve(X, y, loss, C=C, tol=0.1 * accuracy, max_iter=100_000).dual
        train_ours = partial(solve, X, y, loss, C=C, tol=accuracy, max_iter=100_000)
        ours = fastest(train_ours, REPEATS, time.process_time)
        for name, train in solvers.items():
            step, excess, seconds = 1, np.inf, 0.0
            while excess > accuracy and seconds < _SECONDS:
                train_peer = partial(quiet, train, X, y, C, step)
                seconds, W = timed(train_peer, time.process_time)
                excess = primal(loss, X, y, W, C) / bound - 1
                step = max(step + 1, int(1.5 * step))
            if reached := excess <= accuracy:
                seconds = min(seconds, fastest(train_peer, REPEATS, time.process_time))
            rows.append((loss, ours, name, seconds, reached))
    return pd.DataFrame(rows, columns=COLUMNS)


def main(names: list[str]) -> None:
    """Print a line for each problem, loss and accuracy."""
    print("| problem | loss | C | to | ours | best peer | its seconds | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for name in names or PROBLEMS:
        data = zeros_and_ones() if name == "zeros and ones" else training_part(name)
        if data is None:
            continue
        X, y = data
        for C, keys in PROBLEMS[name]:
            for accuracy in ACCURACIES:
                raced = race(X, y, C, accuracy, peers_of(X, y, keys))
                for key, part in raced.groupby("loss", sort=False):
                    ours = part["ours"].iloc[0]
                    best = part.loc[part["seconds"].where(part["reached"], np.inf).idxmin()]
                    more = "" if best["reached"] else "> "
                    ratio = best["seconds"] / ours
                    ratios.append(ratio)
                    print(
                        f"| {name} | {key} | {C:g} | {accuracy:g} | {ours:.3f} | {best['peer']} |"
                        f" {more}{best['seconds']:.3f} | {more}{ratio:.2f} |",
                        flush=True,
                    )
    mean = np.exp(np.log(ratios).mean())
    print(f"{len(ratios)} ratios: geometric mean at least {mean:.2f}, smallest {min(ratios):.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
