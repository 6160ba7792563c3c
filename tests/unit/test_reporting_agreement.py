"""The agreement chart, and the drawings of the claims."""

import re
import xml.etree.ElementTree as ET
from collections import Counter

import pandas as pd
import pytest

from toplabel.reproduction.report import claims_chart
from toplabel.reproduction.report.agreement import draw, sentence
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.tables.collected import COMPARISON

POINTS = pd.DataFrame(
    [
        ("A, Table 1", 0.1, "match", False, False),
        ("A, Table 1", -4.0, "off", False, True),
        ("A, Table 2", 0.1, "match", False, False),
        ("A, Table 2", 12.0, "higher", False, False),
        ("A, Table 2", 0.3, "match", True, False),
    ],
    columns=["table", "points", "verdict", "loss", "stopped"],
)


def marks(text):
    """How many marks of each verdict a drawing has."""
    tree = ET.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    found = Counter()
    for group in tree.iter("g"):
        verdict = (group.get("id") or "").partition("-")[0]
        found[verdict] += len(list(group.iter("use"))) if verdict in VERDICTS else 0
    return +found


def test_each_cell_is_a_mark_and_the_bytes_are_the_same_again():
    drawn = draw(POINTS)
    assert marks(drawn) == Counter(POINTS["verdict"])
    assert draw(POINTS) == drawn
    assert draw(POINTS.assign(stopped=False)).count("<use") < drawn.count("<use")


def test_the_sentence_counts_percentages_alone():
    assert sentence(POINTS) == (
        "Half of the 4 percentages lie within 2.05 points of the printed ones, nine tenths within 9.60."
    )
    assert sentence(POINTS.iloc[:0]) == ""


def test_the_picture_of_the_readme_is_the_last_full_run(repository):
    cells = COMPARISON.read_text(repository / "reports/summary/comparison.csv")
    picture = (repository / "docs/images/agreement.svg").read_text(encoding="utf-8")
    cells = cells[cells["verdict"] != ""]
    assert marks(picture) == Counter(cells["verdict"])


def test_the_axis_of_the_claims_is_symmetric_and_keeps_the_order():
    values = (-20.0, -0.5, -0.05, 0.0, 0.05, 0.5, 20.0)
    found = [
        {"anchor": str(i), "drawn": [{"key": "same", "low": v, "median": v, "high": v}]}
        for i, v in enumerate(values)
    ]
    places = [float(re.search('cx="(.*?)"', svg)[1]) for svg in claims_chart.draw(found).values()]
    assert places == sorted(places)
    for left, right in zip(places, reversed(places), strict=True):
        assert left + right == pytest.approx(claims_chart.WIDTH, abs=0.2)
    assert claims_chart.draw([{"anchor": "none", "drawn": []}]) == {}
