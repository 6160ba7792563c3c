"""Write the reports on the results that there are, and compute none."""

import shutil
from pathlib import Path

import pandas as pd

from toplabel._core.files import write_json
from toplabel.reproduction.compare.results import compare_results
from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.data.overview import describe_datasets
from toplabel.reproduction.facts import describe_run
from toplabel.reproduction.jobs import checkout, logger, run
from toplabel.reproduction.plan import Plan
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import load_inputs
from toplabel.reproduction.report.metadata import write_data
from toplabel.reproduction.report.pdf import write_pdf
from toplabel.reproduction.tables.collected import COLLECTED, DATASETS, FAILURES
from toplabel.reproduction.targets import Targets
from toplabel.reproduction.workflow.collecting.claims import judge
from toplabel.reproduction.workflow.collecting.tables import printed_table

FOLDER = Path("results/partial")


def main(snakemake):
    root = checkout(snakemake)
    plan = Plan(root, snakemake.params.config)
    paths = [path for path in plan.cell_files("evaluation.csv", plan.asked) if Path(path).is_file()]
    cells, claims = compare_results(plan.catalogue, paths)
    failures = missing(plan, set(paths))
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    frames = judge(plan.catalogue, cells, claims) | {"failures": failures}
    collected, comparison = frames["evaluation"], frames["comparison"]
    for name, frame in frames.items():
        COLLECTED[name].write(frame, FOLDER / f"{name}.csv")
    targets = Targets(plan)
    metas = [path for path in targets.prepared() if Path(path).is_file()]
    reasons = targets.reasons() | {
        name: "not prepared" for name in plan.registry if plan.prepared(name) not in metas
    }
    datasets = describe_datasets(plan.registry, metas, reasons)
    DATASETS.write(datasets, FOLDER / "datasets.csv")
    tables = (printed_table(plan.catalogue, name, comparison, collected) for name in targets.tables)
    write_tables([table for table in tables if table is not None], FOLDER / "tables")
    facts = describe_run(root, plan.catalogue, plan.config) | {"complete": failures.empty}
    write_json(FOLDER / "run.json", facts)
    inputs = load_inputs("results", FOLDER, root / SUMMARY)
    write_data(inputs, Path("reports/data"))
    write_html(inputs, "reports/index.html")
    write_pdf(inputs, "reports/toplabel.pdf")
    write_crate(inputs, Path("reports"), root)
    logger.info("%d results are missing", len(failures))


def missing(plan: Plan, there: set[str]) -> pd.DataFrame:
    """Return the cells of the config that have no test metrics."""
    rows = [
        {
            "dataset": cell.dataset,
            "method": cell.method,
            "label": plan.methods[cell.method].label,
            "stage": "",
            "reason": plan.raw.missing(cell.dataset) or "not finished",
            "log": f"logs/train/{cell.dataset}/{cell.method}.log",
        }
        for cell in plan.asked
        if cell.path("evaluation.csv") not in there
    ]
    return FAILURES.frame(rows)


if "snakemake" in globals():
    run(main, snakemake)
