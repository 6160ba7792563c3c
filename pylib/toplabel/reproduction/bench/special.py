"""V(t) = W(e^t) beside SciPy's Wright omega function: the group ``special``."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import wrightomega

from toplabel import prox
from toplabel.reproduction.bench.measuring import Effort, best_of_rounds
from toplabel.reproduction.bench.published_sets import CHECKOUT
from toplabel.reproduction.timings.clock import fastest
from toplabel.reproduction.timings.conditions import cpu_level

_RANGE = 40.0
_AVX2 = "x86-64-v3 (AVX2)"


def lambert(effort: Effort) -> pd.DataFrame:
    """Speed on [-40, 40], and the largest relative error on [-700, 10^6], where V(t) is a normal
    number.

    Beside the clone that runs here, V(t) is compiled for AVX2 alone where the sources and a
    compiler are at hand.

    Returns
    -------
    DataFrame
        `ratio` is the speed over SciPy's.
    """
    functions: dict[str, tuple[str, Callable | None, str]] = {
        "scipy wrightomega": ("", wrightomega, ""),
        "toplabel": (cpu_level(), prox.lambert_w_exp, "as installed"),
    }
    if cpu_level() != _AVX2:
        functions["toplabel, AVX2"] = (_AVX2, *_avx2())
    t = np.random.default_rng(0).uniform(-_RANGE, _RANGE, 10**4 if effort.quick else 10**5)
    seconds = best_of_rounds(
        {
            name: lambda f=f: (fastest(lambda: f(t)) if f else np.nan, None)
            for name, (_, f, _) in functions.items()
        },
        effort.repeats,
    )
    points = sample_points(300 if effort.quick else 100_000)
    exact = reference(points)
    rows = []
    for name, (clone, function, note) in functions.items():
        known = function is not None and exact is not None
        error = largest_relative_error(function(points), exact) if known else np.nan
        rows.append(
            {
                "solver": name,
                "clone": clone,
                "mvalues_per_second": len(t) / seconds[name][0] / 1e6,
                "ratio": seconds["scipy wrightomega"][0] / seconds[name][0],
                "largest_relative_error": error,
                "note": note,
            }
        )
    return pd.DataFrame(rows)


def sample_points(count: int) -> np.ndarray:
    """Return arguments of V: dense around 0, and out to -700 and 10^6."""
    rng = np.random.default_rng(1)
    around = [rng.uniform(-bound, bound, count) for bound in (_RANGE, 3, 700)]
    return np.concatenate([*around, np.exp(rng.uniform(0, np.log(1e6), count))])


def reference(t: np.ndarray) -> np.ndarray | None:
    """V(t) in extended precision: Newton's method on v + log v = t from SciPy's value.

    None where longdouble has no more digits than float64.
    """
    if np.finfo(np.longdouble).eps > 1e-18:
        return None
    wide = t.astype(np.longdouble)
    v = wrightomega(t).astype(np.longdouble)
    v = np.where(v > 0, v, np.exp(np.minimum(wide, 0)))
    for _ in range(4):
        # relative step of Newton: its error is that of t, |t| eps
        v *= 1 - (v + np.log(v) - wide) / (1 + v)
    return v


def largest_relative_error(values: np.ndarray, exact: np.ndarray) -> float:
    """Return the largest relative difference, formed in extended precision."""
    return float(np.max(np.abs(values.astype(np.longdouble) - exact) / exact))


def _avx2() -> tuple[Callable | None, str]:
    """Return V(t) compiled for AVX2 alone, or None; and how, or why not."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    source = CHECKOUT / "csrc/src/special.c"
    if compiler is None or not source.is_file():
        return None, "no compiler, or no sources beside the package"
    flags = ["-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fopenmp-simd"]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "special.so"
        include = [f"-I{CHECKOUT / 'csrc' / name}" for name in ("include", "src")]
        command = [compiler, "-std=c11", *flags, "-march=x86-64-v3", "-DTL_NO_CLONES", "-fPIC"]
        done = subprocess.run(
            [*command, "-shared", *include, str(source), "-o", str(target), "-lm"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return None, f"does not compile: {done.stderr.strip().splitlines()[-1]}"
        function = ctypes.CDLL(str(target)).tl_lambert_w_exp

    def call(t: np.ndarray) -> np.ndarray:
        y = np.empty_like(t)
        address = ctypes.c_void_p
        function(ctypes.c_size_t(t.size), address(t.ctypes.data), address(y.ctypes.data))
        return y

    return call, "csrc/src/special.c compiled with -march=x86-64-v3"
