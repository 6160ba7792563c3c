"""What our solver costs, without the others: the groups ``epochs`` to ``path`` and ``held_out``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from toplabel._core.solution import Solution
from toplabel.metrics import top_k_accuracy
from toplabel.reproduction.bench import limits, own_solver, published_sets
from toplabel.reproduction.bench.measuring import Effort, Meter, best_of_rounds
from toplabel.reproduction.bench.problems import SYNTHETIC, BenchProblem, synthetic
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.timings.clock import fastest, timed
from toplabel.reproduction.timings.projections import DIMENSIONS, OURS, PROJECTIONS, algorithms
from toplabel.solver import path

_HINGES_AND_SOFTMAX = (("svm_multi", 0.0), ("svm_multi", 1.0), ("lr_multi", 0.0))
_MOST_EPOCHS = 100_000

# ---- epochs ------------------------------------------------------------------------------------------


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


def relative_costs(effort: Effort, names: tuple[str, ...] = ("a", "b", "c", "text", "gram")):
    """Mean time of the first five epochs of every loss, without any evaluation, beside the
    baseline's.

    Returns
    -------
    DataFrame
        `ratio` is that to the baseline with the same gamma.
    """
    rows, epochs = [], 5
    for name in names:
        problem = synthetic(name, effort.quick)
        sets = with_label_sets(problem)

        def measure(case, problem=problem, sets=sets):
            of_case = sets if case.loss.endswith("_ml") else problem
            solver = own_solver.start(of_case, case.loss, k=case.k, gamma=case.gamma)
            return timed(lambda: solver.run(epochs))

        best = best_of_rounds({case: partial(measure, case) for case in cases()}, effort.repeats)
        flops = own_solver.flops_per_epoch(problem, own_solver.block_size(problem, "svm_multi"))
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


# ---- blas_share --------------------------------------------------------------------------------------


def blas_share(effort: Effort) -> pd.DataFrame:
    """How much of an epoch of svm_ml and lr_ml on the shape of bibtex is spent in matrix products.

    Returns
    -------
    DataFrame
        Means of four epochs of the fastest run; `share` is blas_milliseconds over milliseconds, so
        that the detour of each call counts as time outside; `blas_gflops` is the speed inside BLAS,
        `dgemm_share` that over the machine's measured dgemm.
    """
    problem, epochs = synthetic("tags", effort.quick), 4

    def measure(loss, gamma):
        solver = own_solver.start(problem, loss, gamma=gamma)
        with Meter() as meter:
            return timed(lambda: solver.run(epochs))[0], meter

    named = (("svm_ml", 0.0), ("svm_ml", 1.0), ("lr_ml", 0.0))
    best = best_of_rounds({case: partial(measure, *case) for case in named}, effort.repeats)
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


# ---- projections -------------------------------------------------------------------------------------


def compare_projections(effort: Effort) -> pd.DataFrame:
    """Time variable fixing against sorting, entries from N(0, 1), radius 10.

    Returns
    -------
    DataFrame
        Of the bipartite simplex the dimension is that of both sides together. `ratio` is the time
        of the row over that of variable fixing. `gb_per_second` counts one reading of the input and
        one writing of the result, `memory_share` compares it with a copy of the same size.
    """
    budget = 0.02 if effort.quick else 0.5  # seconds of a case: a call may take microseconds
    rows = []
    for name in PROJECTIONS:
        for d in DIMENSIONS[:2] if effort.quick else DIMENSIONS:
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


# ---- precision ---------------------------------------------------------------------------------------


def certified_gap(problem: BenchProblem, loss: str, gamma: float, solution: Solution) -> float:
    """(P(W) - D(A)) / P(W), both computed in NumPy and float64 from the arrays alone."""
    P = own_solver.primal(problem, loss, solution.W, gamma=gamma)
    D = own_solver.dual(problem, loss, np.asarray(solution.A, dtype=np.float64), gamma=gamma)
    return (P - D) / P


def compare_precisions(effort: Effort) -> pd.DataFrame:
    """Time float32 and float64 features, the same numbers, to a relative gap of 1e-4 on b and c.

    Returns
    -------
    DataFrame
        `gap` is the solver's own, `certified_gap` is computed without float32, `ratio` is the time
        of float64 over that of the row.
    """
    rows = []
    for name in ("b", "c"):
        problem = synthetic(name, effort.quick)
        single = problem.X.astype(np.float32)
        versions = {
            "float64": replace(problem, X=single.astype(np.float64)),
            "float32": replace(problem, X=single),
        }
        for loss, gamma in _HINGES_AND_SOFTMAX:
            arguments = {"loss": loss, "gamma": gamma, "eps": 1e-4, "max_epochs": _MOST_EPOCHS}
            fits = {
                dtype: partial(timed, partial(own_solver.train, version, **arguments))
                for dtype, version in versions.items()
            }
            best = best_of_rounds(fits, effort.repeats)
            for dtype, (seconds, solution) in best.items():
                rows.append(
                    {
                        "shape": name,
                        "loss": loss,
                        "gamma": gamma,
                        "dtype": dtype,
                        "seconds": seconds,
                        "epochs": solution.epochs,
                        "status": solution.status,
                        "milliseconds_per_epoch": 1e3 * seconds / max(solution.epochs, 1),
                        "gap": solution.relative_gap,
                        "certified_gap": certified_gap(versions["float64"], loss, gamma, solution),
                        "ratio": best["float64"][0] / seconds,
                    }
                )
    return pd.DataFrame(rows)


# ---- passes ------------------------------------------------------------------------------------------

#: Problem, loss, k, gamma, C.
PASSES = (
    ("letter", "svm_multi", 1, 0.0, 10.0),
    ("letter", "svm_multi", 1, 1.0, 10.0),
    ("letter", "svm_multi", 1, 1.0, 100.0),
    ("letter", "svm_multi", 1, 0.0, 1.0),
    ("letter", "topk_svm_alpha", 5, 0.0, 10.0),
    ("letter", "svm_ova", 1, 0.0, 10.0),
    ("letter", "lr_multi", 1, 0.0, 10.0),
    ("letter", "lr_multi", 1, 0.0, 1.0),
    ("letter", "topk_ent", 5, 0.0, 10.0),
    ("a", "svm_multi", 1, 0.0, 1.0),
    ("a", "svm_multi", 1, 1.0, 1.0),
    ("b", "svm_multi", 1, 0.0, 10.0),
    ("c", "svm_multi", 1, 0.0, 10.0),
    ("text", "svm_multi", 1, 0.0, 1.0),
    ("text", "svm_multi", 1, 0.0, 10.0),
    ("gram", "svm_multi", 1, 0.0, 1.0),
    ("tags", "svm_ml", 1, 0.0, 10.0),
    ("tags", "lr_ml", 1, 0.0, 10.0),
    ("tabular", "svm_multi", 1, 1.0, 10.0),
    ("tabular", "svm_multi", 1, 0.0, 10.0),
    ("tabular", "lr_multi", 1, 0.0, 10.0),
    ("tabular", "topk_svm_beta", 3, 0.0, 10.0),
    ("tabular", "svm_multi", 1, 1.0, 100.0),
)


def acceleration(effort: Effort) -> pd.DataFrame:
    """Count the passes to a certified relative gap of 1e-3, with and without acceleration, looking
    every second.

    Returns
    -------
    DataFrame
        `plain` and `accelerated` are passes, empty where 3000 were not enough; `ratio` is their
        quotient, a lower bound where `plain` is empty; `r` is that of the last outer step, 0 where
        the passes stayed plain; `visits` are the rows visited over n, with acceleration. Problems
        whose files are missing are left out.
    """
    problems: dict[str, BenchProblem] = {}
    for name in dict.fromkeys(case[0] for case in PASSES):
        try:
            problems[name] = published_sets.load(name, effort.quick)
        except published_sets.Unavailable as error:
            print(f"  {name}: skipped: {error}", flush=True)
    rows = []
    for name, loss, k, gamma, C in PASSES:
        if name not in problems:
            continue
        problem = problems[name]
        arguments = {"k": min(k, problem.n_classes - 1), "gamma": gamma, "C": C}
        arguments |= {"eps": 1e-3, "eval_every": 2, "max_epochs": 3000}
        plain = own_solver.train(problem, loss, acceleration=False, **arguments)
        fast = own_solver.train(problem, loss, **arguments)
        rows.append(
            {
                "shape": name,
                "loss": loss,
                "k": k,
                "gamma": gamma,
                "C": C,
                "plain": plain.epochs if plain.status == "converged" else None,
                "accelerated": fast.epochs if fast.status == "converged" else None,
                "ratio": plain.epochs / fast.epochs,
                "r": fast.r,
                "visits": fast.visits / problem.n,
            }
        )
    return pd.DataFrame(rows)


# ---- path --------------------------------------------------------------------------------------------


def warm_starts(effort: Effort) -> pd.DataFrame:
    """Train on letter (or problem a) for 20 values of C: cold, with warm starts, and with warm
    starts and plain passes.

    Returns
    -------
    DataFrame
        Epochs and seconds are sums over the values of C, from 1e-4, where hardly anything is
        learnt, to letter's best, 10, each trained to a relative gap of 1e-3; `seconds_ratio` is
        that of the plain to the accelerated path.
    """
    note = ""
    try:
        problem = published_sets.load("letter", effort.quick)
    except published_sets.Unavailable as error:
        problem, note = synthetic("a", effort.quick), f"not letter: {error}"
    Cs = np.logspace(-4, 0, 5) if effort.quick else np.logspace(-4, 1, 20)
    rows = []
    for loss, gamma in _HINGES_AND_SOFTMAX:
        options = {"loss": loss, "gamma": gamma, "eps": 1e-3, "max_epochs": _MOST_EPOCHS}
        warm = partial(path, problem.X, problem.y, Cs=Cs, **options)
        ways = {
            "cold": lambda options=options: [own_solver.train(problem, C=C, **options) for C in Cs],
            "warm": warm,
            "plain": partial(warm, acceleration=False),
        }
        best = best_of_rounds(
            {way: partial(timed, train) for way, train in ways.items()}, effort.repeats
        )
        rows.append(
            {"shape": problem.name, "loss": loss, "gamma": gamma}
            | {f"{way}_epochs": sum(one.epochs for one in best[way][1]) for way in ways}
            | {f"{way}_seconds": best[way][0] for way in ways}
            | {
                "seconds_ratio": best["plain"][0] / best["warm"][0],
                "worst_gap": max(one.relative_gap for way in ways for one in best[way][1]),
                "note": note,
            }
        )
    return pd.DataFrame(rows)


# ---- held_out ----------------------------------------------------------------------------------------


def held_out_accuracy(effort: Effort) -> pd.DataFrame:
    """How hard the problems are: accuracy on rows held out, by which the noise and C of the
    problems were chosen.

    Returns
    -------
    DataFrame
        `top1` in percent, on 4000 more rows of a synthetic problem, on a fifth of a published set,
        for several C. Trained to a gap of 1e-3; nothing is timed.
    """
    rows = []
    for name in [name for name in SYNTHETIC if name != "tags"] + list(published_sets.PUBLISHED):
        try:
            problem, train = _with_rows_held_out(name, effort.quick)
        except published_sets.Unavailable as error:
            print(f"  {name}: skipped: {error}", flush=True)
            continue
        seen = replace(problem, X=problem.X[:train], y=problem.y[:train])
        unseen = problem.features[train:]
        if problem.gram is not None:
            seen = replace(seen, gram=np.ascontiguousarray(problem.gram[:train, :train]))
            unseen = unseen[:, :train]
        for loss in ("svm_multi", "lr_multi"):
            for C in (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0):
                model = own_solver.train(
                    seen, loss, C=C, n_classes=problem.n_classes, time_limit=60
                )
                scores = model.decision_function(unseen)
                top1 = 100 * top_k_accuracy(problem.y[train:], scores, k=1)
                rows.append({"shape": name, "loss": loss, "C": C, "top1": float(top1)})
    return pd.DataFrame(rows)


def _with_rows_held_out(name: str, quick: bool) -> tuple[BenchProblem, int]:
    """Return a problem with rows to hold out behind the others, and the number of training rows."""
    if name in SYNTHETIC:
        more = 100 if quick else 4000
        problem = synthetic(name, quick, held_out=more)
        return problem, problem.n - more
    problem = published_sets.load(name, quick)
    order = np.random.default_rng(0).permutation(problem.n)
    return replace(problem, X=problem.X[order], y=problem.y[order]), int(0.8 * problem.n)
