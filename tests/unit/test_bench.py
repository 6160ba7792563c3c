"""The benchmark's own pieces: that the right thing is timed, not how long it takes."""

import dataclasses
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from toplabel import losses
from toplabel.reproduction.bench import (
    __main__,
    large,
    own_solver,
    peers,
    problems,
    published_sets,
    run,
    special,
    speed_targets,
    training,
)
from toplabel.reproduction.bench.measuring import Effort, Meter, best_of_rounds
from toplabel.reproduction.reporting.speed import LAYOUTS

ONCE = Effort(quick=True, repeats=1, cap=60.0)


@pytest.fixture(scope="module")
def small():
    """A problem of 120 rows, 5 features and 4 classes."""
    X, y = problems.letter_like(np.random.default_rng(0), 120, 5, 4)
    return problems.BenchProblem("t", X, y, 4, 1.0)


# ---- problems -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", problems.SYNTHETIC)
def test_shapes_are_seeded_and_hold_every_class(name):
    first, again = (problems.synthetic(name, quick=True) for _ in range(2))
    assert (first.X != again.X).sum() == 0
    n, d, m = problems.SYNTHETIC[name].quick
    assert first.n == n
    assert first.n_classes == m
    if first.gram is None:
        assert first.X.shape == (n, d)
    if first.y.ndim == 1:
        assert set(first.y) == set(range(m))
    else:
        assert first.y.sum(axis=1).min() >= 1
        assert 2.0 < first.y.sum(axis=1).mean() < 2.8
    norms = np.sqrt(first.X.multiply(first.X).sum(1)) if sparse.issparse(first.X) else first.X
    if name in ("b", "c", "tags"):
        np.testing.assert_allclose(np.linalg.norm(norms, axis=1), 1.0)
    if name == "text":
        np.testing.assert_allclose(norms, 1.0)


def test_the_factor_of_a_gram_matrix_has_its_products():
    shape = problems.synthetic("gram", quick=True)
    np.testing.assert_allclose(shape.X @ shape.X.T, shape.gram, atol=1e-9)


