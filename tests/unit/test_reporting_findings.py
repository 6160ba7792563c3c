"""The text of the claims."""

import pytest

from toplabel.reproduction.report.claims import side_of
from toplabel.reproduction.report.words import say


def compared(row):
    """Return what the comparisons of the same data give, in words."""
    numbers = {key: float(v) if key.startswith("same_") else v for key, v in row.items()}
    return say("compared", row, side_of(numbers, "same"))


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
    assert compared(row) == words


def test_the_interval_over_test_rows_stands_with_the_median():
    row = {"first": "A", "second": "B", "expects": "first", "ties_win": False}
    row |= {"same_comparisons": "3", "same_first": "2", "same_second": "1", "same_median": "0.52"}
    row |= {"same_rows_low": "-0.31", "same_rows_high": "1.26"}
    interval = "−0.3 to +1.3 on 95 % of draws of the test rows"
    assert compared(row).endswith(f"(median difference +0.5 points, {interval})")
    row |= {"same_comparisons": "1", "same_first": "1", "same_second": "0"}
    assert compared(row).endswith(f"in favour of A, against B; {interval}")


def test_ties_that_decide_a_claim_are_said():
    row = {"first": "A", "second": "B", "expects": "first", "least": 0.5, "ties_win": True}
    row |= {"same_comparisons": "56", "same_first": "20", "same_second": "29", "same_median": "0"}
    text = "27 of 56 comparisons go to A, 7 of them as ties, 29 to B (median difference 0.0 points)"
    assert compared(row) == text
    assert say("rule", row) == (
        "Confirmed from 50 % of all comparisons on; a tie counts for A, as it may share the best number."
    )
    row["ties_win"] = False
    assert "20 of 56 comparisons go to A, 29 to B, 7 to neither" in compared(row)
