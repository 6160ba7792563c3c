"""The accelerated loop around the passes: certificates computed by definition, the same optimum,
fewer passes, stopping.
"""

import itertools

import numpy as np
import pytest
from scipy import sparse
from solver_cases import cases, check_certificate, target

import toplabel
from toplabel import losses
from toplabel._core import sdca as _sdca
from toplabel.kernels import rbf_gram

N, D, M = 60, 70, 5


CASES = cases(M)
SMOOTH = [case for case in CASES if case[2] > 0.0 or not losses.get(case[0]).smoothing]


FORMS = [
    "narrow",
    "wide",
    "csr32",
    "csr64",
    "csr_float32",
    "wide_float32",
    "gram",
    "gram_float32",
    "mapped",
    "mapped_float32",
    "rounded",
    "gram_rounded",
]


def form_of(X, form, folder):
    """The features in this form, and options of `solve` that go with it."""
    if form.endswith("rounded"):  # the passes read other rows than those that were passed
        X = X + 1e-9 * np.pi
        X, kernel = (X @ X.T, "precomputed") if form.startswith("gram") else (X, "linear")
        return X, {"dtype": np.float32, "kernel": kernel, "fit_intercept": True}
    single = np.float32 if form.endswith("float32") else np.float64
    if form == "narrow":
        return np.ascontiguousarray(X[:, :9]), {}
    if form.startswith("csr"):
        rows = sparse.csr_array(X.astype(single))
        index = np.int64 if form == "csr64" else np.int32
        rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
        return rows, {}
    if form.startswith("gram"):
        K = rbf_gram(X, 0.3, single)
        return K, {"kernel": "precomputed"}
    if form.startswith("mapped"):
        np.save(folder / "X.npy", X.astype(single))
        return np.load(folder / "X.npy", mmap_mode="r"), {"window": 16}
    return X.astype(single), {}


# ---- certificates -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("key", "k", "gamma"), CASES)
def test_the_certificate_is_that_of_weights_and_dual_variables(
    wide_problem, key, k, gamma, form, tmp_path
):
    y = target(wide_problem, key)
    X, options = form_of(wide_problem[0], form, tmp_path)
    options |= {"loss": key, "k": k, "gamma": gamma, "C": 2.0, "tol": 1e-4, "max_iter": 3000}
    weight = np.random.default_rng(1).integers(0, 4, N) / 2
    for r, w in (("auto", None), ("auto", weight), (False, weight), (0.7, weight), (30.0, None)):
        solution = toplabel.solve(X, y, acceleration=r, sample_weight=w, **options)
        if r != 30.0:
            assert solution.status == "converged"
        check_certificate(X, y, solution, w)
        # before the optimum too, at any point of an outer step
        for epochs in (1, 2, 7):
            early = {**options, "tol": 0.0, "max_iter": epochs}
            check_certificate(
                X, y, toplabel.solve(X, y, acceleration=r, sample_weight=w, **early), w
            )


@pytest.mark.parametrize("form", ["narrow", "wide", "csr32", "wide_float32", "mapped"])
@pytest.mark.parametrize("key", [key for key, k, gamma in CASES if k == 1 and gamma == 0.0])
def test_the_certificate_with_a_centre(wide_problem, key, form, tmp_path):
    y = target(wide_problem, key)
    X, options = form_of(wide_problem[0], form, tmp_path)
    W0 = np.random.default_rng(2).normal(size=(X.shape[1], M))
    options |= {"loss": key, "W0": W0, "max_iter": 3000}
    for r in ("auto", 2.0):
        for limits in ({"tol": 1e-4}, {"tol": 0.0, "max_iter": 9}):
            for solution in toplabel.path(X, y, [0.1, 1.0], acceleration=r, **options | limits):
                check_certificate(X, y, solution, W0=W0)


@pytest.mark.parametrize("acceleration", ["auto", 1.0, 50.0])
def test_a_gram_matrix_that_is_a_little_indefinite_has_no_dual_above_the_primal(
    wide_problem, acceleration
):
    X, y = np.tile(wide_problem[0], (2, 1)), np.tile(wide_problem[1], 2)
    K = rbf_gram(X, 0.3)
    K[np.diag_indices(len(K))] -= 4e-5
    options = {"kernel": "precomputed", "C": 1e5, "tol": 0.0, "max_iter": 60, "eval_every": 1}
    for loss in ("svm_multi", "lr_multi"):
        solution = toplabel.solve(K, y, loss=loss, acceleration=acceleration, **options)
        for record in solution.history:
            size = max(abs(record.primal), abs(record.dual))
            assert record.primal - record.dual >= -1e-12 * size


def test_a_fixed_r_is_the_r_of_the_run(wide_problem):
    X, y, _ = wide_problem
    solution = toplabel.solve(X, y, acceleration=0.25, tol=1e-3)
    assert solution.r == pytest.approx(0.25)
    assert not np.allclose(solution.W, X.T @ solution.A, atol=1e-9)


@pytest.mark.parametrize("value", [True, "fast", -1, 0, np.nan, np.inf, 1e200, None, [1.0]])
def test_a_wrong_acceleration_is_named(wide_problem, value):
    X, y, _ = wide_problem
    for call in (toplabel.solve, lambda *a, **b: toplabel.path(*a, Cs=[1.0], **b)):
        with pytest.raises((ValueError, TypeError), match=r"^acceleration must be .*, got "):
            call(X, y, acceleration=value)