def test_a_set_that_is_not_at_hand_has_a_reason(monkeypatch, tmp_path):
    monkeypatch.delenv("TOPLABEL_MIRROR", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(published_sets.Unavailable, match=r"news20"):
        published_sets.load("news20")


@pytest.mark.mirror
@pytest.mark.parametrize(("name", "rows"), [("letter", 10500), ("news20", 15935)])
def test_real_sets_are_their_training_parts(mirror, name, rows):
    shape = published_sets.load(name)
    assert shape.n == rows
    assert set(shape.y) == set(range(shape.n_classes))
    assert sparse.issparse(shape.X) == (name == "news20")


# ---- scores -------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [key for key, spec in losses.LOSSES.items() if spec.convex])
def test_objectives_in_numpy_are_those_of_the_solver(small, loss):
    k, gamma = (2 if losses.get(loss).top_k else 1), (0.5 if losses.get(loss).smoothing else 0.0)
    shape = dataclasses.replace(small, y=own_solver.labels_for(small, loss), C=3.0)
    solution = own_solver.run_epochs(shape, loss, 4, k=k, gamma=gamma)
    assert solution.epochs == 4
    primal = own_solver.primal(shape, loss, solution.W, k=k, gamma=gamma)
    dual = own_solver.dual(shape, loss, solution.A, k=k, gamma=gamma)
    assert primal == pytest.approx(solution.primal, rel=1e-10)
    assert dual == pytest.approx(solution.dual, rel=1e-10)
    assert primal > dual


def test_a_gram_problem_is_that_of_its_factor():
    shape = problems.synthetic("gram", quick=True)
    solution = own_solver.train(shape, "svm_multi", eps=1e-6)
    W = own_solver.weights(shape, solution)
    assert own_solver.primal(shape, "svm_multi", W) == pytest.approx(solution.primal, rel=1e-8)


@pytest.mark.parametrize("loss", ["svm_multi", "lr_multi", "svm_ova", "lr_ova"])
def test_every_solver_reaches_the_same_optimum(small, loss):
    bound, gap = training.lower_bound(small, loss, 1e-6)
    assert gap <= 1e-6
    families = [peers.ours(small, loss), peers.certified(small, loss), *peers.others(small, loss)]
    assert len(families) >= 3
    for family in families:
        timing = training.time_to_accuracy(small, loss, family, bound, ONCE)
        assert timing.reached, family.solver
        assert -1e-9 <= timing.excess <= 1e-3, family.solver


def test_a_missing_peer_is_told(monkeypatch):
    monkeypatch.setattr(training, "missing", lambda module: f"{module} is not installed")
    monkeypatch.setattr(peers, "missing", training.missing)
    frame = training.compare(ONCE, names=["gram"])
    skipped = frame[frame["solver"] == "spams"]
    assert skipped["note"].iloc[0] == "skipped: spams is not installed"
    assert "SPAMS FISTA" not in set(frame["solver"])


# ---- the search for the loosest setting ---------------------------------------------------------


class _Solver:
    """Settings 0, 1, 2, ..; those from `first` on are accurate, and each takes `seconds` times its
    number.
    """

    def __init__(self, problem, first, seconds=0.0, count=60):
        self.tried, self.seconds = [], seconds
        zero = np.zeros((problem.X.shape[1], problem.n_classes))
        good = own_solver.train(problem, "lr_multi", eps=1e-8).W
        values, weights = range(count), lambda i: good if i >= first else zero
        self.family = peers.Family("fake", "fake", "no", values, lambda i: i, weights)

    def timed_fit(self, family, index):
        self.tried.append(index)
        return self.seconds * index, family.fit(family.values[index])


@pytest.mark.parametrize("first", [0, 1, 2, 17, 18, 59])
def test_the_loosest_accurate_setting_is_found(small, monkeypatch, first):
    solver = _Solver(small, first)
    monkeypatch.setattr(training, "timed_fit", solver.timed_fit)
    bound, _ = training.lower_bound(small, "lr_multi")
    timing = training.time_to_accuracy(small, "lr_multi", solver.family, bound, ONCE)
    assert timing.setting == f"no {first}"
    assert len(solver.tried) == len(set(solver.tried))


def test_a_hopeless_solver_is_given_up(small, monkeypatch):
    bound, _ = training.lower_bound(small, "lr_multi")
    slow = _Solver(small, first=50, seconds=1.0)
    monkeypatch.setattr(training, "timed_fit", slow.timed_fit)
    timing = training.time_to_accuracy(small, "lr_multi", slow.family, bound, ONCE, cap=8.0)
    assert not timing.reached
    assert 8.0 < timing.seconds <= 8.0 + slow.family.stride
    never = _Solver(small, first=1000, count=20)
    monkeypatch.setattr(training, "timed_fit", never.timed_fit)
    timing = training.time_to_accuracy(small, "lr_multi", never.family, bound, ONCE)
    assert (timing.reached, timing.setting) == (False, "no 19")


def test_measures_take_turns_and_the_best_counts():
    order = []

    def measure(name, values):
        order.append(name)
        return values.pop(0), len(values)

    best = best_of_rounds(
        {
            "x": lambda values=[3.0, 1.0]: measure("x", values),
            "y": lambda values=[2.0, 5.0]: measure("y", values),
        },
        2,
    )
    assert best == {"x": (1.0, 0), "y": (2.0, 1)}
    assert order == ["x", "y", "x", "y"]


# ---- inside the solver --------------------------------------------------------------------------


def test_the_meter_counts_products_and_leaves_no_trace():
    shape = problems.synthetic("b", quick=True)
    plain = own_solver.run_epochs(shape, "lr_multi", 2)
    with Meter() as meter:
        metered = own_solver.run_epochs(shape, "lr_multi", 2)
    np.testing.assert_array_equal(plain.W, metered.W)
    # Two products with W an epoch, and one an evaluation; what else there is, is smaller.
    least = 2.0 * shape.X.size * shape.n_classes * (2 * 2 + 2)
    assert least <= meter.flops <= 2 * least
    assert meter.seconds > 0
    seen = meter.calls
    own_solver.run_epochs(shape, "lr_multi", 1)
    assert meter.calls == seen > 0


def test_operations_of_an_epoch():
    shape = problems.synthetic("b", quick=True)
    block = own_solver.block_size(shape, "svm_multi")
    (n, d), m = shape.X.shape, shape.n_classes
    assert 8 <= block <= 256
    assert own_solver.flops_per_epoch(shape, block) == n * (4 * d * m + block * (d + m))
    text = problems.synthetic("text", quick=True)
    assert own_solver.flops_per_epoch(text, 0) == 4 * text.X.nnz * text.n_classes


# ---- V(t) ---------------------------------------------------------------------------------------


def test_the_reference_of_V_solves_its_equation():
    v = np.exp(np.linspace(-600, 13, 200))
    exact = special.reference(v + np.log(v))
    if exact is None:
        pytest.skip("longdouble is float64 here")
    # t is rounded: its error eps |t| becomes one of eps |t| / (1 + v) in v.
    slack = 1e-15 + 3e-16 * np.abs(v + np.log(v)) / (1 + v)
    assert (np.abs(exact - v) <= slack * v).all()
    residual = exact + np.log(exact) - (v + np.log(v)).astype(np.longdouble)
    assert (np.abs(residual) <= 1e-17 * (1 + np.abs(v + np.log(v)))).all()
    assert special.reference(np.array([1.0]))[0] == 1


# ---- targets ------------------------------------------------------------------------------------


def _training_frame(*rows):
    blank = dict.fromkeys(training.COLUMNS, "")
    return pd.DataFrame([blank | {"shape": "a", "loss": "svm_multi"} | row for row in rows])


def _judged(rows, case="a"):
    judged = speed_targets.judge({"training": _training_frame(*rows)})
    chosen = judged["work"].str.startswith("svm_multi") & (judged["case"] == case)
    return judged[chosen].iloc[0]


def test_targets_say_reached_missed_and_by_how_much():
    ours = {"package": "toplabel", "solver": "toplabel", "ratio": 1.0, "reached": "yes"}
    peer = {"package": "LIBLINEAR", "solver": "L", "seconds": 0.3, "reached": "yes"}
    row = _judged([ours, peer | {"ratio": 4.8}, peer | {"ratio": 3.2}])
    assert (row["measured"], row["verdict"], row["by"]) == ("3.2", "missed", "-20 %")
    row = _judged([ours, peer | {"ratio": 4.8}])
    assert (row["target"], row["verdict"], row["by"]) == ("≥ 4", "reached", "+20 %")
    assert _judged([ours, peer | {"ratio": 24.0}])["by"] == "6 times the target"
    row = _judged([ours, peer | {"ratio": 4.8, "reached": "no"}])
    assert (row["measured"], row["verdict"]) == ("> 4.8", "reached")
    row = _judged([ours, peer | {"ratio": 3.2, "reached": "no"}])
    assert row["verdict"] == "not reached for certain"
    row = _judged([ours])
    assert (row["verdict"], row["note"]) == ("not measured", "not in training.csv")


def test_a_group_that_failed_is_a_target_not_measured():
    judged = speed_targets.judge({}, {"special": "failed: no"})
    assert set(judged["verdict"]) == {"not measured"}
    assert set(judged.loc[judged["work"].str.startswith("V(t)"), "note"]) == {"failed: no"}
    assert {target.group for target in speed_targets.TARGETS} <= set(run.GROUPS)


# ---- a run --------------------------------------------------------------------------------------


def test_a_quick_run_writes_every_table(tmp_path, capsys):
    assert __main__.main(["--quick", "--out", str(tmp_path)]) == 0
    files = {path.name for path in tmp_path.glob("*.csv")}
    assert files == {f"{name}.csv" for name in (*run.GROUPS, "targets")}
    frames = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in run.GROUPS}
    assert all(len(frame) for frame in frames.values())
    solved = frames["training"].dropna(subset=["seconds"])
    assert (solved["excess"] <= 1e-3).all()
    assert not frames["training"]["note"].astype(str).str.startswith("failed").any()
    assert (frames["precision"]["certified_gap"] <= 1.01e-4).all()
    assert frames["special"]["largest_relative_error"].max() < 5e-15
    judged = pd.read_csv(tmp_path / "targets.csv")
    unmeasured = judged[judged["verdict"] == "not measured"]
    away = unmeasured["case"].fillna("").str.match("letter|mnist")  # a quick run reads no files
    assert list(unmeasured[~away]["work"]) == ["bipartite projection, d = 10^6: sorting / ours"]
    assert "targets:" in capsys.readouterr().out
    frames["targets"] = judged
    for layout in LAYOUTS:  # of the reports
        assert set(layout.columns) <= set(frames[layout.name].columns), layout.title


