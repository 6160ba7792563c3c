"""Figures: every row of the registry can be made, its files, and what the drawings share."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from toplabel.reproduction.compare.cells import KEPT, compared, read_cells, write_cells
from toplabel.reproduction.compare.verdicts import VERDICTS
from toplabel.reproduction.report.figures import charts, registry, tpami
from toplabel.reproduction.report.figures.curves import selection_curve
from toplabel.reproduction.report.figures.drawing import (
    PALETTE,
    design_of,
    house_style,
    make_figure,
    mathtext,
    series_look,
)
from toplabel.reproduction.report.figures.registry import FIGURES, FigureTask, row_of
from toplabel.reproduction.selection.choice import GridValues, choose
from toplabel.reproduction.selection.models import Model

ROOT = Path(__file__).parents[2]
METHODS = {"svm_multi": "SVM^{Multi}", "svm_multi_smooth": "SVM^{Multi}_{1}"}


def circle() -> pd.DataFrame:
    points = pd.DataFrame({"what": "point", "angle": np.linspace(0, 6, 30)})
    frames = [points.assign(**{"class": (np.arange(30) % 3 + 1).astype(str)})]
    angle = np.arange(90) / 90 * 2 * np.pi
    first = (angle // 2.1).astype(int) + 1
    for method, label in METHODS.items():
        ranks = {"rank1": first.astype(str), "rank2": (first % 3 + 1).astype(str)}
        words = {"what": "prediction", "method": method, "label": label, "k": 1}
        frames.append(pd.DataFrame({"angle": angle} | ranks | words))
    return pd.concat(frames, ignore_index=True)


def selection() -> pd.DataFrame:
    C = 10.0 ** np.arange(-3, 3)
    frames = [
        pd.DataFrame({"label": label, "metric": "top1", "C": C, "chosen": np.arange(6) == 2})
        for label in METHODS.values()
    ]
    frame = pd.concat(frames, ignore_index=True).assign(value=np.linspace(40.0, 99.0, 12))
    return pd.concat([frame.assign(split="f0"), frame.assign(split="f1")])


def learning() -> pd.DataFrame:
    points = {"size": [0.1, 1.0], "rows": [10.0, 100.0], "value": [80.0, 90.0], "std": [1.0, 2.0]}
    frames = [pd.DataFrame(points).assign(label=label) for label in METHODS.values()]
    return pd.concat(frames, ignore_index=True).assign(metric="top1")


def times(series: str, column: str) -> pd.DataFrame:
    values = {"seconds": [0.0, 0.1, 1.0, 0.1, 0.5], column: [1.0, 0.1, 0.0, 1.0, 1e-3]}
    return pd.DataFrame({series: ["A", "A", "A", "B", "B"], "top1": 50.0} | values)


def projections() -> pd.DataFrame:
    rows = [("simplex", "variable fixing", 10, 1.0), ("bipartite simplex", "sorting", 10, 2.0)]
    return pd.DataFrame(rows, columns=["projection", "algorithm", "dimension", "seconds"])


def set_sizes() -> pd.DataFrame:
    levels = pd.DataFrame(
        [
            ("size", 2.0, 2.0, 80.0, 78.0),
            ("size", 5.0, 4.9, 94.0, 90.0),
            ("coverage", 0.9, 3, 90, np.nan),
        ],
        columns=["goal", "level", "size", "coverage", "fixed_coverage"],
    )
    frames = [
        levels.assign(label=label, draw=draw) for label in METHODS.values() for draw in (0, 1)
    ]
    return pd.concat(frames, ignore_index=True)


#: A small frame for each figure that is drawn from results.
FRAMES = {
    "tpami.CIRCLE": circle(),
    "curves.SELECTION": selection(),
    "curves.LEARNING": learning(),
    "tpami.PROJECTIONS": projections(),
    "tpami.CONVERGENCE": times("label", "relative_gap"),
    "tpami.SOFTMAX": times("solver", "excess"),
    "curves.SET_SIZES": set_sizes(),
}


def give_numbers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let a design draw its small frame."""
    module, design = name.split(".")
    given = replace(design_of(name), numbers=lambda source: FRAMES[name])
    monkeypatch.setattr(f"toplabel.reproduction.report.figures.{module}.{design}", given)


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row.design)
def test_a_figure_is_three_files_and_the_same_bytes_again(tmp_path, monkeypatch, row) -> None:
    if row.design in FRAMES:
        give_numbers(monkeypatch, row.design)
    name = row.of("letter")
    task = FigureTask(name, row.design, row.source, title="Letter")
    for folder in ("a", "b"):
        make_figure(task, [], tmp_path / folder / f"{name}.svg")
    for suffix in ("svg", "csv", "json"):
        one = (tmp_path / "a" / f"{name}.{suffix}").read_bytes()
        assert one == (tmp_path / "b" / f"{name}.{suffix}").read_bytes()
    svg = ET.parse(tmp_path / "a" / f"{name}.svg").getroot()
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert not svg.findall(".//{http://www.w3.org/2000/svg}text")  # outlines, not fonts
    assert len(pd.read_csv(tmp_path / "a" / f"{name}.csv")) > 1
    words = json.loads((tmp_path / "a" / f"{name}.json").read_text(encoding="utf-8"))
    assert words["name"] == name
    assert words["title"]
    assert words["caption"]
    assert len(words["alt"]) > 80
    assert 0 < words["share"] <= 1
    assert "{" not in words["title"] + words["alt"]


