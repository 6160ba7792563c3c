"""The start and the end of a run, and the line of progress between them."""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from toplabel.reproduction import sources
from toplabel.reproduction.config.catalogue import Cell
from toplabel.reproduction.config.documents import read_yaml
from toplabel.reproduction.facts import BENCHMARKS, kept_jobs, note_start
from toplabel.reproduction.files import CONFIG_FILES, RESULTS, read_json
from toplabel.reproduction.frames import read_texts
from toplabel.reproduction.jobs import MODULES, plain
from toplabel.reproduction.methods import create
from toplabel.reproduction.plan import DEFAULTS, Plan, PlanError
from toplabel.reproduction.tasks import Tasks, recipe_of

BRIEF = "TOPLABEL_BRIEF"
"""The environment variable that, as 0, leaves Snakemake's own lines on the terminal."""
_EVERY = 20.0  # seconds between two lines
_SHORT = 1.0  # seconds of a job without a benchmark file
_PRIOR = 60.0  # seconds of known jobs after which what is seen counts as much as what was expected
_ERROR = re.compile(r"^\S+ \S+ ERROR (.+)$", re.MULTILINE)  # of the log of a job (jobs.run)
_DEFECT = "the job failed"  # what the log says where a traceback says the rest
# What Snakemake says of a job beside the job's own line, and of the end of the run.
_KNOWN = re.compile(
    r"CalledProcessError .*returned non-zero exit status 1\.|^Exiting because a job execution failed"
    r"|At least one job did not complete successfully",
    re.DOTALL,
)
_RULE = re.compile(r"^rule (\w+):", re.MULTILINE)
# Folders of results/ that are no data set, and of results/<set>/ that are no method.
_OF_RUN = {"benchmarks", "figures", "logs", "tables", "timing"}
_OF_SET = {"data", "network"}
_OF_REPORT = {"code", "data", "summary"}  # folders of reports/, where each study of a run has one


def read_plan(root: Path, config: Mapping[str, Any], workflow: Any) -> Plan:
    """Return the plan of a run of Snakemake, or end it in one line."""
    files = [Path(name) for name in workflow.overwrite_configfiles]
    source = " + ".join([DEFAULTS, *map(str, files)])
    find_modules(files)
    os.environ[CONFIG_FILES] = os.pathsep.join(map(_from_here, files))
    try:
        for name in files:  # Snakemake takes the last of a key that stands twice
            read_yaml(name)
        plan = Plan(root, config, source)
        if workflow.is_main_process:
            check_names(plan, source)
            check_classes(plan, source)
    except (ValueError, PlanError) as error:
        sys.exit(f"Error: {error}")
    return plan


def _from_here(file: Path) -> str:
    """Return the path of a file, relative to the folder of the run where it stands in that."""
    return str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)


def find_modules(files: Iterable[Path]) -> None:
    """Let this process and its jobs import modules that stand beside config files.

    Files of the user with names of modules of Python are not imported in their place, neither from there
    nor from the folder of the run, which Python would put first.
    """
    folders = list(dict.fromkeys(str(file.resolve().parent) for file in files))
    sys.path += folders
    sources.ROOTS += map(Path, folders)
    os.environ[MODULES] = os.pathsep.join(folders)
    os.environ["PYTHONSAFEPATH"] = "1"


def check_classes(plan: Plan, source: str) -> None:
    """Refuse a class of the config that cannot be imported, before any job runs."""
    for name in plan.run.methods:
        if name in plan.methods and plan.methods[name].path:
            try:
                create(recipe_of(plan.methods[name]))
            except ValueError as error:
                raise PlanError(f"{source}: methods.{name}.{error}") from None


def check_names(plan: Plan, source: str) -> None:
    """Refuse names that a rule has, as targets are rules, and those of other folders of results."""
    files = plan.of_checkout("workflow/Snakefile", "workflow/rules/*.smk")
    rules = {name for file in files for name in _RULE.findall(Path(file).read_text("utf-8"))}
    for key, names, taken in (
        ("studies", plan.studies, rules | _OF_REPORT),
        ("datasets", plan.registry, rules | _OF_RUN),
        ("methods", plan.methods, _OF_SET),
    ):
        if wrong := [name for name in names if name in taken]:
            what = "the workflow itself uses this name; choose another"
            raise PlanError(f"{source}: {key}.{wrong[0]}: {what}")


