"""The figures: three files each, the same bytes each time; arcs that cover the circle."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.reproduction import figures
from toplabel.reproduction.report import style
from toplabel.reproduction.report.circle import arcs, draw_circle
from toplabel.reproduction.report.curves import _panels, draw_gaps, draw_selection
from toplabel.reproduction.report.drawing import (
    legend,
    mathtext,
    panel_grid,
    percent_axis,
    write_figure,
)
from toplabel.reproduction.report.pages import RESERVED
from toplabel.reproduction.report.topk import draw_ranks, draw_topk

ROOT = Path(__file__).parents[2]


def points() -> pd.DataFrame:
    angle = np.linspace(0, 6, 30)
    return pd.DataFrame({"angle": angle, "label": np.arange(30) % 3 + 1})


def rings() -> pd.DataFrame:
    angle = np.arange(90) / 90 * 2 * math.pi
    first = (angle // 2.1).astype(int) + 1
    frames = [
        pd.DataFrame(
            {
                "method": m,
                "label": label,
                "k": 1,
                "angle": angle,
                "rank1": first,
                "rank2": first % 3 + 1,
            }
        )
        for m, label in (("svm_multi", "SVM^{Multi}"), ("svm_multi_smooth", "SVM^{Multi}_{1}"))
    ]
    return pd.concat(frames, ignore_index=True)


def curves() -> pd.DataFrame:
    C = 10.0 ** np.arange(-3, 3)
    frames = [
        pd.DataFrame(
            {
                "dataset": "letter",
                "title": "Letter",
                "method": method,
                "label": method,
                "metric": metric,
                "C": C,
                "value": 70 - (np.log10(C) - shift) ** 2,
                "chosen": np.arange(6) == 2,
            }
        )
        for shift, method in enumerate(("svm_multi", "lr_multi"))
        for metric in ("top1", "rank_loss")
    ]
    return pd.concat(frames, ignore_index=True)


def gaps(largest: float = 5e-4) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "dataset": ["letter", "yeast", "letter", "yeast"],
            "method": ["a", "a", "b", "b"],
            "label": ["A", "A", "B^{x}", "B^{x}"],
            "relative_gap": [1e-5, 0.0, 2e-4, largest],
        }
    )


def accuracies() -> pd.DataFrame:
    frames = [
        pd.DataFrame(
            {
                "dataset": "letter",
                "title": "Letter",
                "group": group,
                "method": method,
                "label": f"{method}^{{x}}",
                "k": np.arange(1, 6),
                "value": 70.0 + start + 5.0 * np.arange(5),
                "std": std,
                "published": 71.0 + start if method == "svm" else np.nan,
                "printed_in": "A, Table 1" if method == "svm" else np.nan,
            }
        )
        for start, (method, group, std) in enumerate(
            [("lr_multi", "one", np.nan), ("svm", "two", 0.5), ("topk", "two", np.nan)]
        )
    ]
    return pd.concat(frames, ignore_index=True)


def ranks() -> pd.DataFrame:
    frame = pd.DataFrame(
        {"method": list("abc"), "label": list("ABC"), "mean_rank": [1.2, 1.9, 2.9]}
    )
    both = [frame.assign(metric=metric) for metric in ("top1", "top5")]
    tests = {"sets": "letter; usps; digits", "friedman_p": 0.03, "critical_difference": 1.5}
    return pd.concat(both, ignore_index=True).assign(**tests)


DRAWINGS = {
    "topk_letter": lambda out: draw_topk(accuracies(), out),
    "mean_ranks": lambda out: draw_ranks(ranks(), out),
    "tpami2017_figure04": lambda out: draw_circle(points(), rings(), out),
    "selection_letter": lambda out: draw_selection(curves(), out),
    "gaps": lambda out: draw_gaps(gaps(), 1e-3, out, caption="C"),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_three_files(tmp_path: Path, name: str) -> None:
    out = tmp_path / f"{name}.svg"
    DRAWINGS[name](out)
    names = [f"{name}.{suffix}" for suffix in ("csv", "json", "svg")]
    written = sorted([*names, *(f"{one}.sha256" for one in names)])
    assert sorted(p.name for p in tmp_path.iterdir()) == written
    root = ET.parse(out).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not root.findall(".//{http://www.w3.org/2000/svg}text")  # outlines, not fonts
    words = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
    assert words["name"] == name
    assert words["title"]
    assert words["caption"]
    assert len(words["alt"]) > 60
    assert len(pd.read_csv(tmp_path / f"{name}.csv")) > 3


@pytest.mark.parametrize("name", DRAWINGS)
def test_same_bytes(tmp_path: Path, name: str) -> None:
    for folder in ("a", "b"):
        DRAWINGS[name](tmp_path / folder / f"{name}.svg")
    for suffix in ("svg", "csv", "json"):
        one = (tmp_path / "a" / f"{name}.{suffix}").read_bytes()
        assert one == (tmp_path / "b" / f"{name}.{suffix}").read_bytes()


@pytest.mark.parametrize("panels", [1, 2, 3])
def test_a_legend_fits_the_width(panels: int) -> None:
    labels = [f"top-{k} SVM^{{α}}_{{1}} (RBF)" for k in range(1, 15)]
    with style.house_style():
        figure, _ = panel_grid(panels, across=3, height=2.0)
        heights = []
        for n in (4, 14):
            legend(figure, [Line2D([], [], label=mathtext(label)) for label in labels[:n]])
            heights.append(figure.get_figheight())
            box = figure.legends[-1].get_window_extent(FigureCanvasAgg(figure).get_renderer())
            assert box.x0 >= 0
            assert box.x1 <= figure.bbox.width
        assert heights[0] < heights[1]


def test_circle_data_holds_points_and_rings(tmp_path: Path) -> None:
    draw_circle(points(), rings(), tmp_path / "tpami2017_figure04.svg")
    data = pd.read_csv(tmp_path / "tpami2017_figure04.csv")
    assert data["what"].value_counts().to_dict() == {"prediction": 180, "point": 30}
    words = json.loads((tmp_path / "tpami2017_figure04.json").read_text(encoding="utf-8"))
    assert words["source"] == "TPAMI 2017, Fig. 4"
    assert words["script"] == "workflow/scripts/draw_circle.py"
    assert "SVM Multi 1: first class 1 on" in words["alt"]


def test_gaps_above_the_tolerance_are_named(tmp_path: Path) -> None:
    draw_gaps(gaps(largest=5e-3), 1e-3, tmp_path / "gaps.svg", caption="C")
    words = json.loads((tmp_path / "gaps.json").read_text(encoding="utf-8"))
    assert "Above the tolerance: B x." in words["alt"]


@pytest.mark.parametrize("missing", ["title", "alt"])
def test_a_figure_needs_words(tmp_path: Path, missing: str) -> None:
    words = {"title": "T", "caption": "", "alt": "A"} | {missing: " "}
    with pytest.raises(ValueError, match=f"^{missing}: a figure needs one"):
        write_figure(Figure(), points(), tmp_path / "f.svg", **words)
    assert list(tmp_path.iterdir()) == []


def test_the_style_stays_inside() -> None:
    before = mpl.rcParams.copy()
    with style.house_style():
        assert mpl.rcParams["svg.hashsalt"] == "toplabel"
    assert {k: v for k, v in mpl.rcParams.items() if k != "backend"} == {
        k: v for k, v in before.items() if k != "backend"
    }


def test_series_stay_apart_beyond_the_palette() -> None:
    looks = {(style.colour(i), style.line(i)) for i in range(20)}
    assert len(looks) == 20


@pytest.mark.parametrize(
    "label",
    ["SVM^{Multi}_{1}", "top-5 SVM^{α}", "100% $x$", "a_{b c}^{d}", "W_{++, 0/256}", "^{\\bad$}"],
)
def test_labels_can_be_drawn(label: str) -> None:
    with style.house_style():
        figure = Figure()
        figure.text(0, 0, mathtext(label))
        figure.canvas.draw()


@given(
    st.lists(
        st.tuples(st.floats(-20, 20), st.integers(0, 3)),
        min_size=1,
        max_size=40,
        unique_by=lambda p: p[0],
    )
)
def test_arcs_cover_the_circle(samples: list[tuple[float, int]]) -> None:
    angles = np.array([angle for angle, _ in samples])
    classes = np.array([one for _, one in samples])
    found = arcs(angles, classes)
    assert sum(end - start for start, end, _ in found) == pytest.approx(2 * math.pi)
    for (_, end, _), (start, _, _) in pairwise(found):
        assert end == start
    if len(found) > 1:
        owners = [one for _, _, one in found]
        assert all(a != b for a, b in zip(owners, owners[1:] + owners[:1], strict=True))


def test_each_angle_lies_in_an_arc_of_its_class() -> None:
    part = rings().iloc[:90]
    found = arcs(part["angle"].to_numpy(), part["rank1"].to_numpy())
    assert len(found) == part["rank1"].nunique()
    for angle, one in zip(part["angle"], part["rank1"], strict=True):
        inside = [o for s, e, o in found if s <= angle <= e or s <= angle + 2 * math.pi <= e]
        assert inside == [one]


def test_the_words_of_the_top_k_figures_name_what_matters(tmp_path: Path) -> None:
    draw_topk(accuracies(), tmp_path / "topk_letter.svg")
    alt = json.loads((tmp_path / "topk_letter.json").read_text(encoding="utf-8"))["alt"]
    assert "on Letter, 2 panels with 3 methods" in alt
    assert "Best at k = 1: topk x, 72.0 %." in alt or "Best at k = 1: topk^x, 72.0 %." in alt
    draw_ranks(ranks(), tmp_path / "mean_ranks.svg")
    words = json.loads((tmp_path / "mean_ranks.json").read_text(encoding="utf-8"))
    assert "best A 1.2, B 1.9, C 2.9; last C 2.9; 2 of 3 methods within" in words["alt"]
    assert "letter; usps; digits" in words["caption"]
    assert "p = 0.03, critical difference 1.5" in words["caption"]


def test_printed_values_are_hollow_marks_with_their_table(tmp_path: Path) -> None:
    draw_topk(accuracies(), tmp_path / "topk_letter.svg")
    caption = json.loads((tmp_path / "topk_letter.json").read_text(encoding="utf-8"))["caption"]
    assert caption.endswith("Hollow marks: as printed in A, Table 1.")
    draw_topk(accuracies().assign(published=np.nan, printed_in=np.nan), tmp_path / "topk_x.svg")
    assert "Hollow" not in (tmp_path / "topk_x.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("low", "high"), [(40.0, 99.7), (10.0, 100.0), (97.0, 97.0), (-5.0, 30.0)])
@pytest.mark.parametrize("apart", [0.08, 0.17])
def test_an_axis_of_percentages_holds_all_and_its_ticks_are_apart(low, high, apart) -> None:
    with style.house_style():
        ax = Figure().subplots()
        percent_axis(ax, low, high, apart)
        bottom, top = ax.get_ylim()
        assert bottom < low <= high < top
        at = [
            ax.transAxes.inverted().transform(ax.transData.transform((0, y)))[1]
            for y in ax.get_yticks()
        ]
        inside = [place for place in at if 0 <= place <= 1]
        assert len(inside) >= 1
        assert np.diff(inside).min(initial=1.0) >= apart - 1e-9


def test_the_panels_of_selection_share_a_scale(tmp_path: Path) -> None:
    _, (axes, losses) = _panels(7, 2)
    assert [len(axes), len(losses)] == [7, 7]
    axes[0].set_ylim(0, 50)
    assert axes[6].get_ylim() == (0, 50)
    assert losses[6].get_ylim() != (0, 50)
    # Numbers stand below the last panel of each column, and left of the first of each row.
    below = [ax.xaxis.get_tick_params()["labelbottom"] for ax in axes]
    assert below == [False, False, True, True, True, True, True]
    assert [ax.yaxis.get_tick_params()["labelleft"] for ax in axes[4:]] == [False, True, False]


def test_the_recipe_for_a_figure_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs/extend.md").read_text(encoding="utf-8").partition("## Add a figure")[2]
    row, rule, script, test = re.findall(r"(?:^    .*\n|^\n(?=\n?    ))+", text, re.MULTILINE)
    row = eval(dedent(row), vars(figures))
    assert f"rule {row.script}:" in rule
    assert all(
        f'"results/figures/{row.name}.{suffix}"' in rule for suffix in ("svg", "csv", "json")
    )
    monkeypatch.setattr(figures, "FIGURES", (*figures.FIGURES, row))
    namespace: dict[str, Any] = {}
    exec(compile(dedent(script), row.script, "exec"), namespace)
    # The test of the recipe, with the script above in place of the file that it loads.
    exec(dedent(test), recipe := {"pd": pd, "script": lambda name: SimpleNamespace(**namespace)})
    recipe["test_epochs"](tmp_path)
    frame = pd.DataFrame({"label": ["LR^{Multi}", "SVM^{Multi}"], "epochs": [12.0, 340.0]})
    namespace[row.script](frame, tmp_path / f"{row.name}.svg")
    words = json.loads((tmp_path / f"{row.name}.json").read_text(encoding="utf-8"))
    assert (words["title"], words["script"]) == (row.title, f"workflow/scripts/{row.script}.py")
    assert row.page in RESERVED
