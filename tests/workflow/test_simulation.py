"""Wall times of a graph on so many cores, by list scheduling."""

import shutil

import pytest
from running import ROOT, smoke_plan

from toplabel.reproduction.workflow.simulation import Job, main, measure, read_graph, schedule

GRAPH = r"""digraph snakemake_dag {
	0[label = "all", color = "0.1 0.6 0.85", style="rounded"];
	1[label = "evaluate", color = "0.1 0.6 0.85", style="rounded"];
	2[label = "prepare", color = "0.1 0.6 0.85", style="rounded"];
	3[label = "fetch\ndataset: digits", color = "0.1 0.6 0.85", style="rounded"];
	4[label = "train", color = "0.1 0.6 0.85", style="rounded"];
	5[label = "tune\nmethod: svm_multi\npart: main", color = "0.1 0.6 0.85", style="rounded"];
	1 -> 0
	2 -> 1
	4 -> 1
	3 -> 2
	5 -> 4
	2 -> 4
	2 -> 5
}
"""
META = """{"n_classes": 10, "parts": {"train": {"n_rows": 1200, "n_features": 64, "storage": "dense"}}}"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A run's folder with a prepared set."""
    (tmp_path / "results/digits/data").mkdir(parents=True)
    (tmp_path / "results/digits/data/meta.json").write_text(META, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_wildcards_are_those_of_the_jobs_before():
    jobs = read_graph(GRAPH)
    paths = {job.rule: job.path for job in jobs}
    assert paths["evaluate"] == "evaluate/digits/svm_multi.tsv"
    assert paths["tune"] == "tune/digits/svm_multi/main.tsv"
    assert jobs[4].after == [5, 2]
    block = Job("tune_block", {"dataset": "a", "method": "b", "part": "main", "block": "1"})
    assert block.path == "tune/a/b/main.block1.tsv"


def test_a_set_made_of_another_has_its_own_name():
    text = r"""
	0[label = "prepare\ndataset: digits", style="rounded"];
	1[label = "train_network\ndataset: digits_network\npart: d0", style="rounded"];
	2[label = "extract_features", style="rounded"];
	3[label = "tune\nmethod: lr_multi\npart: all", style="rounded"];
	4[label = "fine_tune\nmethod: lr_multi_ft", style="rounded"];
	5[label = "redraw_folds\ndataset: digits_seeds", style="rounded"];
	6[label = "train\nmethod: lr_multi", style="rounded"];
	0 -> 1
	0 -> 2
	1 -> 2
	2 -> 3
	0 -> 4
	1 -> 4
	0 -> 5
	5 -> 6
"""
    assert [job.path for job in read_graph(text)] == [
        "prepare/digits.tsv",
        "network/digits_network/d0.tsv",
        "extract/digits_network.tsv",
        "tune/digits_network/lr_multi/all.tsv",
        "fine_tune/digits_network/lr_multi_ft/d0.tsv",
        "redraw_folds/digits_seeds.tsv",
        "train/digits_seeds/lr_multi.tsv",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no job"),
        ('0[label = "a"];\n0 -> 7', "an edge to a job that it has not: 0 -> 7"),
        ('0[label = "a"];\n1[label = "b"];\n0 -> 1\n1 -> 0', "has a cycle"),
    ],
)
def test_a_wrong_graph_is_refused(folder, text, words, capsys):
    (folder / "graph.dot").write_text(text, encoding="utf-8")
    assert main(["--configfile", str(ROOT / "config/smoke.yaml"), "graph.dot"]) == 1
    assert words in capsys.readouterr().err


def test_many_jobs_in_layers_are_read_at_once():
    labels = [f'{i}[label = "a"];' for i in range(80)]
    edges = [f"{i} -> {k}" for i in range(78) for k in (i // 2 * 2 + 2, i // 2 * 2 + 3)]
    assert len(read_graph("\n".join(labels + edges))) == 80


def jobs(*seconds):
    return [Job("a", {}, seconds=one, mb=100.0) for one in seconds]


def test_independent_jobs_share_the_cores():
    assert schedule(jobs(3, 3, 3, 3), 1) == (12, 100)
    assert schedule(jobs(3, 3, 3, 3), 2) == (6, 200)
    assert schedule(jobs(3, 3, 3, 3), 100) == (3, 400)
    assert schedule(jobs(5, 1, 1, 1), 2) == (5, 200)


def test_a_chain_has_its_length_on_any_number_of_cores():
    chain = jobs(1, 2, 3)
    chain[0].after, chain[1].after = [1], [2]
    assert schedule(chain, 1) == schedule(chain, 1000) == (6, 100)


def test_measured_times_come_before_fitted_ones(folder):
    fitted = read_graph(GRAPH)
    measure(fitted, smoke_plan(), [])
    by_rule = {job.rule: job for job in fitted}
    assert by_rule["tune"].source == by_rule["evaluate"].source == "fitted"
    assert by_rule["fetch"].source == "constant"

    (folder / "results/digits/svm_multi").mkdir()
    row = "dataset,method,split,metric,seconds\ndigits,svm_multi,main,top1,40\n"
    (folder / "results/digits/svm_multi/evaluation.csv").write_text(row, encoding="utf-8")
    (folder / "results/benchmarks/train/digits").mkdir(parents=True)
    row = "s\th:m:s\tmax_rss\n7.5\t0:00:07\t321\n"
    (folder / "results/benchmarks/train/digits/svm_multi.tsv").write_text(row, encoding="utf-8")
    found = read_graph(GRAPH)
    measure(found, smoke_plan(), [folder / "results"])
    by_rule = {job.rule: job for job in found}
    assert (by_rule["train"].seconds, by_rule["train"].mb) == (7.5, 321)
    assert by_rule["tune"].source == "cell"
    assert 20 < by_rule["tune"].seconds < 42


def test_it_prints_a_line_for_each_number_of_cores(folder, capsys):
    (folder / "graph.dot").write_text(GRAPH, encoding="utf-8")
    assert main(["--configfile", str(ROOT / "config/smoke.yaml"), "graph.dot"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1].startswith("1000 cores: ")
    shutil.rmtree(folder / "results")
    assert main(["--configfile", str(ROOT / "config/smoke.yaml"), "graph.dot"]) == 1
    assert "snakemake data" in capsys.readouterr().err
