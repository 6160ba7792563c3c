"""What a score is worth."""

from itertools import permutations

import numpy as np
import pytest

from samples_of_results import MEASURED, frame, number
from toplabel.reproduction.compare.counts import headline


def rows_of(measured, printed, metric="top1", **changes):
    """Numbers of different methods of one data set and metric."""
    changes = {"verdict": "match", "in_rows": "true"} | changes
    return [
        number(MEASURED, value, metric, printed=text, config_method=f"m{i}{metric}", **changes)
        for i, (value, text) in enumerate(zip(measured, printed, strict=True))
    ]


def total(*rows):
    return headline(frame(*rows)).set_index("metric").loc["all"]


def test_a_measurement_that_is_printed_twice_counts_once():
    once = rows_of([60.0, 61.0], ["60.1", "61.0"])
    again = [row | {"source": "cvpr2016", "table": "7"} for row in once]
    row = total(*once, *again)
    assert (row["places"], row["distinct"], row["match"]) == (4, 2, 2)


def test_chance_is_the_share_of_permutations_that_match():
    measured, printed = [60.0, 60.4, 61.2, 65.0], ["60.0", "60.5", "61.0", "64.9"]
    expected = np.mean(
        [
            abs(value - float(text)) <= 0.5
            for order in permutations(measured)
            for value, text in zip(order, printed, strict=True)
        ]
    )
    found = [total(*rows_of(measured, printed))["chance"] for _ in range(2)]
    assert found == pytest.approx([100 * expected] * 2, abs=2.5)
    assert found[0] == found[1]


def test_methods_are_shuffled_within_data_set_and_metric_alone():
    far = rows_of([60.0], ["60.0"]) + rows_of([0.1], ["0.1"], dataset="yeast")
    assert total(*far)["chance"] == 100.0


def test_digits_are_those_of_the_printed_number():
    measured, printed = [60.049, 60.051, 60.15, 0.1234], ["60.0", "60.0", "60.1", "0.12"]
    assert total(*rows_of(measured, printed))["digits"] == 3


def test_convex_losses_on_one_split_are_counted_apart():
    row = total(
        *rows_of([60.3, 60.0], ["60.0", "60.1"]),
        *rows_of([70.0], ["60.0"], "top2", method="topk_ent_tr"),
        *rows_of([70.0], ["60.0"], "top3", in_rows=""),
    )
    assert row["convex"] == 2
    assert (row["convex_median"], row["convex_mean"]) == (pytest.approx(0.2), pytest.approx(0.1))


def test_directions_are_not_reproduced_alike():
    verdicts = ("off", "higher", "lower", "close")
    rows = [rows_of([60.0], ["50"], f"top{i}", verdict=v)[0] for i, v in enumerate(verdicts)]
    assert (total(*rows)["not_reproduced"], total(*rows)["close"]) == (3, 1)


def test_numbers_that_depend_on_a_choice_are_left_out_of_the_last_row():
    free, chosen = rows_of([60.0, 61.0], ["60.0", "61.0"])
    found = headline(frame(free, chosen | {"choice": "letter_split"}))
    assert found[["metric", "distinct"]].to_numpy().tolist() == [
        ["top1", 2],
        ["all", 2],
        ["unflagged", 1],
    ]


def test_an_empty_run_counts_nothing():
    assert headline(frame())["places"].tolist() == [0, 0]
