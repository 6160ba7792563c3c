"""Sets of variable size of a trained cell, by counting."""

import math

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.config.entry import Split
from toplabel.reproduction.data.parts import Part, PreparedSet
from toplabel.reproduction.files import write_records
from toplabel.reproduction.frames import write_rows
from toplabel.reproduction.selection.choice import Choice
from toplabel.reproduction.selection.models import Model
from toplabel.reproduction.selection.set_sizes import COVERAGES, DRAWS, halves, set_sizes


@pytest.fixture
def cell(tmp_path):
    """A cell of six classes whose scores are the features, with the wrong model for top-1."""
    rng = np.random.default_rng(0)
    y = rng.integers(6, size=101)
    X = rng.normal(size=(101, 6)) + 1.5 * np.eye(6)[y]
    split = Split(name="main", train="test", val="test", test="test")
    parts = {"test": Part(X, y=y)}
    prepared = PreparedSet("six", "multiclass", tuple("abcdef"), parts, (split,))
    known = dict(primal=1, dual=1, relative_gap=0, epochs=1, status="converged", seconds=0)
    models = [
        Model("main", gradient_norm=np.nan, C=C, W=W, **known)
        for C, W in ((1.0, np.eye(6)), (2.0, -np.eye(6)))
    ]
    write_records(models, tmp_path / "models.npz")
    choices = [
        Choice("main", f"top{k}", None, 2.0 if k == 1 else 1.0, None, None, None, 0.0, False)
        for k in (1, 2, 3, 5)
    ]
    write_rows(Choice, choices, tmp_path / "selection.csv")
    return prepared, tmp_path / "selection.csv", tmp_path / "models.npz", X, y


def test_each_draw_is_measured_on_the_rows_that_did_not_calibrate(cell):
    prepared, selection, models, X, y = cell
    frame = set_sizes(prepared, "main", selection, models)
    assert len(frame) == DRAWS * (3 + len(COVERAGES))
    for row in frame.itertuples():
        calibrate, measure = halves("six", "main", row.draw, len(y))
        scores = -X if row.goal == "coverage" else X
        margins = scores.max(axis=1, keepdims=True) - scores
        own = margins[np.arange(len(y)), y]
        if row.goal == "coverage":
            margin = np.sort(own[calibrate])[math.ceil((len(calibrate) + 1) * row.level) - 1]
        else:
            ordered = np.sort(margins[calibrate], axis=None)
            count = round(row.level * len(calibrate))
            margin = ordered[count - 1 : count + 1].mean()
            fixed = np.mean(
                np.argsort(np.argsort(margins[measure]))[np.arange(len(measure)), y[measure]]
                < row.level
            )
            assert row.fixed_coverage == pytest.approx(100 * fixed)
        assert row.size == pytest.approx((margins[measure] <= margin).sum(axis=1).mean())
        assert row.coverage == pytest.approx(100 * np.mean(own[measure] <= margin))


def test_the_halves_are_others_in_each_draw_and_share_no_row():
    drawn = [halves("six", "main", draw, 101) for draw in range(DRAWS)]
    for pair in drawn:
        np.testing.assert_array_equal(np.sort(np.concatenate(pair)), np.arange(101))
    assert len(pd.DataFrame([np.sort(pair[0]) for pair in drawn]).drop_duplicates()) == DRAWS
