"""Train on features larger than memory, mapped from a file.

    python benchmarks/large.py [--quick]

A separate process trains on the file, so that its peak memory is that of training alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from toplabel.reproduction.jobs import seed_of

MIB = 1 << 20
LIMIT_MIB = 2048
"""Of resident memory beyond the model."""
EPOCHS, C, GAMMA = 3, 10.0, 1.0
SIZES = (200_000, 4096, 50)
QUICK = (3000, 64, 10)
_ROWS = 4096  # at a time, when the file is written


def bounded_memory(quick: bool) -> pd.DataFrame:
    """Train the smooth multiclass SVM for three epochs on a mapped float32 file and watch the
    memory.

    Returns
    -------
    DataFrame
        One row. `start_mib` is what the process held before it trained (the interpreter and its
        libraries), `peak_mib` the most that it held, mapped pages included; `model_mib` the weights
        and dual variables.
    """
    n, d, m = QUICK if quick else SIZES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        np.save(path.with_name("y.npy"), write_features(path, n, d, m))
        found = trained(path)
        row = {"n": n, "d": d, "m": m, "dtype": "float32", "file_mib": path.stat().st_size / MIB}
    beyond = found["peak_mib"] - found["model_mib"]
    row |= {"loss": "svm_multi", "gamma": GAMMA, "C": C} | found
    row |= {"beyond_model_mib": beyond, "limit_mib": LIMIT_MIB}
    return pd.DataFrame([row | {"within_limit": "yes" if beyond <= LIMIT_MIB else "no"}])


def write_features(path: Path, n: int, d: int, m: int) -> np.ndarray:
    """Write seeded float32 rows around m class means, of norm about 1, block by block; return the
    classes.
    """
    rng = np.random.default_rng(seed_of("bench", "large", n, d, m))
    means = rng.standard_normal((m, d), dtype=np.float32) / np.float32(np.sqrt(8.0 * d))
    labels = rng.integers(0, m, n)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, d))
    for start in range(0, n, _ROWS):
        of_block = labels[start : start + _ROWS]
        noise = rng.standard_normal((len(of_block), d), dtype=np.float32)
        X[start : start + _ROWS] = means[of_block] + noise / np.float32(np.sqrt(d))
    X.flush()
    return labels


def trained(path: Path) -> dict:
    """Train in a separate process on the mapped file, and read its report."""
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, __file__, str(path)],
        env={**os.environ, **threads},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def peak_mib() -> float:
    """The most resident memory that this program has had, mapped pages included."""
    status = Path("/proc/self/status")
    if status.is_file():  # Linux: its ru_maxrss has the size of the process that started this one
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / MIB
    import resource  # which Windows lacks

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MIB


def _report(path: Path) -> dict:
    from toplabel.solver import solve

    X, y = np.load(path, mmap_mode="r"), np.load(path.with_name("y.npy"))
    start = peak_mib()
    solution = solve(X, y, loss="svm_multi", gamma=GAMMA, C=C, tol=1e-12, max_iter=EPOCHS)
    last = solution.history[-1]
    return {
        "epochs": solution.epochs,
        "seconds_per_epoch": last.solve_seconds / solution.epochs,
        "evaluation_seconds": last.evaluate_seconds,
        "relative_gap": solution.relative_gap,
        "model_mib": (solution.W.nbytes + solution.A.nbytes) / MIB,
        "start_mib": start,
        "peak_mib": peak_mib(),
    }


if __name__ == "__main__":
    if Path(sys.argv[-1]).suffix == ".npy":  # what `trained` runs
        print(json.dumps(_report(Path(sys.argv[-1]))))
    else:
        print(bounded_memory("--quick" in sys.argv).T.to_string(header=False))
