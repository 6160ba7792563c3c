"""Names that a run of its own may not use, as the workflow has them."""

from pathlib import Path

import pytest

from toplabel.reproduction.plan import Plan, PlanError
from toplabel.reproduction.run import check_names

ROOT = Path(__file__).resolve().parents[2]
ENTRY = {
    "title": "Mine",
    "task": "multiclass",
    "protocol": "own",
    "format": "table",
    "options": {"label": "species"},
    "files": [{"name": "mine.csv", "part": "all"}],
}


def own(study="look", dataset="mine", method="mine_svm"):
    return {
        "datasets": {dataset: ENTRY},
        "methods": {method: {"label": "Mine", "loss": "svm_multi", "gamma": 0.25}},
        "studies": {study: {"title": "Look", "datasets": [dataset], "methods": [method]}},
        "download": False,
    }


def test_free_names_are_taken():
    check_names(Plan(ROOT, own()), "own.yaml")


@pytest.mark.parametrize(
    ("names", "key"),
    [
        ({"study": "all"}, "studies.all"),
        ({"study": "report"}, "studies.report"),
        ({"dataset": "train"}, "datasets.train"),
        ({"dataset": "tables"}, "datasets.tables"),
        ({"method": "data"}, "methods.data"),
    ],
)
def test_a_name_of_the_workflow_is_refused_by_file_and_key(names, key):
    with pytest.raises(PlanError, match=rf"^own\.yaml: {key}: "):
        check_names(Plan(ROOT, own(**names)), "own.yaml")
