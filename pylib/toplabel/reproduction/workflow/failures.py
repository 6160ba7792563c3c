"""Why a run did not get what it asked for, read from the logs of its jobs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from toplabel._core.files import FileError
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.selection.ranks import load_ranks
from toplabel.reproduction.tables.cells import TEST_METRICS
from toplabel.reproduction.tables.collected import FAILURES
from toplabel.reproduction.workflow.cells import Cell
from toplabel.reproduction.workflow.jobs import ENDED, STARTED, TERMINATED
from toplabel.reproduction.workflow.plan import Plan

LOGS = Path("results/logs")
SLURM_LOGS = Path(".snakemake/slurm_logs")  # of the plugin: <rule>/<wildcards>/<job>.log
_ERROR = " ERROR "
_UNEXPECTED = "the job failed"  # what jobs.run logs before a traceback
_NO_WORD = "the job ended without a word, as when it is killed, or the run was stopped"
_NOT_STARTED = "the run ended before the next job"
# What Slurm writes when it ends a job; for memory it says two things, the cause first.
_SLURM_ENDS = re.compile(
    r"(?:slurmstepd|srun)\S*: error: (.*(?:CANCELLED|OOM|oom|memory|controller).*)"
)
_OF_CELLS = {"fetch", "prepare", "network", "extract", "redraw"}
_OF_CELLS |= {"fine_tune", "join", "tune", "train", "threshold", "evaluate"}
_NOT_SHOWN = {"smoke.log", "partial_report.log", "verify_files.log"}


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
    return FAILURES.frame([*rows, *_other_failures()])


def failed_sets(plan: Plan) -> set[str]:
    """Return data sets whose files could not be fetched or read."""
    logs = (path for stage in ("fetch", "prepare") for path in LOGS.glob(f"{stage}/*.log"))
    return {path.stem for path in logs if path.stem in plan.registry and error_of(path)}


def errors_since(start: float) -> list[str]:
    """Return the errors of the jobs that failed after a time, in their order, each with its log."""
    logs = [path for path in LOGS.rglob("*.log") if path.stat().st_mtime >= start]
    logs.sort(key=lambda path: path.stat().st_mtime)
    return [f"{text} ({path.as_posix()})" for path in logs if (text := error_of(path))]


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


def _stages(plan: Plan, cell: Cell) -> dict[str, tuple[str, Sequence[str]]]:
    """Return the stages of a cell in their order, each with its logs and the files that it leaves."""
    (dataset, method), origin = cell.names, plan.origin_of(cell.dataset)
    meta = [f"results/{dataset}/data/meta.json"]
    return {
        "fetch": (f"{origin}.log", [f"results/{origin}/fetch.json"]),
        "prepare": (f"{origin}.log", [f"results/{origin}/data/meta.json"]),
        "network": (f"{dataset}/*.log", plan.draws(dataset)),
        "extract": (f"{dataset}.log", meta),
        "redraw": (f"{dataset}.log", meta),
        "fine_tune": (f"{dataset}/{method}/*.log", plan.draws(dataset, method)),
        "tune": (f"{dataset}/{method}/*.log", plan.units(dataset, method)),
        "train": (f"{dataset}/{method}.log", [cell.path("models.npz")]),
        "threshold": (f"{dataset}/{method}.log", [cell.path("thresholds.csv")]),
        "evaluate": (f"{dataset}/{method}.log", [cell.path("evaluation.csv")]),
    }


def _reason(plan: Plan, cell: Cell) -> dict[str, str]:
    """Return why a cell has no test metrics, or none that can be read; empty when it has."""
    if Path(cell.path("evaluation.csv")).is_file():
        why = damage(cell)
        return _row("evaluate", why) if why else {}
    stages = _stages(plan, cell)
    logs = [
        (stage, log)
        for stage, (pattern, _) in stages.items()
        for log in sorted(LOGS.glob(f"{stage}/{pattern}"))
    ]
    for stage, log in logs:
        if text := error_of(log):
            return _row(stage, text, log)
    if not logs:
        return _row("", _NOT_STARTED)
    stage, log = logs[-1]
    before_start = _before_start(cell, stages)
    if all(Path(name).is_file() for name in stages[stage][1]):
        return before_start or _row(f"after {stage}", _NOT_STARTED)
    return _row(stage, _slurm_cause(log) or before_start.get("reason") or _NO_WORD, log)


def _row(stage: str, reason: str, log: Path | None = None) -> dict[str, str]:
    name = log.relative_to(LOGS.parent).as_posix() if log else ""
    return {"stage": stage, "reason": reason, "log": name}


def _before_start(cell: Cell, stages: dict[str, tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return why Slurm ended the cell's last job before its script wrote the first line of a log;
    empty when it did not.
    """
    found = {}
    for stage, (pattern, files) in stages.items():
        if all(Path(name).is_file() for name in files):
            continue
        folders = [pattern.removesuffix(".log").replace("/", "_")]
        if stage == "tune":  # a block has its number after the part
            folders = ["_".join((*cell.names, f"{Path(file).stem}*")) for file in files]
        for folder in folders:
            found |= dict.fromkeys(SLURM_LOGS.glob(f"rule_{stage}*/{folder}/*.log"), stage)
    last = max(found, key=lambda log: log.stat().st_mtime, default=None)
    cause = _slurm_words(last) if last else ""
    return _row(found[last], cause) if last and cause else {}


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


def _other_failures() -> list[dict[str, str]]:
    """Return failures by logs that belong to no cell: with an error, or of a job that was killed."""
    found = []
    for path in sorted(LOGS.rglob("*.log")):
        stage, *inside = path.relative_to(LOGS).parts
        if stage in _OF_CELLS or stage in _NOT_SHOWN:
            continue
        if text := error_of(path) or _killed(path):
            names = {"dataset": "", "method": "", "label": path.stem}
            found.append(names | _row(stage if inside else "collecting", text, path))
    return found
