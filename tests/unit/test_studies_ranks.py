"""Mean ranks: complete tables, ties, and the numbers of Friedman's and Nemenyi's tests."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from toplabel.reproduction.compare.blocks import block
from toplabel.reproduction.compare.ranks import rank_methods


def _cells(table):
    return [(dataset, method) for dataset, methods in table.items() for method in methods]


def test_the_largest_complete_table_is_taken():
    table = {"a": "uvwxy", "b": "uvwxy", "c": "uvwxy", "d": "uvw", "e": "u"}
    assert block(_cells(table)) == (["a", "b", "c"], list("uvwxy"))  # 15 against 12
    table["e"] = "uvw"
    assert block(_cells(table)) == (["a", "b", "c"], list("uvwxy"))  # a tie goes to more methods
    table["f"] = "uvw"
    assert block(_cells(table)) == (["a", "b", "c", "d", "e", "f"], list("uvw"))


@pytest.mark.parametrize("table", [{}, {"a": "uvw", "b": "uvw"}, {"a": "uv", "b": "uv", "c": "uv"}])
def test_little_is_not_ranked(table):
    assert block(_cells(table)) == ([], [])


def _collected(values, metric="top1"):
    rows = [
        {"dataset": f"d{i:02d}", "method": m, "label": m.upper(), "metric": metric, "measured": v}
        for i, row in enumerate(values)
        for m, v in zip("abcdefgh", row, strict=False)
    ]
    return pd.DataFrame(rows)


def test_ranks_are_means_over_sets_and_ties_share():
    found = rank_methods(_collected([[90, 80, 70], [90, 90, 70], [50, 60, 70.0]]), "top1")
    assert found.table["method"].tolist() == ["a", "b", "c"]
    assert found.table["mean_rank"].tolist() == pytest.approx([5.5 / 3, 5.5 / 3, 7 / 3])
    assert found.table["label"].tolist() == ["A", "B", "C"]
    assert found.sets == ["d00", "d01", "d02"]
    assert rank_methods(_collected([[90, 80, 70]] * 3), "top5") is None


def test_the_critical_difference_is_that_of_demsars_example():
    """Four classifiers on 14 sets: 2.569 sqrt(4 * 5 / (6 * 14)) = 1.25 (JMLR 2006, section
    3.2.2).
    """
    values = np.random.default_rng(0).random((14, 4))
    found = rank_methods(_collected(values), "top1")
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.friedman_p == pytest.approx(stats.friedmanchisquare(*values.T).pvalue)


def test_methods_that_never_differ_rank_the_same():
    found = rank_methods(_collected(np.full((3, 3), 50.0)), "top1")
    assert found.table["mean_rank"].tolist() == [2.0, 2.0, 2.0]
    assert found.friedman_p == 1.0
