"""Measure how seconds and memory grow with rows, features and classes, and draw it.

    python benchmarks/growth.py [--quick] [FOLDER]

Each run is a process of its own with one thread, 60 seconds of CPU time and its own peak of memory.
`FOLDER/growth.csv` (benchmarks/outputs by default) keeps every run as it ends, and what it has is
not run again; `FOLDER/growth.svg` is the figure. After a limit larger sizes are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy import sparse
from sklearn.svm import LinearSVC

from benchmark_utils.peers import logistic
from large import MIB, peak_mib
from toplabel import losses
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.report.figures.drawing import MARKERS, WIDTH, house_style
from toplabel.reproduction.timing import cpu_name, load_average
from toplabel.solver import solve

EPS = 1e-3  # ours ends at this certified gap, the others at the first (P - P*)/P* that is as small
BOUND_EPS, BOUND_SECONDS = 2e-4, 20.0  # P* is known so well, or our solver went on for so long
CPU_SECONDS = 60
C = 1.0
COLUMNS = ["axis", "size", "solver", "loss", "seconds", "mib", "status", "setting", "bound", "load"]
_ROWS = 20_000  # at a time, when features are drawn


@dataclass(frozen=True)
class Data:
    """Rows and labels; y are classes, (n,), or label sets, CSR."""

    X: np.ndarray | sparse.csr_matrix
    y: np.ndarray | sparse.csr_matrix


def dense(n: int, d: int = 100, m: int = 10) -> Data:
    """Return rows of norm about 1 around the means of their classes, which overlap."""
    rng = np.random.default_rng(seed_of("growth", "dense", n, d, m))
    means = 0.2 * rng.standard_normal((m, d))
    y = np.concatenate([np.arange(m), rng.integers(0, m, n - m)])
    X = np.empty((n, d))
    for i in range(0, n, _ROWS):
        rows = y[i : i + _ROWS]
        X[i : i + _ROWS] = (means[rows] + rng.standard_normal((len(rows), d))) / np.sqrt(d)
    return Data(X, y)


def words(n: int, d: int, m: int, *, sets: bool = False) -> Data:
    """Return rows of norm 1 of about 100 words, frequent ones more often; each label draws a fifth
    of the words of its rows from 20 of its own.
    """
    rng = np.random.default_rng(seed_of("growth", "words", n, d, m))
    first = np.concatenate([np.arange(m), rng.integers(0, m, max(0, n - m))])[:n]
    labels = np.column_stack([first, rng.integers(0, m, (n, 2))]) if sets else first[:, None]
    drawn = np.minimum(d - 1, np.exp(rng.random((n, 100)) * np.log(d + 1.0)) - 1).astype(np.int64)
    own = rng.integers(0, d, (m, 20))
    of_labels = np.take_along_axis(labels, rng.integers(0, labels.shape[1], (n, 20)), axis=1)
    drawn[:, :20] = own[of_labels, rng.integers(0, 20, (n, 20))]
    rows = np.repeat(np.arange(n), 100)
    X = sparse.csr_matrix((np.ones(n * 100), (rows, drawn.ravel())), shape=(n, d))
    X.data = np.sqrt(X.data)
    X.data /= np.sqrt(np.repeat(X.multiply(X).sum(axis=1).A1, np.diff(X.indptr)))
    if not sets:
        return Data(X, first)
    ones = np.ones(labels.size, np.uint8)
    at = (np.repeat(np.arange(n), labels.shape[1]), labels.ravel())
    Y = sparse.csr_matrix((ones, at), shape=(n, m))
    Y.data[:] = 1
    return Data(X, Y)


@dataclass(frozen=True)
class Axis:
    """A quantity that grows, with the problems of each size and the solvers to be timed."""

    title: str
    sizes: tuple[int, ...]
    make: Callable[[int], Data]
    solvers: tuple[str, ...]


PEERS = {"LIBLINEAR": "svm_multi", "lbfgs": "lr_multi"}
_CLASSES = ("svm_multi", "LIBLINEAR", "lr_multi", "lbfgs")
AXES = {
    "rows": Axis(
        "rows n (dense, d 100, m 10)",
        (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
        dense,
        _CLASSES,
    ),
    "features": Axis(
        "features d (sparse, n 10,000, m 10)",
        (10, 100, 1000, 10_000, 100_000),
        lambda d: words(10_000, d, 10),
        _CLASSES,
    ),
    "classes": Axis(
        "classes m (sparse, n 10,000, d 1000)",
        (2, 10, 100, 1000, 10_000),
        lambda m: words(10_000, 1000, m),
        _CLASSES,
    ),
    "label sets": Axis(
        "labels m (sets of 3, sparse, n 3000, d 1000)",
        (10, 100, 1000, 10_000),
        lambda m: words(3000, 1000, m, sets=True),
        ("svm_ml", "lr_ml"),
    ),
}


# ---- one run, in a process of its own ---------------------------------------------------------------


def resident_mib() -> float:
    """Return the memory in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / MIB


