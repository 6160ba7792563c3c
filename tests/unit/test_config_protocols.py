"""Protocols, budgets and grids."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toplabel.reproduction.config.protocols import (
    Axis,
    Budget,
    SignedPowers,
    ThresholdRange,
    load_protocols,
)
from toplabel.reproduction.selection import with_meaning

ROOT = Path(__file__).resolve().parents[2]
PROTOCOLS = ROOT / "config/protocols.yaml"


def test_paper_grids_are_those_of_the_papers(protocols):
    multilabel = protocols["multilabel"].budgets["paper"]
    assert multilabel.C.exponents() == list(range(-20, 6))
    assert multilabel.theta.exponents() == list(range(-15, 4))
    assert multilabel.folds == 10
    half = protocols["half_half"].budgets["paper"]
    assert half.C.exponents() == list(range(-20, 16))
    np.testing.assert_allclose(half.threshold_values(), np.arange(1, 101) / 10)
    circle = protocols["circle"].budgets["paper"]
    assert circle.C.exponents() == list(range(-18, 19))
    multiclass = protocols["multiclass"].budgets["paper"]
    values = [multiclass.C.value(e) for e in multiclass.C.exponents()]
    np.testing.assert_allclose(values, 10.0 ** np.arange(-5, 4))
    assert multiclass.extend > 0


def test_paper_threshold_grid_has_71_values(protocols):
    thresholds = protocols["multilabel"].budgets["paper"].threshold_values()
    assert len(thresholds) == 71
    assert (np.diff(thresholds) > 0).all()
    np.testing.assert_allclose(thresholds, -thresholds[::-1])
    np.testing.assert_allclose(np.log10(thresholds[36:]), -5.9 + 0.2 * np.arange(35), atol=1e-12)


def test_every_budget_is_within_the_papers_range(protocols):
    for protocol in protocols.values():
        paper = protocol.budgets["paper"].C
        for budget in protocol.budgets.values():
            assert budget.C.start >= paper.start
            assert budget.C.stop <= paper.stop


@given(st.integers(-20, 5), st.integers(0, 30), st.sampled_from([0.2, 0.25, 0.5, 1, 3]))
def test_axis_is_ascending_evenly_spaced_and_bounded(start, length, step):
    axis = Axis(2, start, start + length, step)
    exponents = axis.exponents()
    assert exponents[0] == start
    assert exponents[-1] <= start + length + 1e-9 < exponents[-1] + step + 1e-9
    np.testing.assert_allclose(np.diff(exponents), step, atol=1e-9)


def test_refinement_stays_within_the_axis_and_keeps_its_centre():
    axis = Axis(2, -20, 5, 3)
    assert axis.around(3, 1) == [2, 3, 4]
    assert axis.around(-20, 1) == [-20, -19]
    assert axis.around(8, 1) == [8]  # after an extension
    assert axis.around(4, 2) == [2, 4, 5]  # a coarse grid may stop short of the end


def test_refined_values_equal_those_of_a_finer_axis():
    coarse, fine = Axis(2, -20, 5, 3), Axis(2, -20, 5, 1)
    exponents = coarse.around(-8, 1)
    values = {fine.value(e) for e in fine.exponents()}
    assert {coarse.value(e) for e in exponents} <= values


def test_thresholds_are_the_values_of_all_grids():
    line, powers = ThresholdRange(0, 1, 3), SignedPowers(10, -1, 0, 1)
    axis = Axis(2, 0, 1, 1)
    assert Budget(axis).threshold_values().tolist() == []
    assert Budget(axis, thresholds=[line]).threshold_values().tolist() == [0, 0.5, 1]
    both = Budget(axis, thresholds=[line, powers]).threshold_values()
    assert both.tolist() == [-1, -0.1, 0, 0.1, 0.5, 1]


def test_metrics_beyond_the_number_of_classes_are_left_out(protocols):
    def metrics(name):
        return with_meaning(protocols[name].metrics, 3)

    assert metrics("multiclass") == ["top1", "top2"]
    assert "rank_loss" in metrics("multilabel")
    names = metrics("half_half")
    assert "p_at_2" in names
    assert "r_at_3" not in names


CIRCLE = ("protocols", "circle")
QUICK = (*CIRCLE, "budgets", "quick")


@pytest.mark.parametrize(
    ("path", "changes", "culprit"),
    [
        (CIRCLE, {"metric": ["top1"]}, "circle: unknown key 'metric'; did you mean metrics"),
        (QUICK, {"thresholds": [{"from": 0, "to": 1, "count": 1}]}, "quick.thresholds.*count: "),
        (QUICK[:3], {"paper": None}, "circle.budgets.paper: it, or its folds, is missing"),
        ((*QUICK, "C"), {"step": 0}, "protocols.circle.budgets.quick.C.step"),
        ((*QUICK, "C"), {"from": 99}, "protocols.circle.budgets.quick.C: from 99"),
        (QUICK, {"thresholds": "fine"}, "budgets.quick.thresholds"),
        (QUICK, {"folds": None}, "circle.budgets.quick: it, or its folds, is missing"),
        (CIRCLE, {"metrics": None}, "protocols.circle: the key 'metrics' is missing"),
        (CIRCLE, {"metrics": [1]}, r"metrics\[0\]"),
    ],
)
def test_bad_protocols_are_one_line_with_file_and_key(tmp_path, path, changes, culprit):
    document = yaml.safe_load(PROTOCOLS.read_text(encoding="utf-8"))
    row = document
    for key in path:
        row = row[key]
    row |= changes
    for key in [key for key, value in changes.items() if value is None]:
        row.pop(key, None)
    file = tmp_path / "protocols.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    with pytest.raises(ValueError, match=culprit) as caught:
        load_protocols(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