def check_records(workflow: Any, rules: Iterable[Any]) -> None:
    """End a run whose results include an output of these rules that Snakemake has no record of.

    Without its record Snakemake takes a result for one of the present config and sources. An output of a
    job that was killed needs none: it is marked as incomplete, and made again.
    """
    if not workflow.is_main_process:
        return
    from snakemake.io import IOFile
    from snakemake.persistence.file import FilePersistence

    paths = {
        str(path)
        for rule in rules
        for pattern in rule.output
        if RESULTS in Path(pattern).parts
        for path in Path().glob(re.sub(r"\{[^}]*\}", "*", pattern))
    }
    if not paths:
        return
    records = FilePersistence(nolock=True)
    unknown = {path for path in paths if records.metadata(IOFile(path)) is None}
    if unknown := unknown - records._filter_incomplete_keys(unknown):
        sys.exit(
            f"Error: {min(unknown)}: the folder .snakemake says what results were made with, and has no "
            "record of this one; copy the folder with the results, or remove them"
        )


def outdated(plan: Plan, tasks: Tasks) -> frozenset[Cell]:
    """Return the cells with results that were made under another config, by Snakemake's records."""
    from snakemake.io import IOFile
    from snakemake.persistence.file import FilePersistence

    records = FilePersistence(nolock=True)

    def differs(file: str, task: Any) -> bool:
        params = records.params(IOFile(file))
        return bool(params) and repr(plain(task)) not in params

    return frozenset(
        cell
        for cell in plan.asked
        if Path(cell.path("evaluation.csv")).is_file()
        and any(differs(file, task) for file, task in tasks_of_cell(plan, tasks, cell).items())
    )


def tasks_of_cell(plan: Plan, tasks: Tasks, cell: Cell) -> dict[str, Any]:
    """Return the task of each file of a cell, and of its data set as far as the raw files are there."""

    def names(method: str, file: str = "") -> SimpleNamespace:
        return SimpleNamespace(dataset=cell.dataset, method=method, part=Path(file).stem)

    own = names(cell.method)
    made: dict[str, Any] = {}
    if not plan.raw.missing(cell.dataset):
        extracts = plan.registry[cell.dataset].network is not None
        make = tasks.extract_features if extracts else tasks.prepare
        made[plan.prepared(cell.dataset)] = make(own)
    method = plan.methods[cell.method]
    if method.fine_tunes:
        draws = plan.draws(cell.dataset, cell.method)
        return made | {file: tasks.fine_tune(names(cell.method, file)) for file in draws}
    for file in plan.units(cell.dataset, cell.method):
        made[file] = tasks.tune(names(method.tuned_as, file))
    if plan.sizes(cell):
        made[cell.path("curve.csv")] = tasks.learning_curve(own)
    made[cell.path("models.npz")] = tasks.train(own)
    made[cell.path("evaluation.csv")] = tasks.evaluate(own)
    return made


def begin(workflow: Any, plan: Plan) -> None:
    """Say what a run is about to compute, and follow its jobs."""
    from snakemake.logging import logger

    note_start()
    if callable(ends := signal.getsignal(signal.SIGTERM)):
        # Snakemake's own handler waits for a lock, for ever where the interrupted thread holds it.
        signal.signal(
            signal.SIGTERM,
            lambda *given: threading.Thread(target=ends, args=given, daemon=True).start(),
        )
    if workflow.local_exec:
        # For its limit of jobs a second Snakemake starts a timer at each look for jobs.
        workflow.scheduler.job_rate_limiter = None
    tasks = list(workflow.dag.needrun_jobs())
    at_once = int((workflow.cores if workflow.local_exec else workflow.nodes) or 1)
    progress = Progress(tasks, at_once, plan)
    left_out = {cell.dataset: plan.raw.missing(cell.dataset) for cell in plan.asked}
    for name, why in left_out.items():
        if why:
            print(f"Left out: {name}: {why}", file=sys.stderr)
    if plan.outdated:
        number, first = len(plan.outdated), "{0.dataset}/{0.method}".format(min(plan.outdated))
        print(
            f"Left out: results of another config, {number} of them, the first {first}; the command "
            "without show makes them again",
            file=sys.stderr,
        )
    print(progress.line(), file=sys.stderr)
    if os.environ.get(BRIEF) != "0" and not workflow.output_settings.verbose:
        for handler in logger.handlers:
            if handler.name == "DefaultStreamHandler":
                handler.setLevel(logging.WARNING)
                if workflow.local_exec:  # on a cluster the line of a job is in its log alone
                    handler.addFilter(is_news)
        logger.addHandler(progress)


def end(workflow: Any, plan: Plan) -> None:
    """Say what own data look like and, of the targets with a report, what it shows and where it is."""
    rules = {job.rule.name for job in workflow.dag.jobs}
    for name in () if "check" in rules else plan.run.datasets:
        if (meta := Path(plan.prepared(name))).is_file():
            for sentence in read_json(meta).get("advice", ()):
                print(f"Note on {name}: {sentence}", file=sys.stderr)
    where = f"The report is {plan.report}/index.html, as a document {plan.report}/toplabel.pdf."
    if "report" in rules:
        print(f"\n{_measured(Path('results/cells.csv'))}\n{where}", file=sys.stderr)


