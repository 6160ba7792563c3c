"""What the papers say, counted in their tables and in ours; who wins where."""

import math

import numpy as np
import pandas as pd
import pytest

from samples_of_results import collected, published, registered
from toplabel.reproduction.compare.bootstrap import draws_of_means
from toplabel.reproduction.compare.claims import find, holm, outcome, p_value
from toplabel.reproduction.compare.comparison import compare
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.compare.winners import find_winners
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.documents import check
from toplabel.reproduction.config.notes import Claim, load_notes
from toplabel.reproduction.tables.collected import FINDINGS, WINNERS
from toplabel.reproduction.workflow.collecting.claims import judge_claims

CLAIM = {
    "source": "tpami2017",
    "place": "section 6.2",
    "says": "softmax is better",
    "expects": "first",
    "tables": ["tpami2017_table05"],
    "first": {"label": "LR", "methods": [{"method": "lr_multi"}]},
    "second": {"label": "SVM", "methods": [{"method": "svm_multi", "gamma": 0}]},
    "metrics": ["top1", "top3"],
}


def claim_of(**changes):
    """A claim that differs from `CLAIM` in some keys."""
    return check({"name": "one"} | CLAIM | changes, Claim, "one")


def letter(softmax, svm, printed=("75.3", "76.5", "90.3", "89.2")):
    """Comparison and collected results of letter: softmax and the SVM, top-1 and top-3."""
    ours = collected(
        ("letter", "softmax", "main", "top1", softmax[0]),
        ("letter", "softmax", "main", "top3", softmax[1]),
        ("letter", "svm", "main", "top1", svm[0]),
        ("letter", "svm", "main", "top3", svm[1]),
    )
    cells = published(
        ("letter", "", "topk_ent", "1", "", "top1", printed[0]),
        ("letter", "", "topk_svm_alpha", "1", "0", "top1", printed[1]),
        ("letter", "", "topk_ent", "1", "", "top3", printed[2]),
        ("letter", "", "topk_svm_alpha", "1", "0", "top3", printed[3]),
        ("letter", "", "reference", "", "", "top1", "99.9"),
    )
    return compare(ours, cells), ours


def test_a_claim_is_counted_in_the_papers_and_in_ours():
    claim = claim_of()
    row = find([claim], *letter((75.0, 91.0), (75.02, 88.0))).iloc[0]
    assert [*row.index] == FINDINGS.names
    assert (row["published_first"], row["published_second"]) == (1, 1)
    assert row["published_median"] == pytest.approx(-0.05)  # of -1.2 and 1.1
    assert row["published_outcome"] == "mixed"
    # 0.02 points are a tie; the three points are ahead, and so they are in the paper.
    assert (row["same_comparisons"], row["same_first"], row["same_second"]) == (2, 1, 0)
    assert row["same_outcome"] == "holds"
    assert (row["both"], row["agree"], row["same_datasets"]) == (1, 1, "letter")
    assert (row["other_comparisons"], row["other_outcome"], row["other_datasets"]) == (0, "", "")


def test_what_is_not_comparable_is_never_held_against_the_paper():
    claim = claim_of()
    comparison, ours = letter((75.0, 91.0), (72.0, 88.0))
    rows = find([claim], comparison, ours, not_comparable={"letter"})
    names = ["other_comparisons", "other_first", "same_comparisons", "both", "agree"]
    assert rows[names].iloc[0].tolist() == [2, 2, 0, 0, 0]
    # Nor does it take the name of the published set.
    ours = ours.assign(dataset="letter_mine")
    rows = find([claim], comparison, ours, registered({"letter_mine": "letter"}), {"letter_mine"})
    assert rows[["other_datasets", "both"]].iloc[0].tolist() == ["letter_mine", 0]


def test_data_that_the_tables_do_not_have_count_apart():
    claim = claim_of()
    comparison, ours = letter((75.0, 91.0), (72.0, 88.0))
    digits = ours.assign(dataset="digits", measured=[75.0, 91.0, 80.0, 92.0])
    row = find([claim], comparison, pd.concat([ours, digits], ignore_index=True)).iloc[0]
    assert (row["same_datasets"], row["same_first"], row["same_outcome"]) == ("letter", 2, "holds")
    assert (row["other_datasets"], row["other_second"]) == ("digits", 2)
    assert row["other_outcome"] == "fails"
    assert (row["other_low"], row["other_high"]) == (-4.0, -2.0)


