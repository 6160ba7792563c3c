"""Runs on a real Slurm controller, undisturbed and with faults: `make test-slurm` (as root;
installs Slurm).

After each fault the run ends, the same command finishes it, and the numbers are those of a local
run. Faults meet the tuning job of a cell whose set is prepared.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager

import numpy as np
import psutil
import pytest

from same_numbers import same_numbers
from workflow.running import ROOT, command, environment, small_checkout, snakemake

CONTROL = ROOT / "tests/cluster/slurm.sh"
CELL = "results/digits/svm_ova"
TUNED = f"{CELL}/tune/main.npz"
TRAINED = f"{CELL}/models.npz"
WAIT = 600  # seconds of the clock, for a run of a job or two on a busy machine
PROFILE = ("--profile", ROOT / "config/profiles/slurm", "--workflow-profile", "none")
SETTINGS = ("--latency-wait", "5", "--slurm-init-seconds-before-status-checks", "8")
NO_RETRY = ("--retries", "0")


def control(action, **variables):
    subprocess.run([str(CONTROL), action], check=True, timeout=120, env=os.environ | variables)


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """The controller with its node, for all tests."""
    # What a shell starts in the background ignores Ctrl-C, and so would the runs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    control("start")
    yield
    control("stop")


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A checkout with few methods, and the folder of a local run of it."""
    folder = tmp_path_factory.mktemp("local")
    root = small_checkout(folder / "checkout")
    how = {"directory": folder / "run", "root": root}
    done = subprocess.run(command(f"{CELL}/evaluation.csv", **how), env=environment(), check=False)
    assert done.returncode == 0
    return root, folder / "run"


@pytest.fixture
def folder(local, tmp_path):
    """A folder with the prepared set of the local run, and nothing of the cell."""
    found = tmp_path / "run"
    shutil.copytree(local[1], found)
    for name in (CELL, "results/logs/tune", "results/logs/train", "results/logs/evaluate"):
        shutil.rmtree(found / name)
    return found


@pytest.fixture
def on_slurm(local, folder):
    """Start runs on Slurm in a folder of the test's own; what is left of them ends with it."""
    runs = []

    def start(*arguments):
        how = {"directory": folder, "root": local[0], "cores": 0}
        words = command(*PROFILE, *SETTINGS, *arguments, **how)
        log = folder / f"run{len(runs)}.log"
        with log.open("w", encoding="utf-8") as stream:
            run = subprocess.Popen(words, env=environment(), stdout=stream, stderr=stream)
        run.log = log
        runs.append(run)
        return run

    yield start
    for run in runs:
        if run.poll() is None:
            run.kill()
    subprocess.run(["scancel", "--user", "root"], check=False)
    node("RESUME")


def said(run):
    return run.log.read_text(encoding="utf-8")


def slurm_logs(folder):
    """What Slurm wrote into the logs of the jobs in a folder."""
    logs = folder.glob(".snakemake/slurm_logs/**/*.log")
    return "\n".join(path.read_text("utf-8", "replace") for path in logs)


def wait_for(what, run=None, seconds=WAIT):
    """Wait until a function answers with something, and return that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        assert run is None or run.poll() is None, said(run)[-3000:]
        time.sleep(0.05)
    pytest.fail(f"not within {seconds} s")


@contextmanager
def held(run, folder, script="tune.py"):
    """Stop the script of a job as soon as it runs, so that the job lasts; the number of its Slurm
    job.
    """

    def process():
        for process in psutil.process_iter(["cmdline", "cwd"]):
            words = process.info["cmdline"] or [""]
            if words[-1].endswith(script) and process.info["cwd"] == str(folder):
                return process
        return None

    found = wait_for(process, run)
    found.suspend()
    try:
        yield found.environ()["SLURM_JOB_ID"]
    finally:
        if found.is_running():
            found.resume()


def finish(run):
    """Wait for the end of a run; its status."""
    return run.wait(WAIT)


def assert_same(local, folder):
    """The tuning gave the numbers of the local run; its seconds may differ."""
    here, there = (np.load(run / TUNED) for run in (local[1], folder))
    for name in (name for name in here.files if not name.endswith("seconds")):
        np.testing.assert_array_equal(here[name], there[name])


def queued():
    """The jobs that Slurm has not ended."""
    jobs = subprocess.run(["squeue", "--noheader", "--format=%i"], capture_output=True, text=True)
    return jobs.stdout.split()


def node(state):
    """Drain the node, or resume it."""
    name = os.uname().nodename.partition(".")[0]
    change = ["scontrol", "update", f"NodeName={name}", f"State={state}"]
    subprocess.run([*change, "Reason=test"], check=state == "DRAIN")


def test_the_numbers_are_those_of_a_local_run(local, on_slurm, folder):
    shutil.rmtree(folder / "results")
    run = on_slurm(f"{CELL}/evaluation.csv")
    assert run.wait(WAIT) == 0, said(run)[-3000:]
    assert same_numbers(*(run / CELL / "evaluation.csv" for run in (local[1], folder)))


def test_a_cancelled_job_is_started_again(local, on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder) as job:
        subprocess.run(["scancel", job], check=True)
    assert finish(run) == 0, said(run)[-3000:]
    assert_same(local, folder)


def test_jobs_of_a_killed_run_end_by_themselves_and_the_same_command_goes_on(
    local, on_slurm, folder
):
    run = on_slurm(TUNED)
    with held(run, folder):
        run.kill()
        run.wait()
    wait_for(lambda: not queued())
    snakemake("--unlock", directory=folder, root=local[0])
    assert finish(on_slurm(TUNED)) == 0
    assert_same(local, folder)


def test_a_job_out_of_memory_gets_twice_as_much(local, on_slurm, folder):
    run = on_slurm(TUNED, *NO_RETRY, "--set-resources", "tune:mem_mb=60")
    assert finish(run) != 0
    assert re.search("memory|oom", slurm_logs(folder), re.IGNORECASE)
    assert finish(on_slurm(TUNED, "--set-resources", "tune:mem_mb=60*4**attempt")) == 0
    assert_same(local, folder)


def test_a_job_out_of_time_is_named_and_the_same_command_finishes(local, on_slurm, folder):
    run = on_slurm(TUNED, *NO_RETRY, "--set-resources", "tune:runtime=1")
    with held(run, folder):
        assert finish(run) != 0
    assert "DUE TO TIME LIMIT" in slurm_logs(folder)
    assert finish(on_slurm(TUNED)) == 0
    assert_same(local, folder)


def test_the_controller_may_be_away(local, on_slurm, folder):
    run = on_slurm(TRAINED)
    with held(run, folder):
        time.sleep(10)  # the controller saves its state every few seconds
        control("controller-stop")
        time.sleep(15)
        control("controller-start")
    wait_for((folder / TUNED).exists)  # the job survives
    # Without accounting the plugin may have found no state of the job meanwhile, and waits for
    # ever.
    try:
        run.wait(45)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
        finish(run)
        assert finish(on_slurm(TRAINED)) == 0
    assert_same(local, folder)


def test_ctrl_c_cancels_the_jobs(on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder):
        run.send_signal(signal.SIGINT)
        assert finish(run) != 0
    wait_for(lambda: not queued())
    assert not (folder / TUNED).exists()
