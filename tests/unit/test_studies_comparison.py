"""Collected results beside published numbers: reductions, verdicts, files."""

import math

import numpy as np
import pandas as pd
import pytest

from samples_of_results import FEATURES, METHODS, STUDIES, collected, published, registered, results
from toplabel.reproduction.compare.collection import collect
from toplabel.reproduction.compare.comparison import compare, further_draw, spread_of, verdict
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION

# Collected ----------------------------------------------------------------------------------------


def test_one_split_is_passed_on():
    row = collected(("letter", "svm", "main", "top1", 76.5, {"C": 0.5, "threshold": -0.1})).iloc[0]
    assert (row["measured"], row["splits"], row["C"], row["threshold"]) == (76.5, 1, 0.5, -0.1)
    assert math.isnan(row["std"])
    assert math.isnan(row["theta"])
    assert (row["loss"], row["k"], row["gamma"], row["kernel"]) == ("svm_multi", "", "0", "linear")
    assert (row["label"], row["file"]) == ("SVM^{Multi}", "letter/svm/evaluation.csv")
    assert row["study"] == "first;third"


def test_several_splits_are_reduced():
    row = collected(
        ("circle", "softmax", "a", "top1", 50.0, {"C": 4.0, "relative_gap": 1e-5, "epochs": 1}),
        ("circle", "softmax", "b", "top1", 53.0, {"C": 1.0, "relative_gap": 1e-3, "epochs": 2}),
        ("circle", "softmax", "c", "top1", 56.0, {"C": 8.0, "status": "max_epochs", "epochs": 4}),
        ("circle", "softmax", "d", "top1", 57.0, {"C": 64.0, "epochs": 8}),
    ).iloc[0]
    assert row["measured"] == 54.0
    assert row["std"] == pytest.approx(math.sqrt((16 + 1 + 4 + 9) / 3))
    assert row["splits"] == 4
    assert row["C"] == 4.0  # the lower median: a value that was used
    assert row["relative_gap"] == 1e-3
    assert (row["epochs"], row["seconds"], row["status"]) == (15, 8.0, "max_epochs")
    assert row["gamma"] == ""


def test_rows_follow_the_studies_whatever_the_order_of_the_files():
    rows = [
        ("letter", "smooth", "main", "top1", 1.0),  # in no study
        ("letter", "svm", "main", "top1", 2.0),
        ("letter", "svm", "main", "top3", 3.0),
        ("letter", "softmax", "main", "top1", 4.0),
        ("yeast", "ml", "main", "rank_loss", 0.5),
    ]
    expected = [0.5, 4.0, 2.0, 3.0, 1.0]
    assert collected(*rows)["measured"].tolist() == expected
    moved = [rows[i] for i in (4, 3, 1, 2, 0)]
    pd.testing.assert_frame_equal(collected(*moved), collected(*rows))


def test_nothing_measured_is_an_empty_table():
    empty = collect(results(), METHODS, STUDIES, FEATURES)
    assert empty.empty
    assert [*empty.columns] == EVALUATION.names
    comparison = compare(empty, published(("letter", "", "svm_multi", "", "0", "top1", "1")))
    assert comparison["verdict"].tolist() == [""]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("letter", "ova", "a", "top1", 1.0)], "method that is not registered: 'ova'"),
        ([("usps", "svm", "a", "top1", 1.0)], "dataset that is not registered: 'usps'"),
        ([("letter", "svm", "a", "top1", 1.0)] * 2, "letter/svm, split 'a': top1 stands twice"),
        ([("letter", "svm", "a", "top1", math.nan)], "letter/svm, split 'a': top1 is no number"),
        ([("letter", "svm", "a", "top1", math.inf)], "letter/svm, split 'a': top1 is no number"),
    ],
)
def test_results_that_cannot_be_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        collected(*rows)


# Verdicts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "measured", "printed", "expected"),
    [
        ("top1", 76.5, 76.5, "match"),
        ("top1", 77.0, 76.5, "match"),
        ("top1", 57.7, 58.2, "match"),  # in binary farther away than 0.5
        ("top1", 58.3, 57.8, "match"),  # likewise
        ("top1", 77.01, 76.5, "close"),
        ("top1", 78.0, 76.5, "close"),
        ("top1", 75.0, 76.5, "close"),
        ("top1", 78.01, 76.5, "higher"),
        ("top1", 74.99, 76.5, "off"),
        ("f1_macro", 50.0, 44.0, "higher"),
        ("rank_loss", 0.357, 0.352, "match"),
        ("rank_loss", 0.347, 0.352, "match"),
        ("rank_loss", 0.3571, 0.352, "close"),
        ("rank_loss", 0.367, 0.352, "close"),
        ("rank_loss", 0.3671, 0.352, "off"),
        ("rank_loss", 0.3369, 0.352, "lower"),
        ("hamming_loss", 0.5, 0.264, "off"),
        ("hamming_loss", 0.2, 0.264, "lower"),
        ("one_error_loss", 12.0, 12.4, "match"),  # in percent, and better when lower
        ("one_error_loss", 10.0, 12.4, "lower"),
        ("top1", math.nan, 76.5, ""),
    ],
)
def test_verdict(metric, measured, printed, expected):
    assert verdict(metric, measured - printed) == expected


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (0.5, "match"),
        (-0.6, "spread"),
        (1.6, "spread"),
        (-4.0, "spread"),
        (4.1, "higher"),
        (-4.1, "off"),
    ],
)
def test_what_lies_within_the_spread_of_the_draws_is_never_a_match(difference, expected):
    assert verdict("top1", difference, 4.0) == expected


