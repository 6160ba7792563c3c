"""The graph of the workflow's stages."""

import re
import xml.etree.ElementTree as ET

import pytest

from toplabel.reproduction.reporting.provenance import stages
from toplabel.reproduction.reporting.stages_chart import _GRAPH, draw

MAIN = ("prepare", "tune", "train", "evaluate")
ALL = tuple(name for name in _GRAPH if name not in ("fetch", "compare", "report"))


def drawn(names):
    job = {"jobs": 1234, "hours": 1.5, "longest_seconds": 3, "peak_mb": 4}
    text = draw(stages({"jobs": [job | {"stage": name} for name in names]}))
    return ET.fromstring(str(text)) if text else None


def test_every_stage_that_is_measured_has_a_place(repository):
    rules = "".join(path.read_text() for path in (repository / "workflow/rules").glob("*.smk"))
    measured = set(re.findall(r"results/benchmarks/(\w+)[/.]", rules))
    assert len(measured) > 5
    assert measured == set(ALL)


@pytest.mark.parametrize("names", [MAIN, ALL])
def test_a_stage_stands_below_those_that_it_needs_and_no_two_at_one_place(names):
    tree = drawn(names)
    labels = [text.text for text in tree.iter("text") if text.get("class") == "name"]
    places = [(float(box.get("x")), float(box.get("y"))) for box in tree.iter("rect")]
    assert len(set(places)) == len(places) == len(names) + 3
    height = {label.replace("-", "_"): y for label, (_, y) in zip(labels, places, strict=True)}
    pairs = [(one, name) for name in height for one in _GRAPH[name][1] if one in height]
    assert all(height[before] < height[name] for before, name in pairs)
    edges = [path for path in tree.iter("path") if path.get("class") == "edge"]
    assert len(edges) == len(pairs)


def test_a_box_says_what_its_jobs_took():
    said = [text.text for text in drawn(["tune"]).iter("text")]
    assert "1\u202f234 jobs, 1.5 h" in said
    assert drawn([]) is None
