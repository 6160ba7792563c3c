"""The version stands in the C header; what is built, imported and cited has the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

import toplabel
from toplabel._core.lib import ffi, lib

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_and_the_requirements_of_the_package_are_the_same_everywhere():
    header = (ROOT / "csrc/include/toplabel.h").read_text(encoding="utf-8")
    version = re.search('#define TL_VERSION "(.*)"', header)[1]
    assert toplabel.__version__ == ffi.string(lib.tl_version()).decode() == version
    numbers = re.findall(r"#define TL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    assert ".".join(numbers) == version
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == version
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == version
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = {need.replace(" ", "") for need in recipe["requirements"]["run"]}
    assert needs == {"python", *requires["dependencies"]}
    packaged = [sys.executable, "setup.py", "--quiet", "--version"]
    assert subprocess.check_output(packaged, cwd=ROOT, text=True).split()[-1] == version
