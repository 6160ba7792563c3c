"""What is verified takes OpenBLAS's kernels of the run, which sum in an order of their own, and
about as long as is said.
"""

import platform
from types import SimpleNamespace

import pandas as pd
import pytest
from toplabel.reproduction.workflow.environment import kernels_of
from toplabel.reproduction.workflow.verify import Times, draw, kernels_of_run

from toplabel._core.files import write_json


def _blas(*kernels):
    return [{"library": "openblas", "kernels": one} for one in kernels]


@pytest.mark.parametrize(
    ("blas", "kernels"),
    [
        (_blas("Zen", "Zen"), "Zen"),
        (_blas("Zen", "Haswell"), ""),
        (_blas(None), ""),
        ([*_blas("Zen"), {"library": "mkl", "kernels": None}], "Zen"),
        ([], ""),
    ],
)
def test_the_kernels_are_those_that_all_openblas_libraries_took(blas, kernels):
    assert kernels_of(blas) == kernels


@pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the names are those of x86-64 processors"
)
def test_the_kernels_of_the_run_are_taken_where_this_processor_has_them(
    tmp_path, monkeypatch, capsys
):
    run = tmp_path / "run.json"
    assert kernels_of_run(run) == {}
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    for kernels, setting, said in (
        ("Nehalem", {}, ""),
        ("Haswell", {"OPENBLAS_CORETYPE": "Haswell"}, "kernels Haswell, as in that run"),
        ("Abacus", {}, "kernels Abacus, not to be had here, but Nehalem"),
    ):
        write_json(run, {"blas": _blas(kernels)})
        assert kernels_of_run(run) == setting
        assert said in capsys.readouterr().out
    write_json(run, {"budget": "standard"})  # of an earlier version
    assert kernels_of_run(run) == {}


# ---- what the drawn cells take ------------------------------------------------------------------

JOBS = """stage,dataset,method,seconds
prepare,a,,60
tune,a,x,600
train,a,x,60
evaluate,a,x,60
tune,b,y,3000
train,b,y,60
train,a,x_small,30
"""
FILES = [f"{name}/evaluation.csv" for name in ("a/x", "b/y", "a/x_small", "a/new")]


@pytest.fixture
def times(tmp_path):
    (tmp_path / "jobs.csv").write_text(JOBS, encoding="utf-8")
    methods = {name: SimpleNamespace(tuned_as=name) for name in ("x", "y", "new")}
    methods["x_small"] = SimpleNamespace(tuned_as="x")
    return Times(tmp_path / "jobs.csv", methods, cores=2)


def cells(*files):
    return pd.DataFrame({"file": files, "metric": "top1", "measured": 1.0})


def test_jobs_that_results_share_count_once(times):
    x, y, small, _ = FILES
    assert times.seconds([x]) == 780  # one after another
    assert times.seconds([x, small]) == 780  # of whose tuning both are made
    assert times.seconds([x, y]) == 3060
    assert times.seconds([]) == 0


def test_cells_are_drawn_among_those_that_fit(times):
    known = cells(*FILES)
    assert set(draw(known, 4, 0, times, minutes=20)["file"]) == {FILES[0], FILES[2]}
    assert len(draw(known, 1, 0, times, minutes=20)) == 1
    assert len(draw(known, 4, 0, times, minutes=100)) == 3  # of the last nothing is known
    assert len(draw(known, 4, 0, times)) == 4
    with pytest.raises(ValueError, match="--minutes 1: no cell is known to take as little"):
        draw(known, 4, 0, times, minutes=1)


def test_what_was_drawn_is_said_with_its_time(times, tmp_path):
    said = times.announcement(cells(*FILES, FILES[0]))
    assert "  a/x: top1; about 13 min\n" in said
    assert "  a/new: top1; unknown\n" in said
    assert said.endswith(
        "about 51 min on 2 cores, and 1 result of unknown length, by the times of"
        " the run to verify."
    )
    nothing = Times(tmp_path / "none.csv", {}, 2)
    assert "2 results of unknown length" in nothing.announcement(cells(*FILES[:2]))
