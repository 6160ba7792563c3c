"""The agreement chart, and its axis."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from toplabel.reproduction.reporting.agreement import (
    Lane,
    Point,
    draw,
    draw_narrow,
    lanes_of_cells,
    sentence,
)
from toplabel.reproduction.reporting.scales import Symlog
from toplabel.reproduction.tables.collected import COMPARISON

LANES = [
    Lane(
        "A, Table 1",
        [Point(0.1, "match"), Point(-4.0, "off", address="a.html#r2", hint="x < y")],
    ),
    Lane("A, Table 2", [Point(0.1, "match"), Point(12.0, "higher"), Point(0.3, "match", True)]),
]


def parsed(text):
    """A drawing as a tree without the namespace."""
    return ET.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def drawn(lanes, standalone):
    """The chart as a tree, and its marks."""
    tree = parsed(draw(lanes, standalone))
    return tree, [use for use in tree.iter("use") if float(use.get("y")) > 20]


def test_the_axis_is_symmetric_and_keeps_the_order():
    scale = Symlog(0.1, 20.0, 100.0, 900.0)
    assert (scale(-20.0), scale(0.0), scale(20.0)) == (100.0, 500.0, 900.0)
    values = (0.05, 0.1, 0.5, 1.5, 5.0)
    places = [scale(value) for value in values]
    assert places == sorted(places)
    for value, place in zip(values, places, strict=True):
        assert scale(-value) == pytest.approx(1000.0 - place)


def test_each_cell_is_a_mark_at_its_difference():
    _, marks = drawn(LANES, standalone=True)
    scale = Symlog(0.1, 12.0, 170, 945)
    found = sorted((use.get("href"), float(use.get("x"))) for use in marks)
    points = [point for lane in LANES for point in lane.points]
    assert found == sorted((f"#ag-{one.verdict}", scale(one.points)) for one in points)


def test_marks_lead_to_records_in_the_page_alone():
    tree, _ = drawn(LANES, standalone=False)
    (link,) = tree.iter("a")
    assert (link.get("href"), link.find("title").text) == ("a.html#r2", "x < y")
    assert tree.get("aria-hidden") == "true"
    assert link.get("tabindex") == "-1"
    assert not list(drawn(LANES, standalone=True)[0].iter("a"))


def test_on_a_phone_each_row_is_a_link_and_no_mark_is_lost():
    lanes = [replace(lane, address=f"a.html#{i}") for i, lane in enumerate(LANES)]
    tree = parsed(draw_narrow(lanes))
    links = list(tree.iter("a"))
    assert [link.get("href") for link in links] == ["a.html#0", "a.html#1"]
    for link, lane in zip(links, lanes, strict=True):
        dots = [path.get("d") for path in link.iter("path") if path.get("class") == "ag-dots"]
        matches = sum(point.verdict == "match" for point in lane.points)
        assert sum(text.count("M") for text in dots) == matches
        assert len(list(link.iter("use"))) == len(lane.points) - matches
        assert float(link.find("rect").get("height")) >= 44  # a finger's width


def test_the_sentence_counts_percentages_alone():
    assert sentence(LANES) == (
        "Half of the 4 percentages lie within 2.05 points of the printed ones, nine tenths within 9.60."
    )
    assert sentence([]) == ""


def test_the_picture_of_the_readme_is_the_last_full_run(repository):
    cells = COMPARISON.read_text(repository / "reports/summary/comparison.csv")
    picture = (repository / "docs/images/agreement.svg").read_text(encoding="utf-8")
    assert picture == draw(lanes_of_cells(cells), standalone=True)
    assert len(drawn(lanes_of_cells(cells), True)[1]) == len(cells)
