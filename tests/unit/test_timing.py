"""What is measured in times, and the table of them; not how long anything takes."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest

import toplabel
from toplabel.prox import bipartite_simplex, topk_simplex_alpha
from toplabel.reproduction import timing
from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.timing import projections, training


def _clusters(n: int):
    """Return rows of 5 features and 4 classes that overlap."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n) % 4)
    return 0.5 * rng.normal(size=(4, 5))[y] + 0.5 * rng.normal(size=(n, 5)), y


@pytest.fixture(scope="module")
def small() -> training.TimedSet:
    X, y = _clusters(240)
    return training.TimedSet(X[:200], y[:200], X[200:], y[200:], 4, 1.0, "Small")


# ---- projections ---------------------------------------------------------------------------------


def test_the_projections_timed_are_the_librarys() -> None:
    b = np.random.default_rng(0).normal(size=(3, 40))
    for k in (1, 5, 10):
        (found,) = projections.projection(f"top-{k} simplex", b, sorting=False)()
        np.testing.assert_allclose(found, topk_simplex_alpha(b, k=k, radius=10.0))
    expected = bipartite_simplex(b[:, :20], b[:, 20:], radius=10.0)
    for sorting in (False, True):
        found = projections.projection(projections.BIPARTITE, b, sorting)()
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_every_projection_is_timed_at_every_dimension() -> None:
    times = projections.scaling(quick=True)
    assert (times["seconds"] > 0).all()
    pairs = times.groupby(["projection", "algorithm"])["dimension"].apply(tuple)
    assert set(pairs) == {projections.DIMENSIONS[:2]}
    bipartite = times[times["projection"] == projections.BIPARTITE]
    assert set(bipartite["algorithm"]) == {"variable fixing", "sorting"}


def test_algorithms_that_disagree_are_an_error(monkeypatch) -> None:
    numbers = itertools.count()
    monkeypatch.setattr(projections, "projection", lambda *_: lambda: [next(numbers)])
    with pytest.raises(ArithmeticError, match="disagree"):
        projections.scaling(quick=True)


def test_table_2_has_ours_the_papers_and_their_ratios() -> None:
    names = ("variable fixing", "sorting")
    seconds = ((1000, 0.01, 0.05), (10_000, 0.1, 0.9))
    rows = [
        ("bipartite simplex", name, d, 1000, one)
        for d, *times in seconds
        for name, one in zip(names, times, strict=True)
    ]
    printed = pd.DataFrame(
        [(1000, 0.07, 0.02, 3.07), (10_000, 0.56, 0.15, 3.79), (10**7, 1364.94, 169.81, 8.04)],
        columns=["dimension", "sorting_based_s", "variable_fixing_s", "improvement"],
    )
    frame = pd.DataFrame(rows, columns=projections.COLUMNS)
    table, words = projections.table_of_projections(frame, printed, "Measured here.")
    first, second = table.to_dict("records")
    assert (first["seconds"], first["seconds, paper"]) == ("0.01", "0.02")
    assert first["ratio, paper"] == "2.0"
    assert first["ratio, sorting"] == "5.0"
    assert second["ratio, sorting"] == "9.0"
    assert words["caption"].endswith("Measured here.")


# ---- the race ------------------------------------------------------------------------------------


def test_fista_finds_the_optimum_of_the_softmax(small) -> None:
    W = next(itertools.islice(training.fista(small.X, small.y, small.C), 500, None))
    proof = toplabel.solve(small.X, small.y, loss="lr_multi", C=small.C, tol=1e-9)
    assert training.primal("lr_multi", small.X, small.y, W, small.C) / proof.dual - 1 <= 1e-8


def test_all_solvers_of_the_race_arrive(small) -> None:
    curves = training.softmax(small)
    assert curves["solver"].iloc[0] == training.OURS
    assert set(curves["solver"]) == {training.OURS, training.FISTA}
    assert (curves["excess"] >= 0).all()
    assert curves.groupby("solver")["excess"].min().max() <= 1e-6


# ---- convergence ---------------------------------------------------------------------------------


def _prepared(name: str, val: bool = True) -> PreparedSet:
    X, y = _clusters(300)
    bounds = {"train": slice(200), "val": slice(200, 250), "test": slice(250, 300)}
    parts = {part: Part(X=X[rows], y=y[rows]) for part, rows in bounds.items()}
    split = Split(name="main", train="train", val="val" if val else None, test="test")
    return PreparedSet(name, "multiclass", list("abcd"), parts, [split])


def test_rows_to_validate_on_are_the_sets_own_or_taken_from_training() -> None:
    data = training.timed_set(_prepared("digits"), "T")
    assert (len(data.X), len(data.y), len(data.X_val), len(data.y_val)) == (200, 200, 50, 50)
    data = training.timed_set(_prepared("digits", val=False), "T")
    assert (len(data.X), len(data.y), len(data.X_val), len(data.y_val)) == (160, 160, 40, 40)
    with pytest.raises(ValueError, match="'other'"):
        training.timed_set(_prepared("other"), "T")


def test_the_curves_are_those_of_the_solver() -> None:
    data = training.timed_set(_prepared("letter"), "T")
    frame = training.convergence(data)
    for (loss, gamma), part in frame.groupby(["loss", "gamma"]):
        options = {"gamma": gamma, "C": data.C, "tol": 0.0, "max_iter": 5, "eval_every": 1}
        solution = toplabel.solve(data.X, data.y, loss=loss, **options)
        assert part["epoch"].iloc[:5].tolist() == [1, 2, 3, 4, 5]
        gaps = [record.relative_gap for record in solution.history[1:]]
        np.testing.assert_allclose(part["relative_gap"].iloc[:5], gaps)
    assert frame["top1"].between(0, 100).all()


# ---- conditions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("loads", "busy"), [([2.5, 3.0], True), ([0.1, 0.2], False)])
def test_conditions_are_told(monkeypatch, loads, busy) -> None:
    monkeypatch.setattr(timing, "load_average", partial(next, iter(loads)))
    result, sentence = timing.measure(lambda: 1.0, quick=True)
    assert result == 1.0
    assert f"{loads[0]:.1f} before and {loads[1]:.1f} after" in sentence
    assert ("busy" in sentence) == busy
