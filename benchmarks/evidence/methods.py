"""Evidence for the choice of a method: ``python benchmarks/evidence/methods.py [SET ...]`` prints CPU seconds
by coordinate ascent alone, by Newton's method alone and by the default, on one thread.

The problems are those of docs/evidence/solver.md; with the sets "made" and "fresh" twenty random ones
each, and with "small" scikit-learn's own sets, as they are. Each is solved from W = 0 to relative gaps of
1e-3 and 1e-6, in at most `LIMIT` seconds, the methods one after the other; where that takes less than
`SHORT` seconds, `ROUNDS` times, and the smallest time of each counts.
A set without raw files is left out.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from common import stages, training_part
from sklearn import datasets
from threadpoolctl import threadpool_limits

import toplabel
from toplabel.kernels import rbf_gram

LIMIT, SHORT, ROUNDS = 3.0, 1.0, 3
TOLS = (1e-3, 1e-6)
METHODS = ("sdca", "newton", "auto")
PROBLEMS = {
    "letter": (
        ("svm_multi", 1, 1.0, 10.0),
        ("svm_multi", 1, 0.0, 10.0),
        ("svm_multi", 1, 0.0, 1e3),
        ("topk_svm_alpha", 5, 1.0, 1e3),
        ("topk_svm_alpha", 5, 0.0, 1e4),
        ("topk_svm_beta", 5, 0.0, 10.0),
        ("topk_svm_beta", 5, 0.0, 1e4),
        ("svm_ova", 1, 0.0, 100.0),
        ("lr_multi", 1, 0.0, 1e4),
    ),
    "landsat": (
        ("svm_multi", 1, 1.0, 10.0),
        ("svm_multi", 1, 0.0, 10.0),
        ("lr_multi", 1, 0.0, 1.0),
        ("topk_svm_alpha", 3, 1.0, 10.0),
        ("topk_svm_alpha", 3, 0.0, 10.0),
    ),
    "optdigits": (
        ("svm_multi", 1, 1.0, 1.0),
        ("svm_multi", 1, 0.0, 1.0),
        ("topk_svm_alpha", 3, 1.0, 1.0),
        ("lr_multi", 1, 0.0, 10.0),
    ),
    "tabular": (("svm_multi", 1, 0.0, 10.0), ("svm_multi", 1, 1.0, 10.0)),
    "yeast": (
        ("svm_ml", 1, 1.0, 32.0),
        ("svm_ml", 1, 0.0, 32.0),
        ("lr_ml", 1, 0.0, 32.0),
        ("svm_ml", 1, 0.0, 524288.0),
    ),
    "emotions": (("svm_ml", 1, 0.0, 32.0),),
    "rbf emotions": (("svm_ml", 1, 0.0, 32.0),),
    "scene": (("lr_ml", 1, 0.0, 32.0), ("svm_ml", 1, 0.0, 32.0)),
    "rbf scene": (("svm_ml", 1, 0.0, 32.0),),
}
SEEDS = {"made": 1000, "fresh": 2000}
LOSSES = (
    ("svm_multi", 1, 0.0),
    ("svm_multi", 1, 1.0),
    ("topk_svm_alpha", 2, 0.0),
    ("topk_svm_beta", 2, 1.0),
    ("lr_multi", 1, 0.0),
    ("svm_ova", 1, 0.0),
    ("lr_ova", 1, 0.0),
)


def made(first_seed: int):
    """Yield a name, rows, classes, loss and C of random problems."""
    for seed in range(20):
        rng = np.random.default_rng(first_seed + seed)
        n, d, m = rng.integers(200, 4000), rng.integers(5, 80), rng.integers(3, 20)
        W, scale = rng.normal(size=(d, m)), 10.0 ** rng.uniform(-1.0, 1.5, size=d * (seed % 2))
        X = rng.normal(size=(n, d)) * (scale if seed % 2 else 1.0)
        y = (X / np.linalg.norm(X, axis=1, keepdims=True) @ W + rng.gumbel(size=(n, m))).argmax(1)
        yield f"{n} x {d}, {m}", X, y, LOSSES[seed % 7], 10.0 ** rng.integers(-1, 4)


def small():
    """Yield the same of scikit-learn's sets."""
    for i, name in enumerate(("iris", "wine", "breast_cancer", "digits")):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        for j in range(2):
            yield name, X, y, LOSSES[(2 * i + 3 * j) % 7], 1.0


def problems(names):
    """Yield a name, rows or a Gram matrix, labels, loss with k and gamma, and C."""
    for name in names or (*PROBLEMS, *SEEDS, "small"):
        if name in SEEDS:
            yield from made(SEEDS[name])
            continue
        if name == "small":
            yield from small()
            continue
        *kernel, of = name.split()
        if (data := training_part(of)) is None:
            continue
        X, y = data
        for *loss, C in PROBLEMS[name]:
            yield name, rbf_gram(X, 1 / (X.shape[1] * X.var())) if kernel else X, y, loss, C


def seconds_of(X, y, loss, C: float, tol: float, method: str, kernel: str):
    """Return CPU seconds, and the solution."""
    key, k, gamma = loss
    options = {"k": k, "gamma": gamma, "C": C, "tol": tol, "max_iter": 10**6, "kernel": kernel}
    began = time.process_time()
    solution = toplabel.solve(X, y, key, method=method, cpu_limit=LIMIT, **options)
    return time.process_time() - began, solution


def race(X, y, loss, C: float, tol: float, kernel: str):
    """Return the seconds and the solution of each method."""
    found = {}
    for i in range(ROUNDS):
        for method in METHODS:
            if kernel == "precomputed" and method == "newton":
                continue
            if i and sum(seconds for seconds, _ in found.values()) > SHORT:
                continue
            seconds, solution = seconds_of(X, y, loss, C, tol, method, kernel)
            found[method] = (min(seconds, found.get(method, (seconds,))[0]), solution)
    return found


def main(names: list[str]) -> None:
    """Print a line for each problem and tolerance, and the ratios."""
    ratios = {tol: [] for tol in TOLS}
    for name, X, y, loss, C in problems(names):
        for tol in TOLS:
            found = race(X, y, loss, C, tol, "precomputed" if name.startswith("rbf") else "linear")
            cells = []
            for method in METHODS:
                took, solution = found.get(method, (np.nan, None))
                missed = solution is not None and solution.status != "converged"
                cells.append(f"{took:.3f}" + (f" ({solution.relative_gap:.0e})" if missed else ""))
            took = {method: seconds for method, (seconds, _) in found.items()}
            best = min(took["sdca"], took.get("newton", np.inf))
            ratios[tol].append((took["sdca"], best, took["auto"]))
            key, k, gamma = loss
            print(f"| {name} {key} k {k} γ {gamma:g}, C {C:g} | {tol:g} | ", end="")
            gain = f"{took['sdca'] / took['auto']:.2f} | {best / took['auto']:.2f}"
            print(" | ".join(cells), f"| {gain} | {stages(found['auto'][1])} |", flush=True)
    for tol, times in ratios.items():
        sdca, best, auto = np.array(times).T
        gain, regret = sdca / auto, auto / best
        late = auto - best > 0.1
        print(
            f"to {tol:g}, {len(times)} problems: coordinate ascent over the default: geometric mean "
            f"{np.exp(np.log(gain).mean()):.2f}, worst {gain.min():.2f}; the default over the better "
            f"of the two: {regret.max():.2f}, where that is .1 s more {max(regret[late], default=1.0):.2f}"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
