"""Where the true class of each test row ranks, and the files that hold it."""

from dataclasses import astuple

import numpy as np
import pytest

from toplabel import metrics
from toplabel.reproduction.files import write_records
from toplabel.reproduction.selection.evaluation import TrueRanks, load_ranks

TOPS = ["top1", "top3", "top10"]


@pytest.fixture
def ranks():
    """Of random scores with many ties, and of a constant score."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 12, 300)
    scores = rng.integers(0, 5, (300, 12)).astype(float)
    scores[:20] = 0.0
    return y, scores, TrueRanks.of("main", TOPS, y, scores)


def test_every_top_k_accuracy_follows_from_the_ranks_to_the_last_bit(ranks):
    y, scores, found = ranks
    for k in range(1, 13):
        expected = metrics.top_k_accuracy(y, scores, k, ties="shared")
        assert float(np.mean(found.hits(f"top{k}"))) == expected


def test_ranks_are_read_as_they_were_written(ranks, tmp_path):
    _, _, first = ranks
    second = TrueRanks("other", np.array(["top5"]), np.array([0, 300]), np.array([1, 2]))
    for written in ([], [first], [first, second]):
        write_records(written, tmp_path / "ranks.npz")
        again = load_ranks(tmp_path / "ranks.npz")
        assert len(again) == len(written)
        for one, other in zip(written, again, strict=True):
            for a, b in zip(astuple(one), astuple(other), strict=True):
                np.testing.assert_array_equal(a, b)
