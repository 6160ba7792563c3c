"""A tuning job that is killed goes on after the last path over C that it had finished."""

import multiprocessing
import os
import signal
from dataclasses import fields, replace

import numpy as np
import pytest
from standin import Recorder, multiclass_set, problems_of, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.selection.checkpoints import Checkpoints
from toplabel.reproduction.selection.results import Point, TuneResult
from toplabel.reproduction.selection.tuning import tune_block, tune_split

KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
BUDGET = Budget(Axis(2, -4, 2, 2), Axis(2, -2, 1, 1), folds=2, patience=1)


class Killed(BaseException):
    pass


class Mortal(Recorder):
    """Dies at its `last` call."""

    last = 0

    def __call__(self, *args, **options):
        if len(self.calls) == self.last:
            raise Killed
        return super().__call__(*args, **options)


def _tune(job, checkpoints, solve):
    prepared = multiclass_set(with_val=False)
    task = task_of(KERNEL, BUDGET, ("top1", "top2"), "folds")
    problems = problems_of(prepared, task)
    if job == "block":
        return tune_block(problems, task, solve, 0, checkpoints)
    return [tune_split(problems, task, solve, (), checkpoints)]


def _same(found, expected):
    for one, other in zip(found, expected, strict=True):
        for name in (field.name for field in fields(TuneResult) if field.name != "seconds"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@pytest.mark.parametrize("job", ["block", "split"])
def test_a_killed_job_goes_on_after_its_last_path(tmp_path, job):
    whole = Recorder()
    expected = _tune(job, None, whole)
    mortal = Mortal()
    mortal.last = len(whole.calls) - 1
    with pytest.raises(Killed):
        _tune(job, Checkpoints(tmp_path / "paths", "same", worth=0.0), mortal)
    again = Recorder()
    checkpoints = Checkpoints(tmp_path / "paths", "same", worth=0.0)
    _same(_tune(job, checkpoints, again), expected)
    assert 0 < len(again.calls) <= 4  # of one path over C
    finished = Recorder()
    _same(_tune(job, checkpoints, finished), expected)
    assert finished.calls == []
    checkpoints.remove()
    assert not (tmp_path / "paths").exists()


class Slain(Mortal):
    """Ends its process at its `last` call, as a scheduler does: without a word."""

    def __call__(self, *args, **options):
        if len(self.calls) == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(*args, **options)


def test_a_job_that_a_scheduler_kills_goes_on_in_another_process(tmp_path):
    whole = Recorder()
    expected = _tune("split", None, whole)
    slain = Slain()
    slain.last = len(whole.calls) - 1
    checkpoints = Checkpoints(tmp_path, "same", worth=0.0)
    job = multiprocessing.get_context("fork").Process(
        target=_tune, args=("split", checkpoints, slain)
    )
    job.start()
    job.join()
    assert job.exitcode == -signal.SIGKILL
    again = Recorder()
    _same(_tune("split", checkpoints, again), expected)
    assert 0 < len(again.calls) <= 4  # of one path over C


def test_another_problem_finds_nothing(tmp_path):
    _tune("split", Checkpoints(tmp_path, "one", worth=0.0), Recorder())
    solve = Recorder()
    _tune("split", Checkpoints(tmp_path, "two", worth=0.0), solve)
    assert solve.calls


def _point(seconds):
    return Point(0.5, 2.0, np.array([[70.0, np.nan]]), 1e-4, 7, seconds)


def test_points_are_read_as_they_were_written(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one", worth=2.0)
    points = [_point(1.5), replace(_point(0.5), C=4.0, theta=np.nan)]
    checkpoints.save("key", points)
    found = checkpoints.load("key")
    assert [repr(one) for one in found] == [repr(one) for one in points]
    checkpoints.save("short", points[1:])
    assert checkpoints.load("short") is None


def test_a_damaged_path_is_computed_again(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one", worth=0.0)
    checkpoints.save("key", [_point(1.0)])
    (path,) = tmp_path.glob("*.npz")
    path.write_bytes(path.read_bytes()[:-30])
    assert checkpoints.load("key") is None
