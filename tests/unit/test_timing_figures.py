"""What the figures of times measure, their tables and drawings; not how long anything takes."""

from __future__ import annotations

import itertools
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import drawn_twice
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import toplabel
from same_numbers import same_numbers
from toplabel import losses
from toplabel.prox import bipartite_simplex, topk_simplex_alpha
from toplabel.reproduction.compare.runtimes import projection_table, race_table, time_to
from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.report.timing import draw_convergence, draw_race, draw_scaling
from toplabel.reproduction.timings import (
    clock,
    conditions,
    convergence,
    packages,
    projections,
    softmax,
)

PRINTED = pd.DataFrame(
    {
        "dimension": [1000, 10_000, 10**7],
        "sorting_based_s": [0.07, 0.56, 1364.94],
        "variable_fixing_s": [0.02, 0.15, 169.81],
        "improvement": [3.07, 3.79, 8.04],
    }
)


def _clusters(n):
    """Rows of 5 features and 4 classes that overlap."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n) % 4)
    return 0.5 * rng.normal(size=(4, 5))[y] + 0.5 * rng.normal(size=(n, 5)), y


@pytest.fixture(scope="module")
def small():
    """200 rows to train on, 40 to validate on."""
    X, y = _clusters(240)
    return convergence.TimedSet(X[:200], y[:200], X[200:], y[200:], 4, 1.0)


@pytest.fixture(scope="module")
def times():
    return projections.scaling(quick=True)


@pytest.fixture(scope="module")
def curves(small):
    return softmax.race(small, cap=20.0)


# ---- projections --------------------------------------------------------------------------------


def test_the_projections_timed_are_the_librarys():
    b = np.random.default_rng(0).normal(size=(3, 40))
    for k in (1, 5, 10):
        rows = projections.Projection(f"top-{k} simplex", b, sorting=False)
        rows()
        np.testing.assert_allclose(rows.result, topk_simplex_alpha(b, k=k, radius=10.0))
    for algorithm in (False, True):
        rows = projections.Projection(projections.BIPARTITE, b, sorting=algorithm)
        rows()
        x, y = bipartite_simplex(b[:, :20], b[:, 20:], radius=10.0)
        np.testing.assert_allclose(rows.result, np.hstack([x, y]), atol=1e-9)


def test_every_projection_is_timed_at_every_dimension(times):
    assert list(times.columns) == projections.COLUMNS
    assert (times["seconds"] > 0).all()
    pairs = times.groupby(["projection", "algorithm"])["dimension"].apply(list)
    assert set(pairs.map(tuple)) == {projections.DIMENSIONS[:2]}
    assert set(times["projection"]) == set(projections.PROJECTIONS) - {projections.BETA}
    bipartite = times[times["projection"] == projections.BIPARTITE]
    assert set(bipartite["algorithm"]) == {"variable fixing", "sorting", "sorting in NumPy"}


def test_sorting_in_numpy_agrees_with_variable_fixing():
    rng = np.random.default_rng(0)
    for radius in (0.1, 3.0, 1e3):
        for _ in range(20):
            b, b_bar = rng.normal(size=9), rng.normal(size=5)
            x, y = projections.by_sorting(b, b_bar, radius)
            u, v = bipartite_simplex(b, b_bar, radius)
            np.testing.assert_allclose(x, u, atol=1e-12)
            np.testing.assert_allclose(y, v, atol=1e-12)


def test_algorithms_that_disagree_are_an_error(monkeypatch):
    result, numbers = projections.Projection.result, itertools.count()
    disturbed = property(lambda rows: result.fget(rows) + next(numbers))
    monkeypatch.setattr(projections.Projection, "result", disturbed)
    with pytest.raises(ArithmeticError, match="d = 1000: the algorithms disagree"):
        projections.scaling(quick=True)


def test_table_2_has_ours_the_papers_and_their_ratios():
    rows = [(1000, 0.01, 0.05, 0.1), (10_000, 0.1, 0.9, 0.6)]
    frame = pd.DataFrame(
        [
            ("bipartite simplex", algorithm, d, 1000, seconds)
            for d, *seconds_of in rows
            for algorithm, seconds in zip(
                ("variable fixing", "sorting", "sorting in NumPy"), seconds_of, strict=True
            )
        ],
        columns=projections.COLUMNS,
    )
    table = projection_table(frame, PRINTED, "Measured here.")
    assert table.name == "table02"
    assert table.caption.endswith("Measured here.")
    first, second = table.frame.to_dict("records")
    assert (first["seconds, ours"], first["seconds, paper's"]) == ("0.01", "0.02")
    assert first["ratio, paper's to ours"] == "2.0"
    assert first["ratio, best sorting to ours"] == "5.0"
    assert second["ratio, best sorting to ours"] == "6.0"
    assert second["ratio, the paper's"] == "3.79"
    with pytest.raises(ValueError, match="dimension 1000: an algorithm was not measured"):
        projection_table(frame.iloc[3:].assign(dimension=[1000, 1, 1]), PRINTED, "")
    with pytest.raises(ValueError, match="the column 'improvement' is missing"):
        projection_table(frame, PRINTED.drop(columns="improvement"), "")


def test_runs_differ_in_times_only(tmp_path, times):
    conditions_of = "Measured here."
    for name, factor in (("a", 1.0), ("b", 1.7)):
        slower = times.assign(seconds=times["seconds"] * factor)
        slower.to_csv(tmp_path / f"times_{name}.csv", index=False)
        table = projection_table(slower, PRINTED, conditions_of)
        table.frame.to_csv(tmp_path / f"table_{name}.csv", index=False)
    for what in ("times", "table"):
        assert same_numbers(tmp_path / f"{what}_a.csv", tmp_path / f"{what}_b.csv")
        first, second = ((tmp_path / f"{what}_{x}.csv").read_bytes() for x in "ab")
        assert first != second


# ---- FISTA --------------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_fista_finds_the_optimum_of_the_softmax(small, convert):
    steps = []
    W = softmax.fista(
        convert(small.X), small.y, small.C, 5000, 1e-9, lambda step, W: steps.append(step)
    )
    proof = toplabel.solve(small.X, small.y, loss="lr_multi", C=small.C, eps=1e-9)
    primal = losses.value("lr_multi", small.X @ W, small.y).mean() + (W**2).sum() / 400
    assert primal / proof.dual - 1 <= 1e-8
    peer = LogisticRegression(C=small.C, fit_intercept=False, tol=1e-10, max_iter=5000)
    np.testing.assert_allclose(W.T, peer.fit(small.X, small.y).coef_, atol=1e-4)
    assert 10 < len(steps) < 5000


def test_fista_stops_when_told(small):
    steps = []
    softmax.fista(small.X, small.y, 1.0, callback=lambda step, W: steps.append(step) or step == 3)
    assert steps == [1, 2, 3]


def test_the_step_is_never_too_long():
    rng = np.random.default_rng(0)
    for shape in ((30, 5), (5, 30), (8, 8)):
        X = rng.normal(size=shape) * np.logspace(0, 2, shape[1])
        exact = np.linalg.svd(X, compute_uv=False)[0] ** 2
        assert exact <= softmax._largest_eigenvalue(X) <= 1.5 * exact
        assert exact <= softmax._largest_eigenvalue(sparse.csr_matrix(X)) <= 1.5 * exact
    assert softmax._largest_eigenvalue(np.zeros((4, 3))) == 0


# ---- convergence --------------------------------------------------------------------------------


def _prepared(name="digits", val=True):
    X, y = _clusters(300)
    parts = {
        "train": Part(X=X[:200], y=y[:200]),
        "val": Part(X=X[200:250], y=y[200:250]),
        "test": Part(X=X[250:], y=y[250:]),
    }
    split = Split("main", "train", "val" if val else None, "test")
    return Prepared(name, "multiclass", 4, list("abcd"), parts, [split], {"title": "T"})


def test_rows_to_validate_on_are_the_sets_own_or_taken_from_training():
    data = convergence.timed_set(_prepared())
    assert (len(data.X), len(data.y), len(data.X_val), len(data.y_val)) == (200, 200, 50, 50)
    assert data.words == "(n 200, d 5, m 4), C = 0.001"
    data = convergence.timed_set(_prepared(val=False))
    assert (len(data.X), len(data.y), len(data.X_val), len(data.y_val)) == (160, 160, 40, 40)
    assert set(data.y_val) == set(range(4))
    with pytest.raises(ValueError, match="data set 'other': no C is known; known: letter, digits"):
        convergence.timed_set(_prepared("other"))


def test_the_curves_are_those_of_the_solver_and_the_same_again():
    data = convergence.timed_set(_prepared("letter"))
    frame = convergence.convergence(data, epochs=60)
    assert list(frame.columns) == convergence.COLUMNS
    for (loss, gamma), part in frame.groupby(["loss", "gamma"]):
        options = {"gamma": gamma, "C": data.C, "eps": 0.0, "max_epochs": 5, "eval_every": 1}
        solution = toplabel.solve(data.X, data.y, loss=loss, **options)
        assert part["epoch"].iloc[:5].tolist() == [1, 2, 3, 4, 5]
        gaps = [record.relative_gap for record in solution.history[1:]]
        np.testing.assert_allclose(part["relative_gap"].iloc[:5], gaps)
        assert (np.diff(part["seconds"]) >= 0).all()
    assert frame["top1"].between(0, 100).all()
    again = convergence.convergence(data, epochs=60)
    pd.testing.assert_frame_equal(frame.drop(columns="seconds"), again.drop(columns="seconds"))


def test_all_solvers_of_the_race_arrive(curves):
    assert curves["solver"].iloc[0] == softmax.OURS
    assert {softmax.REFERENCE, softmax.LBFGS} <= set(curves["solver"])
    assert (curves["excess"] >= 0).all()
    assert curves.groupby("solver")["excess"].min().max() <= 1e-6
    assert (curves["step"] >= 1).all()


def test_times_to_an_accuracy_are_those_of_the_first_point_there():
    frame = pd.DataFrame(
        {
            "solver": ["A"] * 4 + ["B"] * 2,
            "step": [1, 2, 3, 4, 10, 20],
            "excess": [1e-2, 5e-4, 2e-3, 1e-5, 1e-2, 1e-3],
            "seconds": [1.0, 2.0, 3.0, 4.0, 1.0, 10.0],
        }
    )
    found = time_to(frame).set_index(["solver", "accuracy"])["seconds"]
    assert found["A", 1e-3] == 2
    assert found["A", 1e-4] == 4
    assert np.isnan(found["A", 1e-6])
    assert found["B", 1e-3] == 10
    table = race_table(frame, "A", "A set.", "Measured here.")
    first, second = table.frame.to_dict("records")
    assert first["seconds to 1e−6"] == "not reached"
    assert (first["ratio to ours, 1e−3"], second["ratio to ours, 1e−3"]) == ("1", "5")
    assert second["seconds to 1e−4"] == "not reached"
    assert table.caption.startswith("A set.")


def test_conditions_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(conditions, "load_average", iter([2.5, 3.0]).__next__)
    with conditions.measuring(quick=True) as found:
        pass
    assert "load average 2.5 before and 3.0 after" in found.sentence
    assert "busy with other work" in found.sentence
    assert found.sentence.endswith("it says nothing about speed.")
    assert "wall time" in found.sentence
    monkeypatch.setattr(conditions, "load_average", lambda: 0.1)
    with conditions.measuring(quick=False, cpu_time=True) as other:
        assert abs(clock.now() - time.process_time()) < 1.0
    assert "CPU time; load average 0.1" in other.sentence
    assert "busy" not in other.sentence
    found.save(tmp_path / "c.json", what="A set.")
    content = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert content["threads"] == 1
    assert content["what"] == "A set."
    assert content["sentence"] == found.sentence


def test_the_clock_can_leave_out_the_time_of_others():
    with clock.clock(cpu_time=True):
        assert clock.fastest(lambda: time.sleep(0.2), 1) < 0.1
    assert clock.fastest(lambda: time.sleep(0.2), 1) >= 0.2


@pytest.mark.parametrize("module", packages.OPTIONAL)
def test_a_missing_solver_is_told(module, monkeypatch):
    def fail(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(packages.importlib, "import_module", fail)
    assert packages.missing(module).startswith(f"{packages.OPTIONAL[module]} is not installed")


# ---- drawings -----------------------------------------------------------------------------------


def _curves_frame():
    return convergence.convergence(convergence.timed_set(_prepared()), epochs=5)


def test_the_figures_are_drawn_with_what_the_eye_needs(tmp_path: Path, times, curves):
    drawings = {
        "tpami2017_figure03a": (draw_scaling, times),
        "tpami2017_figure03bc": (draw_convergence, _curves_frame()),
        "tpami2017_figure03d": (draw_race, curves),
    }
    for name, (draw, frame) in drawings.items():
        words = drawn_twice(partial(draw, caption="C"), frame, tmp_path, name)
        assert words["caption"] == "C"
        assert words["source"].startswith("TPAMI 2017, Fig. 3")
        assert len(words["alt"]) > 150
        assert len(pd.read_csv(tmp_path / "a" / f"{name}.csv")) == len(frame)
