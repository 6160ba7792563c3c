"""What the rules ask a scheduler for."""

from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from running import ROOT, Named
from scipy.sparse import csr_matrix

from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.config.splits import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.prepared import save_prepared
from toplabel.reproduction.workflow.benchmarks import jobs_by_stage, nodes
from toplabel.reproduction.workflow.environment import web_page
from toplabel.reproduction.workflow.plan import Plan
from toplabel.reproduction.workflow.resources import (
    Size,
    estimate,
    fit_seconds,
    fits,
    fixed_needs,
    kept_jobs,
    memory_mb,
    preparing_mb,
    training_needs,
)


class Wildcards(Named):
    """Those of a job, whose values are what is iterated over."""

    def __iter__(self):
        return iter(self.values())


LARGE = Size(rows=20_000, classes=100, columns=1000, entries=2e7, features_mb=160.0)


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
    wildcards = Wildcards(dataset="digits", method=method, part="main")
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
    for need in training_needs(plan, "tune").values():
        assert asked(need, meta, attempt=3) == pytest.approx(4 * asked(need, meta), abs=4)


def test_the_time_of_a_kept_job_is_from_there_and_its_memory_at_least(plan, meta, tmp_path):
    summary = tmp_path / "reports/summary"
    summary.mkdir(parents=True)
    (summary / "run.json").write_text('{"budget": "standard"}', encoding="utf-8")
    (summary / "jobs.csv").write_text(
        "study,stage,dataset,method,part,seconds,peak_mb\n"
        ",tune,digits,svm_multi,main,600,3000\n,tune,digits,svm_multi,main.block1,60,0\n"
        ",calibration,,,,120,100\n",
        encoding="utf-8",
    )
    here = SimpleNamespace(**vars(plan) | {"root": tmp_path}, task=plan.task)
    here.splits_of = plan.splits_of
    needs = training_needs(here, "tune")
    assert asked(needs["runtime"], meta) == 5 + 30
    # 10 % more than with two Snakemakes beside it.
    assert asked(needs["mem_mb"], meta) == pytest.approx(3608, abs=1)
    assert asked(needs["runtime"], meta, method="svm_ova") == 21  # not kept
    runtime = fixed_needs(here, "tune_block", 100, 60)["runtime"]
    assert runtime(("digits", "svm_multi", "main", "1"), None, 1) == 8
    whole = fixed_needs(here, "study_calibration", 1500, 60)
    assert (whole["mem_mb"]((), None, 1), whole["runtime"]((), None, 1)) == (1500, 11)
    here.budget = "paper"  # other grids
    assert fixed_needs(here, "study_calibration", 1500, 60)["runtime"]((), None, 1) == 60


def test_a_small_set_does_not_keep_a_node(plan, meta):
    for stage in ("tune", "train", "threshold", "evaluate"):
        needs = training_needs(plan, stage)
        assert asked(needs["mem_mb"], meta) < 1000
        assert asked(needs["runtime"], meta) < 30
    of_set, needs = Wildcards(dataset="digits"), training_needs(plan, "agree")
    assert needs["mem_mb"](of_set, SimpleNamespace(meta=meta), 1) < 1000
    assert needs["runtime"](of_set, SimpleNamespace(meta=meta), 1) < 30


def test_blocks_share_the_widths(plan):
    method = plan.methods["svm_ml_rbf"]
    for protocol in plan.protocols.values():
        for budget in protocol.budgets.values():
            if budget.theta is None:
                continue
            blocks = budget.blocks(tunes_width=True)
            of_block = fits(method, budget, 5000, block=True)
            assert of_block * blocks >= len(budget.theta.exponents()) * len(budget.C.exponents())
            assert of_block <= fits(method, budget, 5000)


def test_a_large_set_uses_fewer_folds(plan):
    budget = plan.protocols["multilabel_large"].budgets["standard"]
    counts = [fits(plan.methods["svm_ml_rbf"], budget, rows) for rows in (0, 800, 5000, 10**6)]
    assert counts[0] == counts[1] == 5 * counts[2] == 10 * counts[3]


