"""Which test rows a number depends on: ranks of the true classes, drawn rows, intervals beside
printed numbers.
"""

from dataclasses import astuple

import numpy as np
import pytest

from samples_of_results import FEATURES, METHODS, STUDIES, published, results
from toplabel import metrics
from toplabel._core.files import FileError, write_npz
from toplabel.reproduction.compare import bootstrap
from toplabel.reproduction.compare.collection import collect
from toplabel.reproduction.compare.comparison import compare
from toplabel.reproduction.selection.ranks import TrueRanks, load_ranks, save_ranks
from toplabel.reproduction.workflow.collecting.results import draw_rows

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
        save_ranks(written, tmp_path / "ranks.npz")
        again = load_ranks(tmp_path / "ranks.npz")
        assert len(again) == len(written)
        for one, other in zip(written, again, strict=True):
            for a, b in zip(astuple(one), astuple(other), strict=True):
                np.testing.assert_array_equal(a, b)


def test_a_file_without_its_arrays_is_one_line(tmp_path):
    path = tmp_path / "ranks.npz"
    write_npz(path, {name: np.zeros(1) for name in "abcd"})
    with pytest.raises(FileError, match=rf"^{path}: lacks an array \('0.split'\); `snakemake -f"):
        load_ranks(path)


# Drawn rows ---------------------------------------------------------------------------------------


def test_a_draw_takes_as_many_rows_as_there_are(monkeypatch):
    n = 7
    counts = bootstrap.draws_of_means(np.eye(n), "toy", "main") * n
    assert counts.shape == (bootstrap.DRAWS, n)
    np.testing.assert_allclose(counts, counts.round(), atol=1e-12)
    np.testing.assert_allclose(counts.sum(axis=1), n)
    # Each row is there once on average, with the variance of a binomial number.
    assert abs(counts.mean() - 1) < 1e-12
    assert abs(counts.var(axis=0) - (1 - 1 / n)).max() < 0.2
    monkeypatch.setattr(bootstrap, "_ENTRIES", 3 * n)
    np.testing.assert_array_equal(bootstrap.draws_of_means(np.eye(n), "toy", "main") * n, counts)


def test_all_columns_share_the_draws_of_their_names():
    hits = (np.random.default_rng(0).random((200, 2)) < 0.7).astype(float)
    both = bootstrap.draws_of_means(hits, "toy")
    np.testing.assert_array_equal(both[:, :1], bootstrap.draws_of_means(hits[:, :1], "toy"))
    assert (both[:, 0] != bootstrap.draws_of_means(hits[:, :1], "other")[:, 0]).any()


def test_the_interval_is_that_of_a_binomial_share():
    n, share = 2000, 0.8
    hits = (np.arange(n) < share * n).astype(float)[:, None]
    low, high = bootstrap.interval(bootstrap.draws_of_means(hits, "toy")[:, 0])
    half = 1.96 * np.sqrt(share * (1 - share) / n)
    assert low == pytest.approx(share - half, abs=0.15 * half)
    assert high == pytest.approx(share + half, abs=0.15 * half)


# Beside the printed numbers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("75.0", "true"), ("74.9", "false"), ("77.0", "false"), ("77", "true"), ("74", "false")],
)
def test_a_printed_number_stands_for_all_that_round_to_it(printed, expected):
    rows = results(("letter", "svm", "main", "top1", 76.0), ("letter", "svm", "main", "top3", 90.0))
    draws = {("letter", "svm", "top1"): np.linspace(74.95, 76.95, 1001)}
    ours = collect(rows, METHODS, STUDIES, FEATURES, draws)
    assert ours[["rows_low", "rows_high"]].iloc[0].tolist() == pytest.approx([75.0, 76.9])
    assert ours[["rows_low", "rows_high"]].iloc[1].isna().all()
    cells = published(
        ("letter", "", "svm_multi", "", "0", "top1", printed),
        ("letter", "", "svm_multi", "", "0", "top3", "90.0"),
        ("letter", "", "lr_multi", "", "", "top1", "90.0"),
    )
    found = compare(ours, cells)
    assert found["in_rows"].tolist() == [expected, "", ""]
    assert found["verdict"].tolist()[1:] == ["match", ""]


def _cell(folder, method, split="main", shift=0, n=50):
    """A cell with ranks of a model, for top1, and of another one, for top3."""
    above = (np.arange(n) + shift) % 4
    ones = np.ones(n, dtype=int)
    models = [
        TrueRanks(split, np.array([name]), above + i, ones)
        for i, name in enumerate(("top1", "top3"))
    ]
    save_ranks(models, folder / method / "ranks.npz")
    return str(folder / method / "evaluation.csv")


def test_the_methods_of_a_set_are_measured_on_the_same_drawn_rows(tmp_path):
    one, two = _cell(tmp_path / "toy", "a"), _cell(tmp_path / "toy", "b", shift=1)
    draws = draw_rows([two, one])
    assert sorted(draws) == [("toy", m, top) for m in "ab" for top in ("top1", "top3")]
    alone = draw_rows([one])
    np.testing.assert_array_equal(draws["toy", "a", "top1"], alone["toy", "a", "top1"])
    # Of four classes in turn each row is first once: with the same rows the shares add up to all.
    cells = [_cell(tmp_path / "four", name, shift=i, n=52) for i, name in enumerate("abcd")]
    shares = sum(draws for key, draws in draw_rows(cells).items() if key[2] == "top1")
    np.testing.assert_allclose(shares, 100.0)


def test_without_ranks_or_with_several_splits_there_are_no_drawn_rows(tmp_path):
    cells = [_cell(tmp_path / "splits", "a"), _cell(tmp_path / "splits", "b", split="other")]
    (tmp_path / "old/a").mkdir(parents=True)
    assert draw_rows([*cells, str(tmp_path / "old/a/evaluation.csv")]) == {}
    assert len(draw_rows(cells[:1])) == 2
