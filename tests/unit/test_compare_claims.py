"""What the papers say of their results, asked of their tables and of ours."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from samples_of_results import MEASURED, PUBLISHED, frame, noted, number
from toplabel.reproduction.compare.cells import COLUMNS, with_columns
from toplabel.reproduction.compare.cells import PUBLISHED as OF_PAPERS
from toplabel.reproduction.compare.claims import judge
from toplabel.reproduction.compare.intervals import Interval, draws_of_means, outcome, over_sets
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.documents import check
from toplabel.reproduction.config.notes import Claim

CLAIM = {
    "source": "tpami2017",
    "place": "section 6.2",
    "says": "softmax is better",
    "expects": "first",
    "tables": ["table05"],
    "first": {"label": "LR", "methods": [{"method": "lr_multi"}]},
    "second": {"label": "SVM", "methods": [{"method": "svm_multi", "gamma": 0}]},
    "metrics": ["top1", "top3"],
}


def claim_of(**changes):
    """A claim that differs from `CLAIM` in some keys."""
    return check({"name": "one"} | CLAIM | changes, Claim, "one")


@pytest.fixture
def judged(catalogue):
    """Judge one claim by some numbers; the rows by the numbers that it was asked of."""

    def judge_one(claim, rows, draws=None, validation=None, other_draws=()):
        known = SimpleNamespace(
            notes=noted(claims={claim.name: claim}),
            registry=catalogue.registry,
            other_draws={*other_draws},
        )
        return judge(frame(*rows), known, draws, validation).set_index("numbers")

    return judge_one


def printed(*values, **changes):
    """What the paper prints of softmax and the SVM: top-1 of both, then top-3."""
    return [*_four(PUBLISHED, values, **changes), number(PUBLISHED, 99.9, method="reference")]


def ours(*values, **changes):
    return _four(MEASURED, values, **changes)


def _four(run, values, **changes):
    pairs = [(metric, m) for metric in ("top1", "top3") for m in ("lr_multi", "svm_multi")]
    return [
        number(run, value, metric, method, **changes)
        for value, (metric, method) in zip(values, pairs, strict=True)
    ]


PRINTED = printed(75.3, 76.5, 90.3, 89.2)


# The rule: an interval gives one of three outcomes ------------------------------------------------


@pytest.mark.parametrize(
    ("expects", "low", "high", "expected"),
    [
        ("first", 0.1, 2.0, "holds"),
        ("first", -0.1, 2.0, "undecided"),
        ("first", 0.0, 2.0, "undecided"),
        ("first", -2.0, 0.0, "fails"),
        ("first", -2.0, -0.1, "fails"),
        ("similar", -0.5, 0.5, "holds"),
        ("similar", 0.1, 0.4, "holds"),  # one side is surely ahead, and within the margin
        ("similar", 0.1, 0.6, "undecided"),
        ("similar", -0.6, 0.1, "undecided"),
        ("similar", 0.6, 0.9, "fails"),
        ("similar", -0.9, -0.6, "fails"),
        ("neither", -0.1, 0.1, "holds"),
        ("neither", 0.1, 0.2, "fails"),  # one side is surely ahead
        ("neither", -0.2, -0.1, "fails"),
        ("first", math.nan, math.nan, "undecided"),
        ("neither", math.nan, math.nan, "undecided"),
    ],
)
def test_an_interval_decides(expects, low, high, expected):
    assert outcome(expects, Interval(low, high), 0.5) == expected


def test_the_interval_over_data_sets_is_that_of_order_statistics():
    """Of n tosses of a coin, all are heads with a probability of 2^-n, and all but one n as often."""
    assert over_sets(np.arange(5.0)).over == ""  # 2 / 2^5 is more than 5 %
    six = over_sets(np.array([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]))
    assert six == Interval(1.0, 6.0, "sets")  # 2 / 2^6 is 3.1 %, with one more 2 (1 + 6) / 2^6
    nine = over_sets(np.arange(1.0, 10.0))
    assert (nine.low, nine.high) == (2.0, 8.0)  # 2 (1 + 9) / 2^9 is 3.9 %, with 36 more 18 %


# What is compared ---------------------------------------------------------------------------------


def test_a_data_set_is_one_unit_whatever_its_metrics(judged):
    rows = judged(claim_of(), PRINTED + ours(75.0, 75.02, 91.0, 88.0))
    assert rows["sets"].tolist() == [1, 1, 1, 0]
    assert rows["difference"]["printed"] == pytest.approx((-1.2 + 1.1) / 2)
    assert rows["difference"]["same"] == pytest.approx((-0.02 + 3.0) / 2)
    assert rows["datasets"].tolist() == ["letter", "letter", "letter", ""]
    assert rows["outcome"]["other"] == ""


def test_the_rounding_of_two_printed_numbers_is_their_interval(judged):
    """Each of them is known to half a unit of its last digit."""
    row = judged(claim_of(), printed(77.3, 76.5, 90.3, 89.2)).loc["printed"]
    assert (row["low"], row["high"]) == pytest.approx((0.95 - 0.1, 0.95 + 0.1))
    assert (row["over"], row["outcome"]) == ("digits", "holds")
    level = judged(claim_of(), printed(76.5, 76.5, 89.2, 89.2)).loc["printed"]
    assert (level["wins"], level["losses"], level["outcome"]) == (0, 0, "undecided")


def test_the_median_over_six_data_sets_has_an_interval_over_them(judged):
    names = ["letter", "aloi", "news20", "indoor67", "cub", "flowers"]
    ahead = [1.0, 2.0, 3.0, 4.0, 5.0, -1.0]
    rows = [
        row
        for name, points in zip(names, ahead, strict=True)
        for row in printed(50.0 + points, 50.0, 60.0 + points, 60.0, dataset=name)
    ]
    row = judged(claim_of(), rows).loc["printed"]
    assert (row["sets"], row["wins"], row["losses"]) == (6, 5, 1)
    assert (row["difference"], row["low"], row["high"]) == (2.5, -1.0, 5.0)
    assert (row["over"], row["outcome"]) == ("sets", "undecided")


def test_other_data_and_what_is_not_comparable_count_apart(judged):
    own = ours(75.0, 72.0, 91.0, 88.0)
    far = ours(75.0, 80.0, 91.0, 92.0, dataset="digits", source="", table="")
    rows = judged(claim_of(), PRINTED + own + far)
    assert rows["datasets"][["same", "other"]].tolist() == ["letter", "digits"]
    assert rows["difference"][["same", "other"]].tolist() == [3.0, -3.0]
    rows = judged(claim_of(), PRINTED + [row | {"note": "not compared"} for row in own])
    assert rows["sets"][["same", "other"]].tolist() == [0, 1]


def test_losses_count_the_other_way_round_and_in_points(judged):
    side = {"label": "a", "methods": [{"method": "lr_multi"}]}
    claim = claim_of(metrics=["rank_loss"], first=side, second={"label": "b", "methods": "others"})
    rows = [
        number(run, value, "rank_loss", method)
        for run, values in ((PUBLISHED, (0.424, 0.352)), (MEASURED, (0.36, 0.38)))
        for method, value in zip(("lr_multi", "svm_multi"), values, strict=True)
    ]
    rows = judged(claim, rows)
    assert rows["difference"][["printed", "same"]].tolist() == pytest.approx([-7.2, 2.0])
    assert rows["low"]["printed"] == pytest.approx(-7.2 - 0.1)  # two times half of 0.001


def test_papers_and_run_are_counted_on_the_cells_of_both(judged):
    """A rival that only the paper has, and a method that only this run has, are left out."""
    claim = claim_of(second={"label": "the others", "methods": "others"}, metrics=["top1"])
    rows = [
        *(number(PUBLISHED, 70.0, method=name) for name in ("lr_multi", "lr_ova")),
        number(PUBLISHED, 80.0, method="homer"),
        number(PUBLISHED, 75.0, "top1", "lr_multi", dataset="aloi"),
        *(number(run, 65.0, method="svm_multi") for run in (PUBLISHED, MEASURED)),
        number(MEASURED, 66.0, method="lr_multi"),
        number(MEASURED, 90.0, method="forest"),
        *(
            number(MEASURED, value, method=name, dataset="digits", source="", table="")
            for name, value in (("lr_multi", 60.0), ("svm_multi", 50.0), ("forest", 90.0))
        ),
    ]
    rows = judged(claim, rows)
    assert rows["difference"].tolist() == [-10.0, 5.0, 1.0, 10.0]


def test_a_k_may_be_that_of_the_metric(judged):
    own = {"label": "own", "methods": [{"method": "topk_ent", "k": "metric"}]}
    rows = [
        number(PUBLISHED, 73.0, "top1", "topk_ent", k="3"),
        number(PUBLISHED, 90.8, "top3", "topk_ent", k="3"),
        number(PUBLISHED, 76.5, "top1"),
        number(PUBLISHED, 89.2, "top3"),
    ]
    rows = judged(claim_of(first=own), rows)
    assert rows["difference"]["printed"] == pytest.approx(1.6)


# The sides, and what varies -----------------------------------------------------------------------


def test_a_side_is_the_method_with_the_best_validation_value(judged):
    """By the test rows the SVM without smoothing would be the best, and the softmax behind."""
    side = {"label": "SVM", "methods": ["svm_multi"]}
    smooth = number(MEASURED, 74.0, gamma="1", config_method="svm_multi_smooth")
    rows = [
        *(number(PUBLISHED, 70.0, method=name) for name in ("lr_multi", "svm_multi")),
        number(PUBLISHED, 70.0, gamma="1"),
        number(MEASURED, 75.0, method="lr_multi"),
        number(MEASURED, 76.0),
        smooth,
    ]
    claim = claim_of(second=side, metrics=["top1"])
    validation = {
        ("letter", "lr_multi", "top1"): 80.0,
        ("letter", "svm_multi", "top1"): 81.0,
        ("letter", "svm_multi_smooth", "top1"): 82.0,
    }
    assert judged(claim, rows, validation=validation)["difference"]["same"] == 1.0
    del validation["letter", "svm_multi", "top1"]  # without all of them the numbers decide
    assert judged(claim, rows, validation=validation)["difference"]["same"] == -1.0


def drawn(n, softmax, svm):
    """Numbers and draws of n rows, which both hit but for some that one of them hits alone."""
    both = np.arange(n) < 0.6 * n
    first, second = both.copy(), both.copy()
    first[n - softmax :] = True
    second[n - softmax - svm : n - softmax] = True
    hits = np.column_stack([first, second]).astype(float)
    values = 100 * hits.mean(axis=0)
    draws = 100 * draws_of_means(hits, "letter")
    names = [("letter", m, top) for top in ("top1", "top3") for m in ("lr_multi", "svm_multi")]
    rows = printed(75.3, 74.5, 75.3, 74.5) + ours(*values, *values)
    return rows, dict(zip(names, [*draws.T] * 2, strict=True))


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [((12, 0), "holds"), ((30, 18), "undecided"), ((18, 30), "undecided"), ((0, 12), "fails")],
)
def test_the_test_rows_decide_who_is_ahead_on_few_data_sets(judged, ahead, expected):
    """Twelve rows of a thousand decide where the sides differ on no others, and not among 48."""
    rows, draws = drawn(1000, *ahead)
    row = judged(claim_of(), rows, draws).loc["same"]
    assert (row["over"], row["outcome"]) == ("rows", expected)
    # The error of a difference in pairs: McNemar's.
    error = math.sqrt(sum(ahead) - (ahead[0] - ahead[1]) ** 2 / 1000) / 10
    difference = (ahead[0] - ahead[1]) / 10
    assert row["difference"] == pytest.approx(difference)
    ends = [difference - 1.96 * error, difference + 1.96 * error]
    assert [row["low"], row["high"]] == pytest.approx(ends, abs=0.12)


def test_means_over_draws_vary_by_their_errors_where_others_have_rows(judged):
    rows, draws = drawn(1000, 30, 18)
    del draws["letter", "svm_multi", "top3"]
    row = judged(claim_of(), rows, draws).loc["same"]
    assert (row["over"], row["outcome"]) == ("", "undecided")
    rows = [r | ({"std": 4.0, "splits": 8.0} if r["metric"] == "top3" else {}) for r in rows]
    row = judged(claim_of(), rows, draws).loc["same"]
    # A mean of two, of standard errors sqrt(48) / 10 and sqrt(16 / 8 + 16 / 8).
    width = row["high"] - row["low"]
    assert width == pytest.approx(2 * 1.96 * math.sqrt(0.48 + 4) / 2, rel=0.1)


@pytest.mark.parametrize(("better", "wins"), [(70.0, 0), (79.9, 0), (95.0, 1)])
def test_means_over_draws_within_two_standard_errors_are_level(judged, better, wins):
    """The standard error of the difference is 10 points."""
    rows = ours(better, 60.0, 1.0, 1.0, splits=4.0, std=200**0.5)
    row = judged(claim_of(metrics=["top1"]), PRINTED + rows).loc["same"]
    assert (row["wins"], row["losses"]) == (wins, 0)


def test_other_draws_of_a_set_and_variants_of_a_method_do_not_count(judged):
    again = ours(75.0, 72.0, 91.0, 88.0, dataset="letter_seeds", source="")
    claim = claim_of()
    assert judged(claim, PRINTED + again)["sets"]["other"] == 1
    assert judged(claim, PRINTED + again, other_draws={"letter_seeds"})["sets"]["other"] == 0
    again = ours(75.0, 72.0, 91.0, 88.0, dataset="digits", source="", variant_of="lr_multi")
    assert judged(claim, PRINTED + again)["sets"]["other"] == 0


def test_the_papers_tables_and_their_claims(catalogue):
    """Which sentences the papers' own tables bear out."""
    cells = with_columns(load_published(catalogue.published).assign(run=OF_PAPERS))
    rows = judge(cells[[*COLUMNS]], catalogue)
    rows = rows[rows["numbers"] == "printed"].set_index("claim")
    assert rows.loc["finetuning_longer", "outcome"] == ""  # the text alone says so
    # SVM^Multi, a top-1 loss, has the best top-2 accuracy of the convex losses in Table 3 of TPAMI.
    assert [*rows.index[rows["outcome"] == "fails"]] == ["circle_top2_losses"]
    assert {*rows.index[rows["outcome"] == "undecided"]} == {
        "one_vs_all_svm",
        "topk_svm_against_softmax",  # ahead on four of eleven sets, behind on seven
        "topk_entropy_against_softmax",
        "smooth_is_competitive",  # its interval ends 1.1 points behind the best of the columns
        "truncated_does_not_transfer",
        "multilabel_smooth_rbf",
        "simplex_least_squares",
        "simplex_batch",  # the batch method is ahead on five of the seven sets
        "simplex_online",  # SC-SVM is ahead of both others on three of them
        "simplex_hinge",
        "simplex_squares",
    }
