"""What the machine can do: the limits beside which speeds are printed."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.linalg.blas import dgemm
from threadpoolctl import threadpool_info


def fastest(function: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def limits() -> pd.DataFrame:
    """Measured peak of the BLAS that the solver uses, and of reading memory.

    Returns
    -------
    DataFrame
        Columns ``what, value, unit, note``.
    """
    n = 1500
    a = np.asfortranarray(np.random.default_rng(0).normal(size=(n, n)))
    c = np.zeros((n, n), order="F")
    gflops = 2 * n**3 / fastest(lambda: dgemm(1.0, a, a, c=c, overwrite_c=True)) / 1e9
    big = np.ones(2**26)
    bandwidth = big.nbytes / fastest(lambda: big.sum()) / 1e9
    kernels = sorted(
        {f"{i.get('internal_api')} {i.get('architecture')}" for i in threadpool_info()}
    )
    return pd.DataFrame(
        [
            ("dgemm", gflops, "GFLOP/s", f"{n} x {n}; kernels: {', '.join(kernels)}"),
            ("reading memory", bandwidth, "GB/s", f"sum of {big.nbytes / 2**20:.0f} MiB"),
        ],
        columns=["what", "value", "unit", "note"],
    )
