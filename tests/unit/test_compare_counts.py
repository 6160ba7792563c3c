"""What a score is worth."""

from itertools import permutations

import numpy as np
import pytest

from samples_of_results import MEASURED, frame, number
from toplabel.reproduction.compare.counts import worth


def rows_of(measured, printed, metric="top1", **changes):
    """Numbers of different methods of one data set and metric."""
    changes = {"verdict": "match"} | changes
    return [
        number(MEASURED, value, metric, printed=text, config_method=f"m{i}{metric}", **changes)
        for i, (value, text) in enumerate(zip(measured, printed, strict=True))
    ]


def test_a_measurement_that_is_printed_twice_counts_once():
    once = rows_of([60.0], ["60.1"]) + rows_of([61.0], ["65.0"], "top2", verdict="off")
    again = [row | {"source": "cvpr2016", "table": "7"} for row in once]
    found = worth(frame(*once, *again))
    assert (found["distinct"], found["match"]) == (2, 0.5)


def test_chance_is_the_share_of_permutations_that_match():
    measured, printed = [60.0, 60.4, 61.2, 65.0], ["60.0", "60.5", "61.0", "64.9"]
    expected = np.mean(
        [
            abs(value - float(text)) <= 0.5
            for order in permutations(measured)
            for value, text in zip(order, printed, strict=True)
        ]
    )
    found = [worth(frame(*rows_of(measured, printed)))["chance"] for _ in range(2)]
    assert found == pytest.approx([expected] * 2, abs=0.025)
    assert found[0] == found[1]


def test_methods_are_shuffled_within_data_set_and_metric_alone():
    far = rows_of([60.0], ["60.0"]) + rows_of([0.1], ["0.1"], dataset="yeast")
    assert worth(frame(*far))["chance"] == 1.0


def test_an_empty_run_is_worth_nothing():
    assert worth(frame()) == {}
