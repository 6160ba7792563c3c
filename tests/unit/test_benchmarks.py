"""The benchmark: its scores are those of the library, and its programs run on tiny problems."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from small_sets import own_entry

from toplabel.reproduction.config.entry import RawFile

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "benchmarks/evidence")]

import peers  # noqa: E402

import growth  # noqa: E402
from benchmark_utils import own_solver, published_sets  # noqa: E402
from benchmark_utils.measuring import Meter  # noqa: E402
from benchmark_utils.problems import (  # noqa: E402
    SYNTHETIC,
    BenchProblem,
    decaying,
    synthetic,
)

LOSSES = ("svm_multi", "lr_multi", "svm_ova", "lr_ova")


def run(*arguments, **more):
    """Run a program of the benchmark to its end and return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}/pylib"} | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("shape", [name for name in SYNTHETIC if name != "tags"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_score_is_the_objective_of_the_library(shape, loss):
    problem = synthetic(shape, quick=True)
    solution = own_solver.train(problem, loss, tol=1e-4, max_iter=5000)
    W = own_solver.weights(problem, solution)
    assert own_solver.primal(problem, loss, W) == pytest.approx(solution.primal, rel=1e-6)
    bound, gap = own_solver.lower_bound(problem, loss)
    assert gap <= 1e-5
    assert bound <= own_solver.primal(problem, loss, W) <= bound * (1 + 2e-4)


def test_a_problem_is_the_same_again_and_has_rows_held_out():
    first, again = (synthetic("a", quick=True) for _ in range(2))
    np.testing.assert_array_equal(first.X, again.X)
    assert synthetic("a", quick=True, held_out=7).n == first.n + 7


def test_the_meter_counts_the_products_of_an_epoch():
    X, y = decaying(np.random.default_rng(0), 300, 80, 150)  # with fewer classes there is no BLAS
    problem = BenchProblem("c", X, y, 150, 10.0)
    solver = own_solver.start(problem, "svm_multi")
    with Meter() as meter:
        solver.run(1)
    expected = own_solver.flops_per_epoch(problem, meter.block)
    assert meter.flops == pytest.approx(expected, rel=0.2)


def test_the_scripts_print_their_tables():
    text = run("benchmarks/kernels.py", "--quick")
    for word in ("dgemm", "scipy wrightomega", "bipartite", "topk_svm_beta", "blas_milliseconds"):
        assert word in text
    assert "within_limit" in run("benchmarks/large.py", "--quick")
    assert "matrix of the RBF kernel" in run("benchmarks/jobs.py", "--quick")


def test_all_peers_reach_the_accuracy():
    problem = synthetic("a", quick=True)
    raced = peers.race(problem.X, problem.y, problem.C, 1e-3, peers.PEERS)
    assert {*raced["loss"]} == {*LOSSES}
    assert raced["reached"].all()


def test_growth_is_measured_once_and_drawn(tmp_path):
    text = run("benchmarks/growth.py", "--quick", tmp_path)
    for solver in ("svm_multi", "LIBLINEAR", "lr_multi", "lbfgs"):
        assert f"| rows | {solver} | 1,000 to 1,000 |" in text
    assert (tmp_path / "growth.svg").is_file()
    kept = (tmp_path / "growth.csv").read_text()
    assert "rows,1000," not in run("benchmarks/growth.py", "--quick", tmp_path)
    assert (tmp_path / "growth.csv").read_text() == kept


def test_exponents_are_those_of_the_upper_half():
    sizes = np.array([1.0, 10.0, 100.0, 1000.0])
    assert growth.exponent(sizes, np.array([7.0, 9.0, 1.0, 100.0])) == pytest.approx(2.0)
    assert np.isnan(growth.exponent(sizes[:1], sizes[:1]))


@pytest.mark.skipif(find_spec("benchopt") is None, reason="benchopt is missing: make bench has it")
def test_every_solver_gets_to_the_accuracy(tmp_path):
    options = ("-d", "tiny[shape=a]", "-r", "1", "--max-runs", "200", "--timeout", "20")
    run("-m", "benchopt", "run", "benchmarks", *options, "--no-cache", "--no-plot", "--output", "t")
    (result,) = (ROOT / "benchmarks/outputs").glob("t*.parquet")
    rows = [row for row in run("benchmarks/ratios.py", result).splitlines() if "tiny" in row]
    result.unlink()
    assert len(rows) >= 8
    assert not any(" False " in row for row in rows)


def test_a_set_is_gathered_from_several_folders(tmp_path):
    entry = own_entry(files=(RawFile("a.csv", "train"), RawFile("b.csv", "test")))
    folders = [tmp_path / "raw", tmp_path / "mirror"]
    for folder, name in zip(folders, ("a.csv", "b.csv"), strict=True):
        (folder / "mine").mkdir(parents=True)
        (folder / "mine" / name).write_text(name)
    published_sets.gather(entry, folders, tmp_path / "all")
    texts = {path.name: path.read_text() for path in (tmp_path / "all/mine").iterdir()}
    assert texts == {"a.csv": "a.csv", "b.csv": "b.csv"}
    with pytest.raises(published_sets.Unavailable, match=r"^b\.csv not found"):
        published_sets.gather(entry, folders[:1], tmp_path / "other")
