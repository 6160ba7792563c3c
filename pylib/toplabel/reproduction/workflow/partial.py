"""The report on an unfinished run: what there is, what is missing and why.

The collected files of such a run go to results/partial, apart from those of a whole one, so that
Snakemake finds its own as it left them. The reports are written where they always are;
results/partial/run.json, written last, is an input of the rules that write them, so the next run
that finishes writes them again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from toplabel._core.files import FileError, write_json
from toplabel.reproduction.compare.tables import write_tables
from toplabel.reproduction.config.keys import canonical_key
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.data.prepared import read_meta
from toplabel.reproduction.report import load_inputs, write_data, write_html, write_pdf
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.tables.collected import COLLECTED, DATASETS, FAILURES
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.collecting.claims import judge
from toplabel.reproduction.workflow.collecting.datasets import describe_datasets
from toplabel.reproduction.workflow.collecting.results import compare_results
from toplabel.reproduction.workflow.collecting.run import describe_run
from toplabel.reproduction.workflow.collecting.tables import printed_table
from toplabel.reproduction.workflow.failures import LOGS, damage, failed_sets, find_failures
from toplabel.reproduction.workflow.plan import RAW_FOLDER, Plan
from toplabel.reproduction.workflow.shown import NOT_ASKED
from toplabel.reproduction.workflow.targets import Targets

FOLDER = Path("results/partial")
REPORTS = Path("reports")


def has_failures(plan: Plan) -> bool:
    """Return whether a run that began in this folder did not get all that the reports show."""
    return _has_begun(plan) and not find_failures(plan, _wanted(plan)).empty


def _has_begun(plan: Plan) -> bool:
    """Return whether a job of any run was started in this folder."""
    return (LOGS / "fetch").is_dir() or bool(plan.begun())


def write_partial(plan: Plan, reports: Path = REPORTS) -> pd.DataFrame:
    """Write the reports on whatever results/ holds.

    Parameters
    ----------
    plan : Plan
        Its config, and the cells that were begun, say what is missing.
    reports : Path
        The folder of the reports.

    Returns
    -------
    DataFrame
        What failed (`failures.find_failures`).
    """
    wanted = _wanted(plan)
    existing = [cell for cell in plan.existing() if not damage(cell)]
    failures = find_failures(plan, wanted) if _has_begun(plan) else FAILURES.frame()
    collected, comparison = compare_results(
        plan.catalogue, [cell.path("evaluation.csv") for cell in existing]
    )
    comparison = _with_reasons(comparison, failures, plan)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    frames = {"evaluation": collected, "comparison": comparison, "failures": failures}
    frames |= judge(plan.catalogue, comparison, collected)
    for name, frame in frames.items():
        COLLECTED[name].write(frame, FOLDER / f"{name}.csv")
    metas, damaged = _metas()
    reasons = _reasons(plan, wanted, failures) | damaged
    datasets = describe_datasets(plan.registry, metas, reasons, RAW_FOLDER, plan.mirrors)
    DATASETS.write(datasets, FOLDER / "datasets.csv")
    tables = (
        printed_table(plan.catalogue, name, comparison, collected)
        for name in Targets(plan).tables_of(existing)
    )
    write_tables([table for table in tables if table is not None], FOLDER / "tables")
    facts = describe_run(plan.root, plan.catalogue, plan.config) | {"complete": failures.empty}
    write_json(FOLDER / "run.json", facts)
    _write_reports(reports, plan.root)
    os.utime(FOLDER / "run.json")  # pages older than this file are remade by the next run
    return failures


def _write_reports(reports: Path, checkout: Path) -> None:
    inputs = load_inputs("results", FOLDER, checkout / SUMMARY)
    write_data(inputs, reports / "data")
    write_html(inputs, reports / "index.html")
    write_pdf(inputs, reports / "toplabel.pdf")
    write_crate(inputs, reports, checkout)


def _metas() -> tuple[list[Path], dict[str, str]]:
    """Return the meta.json of the prepared sets, and why those that cannot be read are missing, by
    data set.
    """
    found, damaged = [], {}
    for path in sorted(Path("results").glob("*/data/meta.json")):
        try:
            read_meta(path.parent)
            found.append(path)
        except FileError as error:
            damaged[path.parts[-3]] = str(error)
    return found, damaged


def _wanted(plan: Plan) -> list[Cell]:
    """Return cells of the config that can be had, cells that were begun, and those of a data set
    that could not be made.
    """
    of_config = plan.reachable(Targets(plan).asked())
    begun = [*of_config, *plan.begun()]
    missing = failed_sets(plan) - {cell.dataset for cell in begun}
    return sorted({*begun, *(cell for name in missing for cell in plan.cells_of_dataset(name))})


def _reasons(plan: Plan, wanted: Sequence[Cell], failures: pd.DataFrame) -> dict[str, str]:
    """Return why a data set is missing: a failed job, or that no folder has its files."""
    early = failures[failures["stage"].isin(["fetch", "prepare"])]
    failed = {row["dataset"]: f"{row['stage']}: {row['reason']}" for _, row in early.iterrows()}
    asked = {cell.dataset for cell in wanted}
    found = {}
    for name in plan.registry:
        why = failed.get(name) or plan.reason_not_at_hand(name)
        found[name] = why or ("not prepared: the run ended before" if name in asked else NOT_ASKED)
    return found


def _with_reasons(comparison: pd.DataFrame, failures: pd.DataFrame, plan: Plan) -> pd.DataFrame:
    """Say of the published cells of a failed result why they have no measurement."""
    reasons = {}
    for row in failures[failures["method"] != ""].to_dict("records"):
        entry = plan.registry[row["dataset"]]
        stage = f"{row['stage']}: " if row["stage"] else ""
        for source in filter(entry.is_in, comparison["source"].unique()):
            key = plan.methods[row["method"]].key
            place = (source, entry.published_key, entry.features, key)
            reasons[place] = f"the run did not finish: {stage}{row['reason']}"

    def reason(row: pd.Series) -> str:
        key = canonical_key(row["method"], row["k"], row["gamma"], row["kernel"])
        place = (row["source"], row["dataset"], row["features"], key)
        return row["reason"] or reasons.get(place, "")

    bare = comparison["measured"].isna()
    if reasons and bare.any():
        comparison = comparison.copy()
        comparison.loc[bare, "reason"] = comparison[bare].apply(reason, axis=1)
    return comparison