def test_the_spread_is_of_one_draw_or_of_means():
    assert spread_of(2.0, 10) == 4.0
    assert spread_of(2.0, 1) == spread_of(math.nan, 1) == spread_of(math.nan, 10) == 0.0
    # Both numbers are means over ten draws: two standard errors of their difference.
    assert spread_of(3.0, 10, 4.0) == pytest.approx(2 * 5 / math.sqrt(10))


# Compared -----------------------------------------------------------------------------------------


def test_a_measured_cell_carries_all_that_is_known():
    ours = collected(("letter", "svm", "main", "top1", 76.25, {"C": 2.0}))
    row = compare(ours, published(("letter", "", "svm_multi", "", "0", "top1", "76.5")))
    assert [*row.columns] == COMPARISON.names
    row = row.iloc[0]
    assert (row["published"], row["measured"], row["difference"]) == ("76.5", 76.25, -0.25)
    assert (row["verdict"], row["budget"], row["C"]) == ("match", "standard", 2.0)
    assert (row["file"], row["reason"]) == ("letter/svm/evaluation.csv", "")


def test_what_is_not_comparable_is_measured_and_not_compared():
    ours = collected(("cub", "svm", "main", "top1", 61.0), ("letter", "svm", "main", "top1", 76.5))
    cells = published(
        ("cub", "vgg16_fc7", "svm_multi", "", "0", "top1", "61.0"),
        ("letter", "", "svm_multi", "", "0", "top1", "76.5"),
    )
    rows = compare(ours, cells, not_comparable={"cub": "synthetic features"})
    assert rows["verdict"].tolist() == ["", "match"]
    assert rows["reason"].tolist() == ["not compared: synthetic features", ""]
    assert math.isnan(rows["measured"].iat[0])


def test_linear_methods_on_vectors_made_of_kernels_are_those_of_the_kernels():
    rows = results(("caltech101", "svm", "main", "top1", 80.0))
    ours = collect(rows, METHODS, [], {"caltech101": "avg39_kernels"})
    assert ours["kernel"].tolist() == ["precomputed"]
    cells = published(("caltech101", "avg39_kernels", "svm_multi", "", "0", "top1", "79.9"))
    cells = cells.assign(kernel="precomputed")
    assert compare(ours, cells)["verdict"].tolist() == ["match"]


def test_differences_keep_all_digits():
    ours = collected(("yeast", "ml", "main", "rank_loss", 0.35249))
    cells = published(("yeast", "", "svm_ml", "", "0", "rank_loss", "0.352"))
    assert compare(ours, cells)["difference"].iat[0] == pytest.approx(0.00049, abs=1e-12)


def test_methods_meet_under_their_canonical_key():
    ours = collected(
        ("letter", "svm", "main", "top1", 1.0),
        ("letter", "smooth", "main", "top1", 2.0),
        ("letter", "softmax", "main", "top1", 3.0),
    )
    cells = published(
        ("letter", "", "topk_svm_alpha", "1", "0", "top1", "1"),
        ("letter", "", "topk_svm_beta", "1", "0", "top1", "1"),
        ("letter", "", "topk_svm_beta", "1", "1", "top1", "2"),
        ("letter", "", "topk_ent", "1", "", "top1", "3"),
        ("letter", "", "topk_ent", "3", "", "top1", "3"),
        ("letter", "", "svm_ova", "", "", "top1", "1"),
        ("letter", "", "lr_multi", "", "", "top3", "3"),
    )
    comparison = compare(ours, cells)
    expected = [1.0, 1.0, 2.0, 3.0, math.nan, math.nan, math.nan]
    np.testing.assert_array_equal(comparison["measured"], expected)
    assert comparison["method"].tolist() == cells["method"].tolist()  # as printed
    assert comparison["verdict"].tolist() == ["match"] * 4 + [""] * 3


def test_features_must_be_those_of_the_published_cell():
    ours = collected(("cub", "svm", "main", "top1", 60.0), ("letter", "svm", "main", "top1", 70.0))
    cells = published(
        ("cub", "vgg16_fc7", "svm_multi", "", "0", "top1", "60"),
        ("cub", "alexnet_fc7", "svm_multi", "", "0", "top1", "50"),
        ("letter", "hog", "svm_multi", "", "0", "top1", "70"),
        ("cub", "alexnet_fc7", "lr_multi", "", "", "top1", "50"),
    )
    comparison = compare(ours, cells)
    assert comparison["verdict"].tolist() == ["match", "", "", ""]
    assert comparison["reason"].tolist() == [
        "",
        "measured with the features vgg16_fc7",
        "measured with the set's own vectors",
        "",
    ]


