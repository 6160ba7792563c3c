"""The line of progress, by the jobs that the kept run has and by what is seen; what a job requests."""

import inspect
import logging
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from toplabel.reproduction import run
from toplabel.reproduction.needs import MB_AND_MINUTES, needs
from toplabel.reproduction.run import Progress


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(run.time, "monotonic", lambda: now.seconds)
    return now


def progress(monkeypatch, tmp_path, known, names):
    monkeypatch.setattr(run, "kept_jobs", lambda *_: known)
    tasks = [
        SimpleNamespace(jobid=i, benchmark=f"{run.BENCHMARKS}/{name}.tsv")
        for i, name in enumerate(names)
    ]
    return Progress(tasks, 2, SimpleNamespace(root=tmp_path, budget="standard"))


def work(line, clock, job, seconds):
    for event, facts in (("JOB_STARTED", {"jobs": [job]}), ("JOB_FINISHED", {"job_id": job})):
        record = logging.makeLogRecord({"event": SimpleNamespace(name=event), **facts})
        line.emit(record)
        clock.seconds += seconds if event == "JOB_STARTED" else 0.0


def test_what_is_unknown_does_not_slow_what_is_known(monkeypatch, tmp_path, clock):
    known = {f"tune/a/m{i}": 3600.0 for i in range(4)}
    line = progress(monkeypatch, tmp_path, known, ["tune/b/new", *known])
    assert line.line() == "0 of 5 jobs done, about 2.0 h left"
    work(line, clock, 0, 7200.0)
    assert line.line() == "1 of 5 jobs done, about 2.0 h left"


def test_what_is_seen_sets_the_pace(monkeypatch, tmp_path, clock):
    known = {f"tune/a/m{i}": 3600.0 for i in range(5)}
    line = progress(monkeypatch, tmp_path, known, known)
    work(line, clock, 0, 1800.0)
    assert line.line() == "1 of 5 jobs done, about 61 min left"


def test_unknown_jobs_take_the_mean_of_their_kind(monkeypatch, tmp_path, clock):
    line = progress(monkeypatch, tmp_path, {}, [f"tune/a/m{i}" for i in range(10)])
    for job in range(4):
        work(line, clock, job, 601.0)
    assert line.line() == "4 of 10 jobs done, about 24 min left"


def test_on_one_machine_snakemake_does_not_look_for_ready_jobs_every_second(monkeypatch):
    """The limit of jobs a second, for which it does, is an attribute of Snakemake's scheduler."""
    assert "if self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)
    monkeypatch.setattr(run, "note_start", lambda: None)
    monkeypatch.setattr(run, "kept_jobs", lambda *_: {})
    monkeypatch.setattr(run.signal, "getsignal", lambda _: None)
    plan = SimpleNamespace(asked=[], root=None, budget="standard")
    for local in (True, False):
        workflow = SimpleNamespace(
            dag=SimpleNamespace(needrun_jobs=list),
            scheduler=SimpleNamespace(job_rate_limiter="100/1s"),
            local_exec=local,
            cores=2,
            nodes=2,
        )
        run.begin(workflow, plan)
        assert workflow.scheduler.job_rate_limiter == (None if local else "100/1s")


def test_each_attempt_at_a_job_requests_twice_as_much():
    resources = needs("tune")
    mb, minutes = MB_AND_MINUTES["tune"]
    assert [resources["mem_mb"](None, attempt) for attempt in (1, 2, 3)] == [mb, 2 * mb, 4 * mb]
    assert resources["runtime"](None, 2) == 2 * minutes
