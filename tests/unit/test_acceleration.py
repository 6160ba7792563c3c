"""The accelerated loop around the passes: certificates computed by definition, the same optimum,
fewer passes, stopping.
"""

import itertools

import numpy as np
import pytest
from scipy import sparse

import toplabel
from toplabel import losses
from toplabel._core import sdca as _sdca
from toplabel._core import training as _training
from toplabel._core.arrays import as_labels
from toplabel._core.problem import Problem
from toplabel._core.run import Run, RunSettings, Start
from toplabel._core.training import Options, train

N, D, M = 60, 70, 5


@pytest.fixture(scope="module")
def problem():
    """Rows that are exact in float32, one of them zero; label sets with an empty and a full one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6)) @ rng.normal(size=(6, D)) + 0.3 * rng.normal(size=(N, D))
    X[rng.random((N, D)) < 0.4] = 0.0
    X[3] = 0.0
    X = (X / 8).astype(np.float32).astype(np.float64)
    y = np.argmax(X @ rng.normal(size=(D, M)) + rng.gumbel(size=(N, M)), axis=1)
    y[:M] = np.arange(M)
    Y = np.maximum(np.eye(M, dtype=int)[y], rng.random((N, M)) < 0.2).astype(int)
    Y[1], Y[2] = 0, 1
    return X, y, Y


def cases() -> list[tuple[str, int, float]]:
    """Every convex loss with k in {1, 2, m - 1} and gamma in {0, 0.5}, where it has them."""
    found = []
    for key, loss in losses.LOSSES.items():
        if loss.convex:
            ks = (1, 2, M - 1) if loss.top_k else (1,)
            gammas = (0.0, 0.5) if loss.smoothing else (0.0,)
            found += [(key, k, gamma) for k, gamma in itertools.product(ks, gammas)]
    return found


CASES = cases()
SMOOTH = [case for case in CASES if case[2] > 0.0 or not losses.get(case[0]).smoothing]


def target(problem, key):
    return problem[2] if losses.get(key).labels == "set" else problem[1]


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
]


def form_of(X, form, folder):
    """The features in this form, and options of `solve` that go with it."""
    single = np.float32 if form.endswith("float32") else np.float64
    if form == "narrow":
        return np.ascontiguousarray(X[:, :9]), {}
    if form.startswith("csr"):
        rows = sparse.csr_array(X.astype(single))
        index = np.int64 if form == "csr64" else np.int32
        rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
        return rows, {}
    if form.startswith("gram"):
        K = toplabel.kernels.rbf_gram(X, 0.3, single)
        return K, {"kernel": "precomputed"}
    if form.startswith("mapped"):
        np.save(folder / "X.npy", X.astype(single))
        return np.load(folder / "X.npy", mmap_mode="r"), {"window": 16}
    return X.astype(single), {}


def check_certificate(X, y, solution, weight=None, W0=None) -> None:
    """What is claimed is what `certify` finds; an infeasible A would have D = -inf."""
    certificate = toplabel.certify(X, y, solution, sample_weight=weight, W0=W0)
    size = max(abs(certificate.primal), abs(certificate.dual))
    assert np.isfinite(size)
    assert solution.primal == pytest.approx(certificate.primal, abs=1e-11 * size)
    assert solution.dual == pytest.approx(certificate.dual, abs=1e-11 * size)
    # Both contain a bound of rounding; that of the solver is the larger one.
    assert -1e-13 <= solution.relative_gap - certificate.relative_gap <= 1e-6
    assert solution.relative_gap >= (certificate.primal - certificate.dual) / size - 1e-13


# ---- certificates -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("key", "k", "gamma"), CASES)
def test_the_certificate_is_that_of_weights_and_dual_variables(
    problem, key, k, gamma, form, tmp_path
):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
    options |= {"loss": key, "k": k, "gamma": gamma, "C": 2.0, "tol": 1e-4, "max_iter": 3000}
    weight = np.random.default_rng(1).integers(0, 4, N) / 2
    for r, w in (("auto", None), ("auto", weight), (0.7, weight), (30.0, None)):
        solution = toplabel.solve(X, y, acceleration=r, sample_weight=w, **options)
        if r == "auto" or r < 1:
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
def test_the_certificate_with_a_centre(problem, key, form, tmp_path):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
    W0 = np.random.default_rng(2).normal(size=(X.shape[1], M))
    options |= {"loss": key, "C": 1.0, "W0": W0, "max_iter": 3000}
    for r in ("auto", 2.0):
        for limits in ({"tol": 1e-4}, {"tol": 0.0, "max_iter": 9}):
            solution = toplabel.solve(X, y, acceleration=r, **{**options, **limits})
            check_certificate(X, y, solution, W0=W0)


@pytest.mark.parametrize("form", ["narrow", "wide", "csr32", "gram"])
@pytest.mark.parametrize(("key", "k", "gamma"), CASES)
def test_the_optimum_is_that_of_plain_passes(problem, key, k, gamma, form, tmp_path):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
    options |= {"loss": key, "k": k, "gamma": gamma, "C": 0.5, "tol": 1e-8, "max_iter": 10**5}
    plain = toplabel.solve(X, y, acceleration=False, **options)
    assert plain.status == "converged"
    for r in ("auto", 1.0):
        solution = toplabel.solve(X, y, acceleration=r, **options)
        assert solution.status == "converged"
        assert solution.primal == pytest.approx(plain.primal, rel=2e-8)
        check_certificate(X, y, solution)


@pytest.mark.parametrize("form", ["narrow", "wide", "csr32", "gram"])
@pytest.mark.parametrize("key", ["svm_multi", "lr_multi", "svm_ml"])
def test_without_acceleration_the_weights_are_those_of_the_dual_variables(
    problem, key, form, tmp_path
):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
    solution = toplabel.solve(X, y, loss=key, C=3.0, tol=1e-3, acceleration=False, **options)
    assert solution.r == 0.0
    if form == "gram":
        np.testing.assert_array_equal(solution.coefficients, solution.A)
    else:
        assert solution.coefficients is None
        np.testing.assert_allclose(solution.W, X.T @ solution.A, atol=1e-12)


@pytest.mark.parametrize("acceleration", ["auto", 1.0, 50.0])
def test_a_gram_matrix_that_is_a_little_indefinite_has_no_dual_above_the_primal(
    problem, acceleration
):
    X, y = np.tile(problem[0], (2, 1)), np.tile(problem[1], 2)
    K = toplabel.kernels.rbf_gram(X, 0.3)
    K[np.diag_indices(len(K))] -= 4e-5
    options = {"kernel": "precomputed", "C": 1e5, "tol": 0.0, "max_iter": 60, "eval_every": 1}
    for loss in ("svm_multi", "lr_multi"):
        solution = toplabel.solve(K, y, loss=loss, acceleration=acceleration, **options)
        for record in solution.history:
            size = max(abs(record.primal), abs(record.dual))
            assert record.primal - record.dual >= -1e-12 * size


def test_a_fixed_r_is_the_r_of_the_run(problem):
    X, y, _ = problem
    solution = toplabel.solve(X, y, acceleration=0.25, tol=1e-3)
    assert solution.r == pytest.approx(0.25)
    assert not np.allclose(solution.W, X.T @ solution.A, atol=1e-9)


@pytest.mark.parametrize("r", [1e-100, 1e-20, 1e-12, 1e-8, 1e8, 1e20, 1e100])
@pytest.mark.parametrize("form", ["narrow", "wide", "wide_float32", "gram"])
def test_any_r_has_a_certificate(problem, form, r, tmp_path):
    X, options = form_of(problem[0], form, tmp_path)
    y = problem[1]
    options |= {"tol": 1e-3, "max_iter": 3000 if r < 1 else 30, "acceleration": r}
    for loss in ("svm_multi", "lr_multi"):
        solution = toplabel.solve(X, y, loss=loss, **options)
        check_certificate(X, y, solution)
        if r <= 1e-8:  # next to none
            assert solution.status == "converged"
        again = toplabel.solve(X, y, loss=loss, warm_start=solution, **options)
        check_certificate(X, y, again)
        other = toplabel.solve(X, y, loss=loss, warm_start=solution, C=3.0, **options)
        check_certificate(X, y, other)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (True, ValueError, "acceleration must be 'auto', False or a number, got True"),
        (
            "fast",
            ValueError,
            "acceleration must be 'auto', False or a number, got 'fast'",
        ),
        (-1, ValueError, "acceleration must be > 0, got -1"),
        (0, ValueError, "acceleration must be > 0, got 0"),
        (np.nan, ValueError, "acceleration must be finite and > 0, got nan"),
        (np.inf, ValueError, "acceleration must be finite and > 0, got inf"),
        (1e200, ValueError, r"acceleration must be <= 1e\+100, got 1e\+200"),
        (None, TypeError, "acceleration must be a number, got None"),
        ([1.0], TypeError, "acceleration must be a number"),
    ],
)
def test_a_wrong_acceleration_is_named(problem, value, error, message):
    X, y, _ = problem
    for call in (toplabel.solve, lambda *a, **b: toplabel.path(*a, Cs=[1.0], **b)):
        with pytest.raises(error, match=message):
            call(X, y, acceleration=value)


# ---- starts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("acceleration", ["auto", 2.0])
@pytest.mark.parametrize(
    "form", ["narrow", "wide", "csr32", "wide_float32", "gram", "gram_float32"]
)
@pytest.mark.parametrize(("key", "k", "gamma"), [c for c in CASES if c[1] < 3])
def test_a_solution_is_a_start_with_its_gap(problem, key, k, gamma, form, acceleration, tmp_path):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
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
def test_starts_from_another_C_lead_to_the_same_optimum(problem, key, k, gamma, form, tmp_path):
    y = target(problem, key)
    X, options = form_of(problem[0], form, tmp_path)
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


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi"])
def test_a_start_at_coefficients_has_its_own_estimate(problem, loss):
    """Not that of the dual variables alone, whose gap is larger."""
    X, y, _ = problem
    K = toplabel.kernels.rbf_gram(X, 0.3)
    first = toplabel.solve(K, y, loss=loss, kernel="precomputed", C=5.0, tol=1e-4, acceleration=2.0)
    labels = as_labels(y, N, multilabel=False)
    start = Start(first.A.copy(), 5.0, first.coefficients, first.r)
    run = Run(Problem(K, K, labels, "precomputed", None, losses.get(loss)), 10.0, start)
    # With so few rows the sample is all of them.
    assert run.progress().relative_gap == pytest.approx(run.evaluate().relative_gap, rel=1e-6)


@pytest.mark.parametrize("form", ["wide", "gram"])
def test_a_plain_run_starts_at_the_dual_variables(problem, form, tmp_path):
    X, options = form_of(problem[0], form, tmp_path)
    y = problem[1]
    first = toplabel.solve(X, y, C=4.0, tol=1e-4, acceleration=1.0, **options)
    plain = toplabel.solve(
        X, y, C=4.0, acceleration=False, warm_start=first, max_iter=0, tol=0.0, **options
    )
    assert plain.r == 0.0
    assert plain.dual == pytest.approx(first.dual, rel=1e-12)
    np.testing.assert_array_equal(plain.A, first.A)
    check_certificate(X, y, plain)


def test_a_start_of_other_features_takes_the_dual_variables_alone(problem):
    """Weights of another shape would be read beyond their end."""
    X, y, _ = problem
    K = toplabel.kernels.rbf_gram(X, 0.3)
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


def test_a_start_from_far_away_has_an_r_within_range(problem):
    X, y, _ = problem
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


def test_rows_rest_in_accelerated_passes_too(problem):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 4, 300)
    options = {"tol": 0.0, "max_iter": 40, "acceleration": 1.0}
    assert toplabel.solve(X, y, "lr_multi", **options).visits == 300 * 40
    hinge = toplabel.solve(X, y, "svm_multi", C=1.0, **options)
    assert 300 * 40 / 16 < hinge.visits < 300 * 40
    check_certificate(X, y, hinge)


def test_the_same_seed_gives_the_same_bytes(problem):
    X, y, _ = problem
    for acceleration in ("auto", 3.0):
        options = {"C": 10.0, "tol": 0.0, "max_iter": 50, "acceleration": acceleration}
        one, other = toplabel.solve(X, y, **options), toplabel.solve(X, y, **options)
        assert one.W.tobytes() == other.W.tobytes()
        assert one.A.tobytes() == other.A.tobytes()


# ---- what ends a run --------------------------------------------------------------------------------

LONG = {"C": 1e5, "tol": 0.0, "acceleration": 2.0}


@pytest.mark.parametrize("form", ["narrow", "wide_float32", "gram"])
def test_limits_and_callbacks_end_a_run_with_a_certificate(problem, form, tmp_path):
    X, options = form_of(np.tile(problem[0], (20, 1)), form, tmp_path)
    y = np.tile(problem[1], 20)
    limits = {"cpu_limit": 0.3, "max_iter": 10**6}
    late = toplabel.solve(X, y, loss="lr_multi", **limits, **LONG, **options)
    assert late.status == "time_limit"
    assert late.epochs > 0
    check_certificate(X, y, late)

    seen = []
    stopped = toplabel.solve(
        X, y, eval_every=3, callback=lambda r: seen.append(r) or len(seen) == 4, **LONG, **options
    )
    assert (stopped.status, stopped.epochs) == ("interrupted", 9)
    assert [record.epoch for record in seen] == [0, 3, 6, 9]
    assert seen == stopped.history
    check_certificate(X, y, stopped)

    whole = toplabel.solve(X, y, max_iter=7, eval_every=2, **LONG, **options)
    assert [record.epoch for record in whole.history] == [0, 2, 4, 6, 7]
    assert whole.status == "max_iter"
    none = toplabel.solve(X, y, max_iter=0, **LONG, **options)
    assert (none.status, none.epochs, len(none.history)) == ("max_iter", 0, 1)
    check_certificate(X, y, none)


def test_an_error_in_the_callback_comes_out_as_it_is(problem):
    X, y, _ = problem

    class OwnError(Exception):
        pass

    error = OwnError("mine")

    def fail(*_):
        raise error

    for arguments in (
        {"callback": fail},
        {"watch": {"train": (X, y)}, "watch_metric": fail},
        {"callback": lambda record: record.epoch > 3 and fail()},
    ):
        with pytest.raises(OwnError) as caught:
            toplabel.solve(X, y, eval_every=2, **LONG, **arguments)
        assert caught.value is error
    for stop in (SystemExit(3), GeneratorExit()):
        error = stop
        with pytest.raises(type(stop)) as caught:
            toplabel.solve(X, y, callback=fail)
        assert caught.value is stop


@pytest.mark.parametrize("evaluation", [1, 3])
def test_ctrl_c_in_a_metric_returns_the_model_of_that_evaluation(problem, evaluation):
    X, y, _ = problem
    calls = []

    def metric(labels, scores):
        calls.append(1)
        if len(calls) == evaluation:
            raise KeyboardInterrupt
        return float(np.mean(scores.argmax(axis=1) == labels))

    solution = toplabel.solve(
        X, y, eval_every=2, watch={"train": (X, y)}, watch_metric=metric, **LONG
    )
    assert solution.status == "interrupted"
    assert solution.epochs == 2 * (evaluation - 1)
    assert [record.epoch for record in solution.history] == list(range(0, 2 * evaluation, 2))
    assert solution.history[-1].watched["train"] == np.mean((X @ solution.W).argmax(1) == y)
    check_certificate(X, y, solution)


@pytest.mark.parametrize("form", ["narrow", "wide", "gram"])
def test_ctrl_c_amid_an_accelerated_pass(problem, form, monkeypatch, tmp_path):
    X, options = form_of(problem[0], form, tmp_path)
    y = problem[1]
    original, calls = _training._Listener._between, []

    def between(self):
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return original(self)

    monkeypatch.setattr(_training._Listener, "_between", between)
    labels, kernel = as_labels(y, N, multilabel=False), options.get("kernel", "linear")
    whole = Problem(X, X, labels, kernel, None, losses.get("lr_multi"))
    run = Run(whole, 4.0, None, RunSettings(acceleration=1.5, block=10))
    run._rows_per_step = 20  # of 60
    status, history = train(run, Options(tol=0.0, max_iter=100))
    assert status == "interrupted"
    assert history[-1].epoch == 3 if form != "narrow" else history[-1].epoch >= 3
    W = run.weights()
    scores = X @ (run.coefficients() if W is None else W)
    norm2 = (run.coefficients() * scores).sum() if W is None else (W**2).sum()
    expected = losses.value("lr_multi", scores, y).mean() + norm2 / (2 * 4.0 * N)
    assert history[-1].primal == pytest.approx(expected, rel=1e-12)


def test_ctrl_c_at_the_optimum_still_ends_a_path(problem):
    """The run has converged; the signal has an effect all the same."""
    X, y, _ = problem

    def press(record):
        if record.relative_gap <= 1e-3:
            raise KeyboardInterrupt
        return False

    solutions = toplabel.path(X, y, [0.1, 1.0, 2.0], tol=1e-3, callback=press)
    assert [solution.status for solution in solutions] == ["interrupted"]


def test_ctrl_c_before_the_first_line_of_the_callback(problem, monkeypatch):
    """Python may deliver a signal as soon as a function is entered: no handler inside would see
    it.
    """
    X, y, _ = problem

    def interrupted(self, objective):
        raise KeyboardInterrupt

    monkeypatch.setattr(_training._Listener, "__call__", interrupted)
    solution = toplabel.solve(X, y, **LONG)
    assert (solution.status, solution.epochs, len(solution.history)) == ("interrupted", 0, 1)
    check_certificate(X, y, solution)


def test_the_softmax_before_a_descent_takes_the_acceleration(problem, monkeypatch):
    X, y, _ = problem
    seen = []
    original = _sdca.solutions

    def solutions(problem, Cs, options, warm_start):
        seen.append((problem.loss.key, options.acceleration))
        return original(problem, Cs, options, warm_start)

    monkeypatch.setattr(_sdca, "solutions", solutions)
    options = {"loss": "topk_ent_tr", "k": 2, "C": 5.0, "max_iter": 3}
    for acceleration in ("auto", False, 1.5):
        toplabel.solve(X, y, acceleration=acceleration, **options)
    assert seen == [("lr_multi", "auto"), ("lr_multi", False), ("lr_multi", 1.5)]
