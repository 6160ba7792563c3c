"""Verifying takes OpenBLAS's kernels of the run, since kernels sum in different orders."""

import platform

import pytest

from toplabel._core.files import write_json
from toplabel.reproduction.workflow.environment import kernels_of
from toplabel.reproduction.workflow.verify import kernels_of_run


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
