"""The limits of the machine, to compare speeds with."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg.blas import get_blas_funcs
from threadpoolctl import threadpool_info

from benchmark_utils.packages import versions
from toplabel.reproduction.timing import cpu_name, cpuinfo, fastest, load_average

# What a processor must have to run the clones of the C library (TL_CLONES in csrc/src/compiler.h).
_LEVELS = {
    "x86-64-v4 (AVX-512)": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3 (AVX2)": {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"},
}


def cpu_level() -> str:
    """Return which clone of the C library's loops the loader takes on this processor."""
    flags = set(cpuinfo("flags").split())
    return next((name for name, need in _LEVELS.items() if need <= flags), "baseline")


@functools.cache
def gemm_gflops(n: int = 1500, dtype: str = "float64") -> float:
    """Measured peak of the products of SciPy's BLAS, which the solver uses, in GFLOP/s."""
    a = np.asfortranarray(np.random.default_rng(0).normal(size=(n, n)).astype(dtype))
    c = np.zeros((n, n), dtype, order="F")
    gemm = get_blas_funcs("gemm", (a,))
    return 2e-9 * n**3 / fastest(lambda: gemm(1.0, a, a, c=c, overwrite_c=True))


@functools.cache
def read_gb_per_second(numbers: int = 2**26) -> float:
    """Bytes read by a sum over so many float64 numbers, in GB/s."""
    big = np.ones(numbers)
    return 8e-9 * numbers / fastest(lambda: big.sum())


@functools.cache
def copy_gb_per_second(numbers: int) -> float:
    """Bytes read and written by a copy of so many float64 numbers, in GB/s."""
    source, target = np.ones(numbers), np.zeros(numbers)
    repeats = max(5, min(2000, 2_000_000 // numbers))
    return 16e-9 * numbers / fastest(lambda: np.copyto(target, source), repeats)


def blas_kernels() -> list[str]:
    """The BLAS libraries in this process and the kernels that they chose."""
    found = {
        f"{Path(info['filepath']).name.split('-')[0]} {info['version']}: {info['architecture']}"
        for info in threadpool_info()
        if info["user_api"] == "blas"
    }
    return sorted(found)


def limits(quick: bool = False) -> pd.DataFrame:
    """Measured limits, and everything else that speeds depend on."""
    n = 300 if quick else 1500
    large = 10**6 if quick else 2**26
    nan = float("nan")
    rows = [
        ("processor", nan, "", cpu_name()),
        ("clone of the C loops", nan, "", cpu_level()),
        ("load average at the start", load_average(), "", "of others, if above 0: beware"),
        ("dgemm", gemm_gflops(n), "GFLOP/s", f"{n} x {n}, one thread"),
        ("sgemm", gemm_gflops(n, "float32"), "GFLOP/s", f"{n} x {n}, one thread"),
        ("reading memory", read_gb_per_second(large), "GB/s", f"sum of {large >> 17} MiB"),
        ("copying memory", copy_gb_per_second(large), "GB/s", "read and written"),
        *(("BLAS kernels", nan, "", text) for text in blas_kernels()),
        *((f"version of {name}", nan, "", text) for name, text in versions().items()),
        ("version of python", nan, "", platform.python_version()),
    ]
    return pd.DataFrame(rows, columns=["what", "value", "unit", "note"])