@pytest.mark.parametrize(
    ("ahead", "outcome"),
    [((77.0, 92.0), "smaller"), ((87.0, 99.9), "holds"), ((70.0, 80.0), "fails")],
)
def test_a_large_advantage_that_is_small_here_is_told(ahead, outcome):
    """Fifteen points ahead in the paper; here two, or more than seven, or behind."""
    claim = claim_of()
    printed = ("90.0", "75.0", "99.0", "84.0")
    row = find([claim], *letter(ahead, (75.0, 90.0), printed)).iloc[0]
    assert row["same_outcome"] == outcome


def rows_of(n, *ahead):
    """Hits of softmax and the SVM on n rows: 60 % are hit by both, some more by one of them
    alone.
    """
    both = np.arange(n) < 0.6 * n
    softmax, svm = both.copy(), both.copy()
    softmax[n - ahead[0] :] = True
    svm[n - sum(ahead) : n - ahead[0]] = True
    return np.column_stack([softmax, svm]).astype(float)


def drawn(n, *ahead):
    """Comparison, collected results and draws of letter: top-1 and top-3 alike, on such rows."""
    hits = rows_of(n, *ahead)
    values = 100 * hits.mean(axis=0)
    comparison, ours = letter((values[0],) * 2, (values[1],) * 2, ("75.3", "74.5") * 2)
    draws = 100 * draws_of_means(hits, "letter")
    names = [("letter", method, top) for top in ("top1", "top3") for method in ("softmax", "svm")]
    return comparison, ours, dict(zip(names, [*draws.T] * 2, strict=True))


@pytest.mark.parametrize(
    ("ahead", "expected"),
    [((12, 0), "holds"), ((30, 18), "undecided"), ((18, 30), "undecided"), ((0, 12), "fails")],
)
def test_the_test_rows_decide_who_is_ahead(ahead, expected):
    """Twelve rows of a thousand are decisive where the sides differ on no others, and not among
    48.
    """
    claim = claim_of()
    comparison, ours, draws = drawn(1000, *ahead)
    row = find([claim], comparison, ours, draws=draws).iloc[0]
    assert row["same_outcome"] == expected
    low, median, high = (row[f"same_{name}"] for name in ("rows_low", "median", "rows_high"))
    # The error of a difference in pairs: McNemar's.
    error = math.sqrt(sum(ahead) - (ahead[0] - ahead[1]) ** 2 / 1000) / 10
    assert median == pytest.approx((ahead[0] - ahead[1]) / 10)
    assert low == pytest.approx(median - 1.96 * error, abs=0.12)
    assert high == pytest.approx(median + 1.96 * error, abs=0.12)
    assert math.isnan(row["other_rows_low"])


@pytest.mark.parametrize("expects", ["similar", "neither"])
def test_only_who_is_ahead_may_be_undecided(expects):
    claim = claim_of(expects=expects, margin=5)
    comparison, ours, draws = drawn(1000, 30, 18)
    row = find([claim], comparison, ours, draws=draws).iloc[0]
    assert row["same_outcome"] == {"similar": "holds", "neither": "few"}[expects]
    assert row["same_rows_low"] < 0 < row["same_rows_high"]


def test_without_the_rows_of_a_comparison_the_counts_decide():
    claim = claim_of()
    comparison, ours, draws = drawn(1000, 30, 18)
    del draws["letter", "svm", "top3"]
    row = find([claim], comparison, ours, draws=draws).iloc[0]
    assert row["same_outcome"] == "holds"
    assert math.isnan(row["same_rows_low"])
    # The mean over draws of the data varies by its own error, if others have rows.
    several = ours["metric"] == "top3"
    ours.loc[several, ["std", "splits"]] = [4.0, 8]
    row = find([claim], comparison, ours, draws=draws).iloc[0]
    assert row["same_outcome"] == "undecided"
    # A mean of two, of standard errors sqrt(48) / 10 and sqrt(16 / 8 + 16 / 8).
    error = math.sqrt(0.48 + 4) / 2
    width = row["same_rows_high"] - row["same_rows_low"]
    assert width == pytest.approx(2 * 1.96 * error, rel=0.1)
    row = find([claim], comparison, ours[several], draws=draws).iloc[0]
    assert math.isnan(row["same_rows_low"])