def test_a_group_that_fails_takes_no_other_with_it(tmp_path, monkeypatch, capsys):
    def fail(effort):
        raise ArithmeticError("the algorithms disagree")

    good = pd.DataFrame({"what": ["x"], "value": [1.0]})
    monkeypatch.setattr(run, "GROUPS", {"projections": fail, "machine": lambda effort: good})
    failed = run.run(ONCE, tmp_path, ["machine", "projections"])
    assert failed == {"projections": "failed: ArithmeticError: the algorithms disagree"}
    assert (tmp_path / "machine.csv").is_file()
    assert not (tmp_path / "projections.csv").exists()
    judged = pd.read_csv(tmp_path / "targets.csv")
    assert judged["note"].str.contains("the algorithms disagree").any()
    assert "the algorithms disagree" in capsys.readouterr().out


def test_a_part_of_the_groups_leaves_the_table_of_targets_alone(tmp_path):
    assert __main__.main(["special", "--quick", "--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.glob("*.csv")} == {"special.csv"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speical"], "no group 'speical'"),
        (["--repeats", "0"], "must be positive, got 0"),
        (["--cap", "-1"], "must be positive, got -1"),
        (["--shapes", "d"], "invalid choice: 'd'"),
    ],
)
def test_bad_arguments_get_a_line(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        __main__.main(arguments)
    assert message in capsys.readouterr().err


# ---- features larger than memory ----------------------------------------------------------------


def test_the_large_group_measures_memory_in_a_process_of_its_own():
    (row,) = large.bounded_memory(ONCE).to_dict("records")
    assert (row["n"], row["d"], row["m"]) == large.QUICK
    assert row["epochs"] == large.EPOCHS
    assert row["file_mib"] == pytest.approx(3000 * 64 * 4 / large.MIB, rel=0.01)
    assert row["model_mib"] == pytest.approx(8 * 10 * (64 + 3000) / large.MIB)
    assert 10 < row["start_mib"] <= row["peak_mib"] < large.LIMIT_MIB
    assert row["beyond_model_mib"] == row["peak_mib"] - row["model_mib"]
    assert row["within_limit"] == "yes"
    assert 0 < row["relative_gap"] < 1
    assert row["seconds_per_epoch"] > 0


def test_the_memory_of_the_process_that_starts_it_does_not_count():
    held = np.ones(400 * large.MIB // 8)  # touched, so resident
    code = "from toplabel.reproduction.bench.large import peak_mib; print(peak_mib())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert held.nbytes / large.MIB == 400
    assert 5 < float(found.stdout) < 390


def test_the_features_are_the_same_each_time_and_have_classes(tmp_path):
    for name in ("a.npy", "b.npy"):
        labels = large.write_features(tmp_path / name, 5000, 32, 4)
    X = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert X.dtype == np.float32
    np.testing.assert_array_equal(X, np.load(tmp_path / "b.npy"))
    np.testing.assert_allclose(np.linalg.norm(X, axis=1).mean(), 1.06, atol=0.05)
    means = np.array([X[labels == c].mean(axis=0) for c in range(4)])
    assert ((X @ means.T - (means**2).sum(1) / 2).argmax(axis=1) == labels).mean() > 0.5


def test_held_out_rows_are_not_trained_on():
    frame = run.ON_REQUEST["held_out"](ONCE)
    best = frame.groupby("shape")["top1"].max()
    assert set(best.index) == set(problems.SYNTHETIC) - {"tags"}
    for name, top1 in best.items():
        chance = 100 / problems.SYNTHETIC[name].quick[2]
        assert 2 * chance < top1 < 95, name


def test_the_large_group_runs_when_asked_for_alone(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(run, "GROUPS", {"machine": lambda effort: asked.append("machine")})
    table = pd.DataFrame({"n": [1]})
    monkeypatch.setattr(run, "ON_REQUEST", {"large": lambda effort: table})
    assert run.run(ONCE, tmp_path, ["large"]) == {}
    assert asked == []
    assert (tmp_path / "large.csv").is_file()
    assert not (tmp_path / "targets.csv").exists()
