"""The text of the claims."""

import pytest

from toplabel.reproduction.reporting.findings_text import _count, _rule


@pytest.mark.parametrize(
    ("ahead", "median", "words"),
    [
        ((1, 0), 2.04, "the difference is 2.0 points in favour of A, against B"),
        ((0, 1), -1.0, "the difference is 1.0 point in favour of B, against A"),
        ((0, 0), 0.02, "A and B are level"),
        (
            (0, 0),
            -3.6,
            "the difference is 3.6 points in favour of B, against A, "
            "which is within two standard errors over the draws",
        ),
    ],
)
def test_a_single_comparison(ahead, median, words):
    row = {
        "same_comparisons": "1",
        "same_first": str(ahead[0]),
        "same_second": str(ahead[1]),
        "same_median": str(median),
        "first": "A",
        "second": "B",
        "expects": "first",
    }
    assert _count(row, "same") == words


def test_the_interval_over_test_rows_stands_with_the_median():
    row = {"first": "A", "second": "B", "expects": "first", "ties_win": "false"}
    row |= {"same_comparisons": "3", "same_first": "2", "same_second": "1", "same_median": "0.52"}
    row |= {"same_rows_low": "-0.31", "same_rows_high": "1.26"}
    interval = "−0.3 to +1.3 on 95 % of draws of the test rows"
    assert _count(row, "same").endswith(f"(median difference +0.5 points, {interval})")
    row |= {"same_comparisons": "1", "same_first": "1", "same_second": "0"}
    assert _count(row, "same").endswith(f"in favour of A, against B; {interval}")


def test_ties_that_decide_a_claim_are_said():
    row = {"first": "A", "second": "B", "expects": "first", "least": "0.5", "ties_win": "true"}
    row |= {"same_comparisons": "56", "same_first": "20", "same_second": "29", "same_median": "0"}
    text = "27 of 56 comparisons go to A, 7 of them as ties, 29 to B (median difference 0.0 points)"
    assert _count(row, "same") == text
    assert _rule(row) == (
        "Confirmed from 50 % of all comparisons on; a tie counts for A, as it may share the best number."
    )
    row["ties_win"] = "false"
    assert "20 of 56 comparisons go to A, 29 to B, 7 to neither" in _count(row, "same")
