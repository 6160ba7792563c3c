"""Times of jobs that have not run yet, and wall times on so many cores by list scheduling."""

import pandas as pd

from toplabel.reproduction.workflow.costs import chained, costs
from toplabel.reproduction.workflow.schedule import Job, read_benchmark, schedule


def jobs(*seconds):
    return [Job("a", {}, seconds=one) for one in seconds]


def test_independent_jobs_share_the_cores():
    assert schedule(jobs(3, 3, 3, 3), 1) == 12
    assert schedule(jobs(3, 3, 3, 3), 2) == 6
    assert schedule(jobs(3, 3, 3, 3), 100) == 3
    assert schedule(jobs(5, 1, 1, 1), 2) == 5


def test_a_chain_has_its_length_on_any_number_of_cores():
    chain = jobs(1, 2, 3)
    chain[0].after, chain[1].after = [1], [2]
    assert schedule(chain, 1) == schedule(chain, 1000) == 6


def test_a_benchmark_file_has_the_folder_of_its_stage():
    block = Job("tune_block", {"dataset": "a", "method": "b", "part": "main", "block": "1"})
    assert block.path == "tune/a/b/main.block1.tsv"
    network = Job("train_network", {"dataset": "digits_network", "part": "d0"})
    assert network.path == "network/digits_network/d0.tsv"


def test_a_benchmark_file_that_is_not_whole_is_none(tmp_path):
    path = tmp_path / "a.tsv"
    assert read_benchmark(path) is None
    path.write_text("s\th:m:s\n", encoding="utf-8")
    assert read_benchmark(path) is None
    path.write_text("s\th:m:s\n7.5\t0:00:07\n", encoding="utf-8")
    assert read_benchmark(path) == 7.5


def test_kept_jobs_follow_those_of_their_cell():
    columns = ["study", "stage", "dataset", "method", "part", "seconds", "peak_mb"]
    rows = [
        ("", "prepare", "a", "", "", 5, 100),
        ("s", "evaluate", "a", "x", "", 1, 100),
        ("s", "train", "a", "x", "", 20, 700),
        ("s", "tune", "a", "x", "main", 30, 100),
        ("s", "tune", "a", "x", "main.block0", 40, 100),
        ("s", "tune", "a", "x", "main.block1", 10, 100),
        ("t", "tune", "a", "y", "main", 50, 100),
    ]
    took = pd.DataFrame(rows, columns=columns)
    jobs = chained(took)
    assert schedule(jobs, 100) == 5 + 40 + 30 + 20 + 1
    assert schedule(jobs, 1) == took["seconds"].sum()
    text = costs(took).splitlines()
    assert [cell.strip() for cell in text[2].split("|")[1:-1]] == [
        *("s", "5", "0.03", "40", "700", "1.5", "1.5", "1.5")
    ]
    assert text[-1].startswith("| **all** | 7 | 0.04 | 50 | 700 |")
