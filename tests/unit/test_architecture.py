"""The layers in docs/architecture.md are those whose imports are checked."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_layers_has_the_checked_order():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {
        package: number
        for number, layer in enumerate(reversed(layers))
        for package in layer.replace("|", " ").split()
    }
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text, re.MULTILINE)
    packages = [package for row in rows for package in re.findall(r"\w+", row)]
    assert sorted(packages) == sorted(height)
    heights = [height[package] for package in packages]
    assert heights == sorted(heights)


def test_names_of_the_package_are_there_whatever_was_imported_before():
    code = (
        "import toplabel.estimators, toplabel\n"
        "for name in toplabel.__all__: getattr(toplabel, name)\n"
        "assert callable(toplabel.certify) and callable(toplabel.path)\n"
        "from toplabel import *\n"
        "assert {*toplabel.__all__} <= {*dir(toplabel)} & {*globals()}\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_plan_of_a_run_needs_no_solver():
    code = (
        "import sys\n"
        "import toplabel.reproduction.workflow.targets, toplabel.reproduction.workflow.resources\n"
        "print(*({'scipy', 'pandas', 'sklearn', 'toplabel._native'} & {*sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
