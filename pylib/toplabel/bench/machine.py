"""What the machine can do: the limits beside which speeds are printed."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg.blas import dgemm, sgemm
from threadpoolctl import threadpool_info

from toplabel.bench import peers
from toplabel.bench.effort import Effort
from toplabel.bench.timing import fastest, load

COLUMNS = ["what", "value", "unit", "note"]
# What a processor must have to run the clones of the C library (TL_CLONES in csrc/src/compiler.h).
_LEVELS = {
    "x86-64-v4 (AVX-512)": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3 (AVX2)": {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe"},
}


@functools.cache
def dgemm_gflops(n: int = 1500) -> float:
    """Measured peak of the double-precision products of SciPy's BLAS, which the solver uses, in GFLOP/s."""
    return _gemm(dgemm, np.float64, n)


@functools.cache
def sgemm_gflops(n: int = 1500) -> float:
    """The same in single precision."""
    return _gemm(sgemm, np.float32, n)


def _gemm(function, dtype, n: int) -> float:
    a = np.asfortranarray(np.random.default_rng(0).normal(size=(n, n)).astype(dtype))
    c = np.zeros((n, n), dtype, order="F")
    return 2e-9 * n**3 / fastest(lambda: function(1.0, a, a, c=c, overwrite_c=True))


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


def cpu_name() -> str:
    """Name of the processor."""
    for line in _cpuinfo():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cpu_level() -> str:
    """Which clone of the C library's loops the loader takes on this processor."""
    flags = next((set(line.split()) for line in _cpuinfo() if line.startswith("flags")), set())
    return next((name for name, need in _LEVELS.items() if need <= flags), "baseline")


def _cpuinfo() -> list[str]:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def blas_kernels() -> list[str]:
    """The BLAS libraries in this process and the kernels that they chose."""
    found = [
        f"{Path(info['filepath']).name.split('-')[0]} {info['version']}: {info['architecture']}"
        for info in threadpool_info()
        if info["user_api"] == "blas"
    ]
    return sorted(set(found))


def limits(effort: Effort) -> pd.DataFrame:
    """Measured limits, and everything else that speeds depend on.

    Returns
    -------
    DataFrame
        Columns ``what, value, unit, note``.
    """
    n = 300 if effort.quick else 1500
    large = 10**6 if effort.quick else 2**26
    rows = [
        ("processor", "", "", cpu_name()),
        ("clone of the C loops", "", "", cpu_level()),
        ("clock", "", "", "CPU time" if effort.cpu_time else "wall time"),
        ("load average at the start", load(), "", "of others, if above 0: beware of the numbers"),
        ("dgemm", dgemm_gflops(n), "GFLOP/s", f"{n} x {n}, one thread"),
        ("sgemm", sgemm_gflops(n), "GFLOP/s", f"{n} x {n}, one thread"),
        ("reading memory", read_gb_per_second(large), "GB/s", f"sum of {large >> 17} MiB"),
        ("copying memory", copy_gb_per_second(large), "GB/s", "read and written"),
        *(("BLAS kernels", "", "", text) for text in blas_kernels()),
        *((f"version of {name}", "", "", text) for name, text in peers.versions().items()),
        ("version of python", "", "", platform.python_version()),
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame["value"] = pd.to_numeric(frame["value"].replace("", None))
    return frame
