"""The real workflow on tiny data: both reports, equal results, interruption, one run at a time."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest
import yaml
from running import SMOKE, command, environment, jobs_of, read_rows, small_checkout, snakemake

from toplabel.reproduction.tables.collected import COMPARISON
from toplabel.reproduction.workflow.compare_runs import difference
from toplabel.reproduction.workflow.verify import beside, draw
from toplabel.reproduction.workflow.verify import main as verify

pytestmark = pytest.mark.workflow

STAGES = [
    "fetch",
    "prepare",
    "tune",
    "train",
    "threshold",
    "evaluate",
    "compare",
    "make_table",
]


def test_smoke_run_passes_every_stage_and_writes_both_reports(smoke_run):
    assert set(STAGES) <= set(jobs_of(smoke_run.output))
    page = (smoke_run.folder / "reports/index.html").read_text(encoding="utf-8")
    assert "SVM" in page
    assert not re.search(r"""(src|href)=["']?https?://[^"'>]+\.(js|css|png|svg)""", page)
    assert (smoke_run.folder / "reports/toplabel.pdf").read_bytes().startswith(b"%PDF-")


def test_smoke_run_measures_and_certifies(smoke_run):
    cells = read_rows(smoke_run.folder / "results/comparison.csv")
    measured = [row for row in cells if row["measured"]]
    assert {row["dataset"] for row in measured} == {"circle"}
    assert all(row["verdict"] and row["budget"] == "quick" for row in measured)
    collected = read_rows(smoke_run.folder / "results/evaluation.csv")
    assert {row["dataset"] for row in collected} == {"circle", "digits", "digit_scenes"}
    assert {row["splits"] for row in collected if row["dataset"] == "circle"} == {"2"}
    top1 = {r["method"]: float(r["measured"]) for r in collected if r["metric"] == "top1"}
    assert min(top1.values()) > 40
    best = {r["method"]: float(r["measured"]) for r in collected if r["dataset"] == "digits"}
    assert min(best.values()) > 90


def test_every_registered_set_is_listed_with_a_reason_when_it_is_missing(smoke_run, repository):
    rows = read_rows(smoke_run.folder / "results/datasets.csv")
    registry = yaml.safe_load((repository / "config/datasets.yaml").read_text(encoding="utf-8"))
    drawn = [f"{name}_seeds" for name in registry["fold_seeds"]]
    assert [row["dataset"] for row in rows] == [*registry["datasets"], *drawn]
    ready = {row["dataset"] for row in rows if row["status"] == "ready"}
    assert ready == {"circle", "digits", "digit_scenes"}
    assert all(row["reason"] for row in rows if row["status"] == "missing")


def test_the_run_describes_itself(smoke_run):
    run = json.loads((smoke_run.folder / "results/run.json").read_text(encoding="utf-8"))
    assert run["budget"] == "quick"
    assert "--cores 2" in run["command"]
    assert run["machine"]["cores"] >= 1
    assert run["blas"][0]["threads"] == 1
    assert run["wall_seconds"] > 1
    assert {"numpy", "snakemake", "toplabel"} <= set(run["versions"])


def test_a_finished_run_has_nothing_to_do_with_a_config_of_the_same_content(smoke_run, tmp_path):
    config = shutil.copyfile(SMOKE, tmp_path / "copy.yaml")
    again = smoke_run.again("--dry-run", configfiles=(config,))
    assert again.returncode == 0
    assert "Nothing to be done" in again.stdout


def test_another_seed_is_another_run_of_the_same_data(smoke_run, tmp_path):
    other = tmp_path / "seed.yaml"
    other.write_text("seed: 1\n", encoding="utf-8")
    again = smoke_run.again("-n", configfiles=(SMOKE, other))
    assert "Params have changed" in again.stdout
    jobs = jobs_of(again.stdout)
    assert "prepare" not in jobs
    assert jobs["tune"] > 0


def test_results_of_other_studies_stay_in_the_reports(smoke_run, tmp_path):
    folder = shutil.copytree(smoke_run.folder, tmp_path / "run")
    config = tmp_path / "one.yaml"
    config.write_text("studies: [digits]\n", encoding="utf-8")
    before = read_rows(folder / "results/comparison.csv")
    files = ("results/comparison.csv", "results/datasets.csv")
    done = smoke_run.again(*files, directory=folder, configfiles=(SMOKE, config))
    assert done.returncode == 0
    # The config asks for digits alone; what is known of the circle stays, and is not made again.
    assert not {"tune", "train", "evaluate"} & set(jobs_of(done.stdout))
    assert read_rows(folder / "results/comparison.csv") == before
    sets = {row["dataset"] for row in read_rows(folder / "results/evaluation.csv")}
    assert sets == {"circle", "digits", "digit_scenes"}
    rows = read_rows(folder / "results/datasets.csv")
    assert {row["dataset"] for row in rows if row["status"] == "ready"} == sets


def test_a_failed_run_gives_a_report_and_the_next_one_replaces_it(smoke_run, tmp_path):
    folder = shutil.copytree(smoke_run.folder, tmp_path / "run")
    cell = folder / "results/circle/lr_multi"
    whole = (cell / "tune/all.npz").read_bytes()
    (cell / "tune/all.npz").write_bytes(whole[:-100])
    for name in ("models.npz", "evaluation.csv"):
        (cell / name).unlink()
    cut = folder / "results/digits/toppush/evaluation.csv"
    lines = cut.read_text(encoding="utf-8").splitlines(keepends=True)
    cut.write_text("".join(lines[:-1]), encoding="utf-8")
    before = read_rows(folder / "results/comparison.csv")
    done = smoke_run.again("report", directory=folder)
    assert done.returncode != 0
    assert "The run did not finish; reports/index.html shows what there is" in done.stdout
    assert "Traceback" not in done.stdout
    page = (folder / "reports/index.html").read_text(encoding="utf-8")
    assert "The run did not finish." in page
    assert "LR" in (folder / "reports/data.html").read_text(encoding="utf-8")
    failed = {
        (r["dataset"], r["method"]): r for r in read_rows(folder / "reports/data/failures.csv")
    }
    assert failed["circle", "lr_multi"]["stage"] == "train"
    assert "cut off or changed since it was written" in failed["circle", "lr_multi"]["reason"]
    damaged = failed["digits", "toppush"]["reason"]
    command = "snakemake -f results/digits/toppush/evaluation.csv"
    assert damaged.startswith("results/digits/toppush/evaluation.csv: cut off or changed")
    assert damaged.endswith(f"`{command}` makes it again")
    cells = pd.read_csv(folder / "reports/data/comparison.csv", dtype=str, keep_default_na=False)
    ours = cells[(cells["dataset"] == "circle") & (cells["method"] == "lr_multi")]
    assert all(ours["measured"] == "")
    assert all(
        ours["reason"].str.startswith(
            "the run did not finish: train: results/circle/lr_multi/tune/all.npz"
        )
    )
    others = cells[(cells["dataset"] == "circle") & (cells["method"] == "svm_multi")]
    assert all(others["measured"] != "")
    # The collected files of the whole run are as Snakemake left them.
    assert read_rows(folder / "results/comparison.csv") == before

    (cell / "tune/all.npz").write_bytes(whole)
    assert smoke_run.again(*command.split()[1:], directory=folder).returncode == 0
    assert cut.read_text(encoding="utf-8").splitlines(keepends=True) == lines
    assert smoke_run.again("report", directory=folder).returncode == 0
    page = (folder / "reports/index.html").read_text(encoding="utf-8")
    assert "did not finish" not in page
    assert not (folder / "reports/data/failures.csv").exists()
    assert "Nothing to be done" in smoke_run.again("-n", "report", directory=folder).stdout


def test_what_a_command_makes_is_in_what_it_shows(smoke_run, tmp_path):
    folder = shutil.copytree(smoke_run.folder, tmp_path / "run")
    shutil.rmtree(folder / "results/digits")
    config = tmp_path / "one.yaml"
    config.write_text("studies: [circle]\n", encoding="utf-8")
    how = {"directory": folder, "configfiles": (SMOKE, config)}
    done = smoke_run.again("digits", "results/comparison.csv", "results/datasets.csv", **how)
    assert done.returncode == 0, done.stdout[-3000:]
    pair = [root / "results/evaluation.csv" for root in (smoke_run.folder, folder)]
    assert difference(*pair) == ""
    rows = read_rows(folder / "results/datasets.csv")
    assert "digits" in {row["dataset"] for row in rows if row["status"] == "ready"}
    again = smoke_run.again("-n", "results/comparison.csv", "results/datasets.csv", **how)
    assert "Nothing to be done" in again.stdout


def test_a_full_disk_is_survived(smoke_run, tmp_path):
    """In a file system of 700 kB; after it was given more, the same command goes on."""
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    try:
        subprocess.run([*namespace, "mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no file system of our own can be mounted here")
    disk, results = tmp_path / "disk", tmp_path / "results"
    disk.mkdir()
    how = {"directory": disk, "root": smoke_run.root, "cores": 1}
    run = shlex.join(command("results/circle/lr_multi/evaluation.csv", **how))
    script = (
        f"cd {tmp_path} && mount -t tmpfs -o size=700k tmpfs disk && ! {run} && "
        f"mount -o remount,size=64m disk && {run} && cp -r disk/results {results}"
    )
    done = subprocess.run(
        [*namespace, "sh", "-c", script],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    # In the log of the job, which Snakemake shows, and as the last line of the run.
    assert done.stdout.count("is the disk full?") == 2
    assert "Traceback" not in done.stdout
    pair = [
        root / "circle/lr_multi/evaluation.csv" for root in (smoke_run.folder / "results", results)
    ]
    assert difference(*pair) == ""
    assert not list(results.rglob(".*.np[yz]"))


def test_snakemakes_own_report_is_usable(smoke_run, tmp_path):
    page = tmp_path / "provenance.html"
    # As on a cluster: without cores, which some rules take all of.
    alone = ("--workflow-profile", "none", "--report", page)
    done = smoke_run.again(*alone, cores=None)
    assert done.returncode == 0, done.stdout[-3000:]
    text = page.read_text(encoding="utf-8")
    assert "measured beside published" in text
    assert "TPAMI 2017, Fig. 4" in text


def _wait_for(pattern, folder, count, process):
    while len(list(folder.glob(pattern))) < count:
        assert process.poll() is None, process.communicate()[0][-3000:]
        time.sleep(0.05)


def test_killed_and_resumed_on_one_core_gives_the_same_numbers(smoke_run, tmp_path):
    """One run shows four things: another run is refused while it lasts; after kill -9 the same
    command goes on; it repeats nothing that was done; on one core the numbers are those of two.
    """
    config = tmp_path / "tiny.yaml"
    config.write_text("studies: [circle, digits]\n", encoding="utf-8")
    folder = tmp_path / "killed"
    folder.mkdir()
    arguments = ["results/comparison.csv"]
    how = {"directory": folder, "cores": 1, "configfiles": (SMOKE, config), "root": smoke_run.root}
    first = subprocess.Popen(
        command(*arguments, **how),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _wait_for("results/*/*/tune/*.npz", folder, 2, first)
        second = snakemake(*arguments, **how)
        assert second.returncode != 0
        assert f"another run is active in {folder} (process {first.pid} on " in second.stdout
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
    done = set(folder.glob("results/*/*/tune/*.npz"))
    times = {path: path.stat().st_mtime_ns for path in done}
    assert not (folder / "results/comparison.csv").exists()

    resumed = snakemake(*arguments, **how)
    assert resumed.returncode == 0, resumed.stdout[-5000:]
    kept = [path for path in done if path.stat().st_mtime_ns == times[path]]
    assert len(kept) >= len(done) - 1  # at most the job that was cut off is repeated
    runs = (folder, smoke_run.folder)
    assert difference(*(run / "results/comparison.csv" for run in runs)) == ""
    ours, theirs = (
        [
            {key: value for key, value in row.items() if key != "seconds"}
            for row in read_rows(run / "results/evaluation.csv")
            if row["dataset"] != "digit_scenes"
        ]
        for run in runs
    )
    assert ours == theirs
    leftovers = [path for path in folder.glob("results/**/.*") if path.is_file()]
    assert len(leftovers) <= 1  # the temporary file of the job that was cut off


def test_verify_computes_cells_of_a_run_again(smoke_run, tmp_path, capfd):
    summary = smoke_run.folder / "results/comparison.csv"
    options = ["--cells", "2", "--root", str(smoke_run.root), "--configfile", str(SMOKE)]
    folder = tmp_path / "again"
    assert verify([*options, "--summary", str(summary), "--folder", str(folder)]) == 0
    said = capfd.readouterr().out
    assert "2 of 2 the same to the last digit" in said
    counts = re.search(r"and (\d+) of (\d+) others of their results", said)
    assert counts
    assert counts[1] == counts[2] != "0"

    assert verify([*options, "--summary", str(summary), "--folder", str(folder)]) == 1
    assert f"--folder {folder}: it is not empty" in capfd.readouterr().err

    changed = COMPARISON.read(summary)
    changed["measured"] *= 1 + 1e-10
    COMPARISON.write(changed, tmp_path / "changed.csv")
    found = beside(draw(changed, 2, 0), COMPARISON.read(summary))
    assert not found["same"].any()
    with pytest.raises(ValueError, match="--cells 10000: it must be from 1 to"):
        draw(changed, 10000, 0)


@pytest.mark.mirror
def test_a_set_from_the_mirror_by_name(mirror, tmp_path):
    root, folder = small_checkout(tmp_path / "checkout"), tmp_path / "run"
    for study in (root / "config/studies").glob("multilabel_*.yaml"):
        study.unlink()
    done = snakemake("emotions", directory=folder, root=root, mirror=mirror)
    assert done.returncode == 0, done.stdout[-5000:]
    assert not (folder / "results/comparison.csv").exists()
    config = tmp_path / "emotions.yaml"
    config.write_text("studies: [emotions]\n", encoding="utf-8")
    how = {"root": root, "mirror": mirror, "configfiles": (SMOKE, config)}
    done = snakemake("results/tables/table09.csv", directory=folder, **how)
    assert done.returncode == 0, done.stdout[-5000:]
    cells = [row for row in read_rows(folder / "results/comparison.csv") if row["measured"]]
    assert {row["dataset"] for row in cells} == {"emotions"}
    assert {row["kernel"] for row in cells} == {"linear", "rbf"}
    assert {row["metric"] for row in cells} >= {"rank_loss", "f1_macro", "hamming_loss"}
    assert (folder / "results/tables/table09.csv").is_file()
    raw = {path.name for path in (folder / "data/raw/emotions").iterdir()}
    assert raw == {"emotions-train.arff", "emotions-test.arff", "emotions.xml"}