def test_a_set_may_have_another_name_in_the_papers():
    ours = collected(("cub_alex", "svm", "main", "top1", 50.0))
    cells = published(("cub", "alexnet_fc7", "svm_multi", "", "0", "top1", "50"))
    assert compare(ours, cells)["verdict"].tolist() == [""]
    assert compare(ours, cells, registered({"cub_alex": "cub"}))["verdict"].tolist() == ["match"]


def test_two_results_for_one_cell_are_refused():
    ours = collected(("circle", "svm", "a", "top1", 1.0), ("letter", "svm", "a", "top1", 1.0))
    cells = published(("letter", "", "svm_multi", "", "0", "top1", "76.5"))
    with pytest.raises(ValueError, match=r"letter/svm/.* and circle/svm/.* same published cells"):
        compare(ours, cells, registered({"circle": "letter"}))


def test_a_set_is_compared_with_the_papers_that_use_it_as_it_is():
    ours = collected(
        ("letter", "svm", "main", "top1", 76.5), ("circle", "svm", "main", "top1", 50.0)
    )
    cells = published(*[("letter", "", "svm_multi", "", "0", "top1", "76.5")] * 2)
    cells = cells.assign(source=["tpami2017", "nips2012"])
    names = {"letter": "letter", "circle": "letter"}  # the same letters with other features
    registry = registered(names, {"letter": ("tpami2017", "cvpr2016"), "circle": ("nips2012",)})
    found = compare(ours, cells, registry)
    assert found["measured"].tolist() == [76.5, 50.0]
    assert found["verdict"].tolist() == ["match", "off"]
    scaled = ours[ours["dataset"] == "letter"]
    found = compare(scaled, cells, registry)
    assert found["verdict"].tolist() == ["match", ""]


def test_a_measurement_that_is_no_number_is_not_compared():
    ours = collected(("letter", "svm", "main", "top1", 76.5)).assign(measured=math.nan)
    cells = published(("letter", "", "svm_multi", "", "0", "top1", "76.5"))
    row = compare(ours, cells).iloc[0]
    assert (row["verdict"], row["reason"]) == ("", "the measurement is no number")
    assert math.isnan(row["measured"])
    assert math.isnan(row["difference"])


@pytest.mark.parametrize(("printed_std", "expected"), [("", "spread"), ("1.0", "off")])
def test_several_draws_are_compared_by_their_spread(printed_std, expected):
    rows = [
        ("circle", "svm", str(i), "top1", value) for i, value in enumerate((50.0, 60.0, 55.0) * 3)
    ]
    cells = published(("circle", "", "svm_multi", "", "0", "top1", "58.9")).assign(std=printed_std)
    row = compare(collected(*rows), cells).iloc[0]
    assert row["verdict"] == expected  # 55 +- 4.33, as a draw and as a mean of nine
    assert row["measured_std"] == pytest.approx(math.sqrt(18.75))
    assert row["splits"] == 9


@pytest.mark.parametrize(
    ("printed", "expected"), [("0.46", "true"), ("0.460", "true"), ("0.461", "false")]
)
def test_the_spread_over_seeds_of_the_folds_stands_beside_the_cell(printed, expected):
    """A mean of 0.4, a deviation of 0.012: 4.303 of them times sqrt(4/3) is 0.0596, and what rounds
    to that.
    """
    rows = [("yeast", "ml", "main", "rank_loss", 0.41)]
    rows += [
        ("circle", "ml", str(i), "rank_loss", value) for i, value in enumerate((0.388, 0.4, 0.412))
    ]
    cells = published(
        ("yeast", "", "svm_ml", "", "0", "rank_loss", printed),
        ("yeast", "", "lr_ml", "", "", "rank_loss", printed),
    )
    ours = collected(*rows)
    registry = registered({}, seeds_of={"circle": "yeast"})
    row, bare = compare(ours, cells, registry).to_dict("records")
    assert (row["measured"], row["verdict"]) == (0.41, verdict("rank_loss", 0.41 - float(printed)))
    assert (row["seeds"], row["in_seeds"]) == (3, expected)
    assert row["seeds_mean"] == pytest.approx(0.4)
    assert row["seeds_std"] == pytest.approx(0.012)
    assert math.isnan(bare["seeds"])
    assert bare["in_seeds"] == ""
    # Of another budget they are no draws of this number.
    coarse = ours["budget"].mask(ours["dataset"] == "circle", "quick")
    row = compare(ours.assign(budget=coarse), cells, registry).iloc[0]
    assert (row["in_seeds"], row["measured"]) == ("", 0.41)
    assert math.isnan(row["seeds"])


def test_one_more_draw_lies_in_its_interval_in_95_percent_of_cases():
    draws = np.random.default_rng(0).normal(5.0, 3.0, (20000, 4))
    mean, std = draws[:, :3].mean(axis=1), draws[:, :3].std(axis=1, ddof=1)
    inside = np.abs(draws[:, 3] - mean) <= further_draw(1.0, 3) * std
    assert inside.mean() == pytest.approx(0.95, abs=0.005)
