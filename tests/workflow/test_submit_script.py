"""Engines that start jobs by a command of their own: the plugin cluster-generic, with a submit
script.
"""

import re

import pytest
from running import snakemake

from toplabel.reproduction.workflow.compare_runs import difference

pytest.importorskip(
    "snakemake_executor_plugin_cluster_generic", reason="needs make test-slurm's environment"
)
CELL = "results/circle/lr_multi/evaluation.csv"
# As qsub: asked for memory and minutes, it starts a job's script and prints a number.
SUBMIT = """#!/bin/sh
echo "$1 $2" >>submitted.txt
nohup sh "$3" >/dev/null 2>&1 &
echo $!
"""


def test_a_submit_script_gives_the_numbers_of_a_local_run(tmp_path):
    submit = tmp_path / "submit.sh"
    submit.write_text(SUBMIT, encoding="utf-8")
    submit.chmod(0o755)
    how = f"{submit} {{resources.mem_mb}} {{resources.runtime}}"
    engine = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd", how, "--jobs", "2")
    alone = (
        "--workflow-profile",
        "none",
        "--latency-wait",
        "30",
        "--seconds-between-status-checks",
        "2",
    )
    there = snakemake(*engine, *alone, CELL, directory=tmp_path / "there", cores=0)
    assert there.returncode == 0, there.stdout[-3000:]
    here = snakemake(CELL, directory=tmp_path / "here")
    assert here.returncode == 0, here.stdout[-3000:]
    assert difference(tmp_path / "here" / CELL, tmp_path / "there" / CELL) == ""
    asked = (tmp_path / "there/submitted.txt").read_text(encoding="utf-8").splitlines()
    assert len(asked) == 4  # prepare, tune, train, evaluate; what fetches runs where Snakemake does
    assert all(re.fullmatch(r"[0-9]+ [0-9]+", line) for line in asked)
