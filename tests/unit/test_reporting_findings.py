"""The text of the claims."""

import pytest

from toplabel.reporting.findings_text import _count


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
        "comparisons": "1",
        "first_ahead": str(ahead[0]),
        "second_ahead": str(ahead[1]),
        "median": str(median),
        "first": "A",
        "second": "B",
        "expects": "first",
    }
    assert _count(row, "") == words