def forget_peak() -> None:
    """Give freed memory back, and let the peak be what is in use now, where Linux can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")


def limit_cpu(seconds: float) -> None:
    """Have the system end this process when it has used so much CPU time."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), hard))


def run_one(axis: str, size: int, solver: str, bound: float, setting: float) -> dict:
    """Train in this process, and return seconds of CPU time and memory beyond the interpreter's."""
    before = resident_mib()
    data = AXES[axis].make(size)
    forget_peak()
    limit_cpu(time.process_time() + CPU_SECONDS)
    warnings.simplefilter("ignore")  # so few iterations are not meant to converge
    found = ours(data, solver, before) if solver in losses.LOSSES else None
    return found or peer(data, solver, bound, setting, before)


def ours(data: Data, loss: str, before: float) -> dict:
    """Train to our own certificate; afterwards, for the others, bound P* better."""
    options = {"loss": loss, "gamma": float(loss == "svm_ml"), "C": C, "max_iter": 10**6}
    start = time.process_time()
    solution = solve(data.X, data.y, tol=EPS, **options)
    found = {"seconds": time.process_time() - start, "mib": peak_mib() - before}
    found |= {"setting": solution.epochs, "bound": solution.dual, "status": solution.status}
    if loss in PEERS.values():
        options |= {"tol": BOUND_EPS, "cpu_limit": BOUND_SECONDS, "warm_start": solution}
        limit_cpu(resource.RLIM_INFINITY)
        found["bound"] = max(solution.dual, solve(data.X, data.y, **options).dual)
    return found


def peer(data: Data, solver: str, bound: float, setting: float, before: float) -> dict:
    """Train with ever more iterations, or an ever smaller tolerance, until P is as small."""
    n = data.X.shape[0]
    while True:
        start = time.process_time()
        if solver == "lbfgs":
            own_C = C if data.y.max() > 1 else 2 * C  # of two classes it has the difference w
            W = logistic(data.X, data.y, own_C, int(setting), solver="lbfgs")
        else:
            options = {"C": C, "loss": "hinge", "fit_intercept": False, "random_state": 0}
            options |= {"multi_class": "crammer_singer", "tol": setting, "max_iter": 10**6}
            W = LinearSVC(**options).fit(data.X, data.y).coef_.T
        seconds, mib = time.process_time() - start, peak_mib() - before
        W = np.hstack([-W, W]) / 2 if W.shape[1] == 1 else W  # two classes have one vector
        scores = np.asarray(data.X @ W)
        P = losses.value(PEERS[solver], scores, data.y).mean() + (W**2).sum() / (2 * C * n)
        if P / bound - 1 <= EPS:
            return {"seconds": seconds, "mib": mib, "setting": setting, "status": "converged"}
        setting = next_setting(solver, setting)


def next_setting(solver: str, setting: float, back: bool = False) -> float:
    """Return the next number of iterations or tolerance, or the one before."""
    if solver == "lbfgs":
        return max(4, int(setting / 1.25)) if back else max(setting + 1, int(1.25 * setting))
    return min(3.0, setting * 1.5) if back else setting / 1.5


# ---- all runs -------------------------------------------------------------------------------------------


def measure(path: Path, quick: bool) -> pd.DataFrame:
    """Run what the file does not have, and return all."""
    table = pd.read_csv(path) if path.is_file() else pd.DataFrame(columns=COLUMNS)
    for name, axis in AXES.items():
        sizes = axis.sizes if not quick else axis.sizes[:1] if name == "rows" else ()
        for size in sizes:
            for solver in axis.solvers:
                mine = table[(table["axis"] == name) & (table["solver"] == solver)]
                if (mine["size"] == size).any() or (mine["status"] != "converged").any():
                    continue
                row = run(name, size, solver, table)
                if row is None:
                    continue
                table = pd.concat([table, pd.DataFrame([row], columns=COLUMNS)], ignore_index=True)
                table.to_csv(path, index=False)
                print(table.tail(1).to_csv(index=False, header=len(table) == 1), end="", flush=True)
    return table


