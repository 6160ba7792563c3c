"""The bootstrap over test rows."""

import numpy as np
import pytest

from toplabel.reproduction.compare import intervals
from toplabel.reproduction.compare.intervals import draw_rows
from toplabel.reproduction.compare.statistics import holm, over_rows
from toplabel.reproduction.files import FileError, write_records
from toplabel.reproduction.selection.evaluation import TrueRanks


def test_a_draw_takes_as_many_rows_as_there_are(monkeypatch):
    n = 7
    counts = intervals.draws_of_means(np.eye(n), "toy", "main") * n
    assert counts.shape == (intervals.DRAWS, n)
    np.testing.assert_allclose(counts, counts.round(), atol=1e-12)
    np.testing.assert_allclose(counts.sum(axis=1), n)
    # Each row is there once on average, with the variance of a binomial number.
    assert abs(counts.mean() - 1) < 1e-12
    assert abs(counts.var(axis=0) - (1 - 1 / n)).max() < 0.2
    monkeypatch.setattr(intervals, "_ENTRIES", 3 * n)
    np.testing.assert_array_equal(intervals.draws_of_means(np.eye(n), "toy", "main") * n, counts)


def test_many_methods_far_behind_are_told_apart():
    p_values = [over_rows(np.full(intervals.DRAWS, 10.0), 10.0).p] * 100
    assert max(holm(p_values)) < 0.05


def test_all_columns_share_the_draws_of_their_names():
    hits = (np.random.default_rng(0).random((200, 2)) < 0.7).astype(float)
    both = intervals.draws_of_means(hits, "toy")
    np.testing.assert_array_equal(both[:, :1], intervals.draws_of_means(hits[:, :1], "toy"))
    assert (both[:, 0] != intervals.draws_of_means(hits[:, :1], "other")[:, 0]).any()


def test_the_interval_is_that_of_a_binomial_share():
    n, share = 2000, 0.8
    hits = (np.arange(n) < share * n).astype(float)[:, None]
    low, high = intervals.quantile_interval(intervals.draws_of_means(hits, "toy")[:, 0])
    half = 1.96 * np.sqrt(share * (1 - share) / n)
    assert low == pytest.approx(share - half, abs=0.15 * half)
    assert high == pytest.approx(share + half, abs=0.15 * half)


def _cell(folder, method, split="main", shift=0, n=50):
    """A cell with ranks of a model, for top1, and of another one, for top3."""
    above = (np.arange(n) + shift) % 4
    ones = np.ones(n, dtype=int)
    models = [
        TrueRanks(split, np.array([name]), above + i, ones)
        for i, name in enumerate(("top1", "top3"))
    ]
    write_records(models, folder / method / "ranks.npz")
    return str(folder / method / "ranks.npz")


def test_the_methods_of_a_set_are_measured_on_the_same_drawn_rows(tmp_path):
    one, two = _cell(tmp_path / "toy", "a"), _cell(tmp_path / "toy", "b", shift=1)
    draws = draw_rows({("toy", "b"): two, ("toy", "a"): one})
    assert sorted(draws) == [("toy", m, top) for m in "ab" for top in ("top1", "top3")]
    alone = draw_rows({("toy", "a"): one})
    np.testing.assert_array_equal(draws["toy", "a", "top1"], alone["toy", "a", "top1"])
    # Of four classes in turn each row is first once: with the same rows the shares add up to all.
    cells = {
        ("four", name): _cell(tmp_path / "four", name, shift=i, n=52)
        for i, name in enumerate("abcd")
    }
    shares = sum(draws for key, draws in draw_rows(cells).items() if key[2] == "top1")
    np.testing.assert_allclose(shares, 100.0)


def test_a_set_with_several_splits_has_no_drawn_rows(tmp_path):
    one = _cell(tmp_path / "splits", "a")
    other = _cell(tmp_path / "splits", "b", split="other")
    assert draw_rows({("splits", "a"): one, ("splits", "b"): other}) == {}
    assert len(draw_rows({("splits", "a"): one})) == 2


def test_results_of_different_test_rows_are_refused(tmp_path):
    one, other = _cell(tmp_path / "toy", "a"), _cell(tmp_path / "toy", "b", n=60)
    with pytest.raises(FileError, match=r"60 test rows, but .* has 50"):
        draw_rows({("toy", "a"): one, ("toy", "b"): other})
