"""A small run through every stage, and one that is killed again and again."""

import os
import re
import signal
import subprocess
import time

import pytest
from running import SMOKE, command, environment, jobs_of, read_rows, snakemake

from same_numbers import same_numbers

pytestmark = pytest.mark.workflow

STAGES = {"fetch", "prepare", "tune", "train", "evaluate", "compare", "report"}


def test_a_run_passes_every_stage_and_writes_both_reports(smoke_run):
    assert set(jobs_of(smoke_run.output)) >= STAGES - {"fetch"}  # all of its sets are generated
    page = (smoke_run.folder / "reports/index.html").read_text(encoding="utf-8")
    assert "SVM" in page
    assert not re.search(r"""(src|href)=["']?https?://[^"'>]+\.(js|css|png|svg)""", page)
    assert (smoke_run.folder / "reports/toplabel.pdf").read_bytes().startswith(b"%PDF-")


def test_a_run_measures_and_certifies(smoke_run):
    rows = {}
    for path in smoke_run.folder.glob("results/*/*/evaluation.csv"):
        rows[path.parts[-3], path.parts[-2]] = read_rows(path)
    assert {dataset for dataset, _ in rows} == {"circle", "digits", "digit_scenes"}
    certified = [row for row in rows["circle", "svm_multi"] if row["status"] == "converged"]
    assert len(certified) == len(rows["circle", "svm_multi"]) > 0
    assert all(float(row["relative_gap"]) <= 1e-3 for row in certified)
    accuracy = [float(r["value"]) for r in rows["digits", "svm_ova"] if r["metric"] == "top1"]
    assert min(accuracy) > 90


def test_killed_ten_times_a_run_ends_with_the_same_numbers(smoke_run, tmp_path):
    config = tmp_path / "tiny.yaml"
    config.write_text("studies: [circle]\n", encoding="utf-8")
    folder = tmp_path / "killed"
    folder.mkdir()
    how = {"directory": folder, "configfiles": (SMOKE, config), "root": smoke_run.root}
    targets = [
        path.relative_to(smoke_run.folder)
        for path in sorted(smoke_run.folder.glob("results/circle/*/evaluation.csv"))
    ]
    for number in range(10):
        process = subprocess.Popen(
            command(*targets, **how),
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(2.0 + 0.3 * number)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        snakemake("--unlock", **how)
    done = snakemake(*targets, **how)
    assert done.returncode == 0, done.stdout[-5000:]
    for target in targets:
        assert same_numbers(folder / target, smoke_run.folder / target)
