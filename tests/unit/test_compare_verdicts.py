"""Verdicts on differences, and how far a number spreads."""

import math

import numpy as np
import pytest

from toplabel.reproduction.compare.verdicts import (
    further_draw,
    is_inside,
    spread_of,
    tells_nothing,
    tolerance_of,
    verdict,
)


@pytest.mark.parametrize(
    ("metric", "measured", "printed", "expected"),
    [
        ("top1", 77.0, 76.5, "match"),
        ("top1", 57.7, 58.2, "match"),  # in binary farther away than 0.5
        ("top1", 77.01, 76.5, "close"),
        ("top1", 75.0, 76.5, "close"),
        ("top1", 78.01, 76.5, "higher"),
        ("top1", 74.99, 76.5, "off"),
        ("rank_loss", 0.357, 0.352, "match"),
        ("rank_loss", 0.3571, 0.352, "close"),
        ("rank_loss", 0.3671, 0.352, "off"),
        ("rank_loss", 0.3369, 0.352, "lower"),
        ("one_error_loss", 12.0, 12.4, "match"),  # in percent, and better when lower
        ("one_error_loss", 10.0, 12.4, "lower"),
    ],
)
def test_a_verdict_follows_from_the_difference(metric, measured, printed, expected):
    assert verdict(metric, measured - printed, tolerance_of(metric)) == expected


@pytest.mark.parametrize(
    ("difference", "expected"),
    [(0.5, "match"), (-0.6, "spread"), (-4.0, "spread"), (4.1, "higher"), (-4.1, "off")],
)
def test_what_lies_within_the_spread_of_the_draws_is_never_a_match(difference, expected):
    assert verdict("top1", difference, 0.5, spread=4.0) == expected


def test_a_hamming_loss_is_judged_beside_that_of_an_empty_prediction():
    # Emotions has 1.87 of 6 labels a row, corel5k 3.52 of 374: no label at all is wrong in .0094.
    assert tolerance_of("hamming_loss", "0.239", 1.87 / 6) == pytest.approx(0.0031, abs=1e-4)
    assert tolerance_of("hamming_loss", "0.009", 3.52 / 374) == 0.0005  # what was rounded off
    assert tells_nothing("hamming_loss", "0.009", 3.52 / 374)
    assert not tells_nothing("hamming_loss", "0.008", 3.52 / 374)
    assert not tells_nothing("hamming_loss", "0.239", 1.87 / 6)
    assert not tells_nothing("rank_loss", "0.009", 3.52 / 374)


def test_the_spread_is_of_one_draw_or_of_means():
    assert spread_of(2.0, 10) == 4.0
    assert spread_of(2.0, 1) == spread_of(math.nan, 10) == 0.0
    # Both numbers are means over ten draws: two standard errors of their difference.
    assert spread_of(3.0, 10, 4.0) == pytest.approx(2 * 5 / math.sqrt(10))


def test_one_more_draw_lies_in_its_interval_in_95_percent_of_cases():
    draws = np.random.default_rng(0).normal(5.0, 3.0, (20000, 4))
    mean, std = draws[:, :3].mean(axis=1), draws[:, :3].std(axis=1, ddof=1)
    inside = np.abs(draws[:, 3] - mean) <= further_draw(1.0, 3) * std
    assert inside.mean() == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize(
    ("printed", "expected"), [("75.0", "true"), ("74.9", "false"), ("77", "true"), ("74", "false")]
)
def test_a_printed_number_stands_for_all_that_round_to_it(printed, expected):
    assert is_inside(printed, 75.0, 76.9) == expected
    assert is_inside(printed, math.nan, math.nan) == ""
