"""The machine-readable report: the collected files beside the pages, and one JSON file with
everything in it.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import atomic_path
from toplabel.reproduction.report.exported import export, without_formulas
from toplabel.reproduction.report.inputs import FIGURE_WORDS, TABLE_WORDS, ReportInputs
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.report.trace import inside
from toplabel.reproduction.report.tree import Tree, build_tree
from toplabel.reproduction.tables.collected import COLLECTED, COMPARISON


def write_data(inputs: ReportInputs, folder: str | Path) -> None:
    """Write the data of the report, so that its folder does not need results/.

    A text of a CSV file that a spreadsheet would take for a formula has a ' before it.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    folder : path-like
        ``reports/data``: comparison.csv and the other collected files, figures/ and tables/ with
        their numbers, what the pages link to (``<set>/<method>/evaluation.csv``, logs of failures),
        report.json last. What an earlier report left there is removed.
    """
    folder = Path(folder)
    for path in folder.glob("*/"):
        shutil.rmtree(path)
    for part in ("figures", "tables"):
        (folder / part).mkdir(parents=True)
    for file in _linked(inputs):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        export(inputs.folder / file, folder / file)
    for file in (f"{name}.csv" for name in COLLECTED):
        (folder / file).unlink(missing_ok=True)
        if (inputs.collected / file).is_file():
            export(inputs.collected / file, folder / file)
    for figure in inputs.figures:
        _write(folder / "figures" / f"{figure['name']}.svg", figure["svg"])
        _write(folder / "figures" / f"{figure['name']}.csv", without_formulas(figure["csv"]))
    for file in (f"tables/{table['name']}.csv" for table in inputs.tables):
        base = inputs.collected if (inputs.collected / file).is_file() else inputs.folder
        export(base / file, folder / file)
    content = metadata(inputs, build_tree(inputs))
    _write(folder / "report.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _linked(inputs: ReportInputs) -> list[str]:
    """Return files of the results folder that the pages link to, beside figures and tables."""
    named = [*inputs.evaluation["file"], *inputs.comparison["file"], *inputs.failures["log"]]
    files = {inside(file, inputs.folder) for file in named if file}
    return sorted(file for file in files if (inputs.folder / file).is_file())


def _write(target: Path, text: str) -> None:
    with atomic_path(target) as path:
        path.write_text(text, encoding="utf-8", newline="")


def metadata(inputs: ReportInputs, tree: Tree) -> dict[str, Any]:
    """Return everything that the report knows, as plain data.

    Returns
    -------
    dict
        ``run`` (run.json), ``inputs`` (raw files with their sums, by data set); of the tree
        ``answer``, ``score`` with ``reach``, ``kept``, ``best``; ``findings``, ``winners``,
        ``differences``, ``datasets``, ``failures`` as collected; ``cells`` (one per published
        number that was measured), ``results`` (evaluation.csv), ``missing`` (published cells
        without a measurement, counted by data set and reason), ``figures``, ``tables``. A number
        that is missing is null.
    """
    comparison = inputs.comparison
    measured = comparison[comparison["measured"].notna()]
    printed = measured.assign(published=measured["published_text"], std=measured["std_text"])
    kept, score = tree["kept"], tree["score"]
    of_kept = kept and {key: kept[key] for key in ("created", "commit")}
    collected = ("findings", "winners", "differences", "datasets", "failures")
    return {
        "name": "toplabel reproduction report",
        "run": inputs.run,
        "complete": inputs.failures.empty,
        "inputs": inputs.raw,
        "answer": tree["answer"],
        "score": {
            **{key: score[key] for key in ("published", "comparable")},
            "reach": {part["key"]: part["cells"] for part in tree["reach"]},
            **score["by_verdict"],
            "meaning": {key: verdict.meaning for key, verdict in VERDICTS.items()},
        },
        "kept": kept
        and of_kept | {"comparable": kept["score"]["comparable"]} | kept["score"]["by_verdict"],
        "best": tree["best"],
        **{name: _rows(getattr(inputs, name)) for name in collected},
        "cells": _rows(printed[COMPARISON.names]),
        "results": _rows(inputs.evaluation),
        "missing": tree["missing"],
        "figures": [
            {key: one[key] for key in FIGURE_WORDS}
            | {"svg": f"figures/{one['name']}.svg", "data": f"figures/{one['name']}.csv"}
            for one in inputs.figures
        ],
        "tables": [
            {key: one[key] for key in TABLE_WORDS} | {"data": f"tables/{one['name']}.csv"}
            for one in inputs.tables
        ],
    }


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as dicts; NaN is None, since JSON has no NaN."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")
