"""Evidence for the choice of a method: ``python tests/evidence/methods.py [SET ...]`` prints CPU seconds
by coordinate ascent alone, by Newton's method alone and by the default, on one thread.

The problems are those of docs/evidence/solver.md, and with the set "made" twenty random ones and
scikit-learn's own sets, which fixed no constant. Each is solved from W = 0 to relative gaps of 1e-3 and
1e-6, in at most `LIMIT` seconds, the three methods one after the other. Raw files are looked for in
TOPLABEL_MIRROR and data/embedded; a set that is not there is left out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from sklearn import datasets
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from defaults import load as load_set

import toplabel
from benchmark_utils.problems import synthetic

LIMIT = 4.0
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
    "scene": (("lr_ml", 1, 0.0, 32.0), ("svm_ml", 1, 0.0, 32.0)),
}
LOSSES = (
    ("svm_multi", 1, 0.0),
    ("svm_multi", 1, 1.0),
    ("topk_svm_alpha", 2, 0.0),
    ("topk_svm_beta", 2, 1.0),
    ("lr_multi", 1, 0.0),
    ("svm_ova", 1, 0.0),
    ("lr_ova", 1, 0.0),
)


def made():
    """Yield a name, rows, classes, loss and C of problems that fixed no constant."""
    for seed in range(20):
        rng = np.random.default_rng(1000 + seed)
        n, d, m = rng.integers(200, 4000), rng.integers(5, 80), rng.integers(3, 20)
        W, scale = rng.normal(size=(d, m)), 10.0 ** rng.uniform(-1.0, 1.5, size=d * (seed % 2))
        X = rng.normal(size=(n, d)) * (scale if seed % 2 else 1.0)
        y = (X / np.linalg.norm(X, axis=1, keepdims=True) @ W + rng.gumbel(size=(n, m))).argmax(1)
        yield f"{n} x {d}, {m}", X, y, LOSSES[seed % 7], 10.0 ** rng.integers(-1, 4)
    for i, name in enumerate(("iris", "wine", "breast_cancer", "digits")):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        for j in range(2):
            yield name, X, y, LOSSES[(2 * i + 3 * j) % 7], 1.0


def problems(names):
    """Yield a name, rows, labels, loss with k and gamma, and C."""
    for name in names or (*PROBLEMS, "made"):
        if name == "made":
            yield from made()
            continue
        found = synthetic("tabular") if name == "tabular" else load_set(name)
        if found is None:
            print(f"{name}: not there")
            continue
        X, y = (found.X, found.y) if name == "tabular" else found[:2]
        for *loss, C in PROBLEMS[name]:
            yield name, np.ascontiguousarray(X, dtype=float), y, loss, C


def seconds_of(X, y, loss, C: float, tol: float, method: str):
    """Return CPU seconds, and the solution."""
    key, k, gamma = loss
    options = {"k": k, "gamma": gamma, "C": C, "tol": tol, "max_iter": 10**6}
    began = time.process_time()
    solution = toplabel.solve(X, y, key, method=method, cpu_limit=LIMIT, **options)
    return time.process_time() - began, solution


def main(names: list[str]) -> None:
    """Print a line for each problem and tolerance, and the ratios."""
    ratios = {tol: [] for tol in TOLS}
    for name, X, y, loss, C in problems(names):
        for tol in TOLS:
            found = {method: seconds_of(X, y, loss, C, tol, method) for method in METHODS}
            cells = [
                f"{took:.2f}" + ("" if s.status == "converged" else f" ({s.relative_gap:.0e})")
                for took, s in found.values()
            ]
            took = {method: seconds for method, (seconds, _) in found.items()}
            ratios[tol].append((took["sdca"], min(took["sdca"], took["newton"]), took["auto"]))
            ran = ", ".join(f"{stage.method} {stage.steps}" for stage in found["auto"][1].methods)
            key, k, gamma = loss
            print(f"| {name} {key} k {k} γ {gamma:g}, C {C:g} | {tol:g} | ", end="")
            print(" | ".join(cells), f"| {ran} |", flush=True)
    for tol, times in ratios.items():
        sdca, best, auto = np.array(times).T
        gain, regret = sdca / auto, auto / best
        late = auto - best > 0.1
        print(
            f"to {tol:g}: coordinate ascent over the default: geometric mean "
            f"{np.exp(np.log(gain).mean()):.2f}, worst {gain.min():.2f}; the default over the better "
            f"of the two, where that is .1 s more: {max(regret[late], default=1.0):.2f}"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
