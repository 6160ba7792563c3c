"""Runs on a real Slurm controller, undisturbed and with faults: `make test-slurm` (as root;
installs Slurm).

After each fault the run has to end, the same command to finish it, and the numbers to be those of a
local run.
"""

import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from toplabel.reproduction.workflow.compare_runs import difference
from workflow.running import ROOT, command, environment, read_rows, small_checkout

CONTROL = ROOT / "tests/cluster/slurm.sh"
CELL = "results/digits/svm_ova/evaluation.csv"
TUNED = "results/digits/svm_ova/tune/main.npz"
WAIT = 900  # seconds, for a run on a busy machine
PROFILE = ("--profile", ROOT / "config/profiles/slurm", "--workflow-profile", "none")
SETTINGS = ("--latency-wait", "5", "--slurm-init-seconds-before-status-checks", "5")
NO_RETRY = ("--retries", "0")


def control(action, **variables):
    subprocess.run([str(CONTROL), action], check=True, timeout=120, env=os.environ | variables)


@pytest.fixture(scope="module", autouse=True)
def slurm():
    """The controller with its node, for all tests."""
    folder = Path(os.environ.setdefault("SLURM_TEST", "/tmp/slurm-test"))
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    # What a shell starts in the background ignores Ctrl-C, and so would the runs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    control("start")
    yield
    control("stop")


@pytest.fixture(params=["poll", "cgroup"])
def limit(request):
    """Who ends a job for its memory: Slurm, which looks every second, or the kernel."""
    if request.param == "cgroup":
        control("stop")
        control("start", LIMIT="cgroup")
    yield
    if request.param == "cgroup":
        control("stop")
        control("start")


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


@contextmanager
def held(run, folder, script="tune_splits.py"):
    """Stop the script of a job, so that the job lasts; the number of its Slurm job."""
    process = _process(run, folder, script)
    process.suspend()
    time.sleep(10)  # the controller saves its state every few seconds
    try:
        yield process.environ()["SLURM_JOB_ID"]
    finally:
        if process.is_running():
            process.resume()


def _process(run, folder, script):
    """The process of a job's script, as soon as its log says that it runs."""
    for _ in range(10 * WAIT):
        for process in psutil.process_iter(["cmdline", "cwd"]):
            words = process.info["cmdline"] or [""]
            begun = any(path.stat().st_size for path in folder.glob("results/logs/tune/*/*/*.log"))
            if words[-1].endswith(script) and process.info["cwd"] == str(folder) and begun:
                return process
        assert run.poll() is None, run.log.read_text(encoding="utf-8")[-3000:]
        time.sleep(0.1)
    pytest.fail(f"no job with {script} began")


def finish(run):
    """Wait for the end of a run; its status."""
    return run.wait(WAIT)


def wait_for(path):
    """Wait for a file."""
    for _ in range(WAIT):
        if path.exists():
            return
        time.sleep(1)
    pytest.fail(f"no {path}")


def assert_same(local, folder):
    assert difference(local[1] / CELL, folder / CELL) == ""


def test_the_numbers_are_those_of_a_local_run(local, on_slurm, tmp_path):
    assert finish(on_slurm(CELL)) == 0
    assert_same(local, tmp_path)


def cause(folder):
    """What the report on what there is says of the cell: stage and reason."""
    (row,) = [
        row
        for row in read_rows(folder / "results/partial/failures.csv")
        if row["method"] == "svm_ova"
    ]
    return f"{row['stage']}: {row['reason']}"


def assert_finishes(local, on_slurm, folder):
    """The same command finishes what a fault left."""
    assert not (folder / CELL).exists()
    assert finish(on_slurm(CELL)) == 0
    assert_same(local, folder)


def test_a_cancelled_job_is_started_again(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    with held(run, tmp_path) as job:
        subprocess.run(["scancel", job], check=True)
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_a_job_out_of_time_is_named_and_the_same_command_finishes(local, on_slurm, tmp_path):
    run = on_slurm(CELL, *NO_RETRY, "--set-resources", "tune:runtime=1")
    with held(run, tmp_path):
        assert finish(run) != 0
    assert "DUE TO TIME LIMIT" in cause(tmp_path)
    assert_finishes(local, on_slurm, tmp_path)


@pytest.mark.usefixtures("limit")
def test_a_job_out_of_memory_is_named_and_the_same_command_finishes(local, on_slurm, tmp_path):
    assert finish(on_slurm(CELL, *NO_RETRY, "--set-resources", "tune:mem_mb=60")) != 0
    assert re.search("memory|oom", cause(tmp_path), re.IGNORECASE)
    assert_finishes(local, on_slurm, tmp_path)


def test_the_controller_may_be_away(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    with held(run, tmp_path):
        control("controller-stop")
        time.sleep(40)
        control("controller-start")
    wait_for(tmp_path / TUNED)  # the job survives
    # Without accounting the plugin may have found no state of the job meanwhile, and waits for
    # ever.
    try:
        run.wait(60)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGINT)
        finish(run)
        assert_finishes(local, on_slurm, tmp_path)
    assert_same(local, tmp_path)


def test_a_node_may_be_drained(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    node = f"NodeName={os.uname().nodename.partition('.')[0]}"
    with held(run, tmp_path):
        subprocess.run(["scontrol", "update", node, "State=DRAIN", "Reason=test"], check=True)
    time.sleep(30)  # the job ends, and the next waits for the node
    assert run.poll() is None
    assert not (tmp_path / CELL).exists()
    subprocess.run(["scontrol", "update", node, "State=RESUME"], check=True)
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_a_second_run_in_the_folder_is_refused_and_harms_nothing(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    with held(run, tmp_path):
        second = on_slurm(CELL)
        assert finish(second) != 0
        assert "another run is active" in second.log.read_text(encoding="utf-8")
    assert finish(run) == 0
    assert_same(local, tmp_path)


def test_ctrl_c_cancels_the_jobs_and_the_same_command_finishes(local, on_slurm, tmp_path):
    run = on_slurm(CELL)
    with held(run, tmp_path):
        run.send_signal(signal.SIGINT)
        assert finish(run) != 0
    time.sleep(10)
    left = subprocess.run(["squeue", "-h"], capture_output=True, text=True, check=True).stdout
    assert left == ""
    assert_finishes(local, on_slurm, tmp_path)
