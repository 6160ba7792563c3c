"""The data of the report: report.json, the frames, and copies of the files that the pages link to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from toplabel.reproduction.compare.cells import write_cells
from toplabel.reproduction.files import atomic_path
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.tree import Tree

CELLS, REPORT = "cells.csv", "report.json"


def write_data(tree: Tree, inputs: Inputs, folder: Path) -> None:
    """Write the folder ``data`` of the report anew, so that the report does not need results/."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in _linked(inputs):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(inputs.results / file, folder / file)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for figure in inputs.figures:
        (folder / "figures" / f"{figure['name']}.svg").write_text(figure["svg"], encoding="utf-8")
    write_cells(inputs.frame, folder / CELLS)
    content = {"run": inputs.run, "inputs": inputs.raw, **tree}
    with atomic_path(folder / REPORT) as path:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8", newline="")


def _linked(inputs: Inputs) -> list[str]:
    """Return the files of the results folder that the pages link to."""
    named = {*inputs.cells["file"]}
    named |= {f"tables/{one['name']}.csv" for one in inputs.tables}
    named |= {f"figures/{one['name']}.csv" for one in inputs.figures}
    named |= {str(Path(file).with_name("predictions.csv")) for file in inputs.cells["file"] if file}
    return sorted(file for file in named if file and inputs.link(file))
