"""The line that says how much of a run is left."""

import io
import logging
from types import MappingProxyType, SimpleNamespace

import pytest
from running import snakemake
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter
from snakemake.settings.types import MaxJobsPerTimespan

from toplabel.reproduction.workflow.progress import (
    BRIEF,
    EVERY,
    Progress,
    Screen,
    duration,
    expected_seconds,
    lift_default_limit,
)


class Run:
    """A run of three jobs, each after the one before, with a clock of its own."""

    def __init__(self, rules=("tune", "train", "join"), known=MappingProxyType({})):
        self.now, self.lines = 0.0, []
        self.jobs = [self._job(number, rule) for number, rule in enumerate(rules)]
        self.progress = Progress(
            self.jobs, self._before, 2, self.lines.append, lambda: self.now, known
        )

    def _job(self, number, rule):
        benchmark = f"results/benchmarks/{rule}/digits/svm_multi.tsv"
        return SimpleNamespace(
            jobid=number,
            benchmark=benchmark if rule != "join" else None,
        )

    def _before(self, job):
        return self.jobs[max(0, job.jobid - 1) : job.jobid]

    def log(self, event, **values):
        self.progress.emit(logging.makeLogRecord({"event": SimpleNamespace(name=event), **values}))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A run's folder in which tuning took 1,200 seconds and training 600."""
    monkeypatch.chdir(tmp_path)
    for rule, seconds in (("tune", 1200), ("train", 600)):
        path = tmp_path / f"results/benchmarks/{rule}/digits/svm_multi.tsv"
        path.parent.mkdir(parents=True)
        path.write_text(f"s\th:m:s\tmax_rss\n{seconds}\t-\t-\n", encoding="utf-8")
    return tmp_path


def test_times_of_earlier_runs_add_up_along_the_graph(folder):
    line = Run().progress.line()
    assert line == "0 of 3 jobs done, time left: about 30 min"


def test_what_runs_counts_with_its_rest(folder):
    run = Run()
    run.log("JOB_STARTED", jobs=[0])
    run.now = 900.0
    assert run.progress.line() == "0 of 3 jobs done, time left: about 15 min"


def test_a_line_is_said_when_a_job_ends_after_some_minutes_at_the_pace_of_the_run(folder):
    run = Run()
    run.log("JOB_STARTED", jobs=[0])
    run.now = EVERY - 1
    run.log("JOB_FINISHED", job_id=99)
    assert run.lines == []
    run.now = 2 * 1200.0
    run.log("JOB_FINISHED", job_id=0)
    assert run.lines == ["1 of 3 jobs done, time left: about 20 min"]
    run.log("JOB_STARTED", jobs=[1])
    run.log("JOB_FINISHED", job_id=1)
    assert len(run.lines) == 1


def test_jobs_without_an_earlier_time_are_counted(folder):
    (folder / "results/benchmarks/tune/digits/svm_multi.tsv").write_text("s\n", encoding="utf-8")
    assert Run().progress.time_left() == "about 10 min, and 1 job of unknown length"
    known = {"tune/digits/svm_multi.tsv": 3000.0, "train/digits/svm_multi.tsv": 9.0}
    assert Run(known=known).progress.time_left() == "about 1.0 h"  # first those of this folder


def test_a_job_that_takes_longer_than_ever_has_an_unknown_rest(folder):
    run = Run(("tune", "train"))
    run.log("JOB_STARTED", jobs=[0])
    run.now = 1300.0
    assert run.progress.time_left() == "about 10 min, and 1 job of unknown length"


def test_without_any_estimate_the_time_is_unknown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = Run(("tune", "train"))
    assert run.progress.line() == "0 of 2 jobs done, time left: unknown"


def test_independent_jobs_share_the_cores():
    tasks = [SimpleNamespace(jobid=i, benchmark=f"results/benchmarks/{i}.tsv") for i in range(4)]
    known = {f"{i}.tsv": 600.0 for i in range(4)}
    for at_once, words in ((1, "about 40 min"), (2, "about 20 min"), (100, "about 10 min")):
        run = Progress(tasks, lambda task: (), at_once, print, lambda: 0.0, known)
        assert run.time_left() == words


def test_a_benchmark_file_that_is_not_whole_says_nothing(tmp_path):
    path = tmp_path / "benchmarks/a.tsv"
    path.parent.mkdir()
    for text in ("", "s\th:m:s\n"):
        path.write_text(text, encoding="utf-8")
        assert expected_seconds(path, {}) is None
        assert expected_seconds(path, {"a.tsv": 2.0}) == 2.0
    path.write_text("s\th:m:s\n7.5\t0:00:07\n", encoding="utf-8")
    assert expected_seconds(path, {"a.tsv": 2.0}) == 7.5


@pytest.mark.parametrize(
    ("limit", "stays"), [(None, False), ("10/1s", True), ("100/1m", True), ("none", True)]
)
def test_snakemakes_own_limit_of_submissions_is_lifted_and_no_other(limit, stays):
    default = get_argument_parser().parse_args(["--cores", "1"]).max_jobs_per_timespan
    chosen = limit or default
    if isinstance(chosen, str) and chosen != "none":
        chosen = MaxJobsPerTimespan.parse_choice(chosen)
    before = None if limit == "none" else JobRateLimiter(chosen)
    workflow = SimpleNamespace(scheduler=SimpleNamespace(job_rate_limiter=before))
    lift_default_limit(workflow)
    assert workflow.scheduler.job_rate_limiter is (before if stays else None)


def test_a_line_is_written_over_the_one_before_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream, terminal = io.StringIO(), Terminal()
    for screen in (Screen(stream), Screen(terminal)):
        screen("one")
        screen("two")
    assert stream.getvalue() == "one\ntwo\n"
    assert terminal.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo"
    assert screen.end_line(logging.makeLogRecord({"levelno": logging.INFO}))
    assert screen.end_line(logging.makeLogRecord({"levelno": logging.ERROR}))
    assert screen.end_line(logging.makeLogRecord({"levelno": logging.ERROR}))
    assert terminal.getvalue().endswith("two\n")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "less than a minute"),
        (1790, "about 30 min"),
        (3600, "about 1.0 h"),
        (47000, "about 13 h"),
    ],
)
def test_times_are_no_finer_than_known(seconds, words):
    assert duration(seconds) == words


def test_a_run_says_it_at_its_start_and_where_its_results_are_at_its_end(tmp_path):
    done = snakemake("results/digits/fetch.json", directory=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("1 job, 2 at a time; time left: less than a minute.") == 1
    assert "The next run of the target `report` shows all results in the reports." in done.stdout
    assert "Select jobs to execute" in done.stdout


def test_a_brief_run_prints_no_jobs_but_its_errors(tmp_path, monkeypatch):
    monkeypatch.setenv(BRIEF, "1")
    (tmp_path / "data/raw/emotions").mkdir(parents=True)
    (tmp_path / "data/raw/emotions/emotions-train.arff").write_text("damaged", encoding="utf-8")
    done = snakemake("results/emotions/data/meta.json", directory=tmp_path)
    assert done.returncode == 1
    assert "Select jobs to execute" not in done.stdout
    assert "sha256 is" in done.stdout
