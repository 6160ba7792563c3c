"""What a run costs: wall times on so many cores by list scheduling."""

import pandas as pd

from toplabel.reproduction.workflow.costs import chained, costs, wall_time


def jobs(*seconds):
    return [(one, []) for one in seconds]


def test_independent_jobs_share_the_cores():
    assert wall_time(jobs(3, 3, 3, 3), 1) == 12
    assert wall_time(jobs(3, 3, 3, 3), 2) == 6
    assert wall_time(jobs(3, 3, 3, 3), 100) == 3
    assert wall_time(jobs(5, 1, 1, 1), 2) == 5


def test_a_chain_has_its_length_on_any_number_of_cores():
    chain = [(1, [1]), (2, [2]), (3, [])]
    assert wall_time(chain, 1) == wall_time(chain, 1000) == 6


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
    assert wall_time(jobs, 100) == 5 + 40 + 30 + 20 + 1
    assert wall_time(jobs, 1) == took["seconds"].sum()
    text = costs(took).splitlines()
    assert [cell.strip() for cell in text[2].split("|")[1:-1]] == [
        *("s", "5", "0.03", "40", "700", "1.5", "1.5", "1.5")
    ]
    assert text[-1].startswith("| **all** | 7 | 0.04 | 50 | 700 |")
