"""The version stands in the C header; what is built, imported and cited has the same."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
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


def test_the_seconds_of_the_codecheck_are_those_of_the_kept_run():
    printed = [sys.executable, "benchmarks/evidence/kept_run.py"]
    table = subprocess.check_output(printed, cwd=ROOT, text=True).partition("\ncodecheck\n")[2]
    seconds = dict(re.findall(r"\| (\S+) \| (\d+) \|", table))
    manifest = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))["manifest"]
    timed = [entry for entry in manifest if "toplabel_seconds" in entry]
    stated = {entry["toplabel_command"].split()[-1]: entry["toplabel_seconds"] for entry in timed}
    jobs = pd.read_csv(ROOT / "reports/summary/jobs.csv")
    assert stated.pop("whole") == round(jobs["seconds"].sum())
    assert stated == {target: int(number) for target, number in seconds.items()}