def run(axis: str, size: int, solver: str, table: pd.DataFrame) -> dict | None:
    """Return the row of one run; None where there is nothing to compare with."""
    row = {"axis": axis, "size": size, "solver": solver, "loss": PEERS.get(solver, solver)}
    row |= {"load": round(load_average(), 1)}
    bound, setting = 0.0, 0.0
    if solver in PEERS:
        same = table[table["axis"] == axis]
        known = same[(same["size"] == size) & (same["solver"] == PEERS[solver])]
        known = known[known["status"] == "converged"]
        if known.empty:
            return None
        bound = float(known["bound"].iloc[0])
        earlier = same[(same["solver"] == solver) & (same["status"] == "converged")]["setting"]
        first = 4 if solver == "lbfgs" else 1.0
        setting = first if earlier.empty else next_setting(solver, earlier.iloc[-1], back=True)
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, __file__, "--run", axis, *map(str, (size, solver, bound, setting))],
        env=os.environ | threads,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode < 0:  # killed at the limit of CPU time, or out of memory
        return row | {"status": "limit"}
    if done.returncode > 0:
        sys.exit(f"{' '.join(done.args[1:])} failed")
    return row | json.loads(done.stdout)


# ---- what it says ---------------------------------------------------------------------------------------


def exponent(sizes: np.ndarray, values: np.ndarray) -> float:
    """Return the slope of log(value) over log(size) in the upper half of the sizes."""
    half = len(sizes) // 2 if len(sizes) > 3 else 0
    if len(sizes) < 2:
        return float("nan")
    return float(np.polyfit(np.log(sizes[half:]), np.log(values[half:]), 1)[0])


def curves(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yield axis, solver and the runs that ended, by size."""
    for name, axis in AXES.items():
        for solver in axis.solvers:
            chosen = (table["axis"] == name) & (table["solver"] == solver)
            ended = table[chosen & (table["status"] == "converged")].sort_values("size")
            if len(ended):
                yield name, solver, ended


def summary(table: pd.DataFrame) -> str:
    """Return a table in Markdown: the ends of each curve, and its exponents."""
    lines = ["| what grows | solver | sizes | CPU seconds | exponent | MiB | exponent |"]
    lines.append("|---" * 7 + "|")
    for name, solver, runs in curves(table):
        sizes = runs["size"].to_numpy(float)
        cells = [name, solver, f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}"]
        for column in ("seconds", "mib"):
            values = runs[column].to_numpy(float)
            cells.append(f"{values[0]:.3g} to {values[-1]:,.3g}")
            cells.append(f"{exponent(sizes, values):.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw seconds and memory over the size, a column for each axis."""
    names = list(AXES)
    series = {solver: i for i, solver in enumerate((*_CLASSES, "svm_ml", "lr_ml"))}
    with house_style():
        figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
        panels = figure.subplots(2, len(names), sharex="col", sharey="row")
        for name, solver, runs in curves(table):
            for row, column in enumerate(("seconds", "mib")):
                look = {
                    "color": f"C{series[solver]}",
                    "marker": MARKERS[series[solver]],
                }
                look["linestyle"] = "--" if solver in PEERS else "-"
                panels[row, names.index(name)].loglog(
                    runs["size"], runs[column], **look, label=solver
                )
        for column, name in enumerate(names):
            panels[0, column].set_title(name)
            panels[1, column].set_xlabel(AXES[name].title.split(" (")[0])
        panels[0, 0].set_ylabel("CPU seconds")
        panels[1, 0].set_ylabel("MiB, data and training")
        lines = {
            label: line
            for panel in panels.ravel()
            for line, label in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        figure.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=6)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def main() -> None:
    """Measure, print the table, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one small size")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent / "outputs")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    table = measure(arguments.folder / "growth.csv", arguments.quick)
    print(f"\n{cpu_name()}, one thread, load average {load_average():.1f}\n\n{summary(table)}")
    draw(table, arguments.folder / "growth.svg")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        axis, size, solver, bound, setting = sys.argv[2:]
        print(json.dumps(run_one(axis, int(size), solver, float(bound), float(setting))))
    else:
        main()
