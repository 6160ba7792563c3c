"""Write the reports on the results that there are, and compute none."""

import io
from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.results import compare_results
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.data.overview import describe_datasets
from toplabel.reproduction.facts import describe_run
from toplabel.reproduction.jobs import checkout, logger, run
from toplabel.reproduction.plan import Plan
from toplabel.reproduction.report.write import write_report
from toplabel.reproduction.targets import Targets


def main(snakemake):
    root = checkout(snakemake)
    plan = Plan(root, snakemake.params.config)
    targets = Targets(plan)
    files = plan.cell_files("evaluation.csv", plan.asked)
    there = [path for path in files if Path(path).is_file()]
    cells, claims = compare_results(plan.catalogue, there, root / SUMMARY / "cells.csv")
    metas = [path for path in targets.prepared() if Path(path).is_file()]
    reasons = targets.reasons() | {
        name: "not prepared" for name in plan.registry if plan.prepared(name) not in metas
    }
    datasets = describe_datasets(plan.registry, metas, reasons)
    missing = [path.removeprefix("results/") for path in files if path not in there]
    shown = [*targets.table_files(), *targets.figure_files()]
    write_report(
        cells,
        claims,
        pd.read_csv(io.StringIO(datasets.to_csv(index=False)), dtype=str, keep_default_na=False),
        describe_run(root, plan.catalogue, plan.config),
        "reports",
        checkout=root,
        shown=[path for path in shown if path.endswith(".json") and Path(path).is_file()],
        missing=missing,
    )
    logger.info("%d results are missing", len(missing))


if "snakemake" in globals():
    run(main, snakemake)
