"""Names that a run of its own may not use, as the workflow has them, and classes of its own."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from toplabel.reproduction import sources
from toplabel.reproduction.jobs import MODULES
from toplabel.reproduction.plan import Plan, PlanError
from toplabel.reproduction.run import check_classes, check_names, find_modules

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


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """Write a module beside a config file; return the plan of a config that has its class as a loss."""
    monkeypatch.setenv(MODULES, "")
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sources, "ROOTS", [*sources.ROOTS])
    find_modules([tmp_path / "own.yaml"])

    def plan(text):
        for function in (sources.state_of, sources._file, sources._imports, sources._content):
            function.cache_clear()
        sys.modules.pop("my_losses", None)
        importlib.invalidate_caches()
        (tmp_path / "my_losses.py").write_text(text)
        rows = own()
        rows["methods"]["mine_svm"] = {"label": "Mine", "loss": "my_losses.Loss"}
        return Plan(ROOT, rows)

    return plan


def test_a_module_beside_the_config_is_found_and_its_change_is_seen(beside):
    text = "class Loss:\n    def value(self, scores, labels):\n        return {}\n    gradient = None\n"
    first = beside(text.format(1))
    check_classes(first, "own.yaml")
    before = first.sources("tune.py", {"method": "mine_svm"})
    assert beside(text.format(2)).sources("tune.py", {"method": "mine_svm"}) != before
    assert beside(text.format(1)).sources("tune.py", {"method": "mine_svm"}) == before


def test_an_installed_package_counts_by_its_version_or_in_place_by_its_sources(
    monkeypatch, tmp_path
):
    rows = own()
    rows["methods"]["mine_svm"] = {"label": "Mine", "estimator": "sklearn.svm.LinearSVC"}
    rows["methods"]["edited"] = {"label": "Edited", "estimator": "edited_package.models.Net"}
    monkeypatch.setattr(sources, "ROOTS", [*sources.ROOTS])
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "edited_package"
    package.mkdir()
    (package / "__init__.py").touch()

    def of_tuning(method, text="x = 1"):
        (package / "models.py").write_text(f"{text}\n")
        for function in (sources.state_of, sources._file, sources._imports, sources._content):
            function.cache_clear()
        return Plan(ROOT, rows).sources("tune.py", {"method": method})

    assert of_tuning("edited") != of_tuning("edited", "x = 2")
    assert of_tuning("edited") == of_tuning("edited", "x = 1  # a comment")
    before = of_tuning("mine_svm")
    monkeypatch.setattr(sources, "version", lambda name: f"{name} 0")
    assert of_tuning("mine_svm") != before


def test_a_class_that_cannot_be_imported_is_refused_by_file_and_key(beside):
    plan = beside("import no_such_module\n")
    with pytest.raises(PlanError, match=r"^own\.yaml: methods\.mine_svm\.loss: .*no_such_module"):
        check_classes(plan, "own.yaml")


@pytest.fixture
def package(beside, tmp_path):
    """Write a package beside the config file, of a module and a helper; return the plan's sum of it."""

    def total(sign, method, **files):
        lines = {"__init__": "", "helper": f"SIGN = {sign}\n", **files}
        (tmp_path / "pack/deep").mkdir(parents=True, exist_ok=True)
        for name, text in lines.items():
            (tmp_path / f"pack/{name.replace('_in_', '/')}.py").write_text(text)
        plan = beside("")
        rows = own()
        rows["methods"]["near"] = {"label": "Near", **method}
        plan = Plan(ROOT, rows)
        return plan.sources("tune.py", {"method": "near"})

    return total


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("near", "from .helper import SIGN"),
        ("near", "from . import helper"),
        ("near", "from pack.helper import SIGN"),
        ("deep_in_near", "from ..helper import SIGN"),
        ("__init__", "from .helper import SIGN"),
    ],
)
def test_a_module_that_an_own_class_imports_is_a_source(package, file, line):
    module = {"near": "pack.near", "deep_in_near": "pack.deep.near", "__init__": "pack"}[file]
    method = {"estimator": f"{module}.Near"}
    sums = [package(sign, method, **{file: f"{line}\n"}) for sign in (1, 2, 1)]
    assert sums[0] == sums[2] != sums[1]


@pytest.mark.parametrize(
    "params",
    [
        {"estimator": {"estimator": "pack.helper.Near"}},
        {
            "estimator": {
                "estimator": "sklearn.ensemble.BaggingClassifier",
                "params": {"estimator": {"estimator": "pack.helper.Near"}},
            }
        },
        {"steps": [["near", {"estimator": "pack.helper.Near"}]]},
    ],
)
def test_a_class_within_params_is_a_source(package, params):
    method = {"estimator": "sklearn.pipeline.Pipeline", "params": params}
    sums = [package(sign, method) for sign in (1, 2, 1)]
    assert sums[0] == sums[2] != sums[1]


def test_files_of_the_user_with_names_of_modules_of_python_do_no_harm(beside, tmp_path):
    beside("VALUE = 7\n")
    for name in ("random", "queue", "csv", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "job.py").write_text(
        "import random, queue, csv, json, toplabel.reproduction.jobs, my_losses\n"
        "print(my_losses.VALUE)\n"
    )
    done = subprocess.run([sys.executable, "job.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "7\n", done.stderr
