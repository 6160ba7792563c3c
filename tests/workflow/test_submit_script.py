"""Engines that start jobs by commands of their own: the plugin cluster-generic, as docs/cluster.md
says for PBS, with commands that stand in for those of PBS.
"""

import os
import re
import shlex
import signal
import subprocess
import time

import psutil
import pytest
from running import ROOT, command, environment, snakemake

from same_numbers import same_numbers

pytest.importorskip(
    "snakemake_executor_plugin_cluster_generic", reason="needs make test-slurm's environment"
)
CELL = "results/circle/lr_multi/evaluation.csv"
WAIT = 600  # seconds of the clock
PBS = {
    "qsub": 'for script; do :; done\necho "$*" >>submitted.txt\n'
    """setsid sh -c 'sh "$0" >/dev/null 2>&1; echo $? >exit.$$' "$script" &\necho $!""",
    "qstat": "if [ -f exit.$2 ]; then echo job_state = F; echo Exit_status = $(cat exit.$2)\n"
    "elif kill -0 $2; then echo job_state = R; else echo job_state = F; echo Exit_status = 271; fi",
    "qdel": 'for job; do kill -KILL -- "-$job"; done',
}


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """The options of the page, with its script for the status of a job beside the run."""
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n)+", page, re.MULTILINE)
    (script,) = (block for block in blocks if "#!/bin/sh" in block)
    (call,) = (block for block in blocks if "cluster-generic-submit-cmd" in block)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    run = tmp_path / "there"
    run.mkdir()
    texts = {folder / name: f"#!/bin/sh\n{text}\n" for name, text in PBS.items()}
    texts[run / "status.sh"] = re.sub("^    ", "", script.strip("\n"), flags=re.MULTILINE)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    often = ("--seconds-between-status-checks", "2", "--latency-wait", "30")
    return (*shlex.split(call.replace("\\\n", " "))[1:], *often)


def test_the_documented_commands_outlive_a_cancelled_job(engine, tmp_path):
    there = tmp_path / "there"
    words = command(*engine, CELL, directory=there, cores=0)
    with (tmp_path / "log").open("w") as log:
        run = subprocess.Popen(words, env=environment(), stdout=log, stderr=log)
    try:
        os.killpg(os.getsid(tuning(there)), signal.SIGKILL)
        assert run.wait(WAIT) == 0, (tmp_path / "log").read_text(encoding="utf-8")[-3000:]
    finally:
        run.kill()
    here = snakemake(CELL, directory=tmp_path / "here")
    assert here.returncode == 0, here.stdout[-3000:]
    assert same_numbers(tmp_path / "here" / CELL, there / CELL)
    asked = (there / "submitted.txt").read_text(encoding="utf-8").splitlines()
    assert len(asked) == 5  # prepare, tune twice, train, evaluate; Snakemake itself fetches
    assert all(re.match(r"-l mem=[0-9]+mb -l walltime=[0-9]+:00 ", line) for line in asked)


def tuning(folder):
    """The process that tunes in a folder, as soon as there is one."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        for process in psutil.process_iter(["pid", "cmdline", "cwd"]):
            last = (process.info["cmdline"] or [""])[-1]
            if last.endswith("tune.py") and process.info["cwd"] == str(folder):
                return process.info["pid"]
        time.sleep(0.02)
    pytest.fail(f"nothing tunes in {folder}")
