"""The sums over the sources of a stage: by the rules in a small tree, and which modules they find
in ours.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from running import ROOT

import toplabel
from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.workflow import fingerprints
from toplabel.reproduction.workflow.fingerprints import (
    STAGES,
    fingerprint,
    module_sum,
    stage_modules,
    sum_of,
)

PACKAGE = Path(toplabel.__file__).parents[1]


def test_a_sum_sees_content_and_names_only(tmp_path):
    (tmp_path / "a.h").write_text("one", encoding="utf-8")
    before = sum_of(tmp_path, ("*.h",))
    os.utime(tmp_path / "a.h", (1, 1))
    (tmp_path / "b.txt").write_text("other", encoding="utf-8")
    assert sum_of(tmp_path, ("*.h",)) == before
    (tmp_path / "c.h").write_text("one", encoding="utf-8")
    assert sum_of(tmp_path, ("*.h",)) != before


# ---- a small tree -------------------------------------------------------------------------------

TREE = {
    "csrc/include/toplabel.h": "",
    "csrc/src/solver.c": "",
    "csrc/tests/test_solver.c": "",
    "pylib/toplabel/__init__.py": "from toplabel.solver import solve\n",
    "pylib/toplabel/solver.py": "def solve():\n    from toplabel._native import lib\n    return lib\n",
    "pylib/toplabel/above.py": "from toplabel.solver import solve\n",
    "pylib/toplabel/room/__init__.py": "NAME = 1\n",
    "pylib/toplabel/room/inner.py": "",
    "pylib/toplabel/room/other.py": "import toplabel.solver\n",
    "pylib/toplabel/reproduction/report/templates/page.html": "",
    "workflow/scripts/evaluate_test.py": "from toplabel.room import inner\n",
    "workflow/scripts/tune_splits.py": "from toplabel.room.inner import f\nfrom toplabel.solver import solve\n",
    "workflow/scripts/write_report.py": "from toplabel.room import NAME\n",
}


def _tree(root, changed="", addition="\nCHANGED = 1\n"):
    for name, text in TREE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        added = addition if name == changed else ""
        (root / name).write_text(text + added, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("csrc/include/toplabel.h", {"tune"}),
        ("csrc/src/solver.c", {"tune"}),
        ("csrc/tests/test_solver.c", set()),
        ("pylib/toplabel/__init__.py", set()),  # gathers names, and does nothing else
        ("pylib/toplabel/solver.py", {"tune"}),
        ("pylib/toplabel/above.py", set()),
        ("pylib/toplabel/room/__init__.py", {"report"}),  # of which a name is imported
        ("pylib/toplabel/room/inner.py", {"evaluate", "tune"}),
        ("pylib/toplabel/room/other.py", set()),
        ("pylib/toplabel/reproduction/report/templates/page.html", {"report"}),
        ("workflow/scripts/evaluate_test.py", {"evaluate"}),
        ("workflow/scripts/tune_splits.py", {"tune"}),
        ("workflow/scripts/write_report.py", {"report"}),
    ],
)
def test_a_change_is_seen_by_the_stages_that_depend_on_it(tmp_path, name, stages):
    roots = _tree(tmp_path / "before"), _tree(tmp_path / "after", changed=name)
    sums = [{stage: fingerprint(stage, r, r / "pylib") for stage in STAGES} for r in roots]
    assert {stage for stage in STAGES if sums[0][stage] != sums[1][stage]} == stages


@pytest.mark.parametrize("addition", ["\n# why\n", '\n"""About it."""\n', "\n\n"])
def test_comments_docstrings_and_layout_do_not_count(tmp_path, addition):
    name = "pylib/toplabel/room/inner.py"
    roots = _tree(tmp_path / "before"), _tree(tmp_path / "after", name, addition)
    before, after = (fingerprint("tune", root, root / "pylib") for root in roots)
    assert before == after


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("pylib/toplabel/room/other.py", True),
        ("pylib/toplabel/solver.py", True),
        ("pylib/toplabel/room/inner.py", False),
        ("csrc/src/solver.c", False),  # the stage sees it
    ],
)
def test_the_sum_of_a_module_is_over_all_that_it_imports(tmp_path, name, seen):
    roots = _tree(tmp_path / "before"), _tree(tmp_path / "after", changed=name)
    before, after = (module_sum("toplabel.room.other", root / "pylib") for root in roots)
    assert (before != after) == seen


# ---- ours ---------------------------------------------------------------------------------------

TRAINING = {"fetch", "prepare", "tune", "train", "threshold", "evaluate"}


@pytest.fixture(scope="module")
def stages_of():
    """The stages that see a module, by its name."""
    found = defaultdict(set)
    for stage in STAGES:
        for module in stage_modules(stage, ROOT, PACKAGE):
            found[module].add(stage)
    return found


def test_a_stage_sees_the_rooms_below_it_and_no_others(stages_of):
    for module in ("toplabel._native", "toplabel.solver"):
        assert {"tune", "train", "evaluate", "timing"} <= stages_of[module]
        assert not {"fetch", "prepare", "compare", "tables", "report"} & stages_of[module]
    assert stages_of["toplabel.reproduction.workflow.jobs"] == set(STAGES)
    for module, stages in stages_of.items():
        room = f"{module}.".replace(".reproduction.", ".").split(".")[1]
        if room in ("calibration", "illustrations", "reporting", "studies", "simplex"):
            assert not stages & TRAINING, module
        if room == "selection":
            assert not stages & {"fetch", "prepare", "datasets", "report"}, module


def test_the_plan_itself_is_in_no_sum(stages_of):
    plan = {
        f"toplabel.reproduction.workflow.{name}"
        for name in ("plan", "targets", "fingerprints", "partial")
    }
    assert not plan & set(stages_of)


def test_a_baseline_is_in_no_stage_that_trains(stages_of):
    for module in {baseline.module for baseline in BASELINES.values()}:
        assert not stages_of[module] & TRAINING, module
        assert module_sum(module) != module_sum("toplabel.reproduction.methods.models")


def test_every_script_is_of_one_stage():
    scripts = sorted((ROOT / "workflow/scripts").glob("*.py"))
    of_stages = [
        path for patterns in STAGES.values() for p in patterns for path in scripts if path.match(p)
    ]
    # What has no output cannot be out of date.
    without = {"partial_report", "verify_files"}
    assert sorted(of_stages) == [path for path in scripts if path.stem not in without]


def test_imports_are_absolute_as_the_fingerprints_need_them():
    for path in (PACKAGE / "toplabel").rglob("*.py"):
        assert not re.search(r"^\s*from\s+\.", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_saved_sources_give_the_same_sums(tmp_path, monkeypatch):
    code = (
        "from pathlib import Path\n"
        "from toplabel.reproduction.workflow.fingerprints import STAGES, fingerprint, save_parsed\n"
        f"print(*(fingerprint(stage, Path({str(ROOT)!r})) for stage in STAGES))\n"
        "save_parsed()\n"
    )
    (tmp_path / ".snakemake").mkdir()
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    )
    assert first == second != ""
    saved = tmp_path / ".snakemake/toplabel.imports.json"
    saved.write_text("no JSON", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    fingerprints._known.cache_clear()
    assert fingerprints._known() == {}
    fingerprints._known.cache_clear()