def test_folds_that_are_drawn_again_are_no_other_data(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = collected(("yeast", "ml", "main", "rank_loss", 0.36))
    ours = pd.concat([ours, ours.assign(gamma="1", measured=0.3)])
    cells = published(("yeast", "", "svm_ml", "", "0", "rank_loss", "0.424"))
    both = pd.concat([ours, ours.assign(dataset="yeast_seeds")], ignore_index=True)
    found = judge_claims(load_catalogue(repository), compare(ours, cells), both)
    row = found.set_index("claim").loc["multilabel_smoothing"]
    assert (row["other_comparisons"], row["other_datasets"]) == (1, "yeast")


def test_a_variant_of_a_method_is_none_of_the_others(repository, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = collected(("yeast", "ml", "main", "rank_loss", 0.36)).assign(kernel="rbf", gamma="1")
    near = ours.assign(loss="near", measured=0.2)
    cells = published(("yeast", "", "svm_ml", "", "1", "rank_loss", "0.424"))
    for variant_of, comparisons in (("", 1), ("svm_ml_smooth_rbf", 0)):
        both = pd.concat([ours, near.assign(variant_of=variant_of)], ignore_index=True)
        found = judge_claims(load_catalogue(repository), compare(ours, cells), both)
        row = found.set_index("claim").loc["multilabel_smooth_rbf"]
        assert row["same_comparisons"] + row["other_comparisons"] == comparisons


def test_losses_count_the_other_way_round_and_in_points():
    methods = {
        "first": {"label": "a", "methods": [{"method": "svm_ml"}]},
        "second": {"label": "b", "methods": "others"},
    }
    claim = claim_of(metrics=["rank_loss"], **methods)
    ours = collected(("yeast", "ml", "main", "rank_loss", 0.36))
    ours = pd.concat([ours, ours.assign(loss="lr_ml", gamma="", measured=0.38)])
    cells = published(
        ("yeast", "", "svm_ml", "", "0", "rank_loss", "0.424"),
        ("yeast", "", "lr_ml", "", "", "rank_loss", "0.352"),
    )
    row = find([claim], compare(ours.iloc[:1], cells), ours).iloc[0]
    assert row["published_median"] == pytest.approx(-7.2)
    assert row["same_median"] == pytest.approx(2.0)
    assert (row["published_outcome"], row["same_outcome"], row["agree"]) == ("fails", "holds", 0)


def test_a_k_may_be_that_of_the_metric():
    own = {"label": "own", "methods": [{"method": "topk_ent", "k": "metric"}]}
    claim = claim_of(first=own)
    cells = published(
        ("letter", "", "topk_ent", "3", "", "top1", "73.0"),
        ("letter", "", "topk_ent", "3", "", "top3", "90.8"),
        ("letter", "", "topk_svm_alpha", "1", "0", "top1", "76.5"),
        ("letter", "", "topk_svm_alpha", "1", "0", "top3", "89.2"),
    )
    empty = collected()
    row = find([claim], compare(empty, cells), empty).iloc[0]
    assert (row["published_comparisons"], row["published_first"]) == (1, 1)
    assert (row["same_comparisons"], row["same_outcome"], row["same_datasets"]) == (0, "", "")
    assert math.isnan(row["same_median"])


@pytest.mark.parametrize(
    ("changes", "differences", "expected"),
    [
        ({}, [], ""),
        ({}, [1, 1, -1], "holds"),
        ({}, [1, -1], "mixed"),
        ({}, [0.01, 0.02], "mixed"),
        ({}, [-1, -1, 1], "fails"),
        ({"ties_win": True}, [0.0, 1, -1], "holds"),
        ({"least": 0.9}, [1, 1, 1, -1], "mixed"),
        ({"expects": "similar", "margin": 0.5}, [0.5, -0.5, 0.6], "holds"),
        ({"expects": "similar", "margin": 0.5}, [0.7, -0.5, 0.6], "fails"),
        ({"expects": "neither"}, [1, -1, 1], "few"),
        ({"expects": "neither"}, [1, -1, 1, 1], "holds"),
        ({"expects": "neither"}, [1, 1, 1, 1, 1, -1], "fails"),
    ],
)
def test_outcomes(changes, differences, expected):
    claim = claim_of(**changes)
    points = pd.Series(differences, dtype=float)
    assert outcome(claim, pd.DataFrame({"points": points, "error": 0.0})) == expected


@pytest.mark.parametrize(("better", "ahead"), [((60.0, 80.0), 0), ((69.0, 71.0), 1)])
def test_means_over_draws_within_two_standard_errors_are_a_tie(better, ahead):
    """Ten points ahead twice; the standard error of the difference is 10 points, then 1."""
    ours = collected(
        ("letter", "softmax", "a", "top1", better[0]),
        ("letter", "softmax", "b", "top1", better[1]),
        ("letter", "svm", "a", "top1", 60.0),
        ("letter", "svm", "b", "top1", 60.0),
    )
    comparison, _ = letter((75.0, 91.0), (75.0, 88.0))
    row = find([claim_of()], comparison, ours).iloc[0]
    assert (row["same_comparisons"], row["same_median"]) == (1, pytest.approx(10.0))
    assert (row["same_first"], row["same_second"]) == (ahead, 0)


def test_the_papers_tables_bear_out_all_claims_but_two(repository):
    """Table 2 of NIPS 2012 does not show what its text says of the online methods."""
    claims = load_notes(repository).claims.values()
    empty = collected()
    comparison = compare(
        empty,
        load_published(repository / "data/published").rename(columns={"printed": "published"}),
    )
    rows = find(claims, comparison, empty).set_index("claim")
    assert rows.loc["finetuning_longer", "published_outcome"] == ""  # the text alone says so
    assert set(rows.index[rows["published_outcome"] == "mixed"]) == {
        "simplex_batch",  # the batch method is ahead on four of the seven sets
        "simplex_online",  # SC-SVM is ahead of both others on three of them
    }
    assert set(rows["published_outcome"]) == {"", "mixed", "holds"}
    rbf = rows.loc["multilabel_smooth_rbf"]
    assert (rbf["published_comparisons"], 70 - rbf["published_second"]) == (70, 38)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"expects": "second"}, "one: expects: 'second' is not one of"),
        ({"first": {"label": "x", "methods": "others"}}, "'others' may only be second"),
        ({"why": "x"}, "one: unknown key .why.; known: source"),
    ],
)
def test_a_claim_that_cannot_be_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        claim_of(**changes)


