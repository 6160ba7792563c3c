"""What runs again after a change: exactly the jobs that depend on it, by Snakemake's dry run."""

import os
import re
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import numpy as np
import pytest
import yaml

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).resolve().parents[2]
METHODS = ("svm_multi", "lr_multi", "my_svm")
OWN = {
    "datasets": {
        "mine": {
            "title": "My data",
            "task": "multiclass",
            "protocol": "multiclass",
            "format": "libsvm",
            "files": [{"name": "mine.txt", "part": "all"}],
            "divide": {"part": "all", "method": "stratified", "into": {"train": 0.7, "test": 0.3}},
            "splits": [{"name": "main", "train": "train", "test": "test"}],
            "licence": "ours",
            "citation": "none",
        }
    },
    "methods": {"my_svm": {"label": "My smooth SVM", "loss": "svm_multi", "gamma": 0.5}},
    "studies": {
        "look": {"title": "A look at my data", "datasets": ["mine"], "methods": [*METHODS]}
    },
    "budget": "quick",
    "download": False,
}
# The jobs after a changed cell: the frame of all numbers, tables, figures and reports.
CELL = {"tune": 1, "train": 1, "evaluate": 1}
SET = {"prepare": 1, "tune": 3, "train": 3, "evaluate": 3}


class Folder:
    """A checkout in which a run has finished, and whose files may be changed."""

    def __init__(self, root):
        self.root = root

    def snakemake(self, *arguments):
        variables = {key: value for key, value in os.environ.items() if key != "TOPLABEL_MIRROR"}
        return subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments, "--configfile", "own.yaml"],
            cwd=self.root,
            env=variables | {"PYTHONPATH": str(self.root / "pylib")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def due(self):
        """The number of jobs of each rule that would run, of those that make cells of results."""
        done = self.snakemake("--dry-run")
        assert done.returncode == 0, done.stdout[-3000:]
        counts = re.findall(r"^(\w+) +(\d+)$", done.stdout, re.MULTILINE)
        return {rule: int(number) for rule, number in counts}

    def cells_due(self):
        due = self.due()
        chain = ("fetch", "prepare", "tune", "train", "evaluate")
        found = {rule: due[rule] for rule in chain if rule in due}
        # Whatever changes a cell changes the reports.
        assert not found or {"compare", "report"} & {*map(_report, due)}, due
        return found

    def change(self, name, old, new):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _report(rule):
    return "report" if rule.startswith(("write_", "report")) else rule


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    root = tmp_path_factory.mktemp("graph") / "checkout"
    for name in ("config", "workflow", "pylib", "csrc", "data/published"):
        ignored = shutil.ignore_patterns("__pycache__", "build", "*.o")
        shutil.copytree(ROOT / name, root / name, ignore=ignored, symlinks=True)
    shutil.copytree(ROOT / "profiles", root / "profiles", symlinks=True)
    (root / "reports").mkdir()
    shutil.copytree(ROOT / "reports/summary", root / "reports/summary")
    shutil.copy(ROOT / "Snakefile", root)
    (root / "data/raw/mine").mkdir(parents=True)
    (root / "data/raw/mine/mine.txt").write_text(_rows(0), encoding="utf-8")
    (root / "own.yaml").write_text(yaml.safe_dump(OWN), encoding="utf-8")
    folder = Folder(root)
    done = folder.snakemake("--cores", "2", "--quiet")
    assert done.returncode == 0, done.stdout[-5000:]
    return folder


def _rows(seed, n=90):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, 4)), np.arange(n) % 3
    X[:, 0] += y
    rows = (
        f"{label} " + " ".join(f"{j + 1}:{value:.4f}" for j, value in enumerate(x))
        for label, x in zip(y, X, strict=True)
    )
    return "\n".join(rows) + "\n"


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of the finished run with its times."""
    root = tmp_path / "checkout"
    shutil.copytree(finished.root, root, symlinks=True)
    return Folder(root)


def test_nothing_runs_again_where_nothing_changed(folder):
    assert folder.due() == {}


def test_a_touched_raw_file_is_no_change(folder):
    (folder.root / "data/raw/mine/mine.txt").touch()
    assert folder.due() == {}


def test_a_changed_byte_of_a_raw_file_makes_its_data_set_anew(folder):
    raw = folder.root / "data/raw/mine/mine.txt"
    old = raw.stat()
    raw.write_text(raw.read_text(encoding="utf-8").replace("1", "2", 1), encoding="utf-8")
    assert folder.cells_due() == SET
    os.utime(raw, (old.st_atime, old.st_mtime))  # a copy that keeps its times
    assert folder.cells_due() == SET


def test_removed_results_are_made_again(folder):
    shutil.rmtree(folder.root / "results/mine/svm_multi")
    assert folder.cells_due() == CELL
    shutil.rmtree(folder.root / "results/mine")
    assert folder.cells_due() == SET


def test_a_removed_evaluation_is_made_again_alone(folder):
    (folder.root / "results/mine/lr_multi/evaluation.csv").unlink()
    assert folder.cells_due() == {"evaluate": 1}


def test_a_removed_frame_is_made_again_without_training(folder):
    (folder.root / "results/cells.csv").unlink()
    due = folder.due()
    assert due["compare"] == 1
    assert folder.cells_due() == {}


def test_removed_reports_are_written_again_alone(folder):
    shutil.rmtree(folder.root / "reports")
    shutil.copytree(ROOT / "reports/summary", folder.root / "reports/summary")
    due = folder.due()
    assert due
    assert all(_report(rule) in ("report", "all", "total") for rule in due), due


def test_a_docstring_of_the_library_is_no_change(folder):
    folder.change("pylib/toplabel/solver.py", '"""', '"""Changed. ')
    assert folder.due() == {}


def test_a_line_of_a_loss_in_c_trains_anew(folder):
    source = folder.root / "csrc/src/loss_ova.c"
    source.write_text(source.read_text(encoding="utf-8") + "\nint tl_more;\n", encoding="utf-8")
    due = folder.cells_due()
    assert (due["tune"], due["train"]) == (3, 3)
    assert "prepare" not in due


def test_a_further_data_set_makes_its_own_cells_alone(folder):
    (folder.root / "data/raw/more").mkdir()
    (folder.root / "data/raw/more/mine.txt").write_text(_rows(1), encoding="utf-8")
    own = {key: dict(value) if isinstance(value, dict) else value for key, value in OWN.items()}
    own["datasets"]["more"] = own["datasets"]["mine"] | {"title": "More"}
    own["studies"]["look"] = own["studies"]["look"] | {"datasets": ["mine", "more"]}
    (folder.root / "own.yaml").write_text(yaml.safe_dump(own), encoding="utf-8")
    assert folder.cells_due() == SET


def test_results_copied_without_their_times_go_on(folder, tmp_path):
    copy = Folder(tmp_path / "copy")
    shutil.copytree(folder.root, copy.root, symlinks=True, copy_function=shutil.copyfile)
    assert copy.due() == {}


def test_results_copied_without_their_records_are_refused(folder):
    shutil.rmtree(folder.root / ".snakemake/metadata")
    done = folder.snakemake("--dry-run")
    assert done.returncode != 0
    assert re.search(r"^Error: results/.*: the folder \.snakemake says", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("name", ["models.npz", "evaluation.csv"])
def test_an_output_whose_record_is_empty_is_refused_unless_it_is_marked_as_incomplete(folder, name):
    """A power cut leaves files of zero bytes; a job that is killed leaves a mark."""
    path = f"results/mine/lr_multi/{name}"
    record = urlsafe_b64encode(path.encode()).decode()
    (folder.root / ".snakemake/metadata" / record).write_bytes(b"")
    done = folder.snakemake("--dry-run")
    assert done.returncode != 0
    assert f"Error: {path}: the folder .snakemake says" in done.stdout
    (folder.root / ".snakemake/incomplete").mkdir(exist_ok=True)
    (folder.root / ".snakemake/incomplete" / record).write_text('{"external_jobid": null}')
    rule = {"models.npz": "train", "evaluation.csv": "evaluate"}[name]
    assert folder.cells_due()[rule] == 1


def test_a_run_that_only_shows_leaves_out_results_of_another_config(folder):
    folder.change("own.yaml", "gamma: 0.5", "gamma: 0.25")
    done = folder.snakemake("--config", "show=true", "--cores", "1")
    assert done.returncode == 0, done.stdout[-3000:]
    assert "results of another config, 1 of them, the first mine/my_svm;" in done.stdout
    page = (folder.root / "reports/look/data.html").read_text(encoding="utf-8")
    assert "its result was made under another config" in page
    rows = (folder.root / "results/cells.csv").read_text(encoding="utf-8")
    assert "lr_multi" in rows
    assert "my_svm" not in rows


def test_a_missing_raw_file_is_named(folder):
    (folder.root / "data/raw/mine/mine.txt").unlink()
    done = folder.snakemake("--dry-run")
    assert done.returncode != 0
    assert "mine.txt" in done.stdout