# ---- starts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("acceleration", ["auto", 2.0])
@pytest.mark.parametrize(
    "form", ["narrow", "wide", "csr32", "wide_float32", "gram", "gram_float32"]
)
@pytest.mark.parametrize(("key", "k", "gamma"), [c for c in CASES if c[1] < 3])
def test_a_solution_is_a_start_with_its_gap(
    wide_problem, key, k, gamma, form, acceleration, tmp_path
):
    y = target(wide_problem, key)
    X, options = form_of(wide_problem[0], form, tmp_path)
    options |= {"loss": key, "k": k, "gamma": gamma, "C": 2.0, "max_iter": 5000}
    options["acceleration"] = acceleration
    first = toplabel.solve(X, y, tol=1e-4, **options)
    assert first.status == "converged"
    again = toplabel.solve(X, y, tol=1e-4, warm_start=first, **options)
    assert (again.status, again.epochs) == ("converged", 0)
    assert again.primal == pytest.approx(first.primal, rel=1e-6 if "float32" in form else 1e-12)
    assert again.dual == pytest.approx(first.dual, rel=1e-12)
    check_certificate(X, y, again)


@pytest.mark.parametrize("form", ["narrow", "wide", "csr32", "gram"])
@pytest.mark.parametrize(("key", "k", "gamma"), SMOOTH)
def test_starts_from_another_C_lead_to_the_same_optimum(
    wide_problem, key, k, gamma, form, tmp_path
):
    y = target(wide_problem, key)
    X, options = form_of(wide_problem[0], form, tmp_path)
    options |= {"loss": key, "k": k, "gamma": gamma, "tol": 1e-6, "max_iter": 20000}
    Cs = [0.3, 2.0, 8.0]
    cold = {C: toplabel.solve(X, y, C=C, **options) for C in Cs}
    for first, C in itertools.permutations(Cs, 2):
        warm = toplabel.solve(X, y, C=C, warm_start=cold[first], **options)
        assert warm.status == "converged"
        assert warm.primal == pytest.approx(cold[C].primal, rel=2e-6)
        check_certificate(X, y, warm)
    near, far = (toplabel.path(X, y, grid, **options) for grid in (Cs, Cs[::2]))
    for solution in [*near, *far]:
        assert solution.status == "converged"
        assert solution.primal == pytest.approx(cold[solution.C].primal, rel=2e-6)
        check_certificate(X, y, solution)


def test_a_start_of_other_features_takes_the_dual_variables_alone(wide_problem):
    """Weights of another shape would be read beyond their end."""
    X, y, _ = wide_problem
    K = rbf_gram(X, 0.3)
    options = {"C": 4.0, "tol": 1e-4, "acceleration": 1.0}
    narrow = toplabel.solve(X[:, :9], y, **options)
    kernel = toplabel.solve(K, y, kernel="precomputed", **options)
    for start in (narrow, kernel):
        wide = toplabel.solve(X, y, warm_start=start, **options)
        assert wide.status == "converged"
        check_certificate(X, y, wide)
        zero = toplabel.solve(X, y, warm_start=start, **{**options, "tol": 0.0}, max_iter=0)
        np.testing.assert_allclose(zero.W, X.T @ start.A, atol=1e-12)
    back = toplabel.solve(K, y, kernel="precomputed", warm_start=narrow, **options)
    check_certificate(K, y, back)


def test_a_start_from_far_away_has_an_r_within_range(wide_problem):
    X, y, _ = wide_problem
    first = toplabel.solve(X, y, C=1e-9, acceleration=1e100, max_iter=3)
    check_certificate(X, y, toplabel.solve(X, y, C=1.0, warm_start=first, tol=1e-3))


# ---- passes -----------------------------------------------------------------------------------------


def test_a_hard_problem_takes_a_third_of_the_passes_at_most():
    rng = np.random.default_rng(4)
    n, d, m = 2000, 16, 10
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.argmax(X @ rng.normal(size=(d, m)) + rng.gumbel(size=(n, m)), axis=1)
    options = {"loss": "lr_multi", "C": 10.0, "tol": 1e-3, "n_classes": m}
    plain = toplabel.solve(X, y, acceleration=False, **options)
    fast = toplabel.solve(X, y, **options)
    assert plain.status == fast.status == "converged"
    check_certificate(X, y, fast)
    assert fast.r > 0.0
    assert 3 * fast.epochs <= plain.epochs


# ---- what ends a run --------------------------------------------------------------------------------


def test_the_softmax_before_a_descent_takes_the_acceleration(wide_problem, monkeypatch):
    X, y, _ = wide_problem
    seen = []
    original = _sdca.solutions

    def solutions(wide_problem, Cs, options, warm_start):
        seen.append((wide_problem.loss.key, options.acceleration))
        return original(wide_problem, Cs, options, warm_start)

    monkeypatch.setattr(_sdca, "solutions", solutions)
    options = {"loss": "topk_ent_tr", "k": 2, "C": 5.0, "max_iter": 3}
    for acceleration in ("auto", False, 1.5):
        toplabel.solve(X, y, acceleration=acceleration, **options)
    assert seen == [("lr_multi", "auto"), ("lr_multi", False), ("lr_multi", 1.5)]
