"""Evidence for the solver: ``python benchmarks/evidence/solver.py [--seeds N]`` prints what was
compared, and the worst.

Optima against general-purpose convex solvers, their certificates computed again from weights (or
coefficients) and dual variables, with accelerated passes and plain ones; iterates in blocks against
row by row, Fenchel-Young equality at the updates, and float32 certificates against float64
objectives. `tests/reference` asserts the same on fewer problems.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import oracles
import toplabel
from toplabel import losses
from toplabel._core.arrays import as_labels
from toplabel._core.problem import Problem
from toplabel._core.run import Run, RunSettings

N, D, M = 11, 3, 5
CS = (0.03, 0.5, 10.0)


def cases() -> Iterator[tuple[str, int, float]]:
    """Every convex loss with k in {1, 2, 3, m - 1} and gamma in {0, 0.5, 1}, where it has them."""
    for key, loss in losses.LOSSES.items():
        if loss.convex:
            ks = (1, 2, 3, M - 1) if loss.top_k else (1,)
            gammas = (0.0, 0.5, 1.0) if loss.smoothing else (0.0,)
            yield from ((key, k, gamma) for k, gamma in itertools.product(ks, gammas))


def problem(key: str, seed: int, sets: bool):
    """Rows with a zero row; label sets with an empty and a full one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) * rng.choice([0.3, 1.0, 3.0])
    X[2] = 0.0
    if not sets:
        return X, rng.permutation(np.arange(N) % M)
    Y = (rng.random((N, M)) < 0.4).astype(int)
    Y[0], Y[1], Y[3] = 0, 1, np.eye(M, dtype=int)[1]
    return X, Y


def optima(seeds: int) -> pd.DataFrame:
    """Largest relative differences of the optimum and of the certificate, dense, CSR and Gram, at
    tol 1e-8; passes.
    """
    rows = []
    for key, k, gamma in cases():
        targets = {"one": [False], "set": [True], "either": [False, True]}[losses.get(key).labels]
        found = []
        for seed, C, sets in itertools.product(range(seeds), CS, targets):
            X, y = problem(key, seed, sets)
            expected = oracles.convex_optimum(key, X, y, M, C, k, gamma)
            options = {"loss": key, "k": k, "gamma": gamma, "C": C, "tol": 1e-8}
            options["max_iter"] = 10**6
            for form, kernel in (
                (X, "linear"),
                (sparse.csr_array(X), "linear"),
                (X @ X.T, "precomputed"),
            ):
                solution = toplabel.solve(form, y, kernel=kernel, **options)
                plain = toplabel.solve(form, y, kernel=kernel, acceleration=False, **options)
                found.append(
                    (
                        abs(solution.primal / expected - 1),
                        solution.relative_gap,
                        error_of_certificate(form, y, solution),
                        solution.epochs,
                        plain.epochs,
                        abs(plain.primal / expected - 1),
                    )
                )
        differences, gaps, errors, passes, plain_passes, plain_differences = np.array(found).T
        largest = (differences.max(), plain_differences.max(), gaps.max(), errors.max())
        rows.append(
            (key, k, gamma, len(found), *largest, int(passes.sum()), int(plain_passes.sum()))
        )
    columns = ["loss", "k", "gamma", "problems", "largest_difference", "plain", "largest_gap"]
    columns += ["error_of_certificate", "passes", "plain_passes"]
    return pd.DataFrame(rows, columns=columns)


def error_of_certificate(X, y, solution) -> float:
    """By how much P and D are not those of the weights and the dual variables, relative to the
    larger one.
    """
    found = toplabel.certify(X, y, solution)
    error = max(abs(solution.primal - found.primal), abs(solution.dual - found.dual))
    return error / max(abs(found.primal), abs(found.dual))


