"""The line that says how much of a run is left."""

import io
import logging
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest
from running import smoke_plan, snakemake

from toplabel.reproduction.workflow.announcements import kept_seconds
from toplabel.reproduction.workflow.progress import BRIEF, EVERY, Progress, Screen, duration

REPOSITORY = Path(__file__).resolve().parents[2]

META = """{"n_classes": 10, "parts": {"train": {"n_rows": 1200, "n_features": 64, "storage": "dense"}}}"""


class Run:
    """A run of three jobs, each after the one before, with a clock of its own."""

    def __init__(self, rules=("tune", "train", "join"), known=MappingProxyType({})):
        self.now, self.lines = 0.0, []
        self.jobs = [self._job(number, rule) for number, rule in enumerate(rules)]
        self.progress = Progress(
            smoke_plan(), self.jobs, self._before, 2, self.lines.append, lambda: self.now, known
        )

    def _job(self, number, rule):
        benchmark = f"results/benchmarks/{rule}/digits/svm_multi.tsv"
        return SimpleNamespace(
            jobid=number,
            rule=SimpleNamespace(name=rule),
            wildcards_dict={"dataset": "digits", "method": "svm_multi", "part": "main"},
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


def test_time_of_sets_that_are_not_prepared_is_left_open(folder):
    (folder / "results/benchmarks/tune/digits/svm_multi.tsv").write_text("s\n", encoding="utf-8")
    run = Run()
    assert run.progress.time_left() == "about 10 min and more"
    (folder / "results/digits/data").mkdir(parents=True)
    (folder / "results/digits/data/meta.json").write_text(META, encoding="utf-8")
    assert run.progress.time_left() == "about 10 min"


def test_without_any_estimate_the_time_is_unknown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = Run(("tune", "train"))
    assert run.progress.line() == "0 of 2 jobs done, time left: unknown"


def test_times_of_the_kept_run_stand_in_for_those_of_this_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = {"tune/digits/svm_multi/main.tsv": 3000.0, "train/digits/svm_multi/main.tsv": 600.0}
    assert Run(known=known).progress.time_left() == "about 1.0 h"


def test_the_kept_run_has_times_of_the_default_run():
    known = kept_seconds(REPOSITORY)
    assert known["train/letter/svm_multi.tsv"] > 1
    assert known["tune/emotions/svm_ml_rbf/main.block0.tsv"] > 0.1


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
