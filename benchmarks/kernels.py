"""Print what an epoch, a projection and V(t) cost, beside the machine's limits.

    python benchmarks/kernels.py [--quick]

One thread. The times are wall times, the fastest of three rounds; cases whose ratio counts take
turns.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import wrightomega
from threadpoolctl import threadpool_limits

from benchmark_utils import limits, own_solver
from benchmark_utils.measuring import Meter, best_of_rounds
from benchmark_utils.problems import BenchProblem, synthetic
from toplabel import prox
from toplabel.reproduction.jobs import seed_of
from toplabel.reproduction.timing import fastest, timed
from toplabel.reproduction.timing.projections import (
    DIMENSIONS,
    OURS,
    PROJECTIONS,
    algorithms,
)

REPEATS = 3


@dataclass(frozen=True)
class Case:
    """A loss with its parameters, and the loss whose time with the same gamma is 1."""

    loss: str
    k: int = 1
    gamma: float = 0.0
    baseline: str = "svm_multi"


def cases() -> Iterator[Case]:
    """Yield every loss with every k, hinges plain and smooth; the baselines first."""
    ks = (1, 3, 5, 10)
    for gamma in (0.0, 1.0):
        yield Case("svm_multi", 1, gamma)
        for loss in ("topk_svm_alpha", "topk_svm_beta"):
            yield from (Case(loss, k, gamma) for k in ks)
        yield from (Case(loss, 1, gamma) for loss in ("svm_ova", "svm_ml"))
    yield Case("lr_multi", baseline="lr_multi")
    yield from (Case("topk_ent", k, baseline="lr_multi") for k in ks)
    yield from (Case(loss, baseline="lr_multi") for loss in ("lr_ova", "lr_ml"))


def with_label_sets(problem: BenchProblem) -> BenchProblem:
    """Return the problem with label sets: a row's class, and others by chance, 2.4 on average."""
    rng = np.random.default_rng(seed_of("bench", problem.name, "label sets"))
    n, m = problem.n, problem.n_classes
    Y = (rng.random((n, m)) < 1.4 / (m - 1)).astype(np.uint8)
    Y[np.arange(n), problem.y] = 1
    return replace(problem, y=Y)


def relative_costs(quick: bool, names: tuple[str, ...] = ("a", "b", "c", "text", "gram")):
    """Mean time of the first five epochs of every loss, without any evaluation, beside the
    baseline's.

    Returns
    -------
    DataFrame
        `ratio` is that to the baseline with the same gamma.
    """
    rows, epochs = [], 5
    for name in names:
        problem = synthetic(name, quick)
        sets = with_label_sets(problem)

        def measure(case, problem=problem, sets=sets):
            of_case = sets if case.loss.endswith("_ml") else problem
            solver = own_solver.start(of_case, case.loss, k=case.k, gamma=case.gamma)
            return timed(lambda: solver.run(epochs))

        best = best_of_rounds(
            {case: partial(measure, case) for case in cases()}, 1 if quick else REPEATS
        )
        flops = own_solver.flops_per_epoch(problem, own_solver.block_size(problem))
        for case, (total, _) in best.items():
            seconds = total / epochs
            baseline = Case(case.baseline, 1, case.gamma, case.baseline)
            rows.append(
                {
                    "shape": name,
                    **asdict(case),
                    "milliseconds": 1e3 * seconds,
                    "ratio": total / best[baseline][0],
                    "gflops": flops / seconds / 1e9,
                    "dgemm_share": flops / seconds / 1e9 / limits.gemm_gflops(),
                }
            )
    return pd.DataFrame(rows)


def blas_share(quick: bool) -> pd.DataFrame:
    """How much of an epoch of svm_ml and lr_ml on the shape of bibtex is spent in matrix products.

    Returns
    -------
    DataFrame
        Means of four epochs of the fastest run; `share` is blas_milliseconds over milliseconds, so
        that the detour of each call counts as time outside; `blas_gflops` is the speed inside BLAS,
        `dgemm_share` that over the machine's measured dgemm.
    """
    problem, epochs = synthetic("tags", quick), 4

    def measure(loss, gamma):
        solver = own_solver.start(problem, loss, gamma=gamma)
        with Meter() as meter:
            return timed(lambda: solver.run(epochs))[0], meter

    named = (("svm_ml", 0.0), ("svm_ml", 1.0), ("lr_ml", 0.0))
    best = best_of_rounds(
        {case: partial(measure, *case) for case in named}, 1 if quick else REPEATS
    )
    rows = []
    for (loss, gamma), (seconds, meter) in best.items():
        gflops = meter.flops / meter.seconds / 1e9
        rows.append(
            {
                "shape": problem.name,
                "sizes": problem.sizes,
                "loss": loss,
                "gamma": gamma,
                "milliseconds": 1e3 * seconds / epochs,
                "blas_milliseconds": 1e3 * meter.seconds / epochs,
                "share": meter.seconds / seconds,
                "calls": meter.calls / epochs,
                "blas_gflops": gflops,
                "dgemm_share": gflops / limits.gemm_gflops(),
            }
        )
    return pd.DataFrame(rows)


def compare_projections(quick: bool) -> pd.DataFrame:
    """Time variable fixing against sorting, entries from N(0, 1), radius 10.

    Returns
    -------
    DataFrame
        Of the bipartite simplex the dimension is that of both sides together. `ratio` is the time
        of the row over that of variable fixing. `gb_per_second` counts one reading of the input and
        one writing of the result, `memory_share` compares it with a copy of the same size.
    """
    budget = 0.02 if quick else 0.5  # seconds of a case: a call may take microseconds
    rows = []
    for name in PROJECTIONS:
        for d in DIMENSIONS[:2] if quick else DIMENSIONS:
            b = np.random.default_rng(0).normal(size=(1, d))
            seconds = {
                algorithm: fastest(way, max(3, min(1000, int(budget / timed(way)[0]))))
                for algorithm, way in algorithms(name, b).items()
            }
            for algorithm, time in seconds.items():
                speed = 16e-9 * d / time
                rows.append(
                    {
                        "projection": name,
                        "dimension": d,
                        "algorithm": algorithm,
                        "milliseconds": 1e3 * time,
                        "ratio": time / seconds[OURS],
                        "gb_per_second": speed,
                        "memory_share": speed / limits.copy_gb_per_second(d),
                    }
                )
    return pd.DataFrame(rows)


def lambert(quick: bool) -> pd.DataFrame:
    """Time V(t) = W(exp t) beside SciPy's Wright omega function, t uniform on [-40, 40]."""
    t = np.random.default_rng(0).uniform(-40.0, 40.0, 10**4 if quick else 10**5)
    ways = {"scipy wrightomega": wrightomega, "toplabel": prox.lambert_w_exp}
    seconds = {name: fastest(partial(function, t)) for name, function in ways.items()}
    rows = [
        (name, len(t) / time / 1e6, seconds["scipy wrightomega"] / time)
        for name, time in seconds.items()
    ]
    return pd.DataFrame(rows, columns=["solver", "mvalues_per_second", "ratio"])


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny problems: shows that it runs")
    quick = parser.parse_args().quick
    tables = (limits.limits, lambert, compare_projections, relative_costs, blas_share)
    with threadpool_limits(1):
        for table in tables:
            print(table.__doc__.splitlines()[0])
            frame = table(quick)
            print(frame.to_string(index=False, float_format=lambda value: f"{value:.3g}"), "\n")


if __name__ == "__main__":
    main()