def _measured(cells: Path) -> str:
    """Return how many numbers were measured, and how they compare with the printed ones."""
    measured = [row for row in read_texts(cells) if row["run"] == "measured"]
    verdicts = Counter(row["verdict"] for row in measured if row["verdict"] and not row["reading"])
    words = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.most_common())
    if not verdicts:
        return f"{len(measured):,} numbers measured, none of which a paper prints."
    return f"{verdicts.total():,} printed numbers measured: {words}."


def fail() -> None:
    """Say how to go on after a failure, and what is wrong where that is far above."""
    from snakemake.logging import logger

    print(
        "The run did not finish: the errors are above, and the logs in results/logs. The same "
        "command goes on where it ended; with `--config show=true` it writes the reports on what there is.",
        file=sys.stderr,
    )
    for progress in logger.handlers:
        if isinstance(progress, Progress):
            print("".join(progress.hidden_errors), end="", file=sys.stderr)


def is_news(record: logging.LogRecord) -> bool:
    """Return whether a record of Snakemake's log says more than the one line of a failed job."""
    if _event(record) == "JOB_ERROR":
        return _error_of(record) in ("", _DEFECT)
    return not _KNOWN.search(record.getMessage())


def _event(record: logging.LogRecord) -> str:
    return getattr(getattr(record, "event", None), "name", "")


def _error_of(record: logging.LogRecord) -> str:
    """Return what the log of a failed job says is wrong, or ""."""
    for path in record.__dict__.get("log") or ():
        if Path(path).is_file():
            lines = _ERROR.findall(Path(path).read_text("utf-8", "replace"))
            return lines[-1] if lines else ""
    return ""


class Progress(logging.Handler):
    """Listen to Snakemake's log, and write one line with the time that is left.

    A job takes as long as in the kept run, at the pace of the jobs before it; one of which nothing is known
    takes the mean of those like it. `tasks` are Snakemake's jobs that have to run, of which so many run
    `at_once`.
    """

    def __init__(self, tasks: Iterable[Any], at_once: int, plan: Plan) -> None:
        super().__init__()
        known = kept_jobs(plan.root, plan.budget)
        self._expected = {
            job.jobid: known.get(_name(job.benchmark)) if job.benchmark else _SHORT for job in tasks
        }
        self._at_once = max(1, at_once)
        self._begun: dict[int, float] = {}
        self._took: dict[int, float] = {}
        self._said = time.monotonic()
        self._errors: list[str] = []
        self._is_far = False

    @property
    def hidden_errors(self) -> list[str]:
        """The errors of jobs, with their logs, if lines of progress have followed them."""
        return self._errors if self._is_far else []

    def line(self) -> str:
        """Return how much is done, and the time that is left."""
        of_known, known_left, of_others, others_left = 0.0, 0.0, [_SHORT], 0
        ended = _PRIOR
        for job, seconds in self._expected.items():
            if job not in self._took:
                known_left += seconds or 0.0
                others_left += seconds is None
            elif seconds is None:
                of_others.append(self._took[job])
            else:
                of_known, ended = of_known + seconds, ended + self._took[job]
        pace = ended / (_PRIOR + of_known)  # begins at 1 and follows what is seen
        left = pace * known_left + others_left * sum(of_others) / len(of_others)
        minutes = left / self._at_once / 60
        time_left = f"{minutes / 60:.1f} h" if minutes > 90 else f"{max(1, round(minutes))} min"
        return f"{len(self._took)} of {len(self._expected)} jobs done, about {time_left} left"

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of jobs that begin, and of one that has ended."""
        event = _event(record)
        now = time.monotonic()
        if event == "JOB_STARTED":
            self._begun |= dict.fromkeys(record.__dict__["jobs"], now)
        elif event == "JOB_FINISHED" and (job := record.__dict__["job_id"]) in self._expected:
            self._took[job] = now - self._begun.get(job, now)
            if len(self._took) < len(self._expected) and now >= self._said + _EVERY:
                self._said, self._is_far = now, bool(self._errors)
                print(self.line(), file=sys.stderr, flush=True)
        elif event == "JOB_ERROR" and (error := _error_of(record)):
            self._errors.append(f"{record.__dict__['log'][0]}: {error}\n")
            self._is_far = self._is_far or len(self._errors) > 1


def _name(benchmark: str) -> str:
    """Return the name of a job in the kept run, by its benchmark file."""
    return Path(benchmark).relative_to(BENCHMARKS).with_suffix("").as_posix()
