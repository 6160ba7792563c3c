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
    targets = Targets(Plan(ROOT, config))
    assert ("selection_digits" in targets.figures) == drawn
    # By name there is one, of the other studies where this config has no C.
    assert targets.figure_inputs("selection_digits")
