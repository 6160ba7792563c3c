"""Evidence for the same digits elsewhere: ``python benchmarks/evidence/digits.py [--results DIR] [CELL ...]``
prints how many test metrics change with the solver's seed, the kernels of OpenBLAS and the threads.

Cells are ``<data set>/<method>`` of the default run, of losses with a certificate; their prepared data
are those of DIR, the folder of a run (results). For each pair of tolerances, of tuning and of the final
models, each variant is a process that tunes, trains and measures the cells as the workflow does, folds
unchanged. Numbers are compared as printed, with one digit behind the point for percentages and three for
losses. The columns: tolerances, variant, numbers, those that differ, by how many test instances at most
(of percentages), those of another C, and those whose fit did not converge.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

CELLS = (
    *(f"circle/{name}" for name in ("svm_ova", "svm_multi", "lr_multi", "topk_svm_alpha_k2")),
    *(f"letter/{name}" for name in ("svm_multi", "topk_svm_alpha_k3", "lr_multi")),
    *(f"emotions/{name}" for name in ("svm_ml_smooth", "lr_ml")),
)
TOLERANCES = ((1e-3, 1e-3), (1e-3, 1e-7), (1e-5, 1e-7))
VARIANTS = {
    "as it is": (0, {}),
    "seed 1": (1, {}),
    "seed 2": (2, {}),
    "Haswell": (0, {"OPENBLAS_CORETYPE": "Haswell"}),
    "SkylakeX": (0, {"OPENBLAS_CORETYPE": "SkylakeX"}),
    "Zen": (0, {"OPENBLAS_CORETYPE": "Zen"}),
    "2 threads": (0, {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}),
}
ROOT = Path(__file__).resolve().parents[2]


def measure(results: Path, cells: list[str], seed: int, tol_tune: float, tol_train: float):
    """Yield the name, the value, C, the status and the test instances of each metric."""
    from toplabel.reproduction.data.prepared import load_prepared
    from toplabel.reproduction.plan import Plan
    from toplabel.reproduction.selection.choice import choose, means
    from toplabel.reproduction.selection.evaluation import evaluate
    from toplabel.reproduction.selection.models import key_of, train_models
    from toplabel.reproduction.selection.problems import validation_problems
    from toplabel.reproduction.selection.tuning import tune_split

    plan = Plan(ROOT, {})
    for cell in cells:
        dataset, method = cell.split("/")
        prepared = load_prepared(results / dataset / "data")
        task = plan.task("train", dataset, method)
        task = replace(task, budget=replace(task.budget, tol_tune=tol_tune, tol_train=tol_train))
        seeded = replace(task, settings=replace(task.settings, seed=seed))
        tuned = []
        for name in plan.split_names(dataset):
            problems = validation_problems(prepared, replace(task, split=name))
            tuned += tune_split(list(problems), replace(seeded, split=name))
        choices = choose(means(tuned), task.method.selected_by)
        models = {key_of(model): model for model in train_models(prepared, seeded, choices)}
        threshold = plan.config["threshold"]
        seconds = dict.fromkeys(plan.split_names(dataset), 0.0)
        found = evaluate(prepared, task, plan.budget, threshold, choices, models, seconds)[0]
        parts = {split.name: prepared.parts[split.test] for split in prepared.splits}
        for row in found:
            name = f"{cell} {row.split} {row.metric}"
            yield name, row.value, row.C, row.status, parts[row.split].n_instances


def printed(name: str, value: float) -> str:
    return f"{value:.3f}" if name.endswith("_loss") else f"{value:.1f}"


def main() -> None:
    """Print a line for each pair of tolerances and each variant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--run", nargs=3, type=float, help="seed and tolerances of one process")
    parser.add_argument("cells", nargs="*", default=CELLS)
    options = parser.parse_args()
    if options.run:
        seed, *eps = options.run
        rows = list(measure(options.results, options.cells, int(seed), *eps))
        print(json.dumps(rows))
        return
    for eps in TOLERANCES:
        kept: dict[str, tuple] = {}
        for variant, (seed, environment) in VARIANTS.items():
            one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            command = [sys.executable, __file__, "--results", str(options.results)]
            command += ["--run", str(seed), *map(str, eps), "--", *options.cells]
            environment = os.environ | one | environment
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE)
            if done.returncode < 0:  # a processor without the instructions of these kernels
                print(
                    f"| {eps[0]:g} | {eps[1]:g} | {variant} | not on this processor |", flush=True
                )
                continue
            done.check_returncode()
            found = {name: row for name, *row in json.loads(done.stdout)}
            kept = kept or found
            digits, instances, Cs = 0, 0.0, 0
            for name, (value, C, _, n) in found.items():
                digits += printed(name, value) != printed(name, kept[name][0])
                Cs += kept[name][1] != C
                if not name.endswith("_loss"):
                    instances = max(instances, abs(value - kept[name][0]) / 100 * n)
            ended = sum(status != "converged" for _, _, status, _ in found.values())
            print(
                f"| {eps[0]:g} | {eps[1]:g} | {variant} | {len(found)} | {digits} | {instances:.1f} |"
                f" {Cs} | {ended} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
