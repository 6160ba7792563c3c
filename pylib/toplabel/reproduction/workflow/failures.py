"""Why a run did not get what it asked for, read from the logs of its jobs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from toplabel._core.files import FileError
from toplabel.reproduction.datasets.prepared import not_comparable
from toplabel.reproduction.selection.ranks import load_ranks
from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.tables.collected import FAILURES
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.jobs import ENDED, STARTED, TERMINATED
from toplabel.reproduction.workflow.plan import Plan

LOGS = Path("results/logs")
SLURM_LOGS = Path(".snakemake/slurm_logs")  # of the plugin: <rule>/<wildcards>/<job>.log
#: The stages of a cell in their order, and where their logs are.
_STAGES = {
    "fetch": "fetch/{origin}.log",
    "prepare": "prepare/{origin}.log",
    "network": "network/{dataset}/*.log",
    "extract": "extract/{dataset}.log",
    "redraw": "redraw/{dataset}.log",
    "fine_tune": "fine_tune/{dataset}/{method}/*.log",
    "tune": "tune/{dataset}/{method}/*.log",
    "train": "train/{dataset}/{method}.log",
    "threshold": "threshold/{dataset}/{method}.log",
    "evaluate": "evaluate/{dataset}/{method}.log",
}
_ERROR = " ERROR "
_UNEXPECTED = "the job failed"  # what jobs.run logs before a traceback
_NO_WORD = "the job ended without a word, as when it is killed, or the run was stopped"
# What Slurm writes when it ends a job; for memory it says two things, the cause first.
_SLURM_ENDS = re.compile(
    r"(?:slurmstepd|srun)\S*: error: (.*(?:CANCELLED|OOM|oom|memory|controller).*)"
)
_NOT_STARTED = "the run ended before the next job"


def find_failures(plan: Plan, wanted: Iterable[Cell]) -> pd.DataFrame:
    """List every cell without readable test metrics with its last stage, and every other failed
    job, with the reason.

    Parameters
    ----------
    plan : Plan
    wanted : iterable of Cell
        What the run asked for.

    Returns
    -------
    DataFrame
        The columns of `FAILURES`, text; ``log`` is relative to the results folder. Jobs that belong
        to no cell (tables, figures, collecting) have neither data set nor method.
    """
    rows = [
        {"dataset": cell.dataset, "method": cell.method, "label": plan.methods[cell.method].label}
        | reason
        for cell in sorted(wanted)
        if (reason := _reason(plan, cell))
    ]
    rows += [
        {"dataset": "", "method": "", "label": path.stem, "stage": _stage(path)}
        | _words(path, text)
        for path, text in _other_errors()
    ]
    return FAILURES.frame(rows)


def failed_sets(plan: Plan) -> set[str]:
    """Return data sets whose files could not be fetched or read."""
    logs = (path for stage in ("fetch", "prepare") for path in LOGS.glob(f"{stage}/*.log"))
    return {path.stem for path in logs if path.stem in plan.registry and error_of(path)}


def damage(cell: Cell) -> str:
    """Return why the test metrics of a cell cannot be shown although they are there; empty when
    they can.
    """
    try:
        TEST_METRICS.read(cell.path("evaluation.csv"))
        if Path(cell.path("ranks.npz")).is_file():
            load_ranks(cell.path("ranks.npz"))
        not_comparable(f"results/{cell.dataset}/data")
    except FileError as error:
        return str(error)
    return ""


def _reason(plan: Plan, cell: Cell) -> dict[str, str]:
    """Return why a cell has no test metrics, or none that can be read; empty when it has."""
    if Path(cell.path("evaluation.csv")).is_file():
        why = damage(cell)
        return {"stage": "evaluate", "reason": why, "log": ""} if why else {}
    return _last_stage(plan, cell)


def _last_stage(plan: Plan, cell: Cell) -> dict[str, str]:
    """Return the last stage of a cell that left a log, and what the log ends with."""
    names = {"dataset": cell.dataset, "method": cell.method, "origin": plan.origin_of(cell.dataset)}
    last: tuple[str, Path] | None = None
    for stage, pattern in _STAGES.items():
        for path in sorted(LOGS.glob(pattern.format(**names))):
            if text := error_of(path):
                return {"stage": stage} | _words(path, text)
            last = (stage, path)
    if last is None:
        return {"stage": "", "reason": _NOT_STARTED, "log": ""}
    stage, path = last
    if not _done(plan, cell, stage):
        why = _slurm_cause(path) or _before_start(plan, cell).get("reason") or _NO_WORD
        return {"stage": stage} | _words(path, why)
    never = {"stage": f"after {stage}", "reason": _NOT_STARTED, "log": ""}
    return _before_start(plan, cell) or never


def _before_start(plan: Plan, cell: Cell) -> dict[str, str]:
    """Return why Slurm ended the cell's last job before its script wrote the first line of a log;
    empty when it did not.
    """
    folders = {"prepare": [cell.dataset], "tune": [], "tune_block": []}
    folders |= {stage: ["_".join(cell.names)] for stage in ("train", "threshold", "evaluate")}
    for part in (Path(unit).stem for unit in plan.units(*cell.names)):
        blocks = [Path(block).stem.split(".block") for block in plan.blocks(*cell.names, part)]
        folders["tune"].append("_".join((*cell.names, part)))
        folders["tune_block"] += ["_".join((*cell.names, *block)) for block in blocks]
    found = {
        log: stage.removesuffix("_block")
        for stage, names in folders.items()
        if not _done(plan, cell, stage.removesuffix("_block"))
        for name in names
        for log in SLURM_LOGS.glob(f"rule_{stage}/{name}/*.log")
    }
    if not found:
        return {}
    last = max(found, key=lambda log: log.stat().st_mtime)
    cause = _slurm_words(last)
    return {"stage": found[last], "reason": cause, "log": ""} if cause else {}


def _done(plan: Plan, cell: Cell, stage: str) -> bool:
    """Return whether a stage left its files, so that the cell stopped after it."""
    origin = plan.origin_of(cell.dataset)
    files = {
        "fetch": [f"results/{origin}/fetch.json"],
        "prepare": [f"results/{origin}/data/meta.json"],
        "network": plan.draws(cell.dataset),
        "extract": [f"results/{cell.dataset}/data/meta.json"],
        "redraw": [f"results/{cell.dataset}/data/meta.json"],
        "fine_tune": plan.draws(*cell.names),
        "tune": plan.units(*cell.names),
        "train": [cell.path("models.npz")],
        "threshold": [cell.path("thresholds.csv")],
    }
    return stage in files and all(Path(name).is_file() for name in files[stage])


def _words(path: Path, text: str) -> dict[str, str]:
    return {"reason": text, "log": path.relative_to(LOGS.parent).as_posix()}


def error_of(path: Path) -> str:
    """Return the error that a job's log ends with, in one line; empty when there is none.

    Each job starts a new log, so an error in it is that of the last attempt. An error that the job
    did not expect stands there with its traceback, whose last line says what it was.
    """
    lines = _lines(path)
    found = [line.partition(_ERROR)[2].strip() for line in lines if _ERROR in line]
    if not found:
        return ""
    if found[-1] == TERMINATED:
        return _slurm_cause(path) or TERMINATED
    return lines[-1].strip() if found[-1] == _UNEXPECTED else found[-1]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def _slurm_cause(path: Path) -> str:
    """Return why Slurm ended the job of a log, in its words; empty when it did not, or is not
    there.
    """
    job = re.search(r", Slurm job (\d+)$", "\n".join(_lines(path)[:1]))
    logs = SLURM_LOGS.rglob(f"{job[1]}.log") if job else ()
    return next(filter(None, map(_slurm_words, logs)), "")


def _slurm_words(log: Path) -> str:
    """Return the first line of a log of Slurm that says why a job ended; empty when there is none."""
    cause = _SLURM_ENDS.search("\n".join(_lines(log)))
    return f"Slurm: {cause[1].strip('* ')}" if cause else ""


def _killed(path: Path) -> str:
    """Return why the job of a log ended before its end; empty when it did not."""
    lines = _lines(path)
    if not lines or f" {STARTED} " not in lines[0] or lines[-1].endswith(f" {ENDED}"):
        return ""
    return _slurm_cause(path) or _NO_WORD


def _other_errors() -> list[tuple[Path, str]]:
    """Return logs that belong to no cell, of what the reports show, with an error or of a job that
    was killed.
    """
    others = {pattern.partition("/")[0] for pattern in _STAGES.values()}
    others |= {"smoke.log", "partial_report.log"}
    paths = [p for p in sorted(LOGS.rglob("*.log")) if p.relative_to(LOGS).parts[0] not in others]
    return [(path, text) for path in paths if (text := error_of(path) or _killed(path))]


def _stage(path: Path) -> str:
    parts = path.relative_to(LOGS).parts
    return parts[0] if len(parts) > 1 else "collecting"
