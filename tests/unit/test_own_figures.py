"""Which figures the report of a run of its own has."""

from pathlib import Path

import pytest

from toplabel.reproduction.plan import Plan
from toplabel.reproduction.targets import Targets

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("method", "drawn"),
    [("lr_multi", True), ("frequencies", False), ("forest", False)],
)
def test_a_selection_is_drawn_where_a_method_selects_a_c(method, drawn):
    forest = {"label": "Forest", "estimator": "sklearn.ensemble.RandomForestClassifier"}
    config = {
        "methods": {"forest": forest},
        "studies": {"look": {"title": "Look", "datasets": ["digits"], "methods": [method]}},
    }
    figures = Targets(Plan(ROOT, config)).figures
    assert ("selection_digits" in figures) == drawn
    assert "topk_digits" in figures
