"""Numbers of the figures that need no training, and how they are drawn."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import drawn_twice
from scipy.special import wrightomega

from toplabel import losses, prox
from toplabel import simplex as simplex_package
from toplabel.reproduction.illustrations.lambert import lambert_curves
from toplabel.reproduction.illustrations.one_dimension import CURVES, ERROR, RIVALS, loss_curves
from toplabel.reproduction.illustrations.simplex_coding import decoding_regions, loss_levels
from toplabel.reproduction.illustrations.topk_simplices import (
    faces,
    half_spaces,
    topk_simplices,
    vertices,
)
from toplabel.reproduction.report.mathematics import (
    draw_decoding,
    draw_lambert,
    draw_levels,
    draw_losses,
    draw_simplices,
)

ROOT = Path(__file__).parents[2]
DRAWINGS = {
    "tpami2017_figure02": (draw_lambert, lambda: lambert_curves(41)),
    "nips2015_figure02": (draw_simplices, topk_simplices),
    "losses_1d": (partial(draw_losses, caption="C"), lambda: loss_curves(31)),
    "nips2012_figure01": (draw_decoding, decoding_regions),
    "nips2012_figure02": (draw_levels, lambda: loss_levels(21)),
}


# ---- V(t) ---------------------------------------------------------------------------------------


def test_the_curves_of_v_are_those_of_wrights_omega():
    frame = lambert_curves()
    v = frame[frame["curve"] == "V"]
    np.testing.assert_allclose(v["value"], wrightomega(v["t"]), rtol=1e-13)
    assert v.groupby("panel")["t"].agg(["min", "max"]).to_numpy().tolist() == [[0, 10], [-10, 0]]


def test_the_approximations_hold_at_the_ends():
    frame = lambert_curves()
    at = {
        (row.panel, row.curve): row.value
        for row in frame[frame["t"].abs() == 10].itertuples(index=False)
    }
    assert at["log", "exp"] == pytest.approx(at["log", "V"], rel=1e-4)
    assert at["linear", "t - log t"] == pytest.approx(at["linear", "V"], rel=0.05)
    assert (frame.loc[frame["curve"] == "t - log t", "t"] >= 1).all()


# ---- the top-k simplices ------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3])
def test_alpha_has_the_vertices_that_the_paper_counts(k):
    found = vertices("alpha", k)
    assert len(found) == math.comb(3, k) + 1  # NIPS 2015, Fig. 2
    sums = sorted(found.sum(axis=1).round(9))
    assert sums == [0.0] + [1.0] * math.comb(3, k)
    for x in found[found.sum(axis=1) > 0.5]:
        assert sorted(x.round(9)) == pytest.approx([0.0] * (3 - k) + [1 / k] * k)


def test_the_numbers_of_vertices_and_faces():
    count = {(kind, k): len(vertices(kind, k)) for kind in ("alpha", "beta") for k in (1, 2, 3)}
    assert [count["beta", k] for k in (1, 2, 3)] == [4, 7, 8]  # simplex, cut cube, cube
    sides = {(kind, k): len(faces(kind, k)) for kind, k in count}
    assert [sides["alpha", k] for k in (1, 2, 3)] == [4, 4, 1]
    assert [sides["beta", k] for k in (1, 2, 3)] == [4, 7, 6]


@pytest.mark.parametrize("kind", ["alpha", "beta"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_polytopes_are_the_sets_that_the_library_projects_onto(kind, k):
    project = {"alpha": prox.topk_simplex_alpha, "beta": prox.topk_simplex_beta}[kind]
    corners = vertices(kind, k)
    np.testing.assert_allclose(project(corners, k=k), corners, atol=1e-12)
    rng = np.random.default_rng(0)
    _, A, b = half_spaces(kind, k)
    inside = project(rng.normal(size=(200, 3)), k=k)
    assert (inside @ A.T <= b + 1e-12).all()
    for direction in rng.normal(size=(50, 3)):  # no point of the set lies beyond the vertices
        assert (inside @ direction).max() <= (corners @ direction).max() + 1e-10


def test_faces_are_flat_convex_and_tight():
    for kind in ("alpha", "beta"):
        for k in (1, 2, 3):
            names, A, b = half_spaces(kind, k)
            for bound, corners in faces(kind, k):
                row = names.index(bound)
                np.testing.assert_allclose(corners @ A[row], b[row], atol=1e-12)
                if len(corners) < 3:
                    continue
                edges = np.roll(corners, -1, axis=0) - corners
                turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ A[row]
                assert (turns > 0).all() or (turns < 0).all()


@pytest.mark.parametrize(("kind", "k"), [("gamma", 1), ("alpha", 0), ("beta", 4)])
def test_other_sets_are_refused(kind, k):
    with pytest.raises(ValueError, match=r"^(kind|k) must be"):
        vertices(kind, k)


# ---- the simplex coding --------------------------------------------------------------------------


def test_points_of_a_region_decode_to_its_class():
    frame = decoding_regions()
    for one, part in frame[frame["what"] == "region"].groupby("class"):
        corners = part.sort_values("corner")[["f1", "f2"]].to_numpy()
        inside = np.random.default_rng(0).dirichlet(np.ones(len(corners)), 50) @ corners
        assert (simplex_package.decode(inside) + 1 == one).all()
        on_the_border = simplex_package.scores(corners[1:2])[0]
        assert np.sort(on_the_border)[-2] == pytest.approx(on_the_border.max())


def test_the_level_sets_are_those_of_the_losses():
    frame = loss_levels(21)
    assert len(frame) == 3 * 21**2
    for loss, part in frame.groupby("loss"):
        points, y = part[["f1", "f2"]].to_numpy(), np.zeros(len(part), dtype=int)
        assert (part["value"] == simplex_package.value(loss, points, y)).all()


# ---- losses in one dimension --------------------------------------------------------------------


def test_the_binary_losses_are_the_textbooks():
    frame = loss_curves(51)
    curve = {name: part for name, part in frame.groupby("curve")}
    x = curve["SVM^{OVA}"]["x"].to_numpy()
    np.testing.assert_allclose(curve["SVM^{OVA}"]["value"], np.maximum(0, 1 - x), atol=1e-12)
    np.testing.assert_allclose(curve["LR^{OVA}"]["value"], np.log1p(np.exp(-x)), atol=1e-12)
    smooth = np.where(x < 0, 0.5 - x, np.where(x < 1, (x - 1) ** 2 / 2, 0))  # TPAMI Eq. (23)
    np.testing.assert_allclose(curve["SVM^{OVA}_{1}"]["value"], smooth, atol=1e-12)


def test_between_the_two_best_rivals_the_truncated_entropy_alone_is_small():
    frame = loss_curves()
    between = frame[(frame["x"] > RIVALS[1] + 2.2) & (frame["x"] < RIVALS[0])]
    largest = between[between["panel"] == "entropies"].groupby("curve")["value"].max()
    assert largest[ERROR] == 0
    assert largest["top-2 Ent_{tr}"] < 0.25
    assert largest["LR^{Multi}"] > 0.7
    assert largest["top-2 Ent"] > largest["top-2 Ent_{tr}"]


def test_curves_fall_and_smoothing_goes_below():
    frame = loss_curves()
    for (panel, curve), part in frame.groupby(["panel", "curve"]):
        assert (np.diff(part["value"]) <= 1e-12).all(), (panel, curve)
    for panel, curves in CURVES.items():
        for key, k, gamma in curves:
            if not gamma:
                continue
            loss = losses.get(key)
            assert loss.smoothing
            assert (key, k, 0.0) in curves
            label, plain = loss.name(k, gamma), loss.name(k)
            values = {c: frame.loc[(frame.panel == panel) & (frame.curve == c), "value"].to_numpy()
                      for c in (label, plain)}  # fmt: skip
            below = values[plain] - values[label]
            assert (below >= -1e-12).all()
            assert (below <= gamma / 2 + 1e-12).all()


# ---- figures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_is_three_files_and_the_same_bytes_again(tmp_path: Path, name: str) -> None:
    draw, numbers = DRAWINGS[name]
    words = drawn_twice(draw, numbers(), tmp_path, name)
    assert (ROOT / words["script"]).is_file()
    assert len(words["alt"]) > 100
    drawn = pd.read_csv(tmp_path / "a" / f"{name}.csv")
    assert len(drawn) == len(numbers())
