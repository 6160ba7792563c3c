"""Runs on a real Slurm controller, undisturbed and with faults: `make test-slurm` (as root;
installs Slurm).

After each fault the run has to end, the same command to finish it, and the numbers to be those of a
local run. Faults meet the tuning job of a cell whose set is prepared.
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
from toplabel.reproduction.workflow.slurm import queued_jobs

from same_numbers import same_numbers
from workflow.running import ROOT, command, environment, read_rows, small_checkout

CONTROL = ROOT / "tests/cluster/slurm.sh"
METHODS = ("svm_ova", "lr_ova")
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


def wait_for(what, run=None, seconds=WAIT):
    """Wait until a function answers with something, and return that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        assert run is None or run.poll() is None, said(run)[-3000:]
        time.sleep(0.2)
    pytest.fail(f"not within {seconds} s")


@contextmanager
def held(run, folder, script="tune_splits.py"):
    """Stop the script of a job as soon as its log says that it runs, so that the job lasts; the
    number of its Slurm job.
    """

    def process():
        logs = (path.read_text("utf-8") for path in folder.glob("results/logs/tune/*/*/*.log"))
        begun = {found[1] for log in logs if (found := re.search(r", Slurm job (\d+)\n", log))}
        for process in psutil.process_iter(["cmdline", "cwd"]) if begun else ():
            words = process.info["cmdline"] or [""]
            here = words[-1].endswith(script) and process.info["cwd"] == str(folder)
            if here and process.environ()["SLURM_JOB_ID"] in begun:
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
    for name in {*here.files} - {"seconds"}:
        np.testing.assert_array_equal(here[name], there[name])


def causes(folder):
    """What the report on what there is says of the cells: stages and reasons."""
    rows = read_rows(folder / "results/partial/failures.csv")
    return sorted(f"{row['stage']}: {row['reason']}" for row in rows if row["method"] in METHODS)


def asked(folder):
    """Minutes and memory that the jobs in a folder asked for."""
    jobs = subprocess.run(["scontrol", "--oneliner", "show", "job"], capture_output=True, text=True)
    wanted = re.compile(rf"TimeLimit=(\S+) .*MinMemoryNode=(\S+) .*WorkDir={folder} ")
    return [found.groups() for found in map(wanted.search, jobs.stdout.splitlines()) if found]


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


def test_a_second_run_is_refused_and_a_cancelled_job_is_started_again(local, on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder) as job:
        second = on_slurm(TUNED)
        assert finish(second) != 0
        assert f"another run is active in {folder} (process {run.pid} on " in said(second)
        subprocess.run(["scancel", job], check=True)
    assert finish(run) == 0
    assert_same(local, folder)
    first, again = asked(folder)
    assert first == again  # neither time nor memory was the cause


def test_jobs_of_a_killed_run_are_neither_lost_nor_run_twice(local, on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder) as job:
        run.kill()
        run.wait()
        refused = on_slurm(TUNED)
        assert finish(refused) != 0
        assert f"scancel {job}" in said(refused)
        assert "submitted" not in said(refused)
    wait_for(lambda: not queued_jobs(folder))
    assert_same(local, folder)  # the job was let be
    last = on_slurm(TUNED)
    assert finish(last) == 0, said(last)[-3000:]
    assert "Nothing to be done" in said(last)


def test_a_job_that_another_run_has_done_ends_without_writing(local, on_slurm, folder):
    node("DRAIN")
    run = on_slurm(TUNED)
    wait_for(lambda: queued_jobs(folder), run)
    run.kill()
    run.wait()
    logs = folder / ".snakemake/slurm_logs"
    logs.rename(folder / "logs")  # so that nothing is known of the job, as of another scheduler's
    how = {"directory": folder, "root": local[0]}
    subprocess.run(command(TUNED, **how), env=environment(), check=True)
    (folder / "logs").rename(logs)
    done = (folder / TUNED).stat().st_mtime_ns
    node("RESUME")
    wait_for(lambda: not queued_jobs(folder))
    assert "this job is of an earlier run" in next(logs.rglob("*.log")).read_text("utf-8")
    assert (folder / TUNED).stat().st_mtime_ns == done


def test_jobs_out_of_time_and_memory_are_named_and_the_same_command_finishes(
    local, on_slurm, folder
):
    """Of two cells that which is held while it is tuned, and the other when it is trained."""
    targets = [f"results/digits/{method}/models.npz" for method in METHODS]
    limits = ("--set-resources", "tune:runtime=1", "train:mem_mb=60")
    run = on_slurm(*targets, *NO_RETRY, *limits)
    with held(run, folder):
        assert finish(run) != 0
    train, tune = causes(folder)
    assert re.match("train: .*(memory|oom)", train, re.IGNORECASE)
    assert re.match("tune: .*DUE TO TIME LIMIT", tune)
    assert finish(on_slurm(*targets)) == 0
    assert_same(local, folder)


def test_a_job_that_the_kernel_kills_for_memory_is_named(on_slurm, folder):
    control("stop")
    control("start", LIMIT="cgroup")
    try:
        run = on_slurm(TUNED, *NO_RETRY, "--set-resources", "tune:mem_mb=60")
        assert finish(run) != 0
        assert re.search("tune: .*(memory|oom)", "\n".join(causes(folder)), re.IGNORECASE)
    finally:
        control("stop")
        control("start")


def test_a_wrong_partition_ends_the_run_in_one_line(on_slurm):
    run = on_slurm(TUNED, "--default-resources", "slurm_partition=nowhere")
    assert finish(run) != 0
    assert "invalid partition" in said(run)
    assert said(run).count("Error in rule") == 0


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


def test_a_job_survives_that_its_node_is_drained(local, on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder):
        node("DRAIN")
    assert finish(run) == 0
    assert_same(local, folder)


def test_ctrl_c_cancels_the_jobs(on_slurm, folder):
    run = on_slurm(TUNED)
    with held(run, folder):
        run.send_signal(signal.SIGINT)
        assert finish(run) != 0
    wait_for(lambda: not queued_jobs(folder))
    assert not (folder / TUNED).exists()
