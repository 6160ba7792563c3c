"""Newton's method: certified optima of every convex loss, the arguments that change the problem, and
what ends a run.
"""

import numpy as np
import pytest
from scipy import sparse
from solver_cases import cases, target

import toplabel
from toplabel import losses
from toplabel._core import tuning
from toplabel._core.clock import Clock

N, D, M = 80, 6, 5


@pytest.fixture(scope="module")
def problem():
    """Classes that overlap, a row of zeros, label sets with an empty and a full one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    X[3] = 0.0
    y = np.argmax(X @ rng.normal(size=(D, M)) + 2 * rng.gumbel(size=(N, M)), axis=1)
    y[:M] = np.arange(M)
    Y = np.maximum(np.eye(M, dtype=int)[y], rng.random((N, M)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1
    return X, y, Y


def solve(problem, key, *, X=None, **options):
    options = {"tol": 1e-8, "method": "newton"} | options
    return toplabel.solve(problem[0] if X is None else X, target(problem, key), key, **options)


def check(problem, key, solution, X=None) -> None:
    found = toplabel.certify(problem[0] if X is None else X, target(problem, key), solution)
    assert found.relative_gap <= 2e-8
    assert solution.primal == pytest.approx(found.primal, rel=1e-9)


@pytest.mark.parametrize("C", [0.1, 1e3])
@pytest.mark.parametrize(("key", "k", "gamma"), cases(M))
def test_every_loss_has_a_certified_optimum(problem, key, k, gamma, C):
    found = solve(problem, key, k=k, gamma=gamma, C=C)
    assert found.status == "converged"
    assert [stage.method for stage in found.methods] == ["newton"]
    assert found.methods[0].steps > 0
    check(problem, key, found)


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("key", ["svm_multi", "lr_ml"])
def test_the_optimum_is_that_of_coordinate_ascent(problem, monkeypatch, key, form, direct):
    if not direct:
        monkeypatch.setattr(tuning, "DIRECT", 0)
        monkeypatch.setattr(tuning, "DENSE_BYTES", 0)
    X = problem[0].astype(np.float32).astype(np.float64)
    X = {"dense": X, "sparse": sparse.csr_array(X), "float32": X.astype(np.float32)}[form]
    rng = np.random.default_rng(1)
    weight = rng.choice([0.0, 0.5, 3.0], N)
    W0 = rng.normal(size=(D, M))
    options = {"X": X, "C": 2.0, "sample_weight": weight, "W0": W0, "fit_intercept": True}
    newton = solve(problem, key, **options)
    sdca = solve(problem, key, method="sdca", max_iter=100_000, **options)
    assert newton.status == sdca.status == "converged"
    assert newton.primal == pytest.approx(sdca.primal, rel=1e-7)
    assert np.abs(newton.W - sdca.W).max() < 1e-2
    assert np.abs(newton.intercept - sdca.intercept).max() < 1e-2


def test_diagonals_take_the_place_of_blocks_that_are_too_large(problem, monkeypatch):
    monkeypatch.setattr(tuning, "DIRECT", 0)
    monkeypatch.setattr(tuning, "BLOCK_BYTES", 0)
    check(problem, "topk_ent", solve(problem, "topk_ent", k=2, C=10.0))


def test_a_warm_start_goes_on_from_a_solution(problem):
    first = solve(problem, "svm_multi", C=10.0, tol=1e-5)
    again = solve(problem, "svm_multi", C=10.0, tol=1e-5, warm_start=first)
    assert again.methods[0].steps == 0
    near = solve(problem, "svm_multi", C=12.0, warm_start=first)
    check(problem, "svm_multi", near)
    sdca = solve(problem, "svm_multi", C=10.0, tol=1e-5, method="sdca", warm_start=first)
    assert sdca.epochs == 0


def test_a_path_goes_from_one_C_to_the_next(problem):
    X, y, _ = problem
    found = toplabel.path(X, y, [10.0, 0.1, 1.0], "svm_multi", tol=1e-8, method="newton")
    assert [solution.C for solution in found] == [10.0, 0.1, 1.0]
    for solution in found:
        check(problem, "svm_multi", solution)


def test_records_reach_the_callback_which_ends_the_run(problem):
    X, y, _ = problem
    seen = []

    def stop(record):
        seen.append(record)
        return len(seen) == 4

    found = solve(problem, "svm_multi", C=10.0, callback=stop, watch={"itself": (X, y)})
    assert found.status == "interrupted"
    assert found.history == [*seen[:-1], found.history[-1]]
    assert [record.epoch for record in seen] == sorted(record.epoch for record in seen)
    scores = found.decision_function(X)
    mean = losses.value("svm_multi", scores, y).mean()
    assert found.history[-1].watched["itself"] == pytest.approx(mean)


def test_groups_of_classes_say_what_ran_in_any_of_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), 35 + np.arange(300) % 35  # none of the first group
    found = toplabel.solve(X, y, "svm_ova", C=100.0, tol=1e-8, n_classes=70)
    assert [stage.method for stage in found.methods] == ["sdca", "newton"]


def test_groups_of_classes_are_trained_on_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.arange(300) % 70
    options = {"C": 1.0, "tol": 1e-6, "method": "newton", "n_jobs": 2}
    found = toplabel.solve(X, y, "svm_ova", **options)
    assert found.status == "converged"
    assert toplabel.certify(X, y, found).relative_gap < 1e-5


def test_what_the_method_does_not_take_is_refused(problem, tmp_path, monkeypatch):
    X = problem[0]
    with pytest.raises(ValueError, match="kernel"):
        solve(problem, "svm_multi", kernel="rbf", theta=1.0)
    with pytest.raises(ValueError, match="method"):
        solve(problem, "svm_multi", method="gradient")
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert solve(problem, "svm_multi", X=mapped).status == "converged"
    monkeypatch.setattr(tuning, "LARGE_FILE", X.nbytes - 1)
    with pytest.raises(ValueError, match="memory"):
        solve(problem, "svm_multi", X=mapped)


def test_steps_where_all_rows_are_at_a_bound():
    """Without a row between its bounds a step is along the gradient, and 1e-7 of it is long."""
    rng = np.random.default_rng(2)
    angle = rng.uniform(0.0, np.pi, 200)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    segments = np.minimum((angle / np.pi * 3).astype(int), 2)
    y = np.where(rng.random(200) < 0.4, rng.integers(0, 3, 200), segments)
    found = toplabel.solve(X, y, "svm_ova", C=1e4, tol=1e-7, method="newton")
    assert found.status == "converged"
    assert toplabel.certify(X, y, found).relative_gap < 1e-6


@pytest.fixture(scope="module")
def hard():
    """Numbers from 0 to 255 around a large mean, as in raw pictures; classes that overlap."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4
    centres = rng.normal(size=(4, 12))
    X = np.clip(np.round(200 + 5 * (centres[y] + 1.5 * rng.normal(size=(400, 12)))), 0, 255)
    return X, y


