"""The rooms that docs/architecture.md tells of are those whose imports are checked."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_of_rooms_has_the_checked_order():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {
        room: number
        for number, layer in enumerate(reversed(layers))
        for room in layer.replace("|", " ").split()
    }
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", text, re.MULTILINE)
    rooms = [room for row in rows for room in re.findall(r"\w+", row)]
    assert sorted(rooms) == sorted(height)
    heights = [height[room] for room in rooms]
    assert heights == sorted(heights)
