"""The numbers of the figures that need neither data nor training."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import wrightomega

from toplabel import prox
from toplabel import simplex as simplex_package
from toplabel.reproduction.report.figures.drawing import Source
from toplabel.reproduction.report.figures.formulas import (
    DECODING,
    LAMBERT,
    LEVELS,
    faces,
    half_spaces,
    vertices,
)

NOTHING = Source(name="", design="")


def test_the_curves_of_v_are_those_of_wrights_omega_and_of_its_approximations() -> None:
    frame = LAMBERT.numbers(NOTHING)
    v = frame[frame["curve"] == "V"]
    np.testing.assert_allclose(v["value"], wrightomega(v["t"]), rtol=1e-13)
    at = {(row.panel, row.curve): row.value for row in frame[frame["t"].abs() == 10].itertuples()}
    assert at["log", "exp"] == pytest.approx(at["log", "V"], rel=1e-4)
    assert at["linear", "t - log t"] == pytest.approx(at["linear", "V"], rel=0.05)
    # Householder's iterations: each multiplies the number of right digits by five.
    errors = frame[frame["panel"] == "error"].pivot(index="t", columns="curve", values="value")
    assert (errors["two iterations"] <= np.maximum(50 * errors["one iteration"] ** 5, 1e-14)).all()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_alpha_has_the_vertices_that_the_paper_counts(k: int) -> None:
    found = vertices("alpha", k)
    assert len(found) == math.comb(3, k) + 1  # NIPS 2015, Fig. 2
    for x in found[found.sum(axis=1) > 0.5]:
        assert sorted(x) == pytest.approx([0.0] * (3 - k) + [1 / k] * k)


@pytest.mark.parametrize(
    ("kind", "k", "corners", "sides"),
    [
        *(("alpha", 1, 4, 4), ("alpha", 2, 4, 4), ("alpha", 3, 2, 1)),
        *(("beta", 1, 4, 4), ("beta", 2, 7, 7), ("beta", 3, 8, 6)),
    ],
)
def test_the_polytopes_are_the_sets_that_the_library_projects_onto(kind, k, corners, sides) -> None:
    project = {"alpha": prox.topk_simplex_alpha, "beta": prox.topk_simplex_beta}[kind]
    found = vertices(kind, k)
    assert (len(found), len(faces(kind, k))) == (corners, sides)
    np.testing.assert_allclose(project(found, k=k), found, atol=1e-12)
    rng = np.random.default_rng(0)
    _, A, b = half_spaces(kind, k)
    inside = project(rng.normal(size=(200, 3)), k=k)
    assert (inside @ A.T <= b + 1e-12).all()
    for direction in rng.normal(size=(50, 3)):  # no point of the set lies beyond the vertices
        assert (inside @ direction).max() <= (found @ direction).max() + 1e-10


def test_faces_are_flat_and_convex() -> None:
    for kind in ("alpha", "beta"):
        for k in (1, 2, 3):
            names, A, b = half_spaces(kind, k)
            for bound, corners in faces(kind, k):
                row = names.index(bound)
                np.testing.assert_allclose(corners @ A[row], b[row], atol=1e-12)
                if len(corners) > 2:
                    edges = np.roll(corners, -1, axis=0) - corners
                    turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ A[row]
                    assert (turns > 0).all() or (turns < 0).all()


def test_points_of_a_region_decode_to_its_class() -> None:
    frame = DECODING.numbers(NOTHING)
    for one, part in frame[frame["what"] == "region"].groupby("class"):
        corners = part[["f1", "f2"]].to_numpy()
        inside = np.random.default_rng(0).dirichlet(np.ones(len(corners)), 50) @ corners
        assert (simplex_package.decode(inside) + 1 == one).all()
        on_the_border = simplex_package.scores(corners[1:2])[0]
        assert np.sort(on_the_border)[-2] == pytest.approx(on_the_border.max())


def test_the_level_sets_are_those_of_the_losses() -> None:
    for loss, part in LEVELS.numbers(NOTHING).groupby("loss"):
        points, y = part[["f1", "f2"]].to_numpy(), np.zeros(len(part), dtype=int)
        assert (part["value"] == simplex_package.value(loss, points, y)).all()
