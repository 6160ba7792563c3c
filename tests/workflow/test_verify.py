"""Which kept numbers are computed again, with which kernels, and what counts as the same."""

import platform
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.facts import kernels_of
from toplabel.reproduction.files import write_json
from toplabel.reproduction.verify import beside, counts, draw, kernels_of_run, seconds_of_results


def _blas(*kernels):
    return [{"library": "openblas", "kernels": one} for one in kernels]


def test_the_kernels_are_those_that_all_openblas_libraries_took():
    assert kernels_of([*_blas("Zen", "Zen"), {"library": "mkl", "kernels": None}]) == "Zen"
    assert kernels_of(_blas("Zen", "Haswell")) == kernels_of(_blas(None)) == kernels_of([]) == ""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the names are those of x86-64")
def test_the_kernels_of_the_run_are_taken_where_this_processor_has_them(tmp_path, monkeypatch):
    run = tmp_path / "run.json"
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    for kernels, setting in (
        ("Nehalem", {}),
        ("Haswell", {"OPENBLAS_CORETYPE": "Haswell"}),
        ("Abacus", {}),
    ):
        write_json(run, {"blas": _blas(kernels)})
        assert kernels_of_run(run) == setting


def _numbers(*results):
    frame = pd.DataFrame(results, columns=["config_dataset", "config_method"])
    return frame.assign(metric="top1", value=1.0, printed="1.0")


@pytest.fixture
def kept():
    return _numbers(("a", "x"), ("b", "y"), ("a", "x_small"), ("a", "new"))


@pytest.fixture
def seconds(kept):
    """Times of the results a/x, b/y and a/x_small, which takes the tuning of x."""
    rows = [
        *(("prepare", "a", "", 58), ("tune", "a", "x", 598), ("train", "a", "x", 58)),
        *(("tune", "b", "y", 2998), ("train", "b", "y", 58), ("train", "a", "x_small", 28)),
    ]
    jobs = pd.DataFrame(rows, columns=["stage", "dataset", "method", "seconds"])
    methods = {name: SimpleNamespace(tuned_as=name) for name in ("x", "y", "new")}
    methods["x_small"] = SimpleNamespace(tuned_as="x")
    return seconds_of_results(kept, jobs, methods)


def test_a_result_takes_the_time_of_its_jobs_and_of_its_data_set(seconds):
    times = {("a", "x"): 720, ("b", "y"): 3060, ("a", "x_small"): 690, ("a", "new"): np.inf}
    assert seconds.to_dict() == times


def test_numbers_are_drawn_among_those_that_fit(kept, seconds):
    found = draw(kept, 4, 0, 20, seconds, cores=2)
    assert set(found["config_method"]) == {"x", "x_small"}
    assert len(draw(kept, 4, 0, None, seconds, cores=2)) == 4
    with pytest.raises(ValueError, match="no result"):
        draw(kept, 4, 0, 1, seconds, cores=2)


def test_numbers_are_the_same_up_to_the_digits_of_the_kept_file():
    kept = _numbers(("a", "x"), ("b", "y"), ("c", "z"), ("d", "z"))
    again = kept.drop(columns="printed").rename(columns={"value": "again"}).iloc[:3]
    found = beside(kept, again.assign(again=[1 + 1e-14, 1 + 1e-10, 1.06]))
    assert list(found["same"]) == [True, False, False, False]
    assert list(found["same_shown"]) == [True, True, False, False]


def test_numbers_that_could_not_be_computed_are_not_called_different():
    kept = _numbers(("a", "x"), ("b", "y"), ("c", "z"))
    again = kept.drop(columns="printed").rename(columns={"value": "again"})
    one_computed = beside(kept, again.iloc[:1])
    assert counts(one_computed, np.array([True, True, False])).splitlines() == [
        "1 of 1 the same to the last digit, and 0 of 0 others of their results",
        "1 of 1 the same as shown in a report, and 0 of 0 others of their results",
        "1 of 2 could not be computed: nothing is known of them",
    ]
    none_computed = beside(kept, again.iloc[:0])
    assert "the same" not in counts(none_computed, np.array([True, True, True]))
