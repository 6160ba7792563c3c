"""The line that says how much of a run is left."""

import logging
from types import SimpleNamespace

import pytest
from running import smoke_plan, snakemake

from toplabel.workflow.progress import EVERY, Progress, duration

META = """{"n_classes": 10, "parts": {"train": {"n_rows": 1200, "n_features": 64, "storage": "dense"}}}"""


class Run:
    """A run of three jobs, each after the one before, with a clock of its own."""

    def __init__(self):
        self.now, self.lines = 0.0, []
        self.jobs = [
            self._job(number, rule) for number, rule in enumerate(("tune", "train", "join"))
        ]
        self.progress = Progress(
            smoke_plan(), self.jobs, self._before, 2, self.lines.append, lambda: self.now
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
    assert line == "Left: about 30 min, 3 of 3 jobs, 2 at a time; 1 of them estimated"


def test_what_runs_counts_with_its_rest(folder):
    run = Run()
    run.log("JOB_STARTED", jobs=[0])
    run.now = 900.0
    assert run.progress.line().startswith("Left: about 15 min, 3 of 3")


def test_a_line_is_said_when_a_job_ends_after_some_minutes_at_the_pace_of_the_run(folder):
    run = Run()
    run.log("JOB_STARTED", jobs=[0])
    run.now = EVERY - 1
    run.log("JOB_FINISHED", job_id=99)
    assert run.lines == []
    run.now = 2 * 1200.0
    run.log("JOB_FINISHED", job_id=0)
    assert [line[:30] for line in run.lines] == ["Left: about 20 min, 2 of 3 job"]
    run.log("JOB_STARTED", jobs=[1])
    run.log("JOB_FINISHED", job_id=1)
    assert len(run.lines) == 1


def test_sets_that_are_not_prepared_are_named_until_they_are(folder):
    (folder / "results/benchmarks/tune/digits/svm_multi.tsv").write_text("s\n", encoding="utf-8")
    run = Run()
    line = run.progress.line()
    assert line.startswith("Left: about 10 min and more, 3 of 3 jobs")
    assert line.endswith("; 1 have no estimate until their data set is prepared")
    (folder / "results/digits/data").mkdir(parents=True)
    (folder / "results/digits/data/meta.json").write_text(META, encoding="utf-8")
    assert run.progress.line().endswith("2 at a time; 2 of them estimated")


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


def test_a_run_says_it_at_its_start(tmp_path):
    done = snakemake("results/digits/fetch.json", directory=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Left: less than a minute, 1 of 1 jobs, 2 at a time") == 1