def test_newton_takes_over_where_passes_are_slow(hard):
    X, y = hard
    seen = []
    options = {"C": 1.0, "tol": 1e-6, "method": "auto", "callback": seen.append}
    found = toplabel.solve(X, y, "svm_multi", **options)
    assert found.status == "converged"
    assert [stage.method for stage in found.methods] == ["sdca", "newton"]
    assert found.methods[0].steps < 200
    assert found.epochs == found.methods[0].steps + found.methods[1].steps
    epochs = [record.epoch for record in seen]
    assert epochs == sorted(epochs)
    assert toplabel.certify(X, y, found).relative_gap <= 2e-6
    again = toplabel.solve(X, y, "svm_multi", **options)
    assert np.array_equal(again.A, found.A)
    assert again.methods == found.methods


def test_coordinate_ascent_stays_where_it_is_fast(problem, hard):
    easy = solve(problem, "svm_multi", gamma=1.0, C=0.1, tol=1e-3, method="auto")
    assert [stage.method for stage in easy.methods] == ["sdca"]
    X, y = hard
    for options in ({"acceleration": False}, {"kernel": "precomputed"}, {"method": "sdca"}):
        rows = X @ X.T if "kernel" in options else X
        options = {"method": "auto", "max_iter": 50} | options
        found = toplabel.solve(rows, y, "svm_multi", **options)
        assert [stage.method for stage in found.methods] == ["sdca"]


def test_limits_hold_for_both_methods_together(hard):
    X, y = hard
    whole = toplabel.solve(X, y, "svm_multi", tol=1e-6, method="auto")
    assert whole.methods[1].steps > 3
    limit = whole.methods[0].steps + 3
    found = toplabel.solve(X, y, "svm_multi", tol=1e-6, method="auto", max_iter=limit)
    assert (found.status, found.epochs) == ("max_iter", limit)


def test_a_limit_within_the_preconditioner_ends_the_run(problem, monkeypatch):
    monkeypatch.setattr(tuning, "DIRECT", 0)
    inverse, inverted = np.linalg.inv, []

    def invert(block):
        monkeypatch.setattr(Clock, "is_over", lambda clock: True)
        inverted.append(block)
        return inverse(block)

    monkeypatch.setattr(np.linalg, "inv", invert)
    found = solve(problem, "svm_multi")
    assert (found.status, len(inverted)) == ("time_limit", 1)


@pytest.mark.parametrize("max_iter", [1, 2, 3, 10])
def test_conjugate_gradients_stop_at_the_number_of_passes(max_iter):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 80)), np.arange(300) % 20
    options = {"tol": 1e-15, "max_iter": max_iter, "method": "newton"}
    found = toplabel.solve(X, y, "svm_multi", **options)
    assert (found.status, found.epochs) == ("max_iter", max_iter)
    assert found.methods[0].steps > 0
