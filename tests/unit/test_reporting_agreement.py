"""The agreement chart, and its axis."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from toplabel.reproduction.reporting.agreement import (
    Lane,
    Point,
    draw,
    sentence,
)
from toplabel.reproduction.reporting.labels import VERDICTS
from toplabel.reproduction.reporting.scales import Symlog
from toplabel.reproduction.tables.collected import COMPARISON

LANES = [
    Lane(
        "A, Table 1",
        [Point(0.1, "match"), Point(-4.0, "off")],
    ),
    Lane("A, Table 2", [Point(0.1, "match"), Point(12.0, "higher"), Point(0.3, "match", True)]),
]


def marks(text):
    """How many marks of each verdict a drawing has."""
    tree = ET.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    found = Counter()
    for group in tree.iter("g"):
        verdict = (group.get("id") or "").partition("-")[0]
        found[verdict] += len(list(group.iter("use"))) if verdict in VERDICTS else 0
    return +found


def test_the_axis_is_symmetric_and_keeps_the_order():
    scale = Symlog(0.1, 20.0, 100.0, 900.0)
    assert (scale(-20.0), scale(0.0), scale(20.0)) == (100.0, 500.0, 900.0)
    values = (0.05, 0.1, 0.5, 1.5, 5.0)
    places = [scale(value) for value in values]
    assert places == sorted(places)
    for value, place in zip(values, places, strict=True):
        assert scale(-value) == pytest.approx(1000.0 - place)


def test_each_cell_is_a_mark_and_the_bytes_are_the_same_again():
    drawn = draw(LANES)
    assert marks(drawn) == Counter(point.verdict for lane in LANES for point in lane.points)
    assert draw(LANES) == drawn


def test_the_sentence_counts_percentages_alone():
    assert sentence(LANES) == (
        "Half of the 4 percentages lie within 2.05 points of the printed ones, nine tenths within 9.60."
    )
    assert sentence([]) == ""


def test_the_picture_of_the_readme_is_the_last_full_run(repository):
    cells = COMPARISON.read_text(repository / "reports/summary/comparison.csv")
    picture = (repository / "docs/images/agreement.svg").read_text(encoding="utf-8")
    cells = cells[cells["verdict"] != ""]
    assert marks(picture) == Counter(cells["verdict"])
