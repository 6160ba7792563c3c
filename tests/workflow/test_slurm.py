"""What is asked of Slurm, with commands that stand in for it; `make test-slurm` asks a real one."""

import os
from types import SimpleNamespace

import pytest

from toplabel.reproduction.workflow.runlock import RUN, RunLockError, check_run, lock_run
from toplabel.reproduction.workflow.slurm import (
    LOGS,
    SubmissionError,
    check_submission,
    growth,
    queued_jobs,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a run that has used Slurm."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(RUN, raising=False)
    LOGS.mkdir(parents=True)
    return tmp_path


@pytest.fixture
def answer(folder, monkeypatch):
    """Give a command an answer and an exit status."""
    monkeypatch.setenv("PATH", f"{folder}/bin:{os.environ['PATH']}")
    (folder / "bin").mkdir()

    def give(name, text, status=0):
        script = folder / "bin" / name
        stream = 2 if status else 1
        script.write_text(f"#!/bin/sh\ncat <<END >&{stream}\n{text}\nEND\nexit {status}\n", "utf-8")
        script.chmod(0o755)

    return give


def test_jobs_of_earlier_runs_are_those_of_rules_in_the_folder(folder, answer):
    lines = (f"7|rule_tune_wildcards_a|{folder}", f"8|my own|{folder}", f"9|rule_tune|{folder}/b")
    answer("squeue", "\n".join(lines))
    assert queued_jobs(folder) == ["7"]
    with pytest.raises(RunLockError, match=r"1 jobs of an earlier run .* scancel 7$"):
        lock_run()
    answer("squeue", "")
    lock_run().release()


def test_without_answer_or_logs_there_are_no_jobs(folder, answer):
    answer("squeue", "Unable to contact slurm controller", status=1)
    assert queued_jobs(folder) == []
    answer("squeue", f"7|rule_tune|{folder}")
    LOGS.rmdir()
    assert queued_jobs(folder) == []


def test_a_job_does_not_begin_beside_a_later_run(folder, monkeypatch):
    check_run()  # no run has begun here
    lock_run().release()
    check_run()
    earlier = os.environ[RUN]
    lock_run().release()
    monkeypatch.setenv(RUN, earlier)
    with pytest.raises(RunLockError, match=f"earlier run than process {os.getpid()} on "):
        check_run()


TIME, MEMORY, NODE = (
    "slurmstepd: error: *** JOB 5 ON n CANCELLED AT 2026-11-25 DUE TO TIME LIMIT ***",
    "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=5.0",
    "slurmstepd: error: *** JOB 5 ON n CANCELLED AT 2026-11-25 DUE TO NODE FAILURE ***",
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (4, 4)),  # killed by somebody who leaves no log
        ([TIME, TIME], (4, 1)),
        ([TIME, MEMORY], (2, 2)),
        ([NODE, NODE], (1, 1)),
        ([TIME, NODE, MEMORY], (1, 2)),  # the first was of an earlier run
        (["srun: error: Exceeded job memory limit", ""], (1, 2)),
    ],
)
def test_a_third_attempt_asks_for_more_of_what_the_others_ended_for(folder, words, expected):
    for number, text in enumerate(words):
        log = LOGS / f"rule_module_tune/digits_svm_ova_main/{number}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(text, encoding="utf-8")
        os.utime(log, (number, number))
    names, begun = ["digits", "svm_ova", "main"], len(words) - 2
    assert growth("tune", names, 3, begun) == expected
    assert growth("tune", names, 1, begun) == (1, 1)


def run_with(**resources):
    job = SimpleNamespace(
        rule=SimpleNamespace(name="tune"), resources=resources, is_local=not resources
    )
    dag = SimpleNamespace(needrun_jobs=lambda: [job])
    return SimpleNamespace(executor_plugin=SimpleNamespace(name="slurm"), dag=dag)


def test_slurm_is_asked_whether_it_takes_jobs(answer):
    run = run_with(slurm_account="mine", slurm_partition="long")
    answer("sbatch", "sbatch: error: invalid partition specified: long", status=1)
    with pytest.raises(
        SubmissionError, match=r"--account=mine --partition=long: .* specified: long"
    ):
        check_submission(run)
    check_submission(run_with())  # nothing is submitted
    answer("sbatch", "allocation failure: Requested nodes are busy", status=1)
    check_submission(run)
    answer("sbatch", "")
    check_submission(run)
    run.executor_plugin.name = "local"
    answer("sbatch", "invalid partition", status=1)
    check_submission(run)