def test_winners_among_the_measured_methods():
    comparison, _ = letter((76.46, 91.0), (76.54, 88.0))
    rows = find_winners(comparison)
    assert [*rows.columns] == WINNERS.names
    top1, top3 = rows.to_dict("records")
    # At one decimal the two are level in top-1; the reference does not compete.
    assert top1["ours"] == "topk_ent:1::linear;topk_svm_alpha:1:0:linear"
    assert (top1["papers"], top1["published"]) == ("topk_svm_alpha:1:0:linear", 76.5)
    assert math.isnan(top1["margin"])
    assert top1["published_margin"] == 1.2
    assert top3["margin"] == 3.0
    assert (top1["methods"], top1["same"]) == (2, "true")
    assert (top3["ours"], top3["measured"], top3["same"]) == ("topk_ent:1::linear", 91.0, "true")


def test_no_winner_without_two_measured_methods():
    cells = published(
        ("letter", "", "topk_ent", "1", "", "top1", "75.3"),
        ("letter", "", "topk_svm_alpha", "1", "0", "top1", "76.5"),
    )
    ours = collected(("letter", "softmax", "main", "top1", 75.0))
    assert find_winners(compare(ours, cells)).empty


# ---- how sure an outcome is ----------------------------------------------------------------------


def _pairs(*points):
    return pd.DataFrame({"points": points, "error": 0.0})


def test_the_p_value_of_a_claim_that_one_side_is_ahead_is_that_of_a_sign_test():
    def claim(**changes):
        return claim_of(**changes)

    points = [1.0, 2.0, 0.5, 3.0, -1.0, 0.0]
    # By hand: 4 or 5 heads of 5 tosses; the tie does not count.
    assert p_value(claim(), _pairs(*points)) == pytest.approx((5 + 1) / 2**5)
    ties = claim(ties_win=True)
    assert p_value(ties, _pairs(*points)) == pytest.approx((6 + 1) / 2**6)
    assert p_value(claim(), _pairs(0.0)) == 1.0
    assert math.isnan(p_value(claim(expects="neither"), _pairs(*points)))
    assert math.isnan(p_value(claim(), _pairs()))


def test_two_sides_are_equivalent_when_both_ends_of_the_margin_are_refuted():
    similar = claim_of(expects="similar", margin=0.5)
    assert p_value(similar, _pairs(*[0.1, -0.2, 0.3, 0.0, -0.4])) == pytest.approx(1 / 2**5)
    # All below the upper end, but only half above the lower one.
    assert p_value(similar, _pairs(-0.6, -0.7, 0.1, 0.2)) == pytest.approx(11 / 2**4)


def test_holm_multiplies_the_smallest_by_the_number_of_tests():
    found = holm([0.01, math.nan, 0.04, 0.03])
    assert found[[0, 2, 3]] == pytest.approx([0.03, 0.06, 0.06])
    assert math.isnan(found[1])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert holm([]).size == 0
