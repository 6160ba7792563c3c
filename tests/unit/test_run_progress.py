"""The line of progress, by the jobs that the kept run has and by what is seen; what a job requests."""

import logging
from types import SimpleNamespace

import pytest

from toplabel.reproduction import run
from toplabel.reproduction.facts import MB, MINUTES, needs
from toplabel.reproduction.run import Progress, is_news


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


def failed(tmp_path, name, words):
    """The record of a failed job whose log ends in these words."""
    log = tmp_path / f"{name}.log"
    log.write_text(f"2026-11-28 03:32:36,260 INFO started\n2026-11-28 03:32:37,302 {words}\n")
    return logging.makeLogRecord({"event": SimpleNamespace(name="JOB_ERROR"), "log": [str(log)]})


def test_what_snakemake_says_beside_the_line_of_a_job_is_left_out(tmp_path):
    assert not is_news(failed(tmp_path, "bad", "ERROR a.csv: no column 'f'"))
    assert is_news(failed(tmp_path, "killed", "INFO trained"))
    assert is_news(failed(tmp_path, "defect", "ERROR the job failed"))
    for status, left_out in ((1, True), (137, False)):
        text = f"RuleException:\nCalledProcessError in line 4:\nreturned non-zero exit status {status}."
        assert is_news(logging.makeLogRecord({"msg": text})) is not left_out
    assert is_news(logging.makeLogRecord({"msg": "MissingOutputException: no file"}))


def test_errors_are_repeated_at_the_end_where_progress_hides_them(monkeypatch, tmp_path, clock):
    line = progress(monkeypatch, tmp_path, {}, [f"tune/a/m{i}" for i in range(4)])
    line.emit(failed(tmp_path, "bad", "ERROR a.csv: no column 'f'"))
    assert line.hidden_errors == []
    work(line, clock, 1, 60.0)
    assert line.hidden_errors == [f"{tmp_path}/bad.log: a.csv: no column 'f'\n"]


def test_each_attempt_at_a_job_requests_twice_as_much():
    resources = needs("tune")
    assert [resources["mem_mb"](None, attempt) for attempt in (1, 2, 3)] == [MB, 2 * MB, 4 * MB]
    assert resources["runtime"](None, 2) == 2 * MINUTES["tune"]
