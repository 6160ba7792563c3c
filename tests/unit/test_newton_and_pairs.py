"""What Newton's method and working sets of pairs have in common: certified optima, starts, paths."""

import numpy as np
import pytest
from scipy import sparse
from solver_cases import N_CLASSES, cases, check_optimum, overlapping_rows, solve_by

import toplabel
from toplabel import losses
from toplabel._core import tuning

HINGES = [
    case
    for case in cases(N_CLASSES)
    if losses.get(case[0]).smoothing and not losses.get(case[0]).centred
]
#: With 6 features the blocks of the Gram matrix are singular, and most rows are at a bound.
OPTIMA = [("newton", 6, *case) for case in cases(N_CLASSES)]
OPTIMA += [("pairs", 6, *case) for case in HINGES]
OPTIMA += [("pairs", 120, *case) for case in HINGES]
#: The bounds of memory without which a method takes another way.
BOUNDS = {"newton": ("DIRECT", "DENSE_BYTES"), "pairs": ("PAIRS_GRAM_BYTES", "DENSE_BYTES")}


@pytest.fixture(params=["newton", "pairs"])
def method(request):
    return request.param


@pytest.fixture
def problem(method):
    return overlapping_rows(6 if method == "newton" else 120)


@pytest.mark.parametrize("C", [0.1, 1e3])
@pytest.mark.parametrize(("by", "d", "key", "k", "gamma"), OPTIMA)
def test_every_loss_has_a_certified_optimum(by, d, key, k, gamma, C):
    problem = overlapping_rows(d)
    solution = solve_by(by, problem, key, k=k, gamma=gamma, C=C)
    assert solution.status == "converged"
    if by == "newton":
        assert [stage.method for stage in solution.methods] == ["newton"]
        assert solution.methods[0].steps > 0
    check_optimum(problem, key, solution)


@pytest.mark.parametrize("within_bounds", [True, False])
@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
@pytest.mark.parametrize(
    ("by", "key", "gamma"),
    [
        ("newton", "svm_multi", 0.0),
        ("newton", "lr_ml", 0.0),
        ("pairs", "svm_multi", 0.0),
        ("pairs", "svm_multi", 0.5),
    ],
)
def test_the_optimum_is_that_of_coordinate_ascent(monkeypatch, by, key, gamma, form, within_bounds):
    problem = overlapping_rows(6 if by == "newton" else 120)
    for bound in () if within_bounds else BOUNDS[by]:
        monkeypatch.setattr(tuning, bound, 0)
    X = problem[0].astype(np.float32).astype(np.float64)
    X = {"dense": X, "sparse": sparse.csr_array(X), "float32": X.astype(np.float32)}[form]
    rng = np.random.default_rng(1)
    weight = rng.choice([0.0, 0.5, 3.0], len(problem[1]))
    W0 = rng.normal(size=(X.shape[1], N_CLASSES))
    # The certificate of pairs of float32 rows is as fine as these.
    is_coarse = (by, form) == ("pairs", "float32")
    options = {"X": X, "C": 2.0, "gamma": gamma, "sample_weight": weight, "W0": W0}
    options |= {"tol": 1e-5 if is_coarse else 1e-8, "fit_intercept": True}
    found, sdca = (solve_by(method, problem, key, **options) for method in (by, "sdca"))
    assert found.status == sdca.status == "converged"
    assert found.methods[-1].method == by
    assert found.primal == pytest.approx(sdca.primal, rel=10 * options["tol"])
    near = 0.1 if is_coarse else 1e-2
    assert np.abs(found.W - sdca.W).max() < near
    assert np.abs(found.intercept - sdca.intercept).max() < near


def test_a_warm_start_goes_on_from_a_solution(method, problem):
    first = solve_by(method, problem, "svm_multi", C=100.0, tol=1e-5)
    for by in (method, "sdca"):
        again = solve_by(by, problem, "svm_multi", C=100.0, tol=1e-5, warm_start=first)
        assert again.epochs == 0
    near = solve_by(method, problem, "svm_multi", C=120.0, warm_start=first)
    check_optimum(problem, "svm_multi", near)


def test_a_path_goes_from_one_C_to_the_next(method, problem):
    X, y, _ = problem
    Cs = [1e3, 0.1, 10.0]
    path = toplabel.path(X, y, Cs, "svm_multi", tol=1e-8, method=method, max_iter=10**6)
    assert [solution.C for solution in path] == Cs
    for solution in path:
        check_optimum(problem, "svm_multi", solution)


@pytest.mark.parametrize("ends_by", ["callback", "Ctrl-C"])
def test_records_reach_the_callback_which_ends_the_run(method, problem, ends_by):
    X, y, _ = problem
    first = 1 if method == "newton" else tuning.PAIRS_FIRST
    epochs = []

    def stop(record):
        epochs.append(record.epoch)
        if record.epoch > first and ends_by == "Ctrl-C":
            raise KeyboardInterrupt
        return record.epoch > first

    options = {"C": 1e3, "callback": stop, "watch": {"itself": (X, y)}}
    solution = solve_by(method, problem, "svm_multi", **options)
    assert solution.status == "interrupted"
    assert np.isfinite(solution.relative_gap)
    assert epochs == sorted(epochs)
    mean = losses.value("svm_multi", solution.decision_function(X), y).mean()
    assert solution.history[-1].watched["itself"] == pytest.approx(mean)


def test_no_time_leaves_the_start(method, problem):
    for limit in ({"time_limit": 0.0}, {"cpu_limit": 0.0}, {"max_iter": 0}):
        solution = solve_by(method, problem, "svm_multi", **limit)
        assert solution.status == ("max_iter" if "max_iter" in limit else "time_limit")
        assert solution.epochs == 0
        assert solution.relative_gap < np.inf


def test_the_same_seed_gives_the_same_numbers(method, problem):
    first, second = (solve_by(method, problem, "svm_multi", C=1e3, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.A, second.A)


def test_rows_in_a_large_file_are_refused(method, problem, tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", problem[0])
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert solve_by(method, problem, "svm_multi", X=mapped).status == "converged"
    monkeypatch.setattr(tuning, "LARGE_FILE", mapped.nbytes - 1)
    with pytest.raises(ValueError, match="memory"):
        solve_by(method, problem, "svm_multi", X=mapped)
