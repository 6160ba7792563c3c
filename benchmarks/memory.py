"""Print the memory that training takes by the form of the features, measured and by formula.

    python benchmarks/memory.py

The formula is that of docs/evidence/benchmarks.md; the last columns are the rows that it allows on 24 GiB.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
from scipy import sparse

from growth import dense, forget_peak, resident_mib, words
from large import MIB, peak_mib
from toplabel.solver import solve

CASES = {
    "float64": (100_000, 200, 20),
    "float32": (100_000, 200, 20),
    "CSR": (40_000, 20_000, 50),
    "Gram matrix": (6000, 20, 50),
}
_LARGE = ((100, 10), (1000, 100), (10_000, 1000))  # d, m
_STORED = 100  # numbers of a sparse row that are not 0
_BYTES = 24 * 2**30


def of_row(form: str, d: int, m: int, stored: float = _STORED) -> float:
    """Return bytes of a row, its dual variables and what the solver keeps of it."""
    features = {"float64": 8 * d, "float32": 4 * d, "CSR": 12 * stored, "Gram matrix": 0}[form]
    return features + 64 + 8 * m * (6 if form == "Gram matrix" else 1)


def of_model(form: str, d: int, m: int) -> float:
    """Return bytes of the weights: the solver's, two of the acceleration, and a copy to return."""
    return 0.0 if form == "Gram matrix" else 4.0 * 8 * d * m


def formula_mib(form: str, n: int, d: int, m: int, stored: float) -> float:
    """Return the memory of features and training."""
    gram = 8.0 * n * n if form == "Gram matrix" else 0.0
    return (gram + n * of_row(form, d, m, stored) + of_model(form, d, m)) / MIB


def most_rows(form: str, d: int, m: int) -> float:
    """Return the rows that fit."""
    left, row = _BYTES - of_model(form, d, m), of_row(form, d, m)
    if form != "Gram matrix":
        return left / row
    return (np.sqrt(row**2 + 32.0 * left) - row) / 16.0  # 8 n^2 + row n = left


def measured(form: str, n: int, d: int, m: int) -> dict:
    """Train for a few accelerated passes in this process."""
    before = resident_mib()
    data = words(n, d, m) if form == "CSR" else dense(n, d, m)
    X, y = data.X, data.y
    X = X.astype(np.float32) if form == "float32" else X
    del data
    forget_peak()
    options = {"kernel": "rbf", "theta": 1.0} if form == "Gram matrix" else {}
    solve(X, y, tol=0.0, max_iter=4, eval_every=4, acceleration=1.0, **options)
    stored = X.nnz / n if sparse.issparse(X) else 0.0
    return {"measured": peak_mib() - before, "formula": formula_mib(form, n, d, m, stored)}


def main() -> None:
    """Print the table; each form is measured in a process of its own."""
    rows = []
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    for form, (n, d, m) in CASES.items():
        command = [sys.executable, __file__, form]
        text = subprocess.run(
            command, env=os.environ | threads, stdout=subprocess.PIPE, text=True, check=True
        )
        ends = {f"d {d}, m {m}": f"{most_rows(form, d, m):.3g}" for d, m in _LARGE}
        rows.append({"form": form, "n": n, "d": d, "m": m} | json.loads(text.stdout) | ends)
    print(pd.DataFrame(rows).to_string(index=False, float_format=lambda value: f"{value:.0f}"))


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1], *CASES[sys.argv[1]])))
    else:
        main()
