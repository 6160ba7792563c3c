"""The layers in docs/architecture.md are those whose imports are checked."""

import re
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
