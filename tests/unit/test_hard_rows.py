"""Rows with a few long directions: the change of coordinates, its certificates and its limits."""

import numpy as np
import pytest
from scipy import optimize, sparse, special

import toplabel
from toplabel._core import scaled

N, D, M = 400, 12, 4
OPTIONS = {"C": 1.0, "max_iter": 1000}


@pytest.fixture(scope="module")
def problem():
    """Numbers from 0 to 255 around a large mean, as in raw pictures; classes that overlap."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(M, D))
    y = np.arange(N) % M
    X = np.clip(np.round(200 + 5 * (centres[y] + 1.5 * rng.normal(size=(N, D)))), 0, 255)
    Y = np.maximum(np.eye(M, dtype=int)[y], rng.random((N, M)) < 0.1).astype(int)
    return X, y, Y


def without(monkeypatch):
    """Switch the change of coordinates off."""
    monkeypatch.setattr(scaled, "_HARD", np.inf)


def check(X, y, solution, **options) -> None:
    found = toplabel.certify(X, y, solution, **options)
    assert solution.primal == pytest.approx(found.primal, rel=1e-9)
    assert solution.relative_gap == pytest.approx(found.relative_gap, abs=1e-6)


SMOOTH = [
    ("svm_multi", 1, 1.0),
    ("topk_svm_alpha", 2, 1.0),
    ("topk_svm_beta", 2, 0.5),
    ("lr_multi", 1, 0.0),
    ("topk_ent", 2, 0.0),
    ("svm_ova", 1, 1.0),
    ("lr_ova", 1, 0.0),
    ("svm_ml", 1, 1.0),
    ("lr_ml", 1, 0.0),
]


@pytest.mark.parametrize("C", [1.0, 10.0])
@pytest.mark.parametrize(("loss", "k", "gamma"), SMOOTH)
def test_a_smooth_loss_converges(problem, loss, k, gamma, C):
    X, y, Y = problem
    labels = Y if loss.endswith("_ml") else y
    solution = toplabel.solve(X, labels, loss=loss, k=k, gamma=gamma, C=C, max_iter=1000)
    assert solution.status == "converged"
    assert solution.relative_gap <= 1e-3
    check(X, labels, solution)


@pytest.mark.parametrize(("loss", "gap"), [("svm_ova", 0.1), ("lr_ova", 1e-3)])
def test_many_labels_do_not_hide_a_run_that_gets_nowhere(loss, gap):
    """At W = 0 the loss of one-vs-all grows with the labels, that of a no to all of them does not."""
    rng = np.random.default_rng(0)
    y = np.arange(960) % 40
    X = np.round(200 + 8 * (rng.normal(size=(40, 15))[y] + 0.5 * rng.normal(size=(960, 15))))
    solution = toplabel.solve(X, y, loss=loss, fit_intercept=True, **OPTIONS)
    assert solution.relative_gap <= gap
    check(X, y, solution)


@pytest.mark.parametrize("constant", [False, True])
def test_the_optimum_is_that_of_scipy(problem, constant):
    X, y, _ = problem
    solution = toplabel.solve(X, y, loss="lr_multi", tol=1e-6, fit_intercept=constant, **OPTIONS)
    rows = np.hstack([X, np.ones((N, 1))]) if constant else X
    # in columns of one size, so that SciPy's descent gets there
    axes = np.linalg.inv(np.linalg.cholesky(rows.T @ rows / N + 1e-3 * np.eye(rows.shape[1]))).T
    turned = rows @ axes

    def value(v):
        V = v.reshape(-1, M)
        scores, W = turned @ V, axes @ V
        p = special.softmax(scores, axis=1)
        p[np.arange(N), y] -= 1.0
        loss = (special.logsumexp(scores, axis=1) - scores[np.arange(N), y]).mean()
        return loss + (W**2).sum() / (2 * N), (turned.T @ p / N + axes.T @ W / N).ravel()

    start = np.zeros(turned.shape[1] * M)
    found = optimize.minimize(value, start, jac=True, options={"maxiter": 5000, "gtol": 1e-9})
    assert solution.status == "converged"
    assert solution.primal == pytest.approx(found.fun, rel=2e-6)
    expected = axes @ found.x.reshape(-1, M)
    W = np.vstack([solution.W, solution.intercept]) if constant else solution.W
    np.testing.assert_allclose(rows @ W, rows @ expected, atol=2e-2)


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi"])
def test_passes_in_the_given_coordinates_get_nowhere(problem, monkeypatch, loss):
    X, y, _ = problem
    rescued = toplabel.solve(X, y, loss=loss, **OPTIONS)
    without(monkeypatch)
    given = toplabel.solve(X, y, loss=loss, **OPTIONS)
    assert given.status == "max_iter"
    assert given.relative_gap > 0.2
    assert rescued.relative_gap < 0.1 * given.relative_gap
    assert rescued.primal < given.primal


@pytest.mark.parametrize(("loss", "k"), [("svm_multi", 1), ("topk_svm_alpha", 2), ("svm_ml", 1)])
def test_a_hinge_has_the_certificate_of_its_best_points(problem, loss, k):
    X, y, Y = problem
    labels = Y if loss == "svm_ml" else y
    solution = toplabel.solve(X, labels, loss=loss, k=k, **OPTIONS)
    assert solution.relative_gap < 0.02
    assert solution.gamma == 0.0
    check(X, labels, solution)
    primal = [record.primal for record in solution.history]
    assert solution.primal == min(primal)
    assert solution.dual == max(record.dual for record in solution.history)


def forms(problem):
    X = problem[0]
    weight = np.random.default_rng(1).integers(0, 3, N) / 1.0
    yield X.astype(np.float32), {}
    yield sparse.csr_array(X), {}
    yield X, {"sample_weight": weight}
    yield X, {"fit_intercept": True, "intercept_scaling": 50.0}
    yield np.hstack([X, np.tile(X, 6)]), {}  # wide, and of low rank


@pytest.mark.parametrize("form", range(5))
def test_any_form_of_the_rows(problem, form):
    X, options = list(forms(problem))[form]
    y = problem[1]
    solution = toplabel.solve(X, y, loss="lr_multi", **OPTIONS, **options)
    assert solution.status == "converged"
    check(X, y, solution, sample_weight=options.get("sample_weight"))


# ---- what stays as it is ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"max_iter": 100},
        {"acceleration": "unscaled"},
        {"acceleration": False},
        {"acceleration": 3.0},
        {"C": 1e-3},
        {"W0": np.zeros((D, M))},
    ],
)
def test_other_runs_are_the_same_to_the_last_bit(problem, monkeypatch, options):
    X, y, _ = problem
    options = {"max_iter": 150, "C": 1.0, **options}
    first = toplabel.solve(X, y, loss="svm_multi", **options)
    without(monkeypatch)
    again = toplabel.solve(X, y, loss="svm_multi", **options)
    assert first.W.tobytes() == again.W.tobytes()
    assert first.A.tobytes() == again.A.tobytes()
    assert first.epochs == again.epochs


def test_rows_that_are_separated_are_left_alone(monkeypatch):
    """There the given coordinates have the better dual variables."""
    rng = np.random.default_rng(3)
    y = np.arange(60) % 3
    X = 100 + 100 * rng.normal(size=(60, 80))
    first = toplabel.solve(X, y, max_iter=150, tol=0.0)
    without(monkeypatch)
    assert first.W.tobytes() == toplabel.solve(X, y, max_iter=150, tol=0.0).W.tobytes()


@pytest.mark.parametrize("eval_every", [None, 1, 7, 150])
def test_evaluations_have_no_say(problem, monkeypatch, eval_every):
    """A run is given up, or not, after the same pass whatever is evaluated when."""
    X, y, _ = problem
    asked = []
    original = scaled.Coordinates.of

    def of(problem, C):
        asked.append(C)
        return original(problem, C)

    monkeypatch.setattr(scaled.Coordinates, "of", of)
    solution = toplabel.solve(X, y, loss="lr_multi", eval_every=eval_every, **OPTIONS)
    assert asked == [1.0]
    assert 100 in [record.epoch for record in solution.history]


# ---- records and limits -----------------------------------------------------------------------------


def test_records_go_on_where_they_were(problem):
    X, y, _ = problem
    seen = []
    for loss in ("lr_multi", "svm_multi"):
        seen.clear()
        solution = toplabel.solve(X, y, loss=loss, callback=seen.append, **OPTIONS)
        epochs = [record.epoch for record in solution.history]
        assert epochs == sorted(epochs)
        assert 100 in epochs
        assert solution.epochs == epochs[-1] <= 1000
        assert {record.epoch for record in seen} == set(epochs) - {100}
        seconds = [r.solve_seconds + r.evaluate_seconds for r in solution.history]
        assert seconds == sorted(seconds)
        assert 0 < solution.visits <= N * solution.epochs


@pytest.mark.parametrize("loss", ["lr_multi", "svm_multi"])
def test_a_callback_ends_a_rescued_run(problem, loss):
    X, y, _ = problem
    stop = toplabel.solve(X, y, loss=loss, callback=lambda record: record.epoch > 100, **OPTIONS)
    assert stop.status == "interrupted"
    assert 100 < stop.epochs < 1000
    check(X, y, stop)


def test_ctrl_c_ends_a_rescued_run(problem):
    X, y, _ = problem

    def press(record):
        if record.epoch > 110:
            raise KeyboardInterrupt
        return False

    solution = toplabel.solve(X, y, loss="lr_multi", callback=press, **OPTIONS)
    assert solution.status == "interrupted"
    check(X, y, solution)


def test_a_limit_of_time_holds_for_the_whole(problem, monkeypatch):
    X, y, _ = problem
    monkeypatch.setattr(scaled.Clock, "left", lambda self: {"time_limit": 0.0})
    solution = toplabel.solve(X, y, loss="lr_multi", time_limit=60.0, **OPTIONS)
    assert (solution.status, solution.epochs) == ("time_limit", 100)
    check(X, y, solution)


def test_a_rescued_solution_is_a_start(problem):
    X, y, _ = problem
    first = toplabel.solve(X, y, loss="lr_multi", **OPTIONS)
    again = toplabel.solve(X, y, loss="lr_multi", warm_start=first, **OPTIONS)
    assert (again.status, again.epochs) == ("converged", 0)
    Cs = [0.5, 1.0, 4.0]
    for C, solution in zip(
        Cs, toplabel.path(X, y, Cs, loss="lr_multi", max_iter=1000), strict=True
    ):
        assert solution.status == "converged"
        assert solution.C == C
        check(X, y, solution)


def test_watched_sets_have_the_weights_of_the_rows(problem):
    X, y, _ = problem
    solution = toplabel.solve(X, y, loss="lr_multi", watch={"train": (X, y)}, **OPTIONS)
    for record in solution.history:
        penalty = record.primal - record.watched["train"]
        assert -1e-9 <= penalty <= record.primal + 1e-9
    last = toplabel.losses.value("lr_multi", X @ solution.W, y).mean()
    assert solution.history[-1].watched["train"] == pytest.approx(last, rel=1e-9)


def test_numbers_that_overflow_are_left_alone(problem):
    X, y, _ = problem
    solution = toplabel.solve(X * 1e80, y, C=1e-3, max_iter=120)
    assert solution.epochs == 120
    check(X * 1e80, y, solution)


@pytest.mark.parametrize("at", [1, 2, 4])
def test_numbers_that_overflow_in_the_other_coordinates_end_the_run(problem, monkeypatch, at):
    X, y, _ = problem
    asked = []
    original = scaled.Rescue._start

    def start(self, gamma, before):
        asked.append(gamma)
        if len(asked) == at:
            raise toplabel.ToplabelError(1, "TL_ERR_OVERFLOW", "numbers overflow")
        return original(self, gamma, before)

    monkeypatch.setattr(scaled.Rescue, "_start", start)
    solution = toplabel.solve(X, y, **OPTIONS)
    assert (len(asked), solution.status) == (at, "stalled")
    check(X, y, solution)
