"""What the rules ask a scheduler for."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from running import ROOT, Named
from scipy.sparse import csr_matrix

from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.datasets.parts import Part, Prepared
from toplabel.reproduction.datasets.prepared import save_prepared
from toplabel.reproduction.workflow.benchmarks import jobs_by_stage, nodes
from toplabel.reproduction.workflow.environment import web_page
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import (
    Size,
    doubled,
    memory_mb,
    preparing_mb,
    training_mb,
)

LARGE = Size(rows=20_000, classes=100, columns=1000, features_mb=160.0)


@pytest.fixture(scope="module")
def plan():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    return Plan(ROOT, config)


@pytest.fixture
def meta(tmp_path):
    """The meta.json of a small prepared set."""
    part = Part(X=np.ones((30, 5)), y=np.arange(30) % 3)
    split = Split(name="main", train="train", val=None, test="test")
    parts = {"train": part, "test": part}
    prepared = Prepared("digits", "multiclass", 3, ["a", "b", "c"], parts, [split], {})
    save_prepared(prepared, tmp_path / "data")
    return str(tmp_path / "data/meta.json")


def asked(need, meta, attempt=1, method="svm_multi"):
    wildcards = Named(dataset="digits", method=method, part="main")
    return need(wildcards, SimpleNamespace(meta=meta), attempt)


def test_the_size_is_that_of_the_prepared_set(meta):
    size = Size.of(meta)
    assert (size.rows, size.classes, size.columns) == (30, 3, 5)
    assert 2 * 1200 <= 1e6 * size.features_mb < 2 * 1400  # the headers of the files count


def test_a_sparse_set_counts_what_it_takes_in_memory(tmp_path):
    part = Part(X=csr_matrix(np.eye(1000)), y=np.arange(1000) % 3)
    split = Split(name="main", train="train", val=None, test="test")
    parts = {"train": part, "test": part}
    save_prepared(Prepared("a", "multiclass", 3, ["a", "b", "c"], parts, [split], {}), tmp_path)
    assert (tmp_path / "X_train.npz").stat().st_size < 6000
    whole = Size.of(tmp_path / "meta.json").features_mb
    assert 2 * 12_000 <= 1e6 * whole < 2 * 18_000  # and the pointers to the rows
    (tmp_path / "X_train.npz").write_bytes(b"cut off")
    assert 0 <= Size.of(tmp_path / "meta.json").features_mb < whole


def test_a_set_that_is_not_prepared_is_asked_for_again(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        Size.of(tmp_path / "meta.json")
    assert caught.value.filename == str(tmp_path / "meta.json")


def test_of_a_damaged_set_the_job_speaks(tmp_path):
    (tmp_path / "meta.json").write_text("{", encoding="utf-8")
    assert Size.of(tmp_path / "meta.json") == Size()


def test_a_gram_matrix_fits(plan):
    budget = plan.protocols["multilabel"].budgets["standard"]
    linear, rbf = plan.methods["svm_ml"], plan.methods["svm_ml_rbf"]
    more = memory_mb(LARGE, rbf, budget) - memory_mb(LARGE, linear, budget)
    entry = {"float32": 4, "float64": 8}[budget.gram_dtype]
    assert more >= entry * LARGE.rows**2 / 1e6


def test_each_attempt_asks_for_twice_as_much(plan, meta):
    need = training_mb(plan, "tune")
    assert asked(need, meta, attempt=3) == pytest.approx(4 * asked(need, meta), abs=4)
    assert doubled(60)(None, 2) == 120


def test_a_small_set_does_not_keep_a_node(plan, meta):
    for stage in ("tune", "train", "threshold", "evaluate"):
        assert asked(training_mb(plan, stage), meta) < 1000
    of_set = Named(dataset="digits")
    assert training_mb(plan, "agree")(of_set, SimpleNamespace(meta=meta), 1) < 1000


# Measured peak resident memory of the script in MB; of delicious with the RBF kernel the larger of
# two methods. On a cluster two processes of Snakemake have 140 MB each beside it.
BIBTEX = Size(4880, 159, 1836, 6.4)
DELICIOUS = Size(12920, 983, 500, 3.7)
LETTER = Size(10500, 26, 16, 2.6)
MEASURED = [
    ("bibtex", BIBTEX, "svm_ml_rbf", "tune_block", 192),
    ("bibtex", BIBTEX, "svm_ml_rbf", "train", 424),
    ("delicious", DELICIOUS, "svm_ml_rbf", "tune_block", 311),
    ("delicious", DELICIOUS, "lr_ml_rbf", "tune", 1744),
    ("delicious", DELICIOUS, "lr_ml_rbf", "train", 1836),
    ("delicious", DELICIOUS, "svm_ml", "tune", 1305),
    ("letter", LETTER, "svm_multi", "tune", 120),
]


@pytest.mark.parametrize(("dataset", "size", "method", "stage", "peak"), MEASURED)
def test_what_is_asked_for_is_enough_and_not_far_more(
    plan, monkeypatch, dataset, size, method, stage, peak
):
    monkeypatch.setattr(Size, "of", lambda meta: size)
    at = Named(dataset=dataset, method=method, part="main")
    mb = training_mb(plan, stage)(at, SimpleNamespace(meta=""), 1)
    assert peak + 280 <= mb <= 3.5 * (peak + 100)


def test_preparing_follows_the_raw_files(tmp_path):
    receipt = tmp_path / "fetch.json"
    receipt.write_text('{"a": {"size": 1000000000}}', encoding="utf-8")
    needed = preparing_mb(None, SimpleNamespace(receipt=str(receipt)), 1)
    assert needed > 5 * 1000


def test_jobs_are_summed_by_stage(tmp_path):
    header = "s\th:m:s\tmax_rss\tcpu_time\n"
    for name, row in (("tune/a/x", "10\t0:00:10\t300\t9"), ("tune/a/y", "20\t0:00:20\tNA\t27")):
        path = tmp_path / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(header + row + "\n", encoding="utf-8")
    (tmp_path / "calibration.tsv").write_text(header + "1\t0:00:01\t100\t1\n", encoding="utf-8")
    first, second = jobs_by_stage(tmp_path)
    assert (first["stage"], first["jobs"], first["peak_mb"]) == ("calibration", 1, 100)
    assert second == {
        "stage": "tune",
        "jobs": 2,
        "hours": 0.0083,
        "longest_seconds": 20.0,
        "peak_mb": 300,
    }


def test_logs_name_the_nodes(tmp_path):
    for number, name in enumerate(("node7", "node3", "node7")):
        line = f"2026-11-21 INFO started on {name}, process 1, Slurm job {number}\n"
        (tmp_path / f"{number}.log").write_text(line, encoding="utf-8")
    (tmp_path / "old.log").write_text("2026-11-21 INFO C 1\n", encoding="utf-8")
    assert nodes(tmp_path) == ["node3", "node7"]


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/some/where.git", "https://github.com/some/where"),
        ("https://name:secret@git.example.org/some/where/", "https://git.example.org/some/where"),
        ("git@github.com:some/where.git", "https://github.com/some/where"),
        ("ssh://git@git.example.org/some/where", "https://git.example.org/some/where"),
        ("/srv/git/where.git", ""),
        ("../where", ""),
    ],
)
def test_the_page_of_a_repository(remote: str, page: str) -> None:
    """Where its commits can be read; names, passwords and folders of the machine stay out."""
    assert web_page(remote) == page