def test_a_measured_figure_tells_the_conditions(tmp_path, monkeypatch) -> None:
    give_numbers(monkeypatch, "tpami.SOFTMAX")
    about = tmp_path / "timing" / "softmax.json"
    about.parent.mkdir()
    about.write_text('{"what": "Letter.", "sentence": "Measured here."}', encoding="utf-8")
    name = "tpami2017_figure03d"
    make_figure(FigureTask(name, "tpami.SOFTMAX"), [about], tmp_path / f"{name}.svg")
    words = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert words["caption"].endswith("Letter. Measured here.")


def test_the_recipe_for_a_figure_is_true(tmp_path, monkeypatch) -> None:
    text = (ROOT / "docs/extend.md").read_text(encoding="utf-8").partition("## Add a figure")[2]
    blocks = re.findall(r"(?:^    .*\n|^\n(?=\n?    ))+", text, re.MULTILINE)
    row, module = blocks[0], ModuleType("toplabel.reproduction.report.figures.epochs")
    exec(dedent(blocks[1]), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    added = eval(dedent(row), vars(registry))
    cells = ROOT / "reports/summary/cells.csv"
    measured = read_cells(cells).assign(run="measured", epochs=7.0)
    write_cells(measured, tmp_path / "cells.csv")
    task = FigureTask(added.name, added.design)
    make_figure(task, [tmp_path / "cells.csv"], tmp_path / "epochs.svg")
    assert set(pd.read_csv(tmp_path / "epochs.csv")["epochs"]) == {7.0}


def test_the_row_of_a_figure_is_found_by_its_name() -> None:
    assert row_of("selection_letter").dataset_of("selection_letter") == "letter"
    assert row_of("tpami2017_figure04").dataset_of("tpami2017_figure04") == "circle"
    assert row_of("tpami2017_figure02").dataset_of("tpami2017_figure02") == ""
    assert row_of("of_another_program") is None


def test_the_style_stays_inside() -> None:
    before = mpl.rcParams.copy()
    with house_style():
        assert mpl.rcParams["svg.hashsalt"] == "toplabel"
    assert {**mpl.rcParams, "backend": ""} == {**before, "backend": ""}


def test_series_stay_apart_beyond_the_palette() -> None:
    given = [series_look(i) | {"color": i % len(PALETTE)} for i in range(28)]
    looks = {tuple(look.values()) for look in given}
    assert len(looks) == 28


@pytest.mark.parametrize(
    "label",
    ["SVM^{Multi}_{1}", "top-5 SVM^{α}", "100% $x$", "a_{b c}^{d}", "W_{++, 0/256}", "^{\\bad$}"],
)
def test_labels_can_be_drawn(label: str) -> None:
    with house_style():
        figure = Figure()
        figure.text(0, 0, mathtext(label))
        figure.canvas.draw()


# ---- the circle ----------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("123"), min_size=1, max_size=40))
def test_arcs_cover_the_circle(classes: list[str]) -> None:
    found = tpami.arcs(np.array(classes))
    assert sum(end - start for start, end, _ in found) == pytest.approx(360.0)
    for (_, end, one), (start, _, other) in pairwise(found):
        assert end == start
        assert one != other
    for i, one in enumerate(classes):
        at = 360.0 * i / len(classes)
        assert [c for a, b, c in found if a <= at <= b or a <= at + 360.0 <= b] == [one]


def test_predictions_are_the_classes_of_the_highest_scores() -> None:
    nothing = dict.fromkeys(("C", "theta", "k", "primal", "dual", "relative_gap"), 0.0)
    nothing |= {"epochs": 1, "status": "", "seconds": 0.0, "gradient_norm": 0.0}
    W = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
    found = tpami.predictions(Model("main", W=W, **nothing), np.array(["a", "b", "c"]))
    quarter = found.iloc[:: len(found) // 4]  # to the right, up, left, down
    assert quarter["rank1"].tolist() == ["a", "b", "c", "c"]
    assert found["rank2"].iloc[1] == "b"


# ---- selection -----------------------------------------------------------------------------------


def test_selection_curves_take_the_best_over_theta_and_the_threshold() -> None:
    value = np.array([[[[1.0], [3.0]], [[np.nan], [2.0]]]])
    axes = {"C": np.array([0.1, 1.0]), "threshold": np.array([0.0, 0.5])}
    tables = dict.fromkeys(("relative_gap", "epochs", "seconds"), np.zeros((1, 2)))
    for metric, values, chosen in (
        ("f1_micro", [3.0, 2.0], [True, False]),
        ("rank_loss", [1.0, 2.0], [True, False]),
    ):
        tuned = GridValues("main", "all", np.array([metric]), value, **tables, **axes)
        curve = selection_curve([tuned], choose([tuned]))
        assert curve["metric"].unique().tolist() == [metric]
        assert curve["value"].tolist() == values
        assert curve["chosen"].tolist() == chosen


# ---- charts of the report itself -----------------------------------------------------------------

POINTS = pd.DataFrame(
    [
        ("A, Table 1", 0.1, "match"),
        ("A, Table 1", -4.0, "off"),
        ("A, Table 2", 0.1, "match"),
        ("A, Table 2", 12.0, "higher"),
    ],
    columns=["table", "points", "verdict"],
)


def marks(text: str) -> Counter:
    """Return how many marks of each verdict a drawing has."""
    tree = ET.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    groups = [group for group in tree.iter("g") if group.get("id") in VERDICTS]
    return Counter({group.get("id"): len(list(group.iter("use"))) for group in groups})


def test_each_cell_is_a_mark_of_the_agreement_chart() -> None:
    drawn = charts.draw_agreement(POINTS)
    assert marks(drawn) == Counter(POINTS["verdict"])
    assert charts.draw_agreement(POINTS) == drawn


def test_the_best_of_a_set_is_at_the_top_of_the_figure_of_seconds() -> None:
    rows = [("fast", 1.0, 2.0), ("slow", 100.0, 0.0), ("fast", 10.0, 1.0), ("slow", 0.0, 4.0)]
    scores = pd.DataFrame(rows, columns=["label", "seconds", "behind"])
    tree = ET.fromstring(charts.draw_seconds(scores, "points"))
    places = []
    for i in range(2):
        (group,) = [group for group in tree.iter() if group.get("id") == f"method-{i}"]
        uses = [part for part in group.iter() if part.tag.endswith("use")]
        places += [(float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in uses]
    by_method = scores.sort_values("label", kind="stable")
    across, down = zip(*places, strict=True)
    assert [*np.argsort(across)] == [*np.argsort(by_method["seconds"])]
    assert [*np.argsort(down)] == [*np.argsort(by_method["behind"])]


def test_the_picture_of_the_readme_is_the_last_whole_run() -> None:
    cells = compared(read_cells(ROOT / "reports/summary/cells.csv"), KEPT)
    points = charts.points_of(cells)
    assert len(points) == len(cells[cells["verdict"] != ""])
    picture = (ROOT / "docs/images/agreement.svg").read_text(encoding="utf-8")
    assert marks(picture) == Counter(points["verdict"])
