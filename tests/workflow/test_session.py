"""The start and the end of a run: the lock, what is no target, Ctrl-C, what the last lines say."""

import os
import platform
import signal
import subprocess
import sys
import threading
import time

import pytest
from running import call_script, command, environment, snakemake

from toplabel._core.files import read_json, write_json
from toplabel.reproduction.workflow.arguments import unknown_target
from toplabel.reproduction.workflow.failures import errors_since
from toplabel.reproduction.workflow.runlock import RunLockError, lock_run
from toplabel.reproduction.workflow.session import in_a_thread


def test_a_lock_has_one_holder_and_dies_with_it(tmp_path):
    path = tmp_path / "run.lock"
    code = (
        "from toplabel.reproduction.workflow.runlock import lock_run\n"
        f"lock = lock_run({str(path)!r}); print('held', flush=True)\n"
        "input()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    holder = subprocess.Popen([sys.executable, "-c", code], **pipes)
    try:
        assert holder.stdout.readline().strip() == "held"
        with pytest.raises(
            RunLockError, match=f"process {holder.pid} on {platform.node()}"
        ) as caught:
            lock_run(path)
        assert "\n" not in str(caught.value)
    finally:
        holder.kill()
        holder.communicate()
    lock = lock_run(path)
    assert path.read_text(encoding="utf-8").split()[:2] == [platform.node(), str(os.getpid())]
    lock.release()


# ---- targets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ("--cores 2 letter", ""),
        ("-n letter table05 --config budget=quick", ""),
        ("--configfile mine.yaml", ""),
        ("results/letter/lr_multi/evaluation.csv results/comparison.csv", ""),
        ("results/logs/train/letter/lr_multi.log", ""),
        ("--cores 2 lettre", "unknown target 'lettre'; did you mean letter?"),
        ("-- lettre", "unknown target 'lettre'; did you mean letter?"),
        (
            "results/leter/lr_multi/models.npz",
            "results/leter/lr_multi/models.npz: unknown data set 'leter'; did you mean letter?",
        ),
        (
            "results/letter/lr_mutli/models.npz",
            "results/letter/lr_mutli/models.npz: unknown method 'lr_mutli'; did you mean lr_multi?",
        ),
    ],
)
def test_a_target_that_is_none_is_named_with_the_nearest(arguments, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules, sets, methods = ["letter", "table05", "report"], ["letter"], ["lr_multi"]
    assert unknown_target(rules, sets, methods, arguments.split()) == wrong


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("arguments", "mirror", "said"),
    [
        (["lettre"], None, "unknown target 'lettre'; did you mean letter or letter_raw?"),
        (["letter"], "/none", "TOPLABEL_MIRROR: /none: no such folder"),
        (["--config", "mirrors=[/none]"], None, "mirrors: /none: no such folder"),
        (["--configfile", "letter"], None, "letter: no such file; if it is a target, put targets"),
    ],
)
def test_a_slip_in_the_command_is_one_line(tmp_path, arguments, mirror, said):
    done = snakemake("-n", *arguments, directory=tmp_path, mirror=mirror, configfiles=())
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith(f"Error: {said}")
    assert "Traceback" not in done.stdout


# ---- the end ------------------------------------------------------------------------------------


def test_errors_of_this_run_are_said_in_their_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, when in (("tune/b.log", 30), ("fetch/a.log", 20), ("prepare/old.log", 5)):
        path = tmp_path / "results/logs" / name
        path.parent.mkdir(parents=True)
        path.write_text(f"2026 ERROR {name} is bad\n", encoding="utf-8")
        os.utime(path, (when, when))
    assert errors_since(10) == [
        "fetch/a.log is bad (results/logs/fetch/a.log)",
        "tune/b.log is bad (results/logs/tune/b.log)",
    ]


@pytest.mark.workflow
def test_the_error_of_a_job_is_the_last_line(tmp_path):
    raw = tmp_path / "data/raw/emotions/emotions-train.arff"
    raw.parent.mkdir(parents=True)
    raw.write_text("damaged", encoding="utf-8")
    done = snakemake("results/emotions/data/meta.json", directory=tmp_path)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("Error: data/raw/emotions/emotions-train.arff (remove it")
    assert last.endswith("(results/logs/fetch/emotions.log)")


def begin(tmp_path, line):
    """Start a run as a shell would, and return it when it has printed a line, with those to come."""
    run = subprocess.Popen(
        command("results/circle/data/meta.json", directory=tmp_path),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    lines = iter(run.stdout.readline, "")
    assert line in lines  # which reads up to there
    return run, lines


@pytest.mark.workflow
@pytest.mark.parametrize(("times", "wait"), [(1, 0), (2, 0.3)])
def test_ctrl_c_is_one_line_while_a_job_starts(tmp_path, times, wait):
    run, lines = begin(tmp_path, "Execute 1 jobs...\n")
    for _ in range(times):
        time.sleep(wait)
        os.killpg(run.pid, signal.SIGINT)
    after = "".join(lines)
    assert run.wait() == 1
    assert after.count("Interrupted: the jobs are stopped") == 1
    assert "Traceback" not in after
    assert "Error" not in after


@pytest.mark.workflow
def test_ctrl_c_before_the_first_job_ends_at_once(tmp_path):
    run, lines = begin(tmp_path, "Building DAG of jobs...\n")
    os.killpg(run.pid, signal.SIGINT)
    assert "".join(lines) == ""
    assert run.wait() == -signal.SIGINT


# ---- sums ---------------------------------------------------------------------------------------


def test_a_signal_does_not_wait_for_the_code_that_it_interrupts():
    lock, ended = threading.Lock(), threading.Event()

    def end(*_):
        if lock.acquire(timeout=2):
            ended.set()
            lock.release()

    before = signal.signal(signal.SIGUSR1, in_a_thread(end))
    try:
        with lock:
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.1)  # the signal is delivered here
            assert not ended.is_set()
        assert ended.wait(5)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_all_files_are_compared_with_their_sums(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_json("results/a.json", {"digit": 1})
    write_json("results/b.json", {"digit": 2})
    call_script("verify_files", tmp_path)
    assert capsys.readouterr().out.startswith("2 files and 0 prepared sets compared")
    assert read_json("results/verified.json")["damaged"] == []
    (tmp_path / "results/b.json").unlink()  # as Snakemake does, which leaves the sum
    call_script("verify_files", tmp_path)
    assert capsys.readouterr().out.startswith("2 files")  # one of them is verified.json
    path = tmp_path / "results/a.json"
    path.write_text(path.read_text().replace("1", "7"), encoding="utf-8")
    with pytest.raises(SystemExit):
        call_script("verify_files", tmp_path)
    (line,) = read_json("results/verified.json")["damaged"]
    assert line.startswith("results/a.json: cut off or changed since it was written")
    assert f" ERROR {line}\n" in (tmp_path / "logs/verify_files.log").read_text(encoding="utf-8")