# Peak resident memory of the script in MB, the highest of any version, and seconds of a core, both
# measured; of delicious with the RBF kernel the longest of two methods. On a cluster two processes
# of Snakemake have 140 MB each beside it.
BIBTEX = Size(4880, 159, 1836, 3.4e5, 6.4)
DELICIOUS = Size(12920, 983, 500, 2.4e5, 3.7)
LETTER = Size(10500, 26, 16, 1.7e5, 2.6)
MEASURED = [
    ("bibtex", BIBTEX, "svm_ml_rbf", "tune_block", 192, 30),
    ("bibtex", BIBTEX, "svm_ml_rbf", "train", 424, 81),
    ("delicious", DELICIOUS, "svm_ml_rbf", "tune_block", 311, 147),
    ("delicious", DELICIOUS, "lr_ml_rbf", "tune", 1744, 397),
    ("delicious", DELICIOUS, "lr_ml_rbf", "train", 1836, 0),
    ("delicious", DELICIOUS, "svm_ml", "tune", 1305, 99),
    ("letter", LETTER, "svm_multi", "tune", 120, 19),
]


@pytest.mark.parametrize(("dataset", "size", "method", "stage", "peak", "seconds"), MEASURED)
def test_what_is_asked_for_is_enough_and_not_far_more(
    plan, dataset, size, method, stage, peak, seconds
):
    at = Wildcards(dataset=dataset, method=method, part="main")
    mb, guess = estimate(plan, stage, at, size)
    assert peak + 280 <= mb <= 3.5 * (peak + 100)
    assert seconds <= 20 * 60 + 2 * guess


def test_a_screened_block_needs_less(plan):
    at = Wildcards(dataset="delicious", method="svm_ml_rbf", part="main")
    block, whole = (estimate(plan, stage, at, DELICIOUS) for stage in ("tune_block", "tune"))
    assert block[0] < whole[0] / 2
    assert block[1] < whole[1] / 10
    assert DELICIOUS.first(None) == DELICIOUS.first(10**6) == DELICIOUS
    assert DELICIOUS.first(6460).entries == DELICIOUS.entries / 2


def test_a_job_of_all_splits_has_the_time_of_all(plan):
    names = {"emotions": "main", "emotions_seeds": "all"}
    one, all_draws = (
        estimate(plan, "tune", Wildcards(dataset=name, method="svm_ml", part=part), LETTER)
        for name, part in names.items()
    )
    assert all_draws[0] == one[0]
    assert all_draws[1] == pytest.approx(20 * one[1])


def test_time_grows_with_the_fits(plan):
    method = plan.methods["svm_multi"]
    assert fit_seconds(LARGE, method, 20) == 2 * fit_seconds(LARGE, method, 10)


def test_preparing_follows_the_raw_files(tmp_path):
    receipt = tmp_path / "fetch.json"
    receipt.write_text('{"a": {"size": 1000000000}}', encoding="utf-8")
    needed = preparing_mb(str(receipt))
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


def test_damaged_times_of_the_kept_run_do_not_stop_a_run(tmp_path):
    kept = kept_jobs(ROOT, "standard")
    assert kept["train/letter/svm_multi"][0] > 1
    assert kept["tune/emotions/svm_ml_rbf/main"][0] > 0.1
    assert kept_jobs(ROOT, "quick") == {}
    folder = tmp_path / SUMMARY
    folder.mkdir(parents=True)
    text = "study,stage,dataset,method,part,seconds,peak_mb\n,prepare,a,,,,1\n,prepare,b,,,2.5,1\n"
    (folder / "jobs.csv").write_text(text, encoding="utf-8")
    assert kept_jobs(tmp_path / "none", "standard") == {}
    about = '{"budget": "standard", "created": "", "git": {}}'
    (folder / "run.json").write_text(about, encoding="utf-8")
    assert kept_jobs(tmp_path, "standard") == {"prepare/b": (2.5, 1.0)}
