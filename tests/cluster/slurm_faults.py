"""Runs on a real Slurm controller, undisturbed and with faults: `make test-slurm` (as root; installs Slurm).

After each fault the run has to end, the same command to finish it, and the numbers to be those of a local run.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from toplabel.workflow.compare_runs import difference
from workflow.running import ROOT, command, environment, small_checkout

CONTROL = ROOT / "tests/cluster/slurm.sh"
CELL = "results/digits/svm_ova/evaluation.csv"
WAIT = 900  # seconds, for a run on a busy machine
PROFILE = ("--profile", ROOT / "config/profiles/slurm", "--workflow-profile", "none")
SETTINGS = ("--latency-wait", "5", "--slurm-init-seconds-before-status-checks", "5")
NO_RETRY = ("--retries", "0")


def control(action):
    subprocess.run([str(CONTROL), action], check=True, timeout=120)


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """The controller with its node, for all tests."""
    folder = Path(os.environ.setdefault("SLURM_TEST", "/tmp/slurm-test"))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    control("start")
    yield
    control("stop")


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A checkout with few methods, and the folder of a local run of it."""
    folder = tmp_path_factory.mktemp("local")
    root = small_checkout(folder / "checkout")
    done = subprocess.run(
        command(CELL, directory=folder / "run", root=root), env=environment(), check=False
    )
    assert done.returncode == 0
    return root, folder / "run"


@pytest.fixture
def on_slurm(local, tmp_path):
    """Start runs on Slurm in a folder of the test's own; what is left of them ends with it."""
    runs = []

    def start(*arguments):
        how = {"directory": tmp_path, "root": local[0], "cores": 0}
        words = command(*PROFILE, *SETTINGS, *arguments, **how)
        log = tmp_path / f"run{len(runs)}.log"
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


def running_job(run, rule):
    """Wait for a job of a rule that Slurm has started; its number."""
    for _ in range(WAIT):
        names = subprocess.run(
            ["squeue", "-h", "-t", "R", "-o", "%i %k"], capture_output=True, text=True, check=False
        )
        for line in names.stdout.splitlines():
            number, _, comment = line.partition(" ")
            if comment.startswith(f"rule_{rule}"):
                return number
        assert run.poll() is None, run.log.read_text(encoding="utf-8")[-3000:]
        time.sleep(1)
    pytest.fail(f"no job of {rule} began")


def finish(run):
    """Wait for the end of a run; its status."""
    return run.wait(WAIT)


def assert_same(local, folder):
    assert difference(local[1] / CELL, folder / CELL) == ""


def test_the_numbers_are_those_of_a_local_run(local, on_slurm, tmp_path):
    assert finish(on_slurm(CELL)) == 0
    assert_same(local, tmp_path)


def test_a_cancelled_job_is_started_again(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    subprocess.run(["scancel", running_job(run, "tune")], check=True)
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_a_job_out_of_memory_ends_the_run_and_the_same_command_finishes(local, on_slurm, tmp_path):
    assert finish(on_slurm(CELL, *NO_RETRY, "--set-resources", "tune:mem_mb=60")) != 0
    assert not (tmp_path / CELL).exists()
    assert finish(on_slurm(CELL)) == 0
    assert_same(local, tmp_path)


def test_the_controller_may_be_away(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    running_job(run, "tune")
    control("controller-stop")
    time.sleep(40)
    control("controller-start")
    if finish(run) != 0:
        assert finish(on_slurm(CELL)) == 0
    assert_same(local, tmp_path)


def test_a_node_may_be_drained(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    running_job(run, "tune")
    node = f"NodeName={os.uname().nodename.partition('.')[0]}"
    subprocess.run(["scontrol", "update", node, "State=DRAIN", "Reason=test"], check=True)
    time.sleep(20)
    assert run.poll() is None
    subprocess.run(["scontrol", "update", node, "State=RESUME"], check=True)
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_a_second_run_in_the_folder_is_refused_and_harms_nothing(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    running_job(run, "tune")
    second = on_slurm(CELL)
    assert finish(second) != 0
    assert "another run is active" in second.log.read_text(encoding="utf-8")
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_ctrl_c_cancels_the_jobs_and_the_same_command_finishes(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    running_job(run, "tune")
    run.send_signal(signal.SIGINT)
    assert finish(run) != 0
    time.sleep(10)
    left = subprocess.run(["squeue", "-h"], capture_output=True, text=True, check=True).stdout
    assert left == ""
    assert finish(on_slurm(CELL)) == 0
    assert_same(local, tmp_path)
