"""A tuning job that is killed goes on after the last path over C that it had finished."""

from dataclasses import fields, replace

import numpy as np
import pytest
from small_sets import multiclass_set, problems_of, task_of

from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.protocols import Axis, Budget
from toplabel.reproduction.methods import trained
from toplabel.reproduction.selection import tuning as module
from toplabel.reproduction.selection.choice import GridValues, Point
from toplabel.reproduction.selection.tuning import Checkpoints, tune_split

KERNEL = Method("lr_rbf", "A", "lr_multi", kernel="rbf")
BUDGET = Budget(Axis(2, -4, 2, 2), Axis(2, -2, 1, 1), folds=2, patience=1)
TASK = task_of(KERNEL, BUDGET, ("top1", "top2"), "folds")


class Killed(BaseException):
    pass


def _tune(checkpoints=None):
    return tune_split(problems_of(multiclass_set(with_val=False), TASK), TASK, checkpoints)


def test_a_killed_job_goes_on_after_its_last_path(tmp_path, monkeypatch, fits):
    monkeypatch.setattr(module, "WORTH_KEEPING", 0.0)
    expected, count = _tune(), len(fits)
    checkpoints = Checkpoints(tmp_path / "paths", "same")
    solve = trained.solve

    def mortal(*arguments, **keywords):
        if len(fits) == 2 * count - 1:
            raise Killed
        return solve(*arguments, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(trained, "solve", mortal)
        with pytest.raises(Killed):
            _tune(checkpoints)
    fits.clear()
    for most in (4, 0):  # the fits of one path over C; none when all paths are there
        for one, other in zip(_tune(checkpoints), expected, strict=True):
            for name in (field.name for field in fields(GridValues) if field.name != "seconds"):
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
        assert len(fits) <= most
        fits.clear()
    _tune(Checkpoints(tmp_path / "paths", "other data"))
    assert len(fits) == count
    checkpoints.remove()
    assert not (tmp_path / "paths").exists()


def test_long_paths_are_kept_and_damaged_ones_are_not_read(tmp_path):
    checkpoints = Checkpoints(tmp_path, "one")
    point = Point(np.array([[70.0, np.nan]]), 1e-4, 7, 9.0, theta=0.5, C=2.0)
    points = [point, replace(point, C=4.0, theta=None)]
    checkpoints.save("key", points)
    assert [repr(one) for one in checkpoints.load("key")] == [repr(one) for one in points]
    checkpoints.save("short", points[1:])
    assert checkpoints.load("short") is None
    (path,) = tmp_path.glob("*.npz")
    path.write_bytes(path.read_bytes()[:-30])
    assert checkpoints.load("key") is None