def blocks() -> pd.DataFrame:
    """Largest difference of the dual variables after three epochs: in blocks of any size against
    row by row.
    """
    rows = []
    rng = np.random.default_rng(0)
    X, m = rng.normal(size=(150, 70)), 6
    y = np.arange(150) % m
    labels = as_labels(y, 150, multilabel=False)
    for key, k, gamma in cases():
        if losses.get(key).labels == "set":
            continue
        duals = []
        for features, block in [(X, b) for b in (1, 7, 64, 150, 0)] + [(sparse.csr_array(X), 0)]:
            spec = losses.get(key)
            whole = Problem(features, features, labels, "linear", None, spec, k, gamma)
            run = Run(whole, 0.3, None, RunSettings(seed=1, block=block))
            run.run(3)
            duals.append(run.A)
        worst = max(np.abs(other - duals[0]).max() for other in duals[1:])
        rows.append((key, k, gamma, len(duals) - 1, worst))
    return pd.DataFrame(rows, columns=["loss", "k", "gamma", "variants", "largest_difference"])


def fenchel_young(seeds: int) -> pd.DataFrame:
    """Right after its update a row has L(s) + L*(-a/C) = -<s, a>/C: largest deviation, relative to
    the terms.

    With one row in the training set, one epoch is one update.
    """
    rows = []
    for key, k, gamma in cases():
        worst, count = 0.0, 0
        for seed in range(40 * seeds):
            rng = np.random.default_rng(seed)
            x = rng.normal(size=(1, D)) * rng.choice([0.1, 1.0, 30.0])
            y = rng.integers(0, M, 1)
            if losses.get(key).labels == "set":
                y = (rng.random((1, M)) < 0.5).astype(int)
            C = rng.choice([1e-3, 1.0, 1e3])
            solution = toplabel.solve(
                x, y, loss=key, k=k, gamma=gamma, C=C, tol=0.0, max_iter=1, n_classes=M
            )
            s, v = x @ solution.W, -solution.A / C
            value = losses.value(key, s, y, k=k, gamma=gamma)[0]
            conjugate = losses.conjugate(key, v, y, k=k, gamma=gamma)[0]
            product = float((s * v).sum())
            size = max(abs(value), abs(conjugate), abs(product), 1e-300)
            worst, count = max(worst, abs(value + conjugate - product) / size), count + 1
        rows.append((key, k, gamma, count, worst))
    return pd.DataFrame(rows, columns=["loss", "k", "gamma", "updates", "largest_deviation"])


def float32() -> pd.DataFrame:
    """float32 features: the certified interval must hold the float64 optimum, and be that of the
    returned W and A.
    """
    rows = []
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 90)).astype(np.float32)
    y = np.arange(200) % M
    Y = np.maximum(np.eye(M, dtype=int)[y], rng.random((200, M)) < 0.3).astype(int)
    for key, k, gamma in cases():
        target = Y if losses.get(key).labels == "set" else y
        options = {"loss": key, "k": k, "gamma": gamma, "C": 0.02}
        single = toplabel.solve(X, target, tol=1e-6, max_iter=10**5, **options)
        double = toplabel.solve(X.astype(np.float64), target, tol=1e-9, max_iter=10**5, **options)
        inside = double.dual <= single.primal * (1 + 1e-12) and single.dual <= double.primal * (
            1 + 1e-12
        )
        error = error_of_certificate(X, target, single)
        rows.append((key, k, gamma, single.status, single.relative_gap, inside, error))
    columns = [
        "loss",
        "k",
        "gamma",
        "status",
        "relative_gap",
        "interval_holds_optimum",
        "error_of_certificate",
    ]
    return pd.DataFrame(rows, columns=columns)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="random problems of each kind")
    seeds = parser.parse_args().seeds
    tables = {
        "Optima at tol 1e-8 against convex solvers": optima(seeds),
        "Dual variables after 3 epochs, in blocks against row by row": blocks(),
        "Fenchel-Young equality after an update": fenchel_young(seeds),
        "float32 features, tol 1e-6": float32(),
    }
    with pd.option_context("display.width", 140, "display.max_rows", 100):
        for title, table in tables.items():
            print(f"\n{title}\n{table.to_string(index=False, float_format='{:.2g}'.format)}")
    worst = tables["Optima at tol 1e-8 against convex solvers"]
    print(
        f"\n{worst.problems.sum()} optima, largest difference {worst.largest_difference.max():.2g}, "
        f"largest error of a certificate {worst.error_of_certificate.max():.2g}, {worst.passes.sum()} passes for "
        f"{worst.plain_passes.sum()} plain ones"
    )


if __name__ == "__main__":
    main()
