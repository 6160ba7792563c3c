"""What the papers say of their results, counted in their tables and in ours."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from samples_of_results import MEASURED, PUBLISHED, frame, noted, number
from toplabel.reproduction.compare.bootstrap import draws_of_means
from toplabel.reproduction.compare.cells import COLUMNS
from toplabel.reproduction.compare.cells import PUBLISHED as OF_PAPERS
from toplabel.reproduction.compare.claims import judge
from toplabel.reproduction.compare.outcomes import final, holm, outcome, p_value
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.config.catalogue import load_catalogue
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


@pytest.fixture(scope="module")
def catalogue(repository):
    return load_catalogue(repository)


@pytest.fixture
def judged(catalogue):
    """Judge one claim by some numbers."""

    def judge_one(claim, rows, draws=None, other_draws=()):
        known = SimpleNamespace(
            notes=noted(claims={claim.name: claim}),
            registry=catalogue.registry,
            other_draws={*other_draws},
        )
        return judge(frame(*rows), known, draws).iloc[0]

    return judge_one


def printed(*values):
    """What the paper prints of softmax and the SVM: top-1 of both, then top-3."""
    return [*_four(PUBLISHED, values), number(PUBLISHED, 99.9, method="reference")]


def ours(*values, **changes):
    return _four(MEASURED, values, **changes)


def _four(run, values, **changes):
    pairs = [(metric, m) for metric in ("top1", "top3") for m in ("lr_multi", "svm_multi")]
    return [
        number(run, value, metric, method, **changes)
        for value, (metric, method) in zip(values, pairs, strict=True)
    ]


PRINTED = printed(75.3, 76.5, 90.3, 89.2)


def test_a_claim_is_counted_in_the_papers_and_in_ours(judged):
    row = judged(claim_of(), PRINTED + ours(75.0, 75.02, 91.0, 88.0))
    assert (row["published_first"], row["published_second"]) == (1, 1)
    assert row["published_median"] == pytest.approx(-0.05)  # of -1.2 and 1.1
    assert row["published_outcome"] == "mixed"
    # 0.02 points are a tie; the three points are ahead, and so they are in the paper.
    assert (row["same_comparisons"], row["same_first"], row["same_second"]) == (2, 1, 0)
    assert row["same_outcome"] == "consistent"  # two comparisons confirm nothing
    assert (row["both"], row["agree"], row["same_datasets"]) == (1, 1, "letter")
    assert (row["other_comparisons"], row["other_outcome"], row["other_datasets"]) == (0, "", "")


def test_other_data_and_what_is_not_comparable_count_apart(judged):
    own = ours(75.0, 72.0, 91.0, 88.0)
    far = ours(75.0, 80.0, 91.0, 92.0, dataset="digits", source="", table="")
    row = judged(claim_of(), PRINTED + own + far)
    assert (row["same_datasets"], row["same_first"]) == ("letter", 2)
    assert (row["other_datasets"], row["other_outcome"]) == ("digits", "fails")
    assert row["other_median"] == -3.0
    row = judged(claim_of(), PRINTED + [one | {"note": "not compared"} for one in own])
    assert (row["same_comparisons"], row["other_comparisons"], row["both"]) == (0, 2, 0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((77.0, 75.0, 92.0, 90.0), "smaller"),
        ((87.0, 75.0, 99.9, 90.0), "consistent"),
        ((70.0, 75.0, 80.0, 90.0), "fails"),
    ],
)
def test_a_large_advantage_that_is_small_here_is_told(judged, values, expected):
    """Fifteen points ahead in the paper; here two, or more than seven, or behind."""
    row = judged(claim_of(), printed(90.0, 75.0, 99.0, 84.0) + ours(*values))
    assert row["same_outcome"] == expected


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
    [((12, 0), "consistent"), ((30, 18), "undecided"), ((18, 30), "undecided"), ((0, 12), "fails")],
)
def test_the_test_rows_decide_who_is_ahead(judged, ahead, expected):
    """Twelve rows of a thousand decide where the sides differ on no others, and not among 48."""
    rows, draws = drawn(1000, *ahead)
    row = judged(claim_of(), rows, draws)
    assert row["same_outcome"] == expected
    low, median, high = (row[f"same_{name}"] for name in ("rows_low", "median", "rows_high"))
    # The error of a difference in pairs: McNemar's.
    error = math.sqrt(sum(ahead) - (ahead[0] - ahead[1]) ** 2 / 1000) / 10
    assert median == pytest.approx((ahead[0] - ahead[1]) / 10)
    assert [low, high] == pytest.approx([median - 1.96 * error, median + 1.96 * error], abs=0.12)


def test_means_over_draws_vary_by_their_errors_where_others_have_rows(judged):
    rows, draws = drawn(1000, 30, 18)
    del draws["letter", "svm_multi", "top3"]
    row = judged(claim_of(), rows, draws)
    assert row["same_outcome"] == "consistent"
    assert math.isnan(row["same_rows_low"])
    rows = [r | ({"std": 4.0, "splits": 8.0} if r["metric"] == "top3" else {}) for r in rows]
    row = judged(claim_of(), rows, draws)
    assert row["same_outcome"] == "undecided"
    # A mean of two, of standard errors sqrt(48) / 10 and sqrt(16 / 8 + 16 / 8).
    width = row["same_rows_high"] - row["same_rows_low"]
    assert width == pytest.approx(2 * 1.96 * math.sqrt(0.48 + 4) / 2, rel=0.1)


@pytest.mark.parametrize(("better", "ahead"), [(70.0, 0), (70.1, 0), (95.0, 1)])
def test_means_over_draws_within_two_standard_errors_are_a_tie(judged, better, ahead):
    """The standard error of the difference is 10 points."""
    rows = ours(better, 60.0, 1.0, 1.0, splits=4.0, std=200**0.5)
    row = judged(claim_of(metrics=["top1"]), PRINTED + rows)
    assert (row["same_first"], row["same_second"]) == (ahead, 0)


def test_other_draws_of_a_set_and_variants_of_a_method_do_not_count(judged):
    again = ours(75.0, 72.0, 91.0, 88.0, dataset="letter_seeds", source="")
    claim = claim_of()
    assert judged(claim, PRINTED + again)["other_comparisons"] == 2
    assert judged(claim, PRINTED + again, other_draws={"letter_seeds"})["other_comparisons"] == 0
    again = ours(75.0, 72.0, 91.0, 88.0, dataset="digits", source="", variant_of="lr_multi")
    assert judged(claim, PRINTED + again)["other_comparisons"] == 0


def test_losses_count_the_other_way_round_and_in_points(judged):
    side = {"label": "a", "methods": [{"method": "lr_multi"}]}
    claim = claim_of(metrics=["rank_loss"], first=side, second={"label": "b", "methods": "others"})
    rows = [
        number(run, value, "rank_loss", method)
        for run, values in ((PUBLISHED, (0.424, 0.352)), (MEASURED, (0.36, 0.38)))
        for method, value in zip(("lr_multi", "svm_multi"), values, strict=True)
    ]
    row = judged(claim, rows)
    assert row["published_median"] == pytest.approx(-7.2)
    assert row["same_median"] == pytest.approx(2.0)
    outcomes = (row["published_outcome"], row["same_outcome"], row["agree"])
    assert outcomes == ("fails", "consistent", 0)


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
    row = judged(claim, rows)
    medians = [row[f"{side}_median"] for side in ("published", "shared", "same", "other")]
    assert medians == [-10.0, 5.0, 1.0, 10.0]
    assert row["same_outcome"] == "smaller"


def test_a_k_may_be_that_of_the_metric(judged):
    own = {"label": "own", "methods": [{"method": "topk_ent", "k": "metric"}]}
    rows = [
        number(PUBLISHED, 73.0, "top1", "topk_ent", k="3"),
        number(PUBLISHED, 90.8, "top3", "topk_ent", k="3"),
        number(PUBLISHED, 76.5, "top1"),
        number(PUBLISHED, 89.2, "top3"),
    ]
    row = judged(claim_of(first=own), rows)
    assert (row["published_comparisons"], row["published_first"]) == (1, 1)
    assert (row["same_comparisons"], row["same_outcome"], row["same_datasets"]) == (0, "", "")


def test_the_papers_tables_bear_out_all_claims_but_three(catalogue):
    """Table 2 of NIPS 2012 does not show what its text says of the online methods."""
    cells = load_published(catalogue.published).assign(run=OF_PAPERS)
    rows = judge(cells.reindex(columns=[*COLUMNS], fill_value=""), catalogue).set_index("claim")
    assert rows.loc["finetuning_longer", "published_outcome"] == ""  # the text alone says so
    assert set(rows.index[rows["published_outcome"] == "mixed"]) == {
        "simplex_batch",  # the batch method is ahead on four of the seven sets
        "simplex_online",  # SC-SVM is ahead of both others on three of them
    }
    # SVM^Multi, a top-1 loss, has the best top-2 accuracy of the convex losses in Table 3 of TPAMI.
    assert [*rows.index[rows["published_outcome"] == "fails"]] == ["circle_top2_losses"]
    few = rows.index[rows["published_outcome"] == "consistent"]
    assert {*few} == {"circle_truncated", "circle_top1", "topk_svm_five", "topk_svm_top1"}


# How a claim is judged by its comparisons ---------------------------------------------------------


def _pairs(*points):
    return pd.DataFrame({"points": np.array(points, dtype=float), "error": 0.0})


@pytest.mark.parametrize(
    ("changes", "differences", "expected"),
    [
        ({}, [], ""),
        ({}, [1, 1, -1], "consistent"),
        ({}, [1, 1, 1, -1], "holds"),
        ({}, [1, -1], "mixed"),
        ({}, [0.01, 0.02], "mixed"),
        ({}, [-1, -1, 1], "fails"),
        ({"ties_win": True}, [0.0, 0.0, 1, -1], "holds"),
        ({"least": 0.9}, [1, 1, 1, -1], "mixed"),
        ({"expects": "similar", "margin": 0.5}, [0.5, -0.5, 0.6, 0.2], "holds"),
        ({"expects": "similar", "margin": 0.5}, [0.7, -0.5, 0.6], "fails"),
        ({"expects": "neither"}, [1, -1, 1], "few"),
        ({"expects": "neither"}, [1, -1, 1, 1], "holds"),
        ({"expects": "neither"}, [1, 1, 1, 1, 1, -1], "fails"),
    ],
)
def test_outcomes(changes, differences, expected):
    assert outcome(claim_of(**changes), _pairs(*differences)) == expected


@pytest.mark.parametrize(
    ("measured", "adjusted", "rows_low", "shared", "expected"),
    [
        ("holds", 0.049, math.nan, "holds", "holds"),
        ("holds", 0.8, 0.1, "holds", "holds"),
        ("holds", 0.8, math.nan, "holds", "consistent"),
        ("holds", math.nan, -0.1, "fails", "consistent"),
        ("fails", 1.0, math.nan, "fails", "printed"),
        ("fails", 1.0, math.nan, "mixed", "fails"),
        ("undecided", 0.01, -0.1, "undecided", "undecided"),
    ],
)
def test_a_claim_is_confirmed_where_chance_is_refuted(
    measured, adjusted, rows_low, shared, expected
):
    row = {"same_outcome": measured, "same_adjusted": adjusted, "same_rows_low": rows_low}
    assert final(row | {"shared_outcome": shared}, "same") == expected


def test_the_p_value_of_a_claim_that_one_side_is_ahead_is_that_of_a_sign_test():
    points = [1.0, 2.0, 0.5, 3.0, -1.0, 0.0]
    # 4 or 5 heads of 5 tosses, by hand; the tie does not count.
    assert p_value(claim_of(), _pairs(*points)) == pytest.approx((5 + 1) / 2**5)
    assert p_value(claim_of(ties_win=True), _pairs(*points)) == pytest.approx((6 + 1) / 2**6)
    assert math.isnan(p_value(claim_of(), _pairs(1.0, 1.0, 1.0, 1.0)))  # 1 / 16 at best
    assert math.isnan(p_value(claim_of(expects="neither"), _pairs(*points)))
    assert math.isnan(p_value(claim_of(), _pairs()))


def test_two_sides_are_equivalent_when_both_ends_of_the_margin_are_refuted():
    similar = claim_of(expects="similar", margin=0.5)
    assert p_value(similar, _pairs(0.1, -0.2, 0.3, 0.0, -0.4)) == pytest.approx(1 / 2**5)
    # All below the upper end, but only three of five above the lower one.
    assert p_value(similar, _pairs(-0.6, -0.7, 0.1, 0.2, 0.3)) == pytest.approx(16 / 2**5)


def test_holm_multiplies_the_smallest_by_the_number_of_tests():
    found = holm([0.01, math.nan, 0.04, 0.03])
    assert found[[0, 2, 3]] == pytest.approx([0.03, 0.06, 0.06])
    assert math.isnan(found[1])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert holm([]).size == 0
