"""``python -m toplabel.bench``: measure, print, write results/bench/*.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from toplabel.bench import machine, shapes, special, training
from toplabel.files import atomic_path


def compare_training(quick: bool) -> pd.DataFrame:
    """Time to (P - P*)/P* <= 1e-3 of every solver on every shape; ratio of its time to ours."""
    problems = [shapes.dense("a", 10500, 16, 26)]
    if not quick:
        problems += [shapes.dense("b", 5354, 4096, 67), shapes.dense("c", 5000, 1000, 1000)]
    rows = []
    for shape in problems:
        for loss in ("svm_multi", "lr_multi"):
            bound = training.lower_bound(shape, loss, 1e-5)
            solvers = {"toplabel": training.ours(shape, loss)}
            if loss == "svm_multi":
                solvers["LIBLINEAR"] = training.liblinear(shape, loss)
            else:
                for name in ("lbfgs", "newton-cg"):
                    solvers[f"scikit-learn {name}"] = training.sklearn_logistic(shape, name)
            for solver, settings in solvers.items():
                timing = training.time_to_accuracy(shape, loss, solver, settings, bound)
                rows.append(timing)
                print(f"  {shape.name}, {loss}, {solver}: {timing.seconds:.3f} s", flush=True)
    frame = pd.DataFrame(rows)
    ours = frame[frame.solver == "toplabel"].set_index(["shape", "loss"]).seconds
    keys = pd.MultiIndex.from_frame(frame[["shape", "loss"]])
    frame["ratio"] = frame.seconds.to_numpy() / ours.reindex(keys).to_numpy()
    return frame


def main() -> None:
    """Run the groups of the command line."""
    parser = argparse.ArgumentParser(prog="python -m toplabel.bench", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="the smallest shape only")
    parser.add_argument("--out", default="results/bench", help="folder of the CSV files")
    arguments = parser.parse_args()
    groups = {
        "machine": machine.limits,
        "lambert": special.lambert,
        "bipartite": special.bipartite,
        "training": lambda: compare_training(arguments.quick),
    }
    with threadpool_limits(1), pd.option_context("display.width", 150, "display.max_columns", 20):
        for name, measure in groups.items():
            print(f"{name}:", flush=True)
            frame = measure()
            print(frame.to_string(index=False, float_format=lambda x: f"{x:.4g}"), "\n", flush=True)
            with atomic_path(Path(arguments.out) / f"{name}.csv") as path:
                frame.to_csv(path, index=False)


if __name__ == "__main__":
    main()
