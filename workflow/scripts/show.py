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
    missing = [path.removeprefix("results/") for path in files if not Path(path).is_file()]
    cells, claims = compare_results(plan.catalogue, there(files), root / SUMMARY / "cells.csv")
    metas = there(targets.prepared())
    reasons = targets.reasons() | {
        name: "not prepared" for name in plan.registry if plan.prepared(name) not in metas
    }
    datasets = describe_datasets(plan.registry, metas, reasons)
    write_report(
        cells,
        claims,
        pd.read_csv(io.StringIO(datasets.to_csv(index=False)), dtype=str, keep_default_na=False),
        describe_run(root, plan.catalogue, plan.config),
        plan.report,
        checkout=root,
        shown=there([*targets.table_files(), *targets.figure_files()], ".json"),
        missing=missing,
    )
    logger.info("%d results are missing", len(missing))


def there(files, ending=""):
    return [path for path in files if path.endswith(ending) and Path(path).is_file()]


if "snakemake" in globals():
    run(main, snakemake)
