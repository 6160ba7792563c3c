"""What a score is worth: distinct measurements, chance, digits."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.compare.headline import headline
from toplabel.reproduction.config.catalogue import load_catalogue
from toplabel.reproduction.config.documents import validate
from toplabel.reproduction.config.notes import Choice
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.tables.collected import COMPARISON, HEADLINE


def cells(measured, published, metric="top1", **changes):
    rows = [
        {
            **{"source": "tpami2017", "table": "5", "dataset": "s", "features": ""},
            **{"method": "svm_multi", "metric": metric, "published": text, "measured": value},
            **{"difference": value - float(text), "verdict": "match", "in_rows": "true"},
            "file": f"s/m{i}/evaluation.csv",
        }
        | changes
        for i, (value, text) in enumerate(zip(measured, published, strict=True))
    ]
    return COMPARISON.frame(rows).fillna({"verdict": "", "in_rows": ""})


def last(frame):
    return headline(frame).set_index("metric", drop=False).loc["all"]


def test_a_measurement_that_is_printed_twice_counts_once():
    one = cells([60.0, 61.0], ["60.1", "61.0"])
    again = one.assign(source="cvpr2016", table="7")
    row = last(pd.concat([one, again], ignore_index=True))
    assert (row["metric"], row["places"], row["distinct"], row["match"]) == ("all", 4, 2, 2)


def test_chance_is_the_share_of_permutations_that_match():
    measured, published = [60.0, 60.4, 61.2, 65.0], ["60.0", "60.5", "61.0", "64.9"]
    expected = np.mean(
        [
            abs(value - float(text)) <= 0.5
            for order in permutations(measured)
            for value, text in zip(order, published, strict=True)
        ]
    )
    assert last(cells(measured, published))["chance"] == pytest.approx(100 * expected, abs=2.5)
    assert last(cells(measured, published))["chance"] == last(cells(measured, published))["chance"]


def test_methods_are_shuffled_within_data_set_and_metric_alone():
    far = pd.concat([cells([60.0], ["60.0"]), cells([0.1], ["0.1"], dataset="t")])
    assert last(far.reset_index(drop=True))["chance"] == 100.0
    losses = cells([0.100, 0.104, 0.2], ["0.100", "0.104", "0.2"], "rank_loss")
    assert last(losses)["chance"] == pytest.approx(100 * (2 / 3 + 2 / 3 + 1 / 3) / 3, abs=2.5)


def test_digits_are_those_of_the_printed_number():
    measured, published = [60.049, 60.051, 60.15, 0.1234], ["60.0", "60.0", "60.1", "0.12"]
    assert last(cells(measured, published))["digits"] == 3


def test_convex_losses_on_one_split_are_counted_apart():
    frame = pd.concat(
        [
            cells([60.3, 60.0], ["60.0", "60.1"]),
            cells([70.0], ["60.0"], method="topk_ent_tr", file="s/t/evaluation.csv"),
            cells([70.0], ["60.0"], in_rows="", file="s/u/evaluation.csv"),
        ],
        ignore_index=True,
    )
    row = last(frame)
    assert row["convex"] == 2
    assert (row["convex_median"], row["convex_mean"]) == (pytest.approx(0.2), pytest.approx(0.1))


def test_directions_are_not_reproduced_alike():
    parts = [cells([60.0], ["50"], verdict=v, file=v) for v in ("off", "higher", "lower", "close")]
    row = last(pd.concat(parts, ignore_index=True))
    assert (row["not_reproduced"], row["close"]) == (3, 1)


def test_cells_that_depend_on_a_choice_are_left_out_of_the_last_row():
    words = {"name": "n", "title": "t", "chosen": "c", "tables": ["tpami2017_table05"]}
    frame = pd.concat(
        [cells([60.0, 61.0], ["60.0", "61.0"]), cells([0.1], ["0.1"], "rank_loss")],
        ignore_index=True,
    )
    for changes, free in (
        ({"datasets": ["s"], "metrics": ["top*"]}, 1),
        ({"datasets": ["s"], "methods": ["svm_multi"]}, 0),
        ({"datasets": ["t"]}, 3),
        ({"datasets": ["s"], "tables": ["tpami2017_table07"]}, 3),
    ):
        row = headline(frame, [validate(words | changes, Choice)]).iloc[-1]
        assert (row["metric"], row["distinct"]) == ("unflagged", free)


def test_without_measurements_there_is_no_row():
    assert headline(cells([], [])).empty


def test_the_kept_headline_is_that_of_the_kept_cells(repository):
    folder = repository / SUMMARY
    found = headline(
        COMPARISON.read(folder / "comparison.csv"),
        load_catalogue(repository).readings.choices.values(),
    )
    kept = HEADLINE.read(folder / "headline.csv")
    pd.testing.assert_frame_equal(kept, found, check_dtype=False, rtol=1e-10)
    assert (kept.iloc[-2]["places"], kept.iloc[-2]["distinct"]) == (1333, 1128)
