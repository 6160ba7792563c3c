"""The machine-readable report: the collected files beside the pages, and one JSON file with
everything in it.
"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.files import atomic_path
from toplabel.reproduction.reporting import facts
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.kept import Kept
from toplabel.reproduction.reporting.labels import VERDICTS
from toplabel.reproduction.reporting.score import score_of
from toplabel.reproduction.reporting.trace import Trace, inside
from toplabel.reproduction.tables.collected import COLLECTED, COMPARISON


def write_data(inputs: ReportInputs, folder: str | Path) -> None:
    """Write the data of the report, so that its folder does not need results/.

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
        _copy(inputs.folder / file, folder / file)
    for name in COLLECTED:
        source, target = inputs.collected / f"{name}.csv", folder / f"{name}.csv"
        if source.is_file():
            _copy(source, target)
        else:
            target.unlink(missing_ok=True)
    for figure in inputs.figures:
        _write(folder / "figures" / f"{figure.name}.svg", figure.svg)
        _write(folder / "figures" / f"{figure.name}.csv", figure.csv)
    for table in inputs.tables:
        base = (
            inputs.collected
            if (inputs.collected / f"tables/{table.name}.csv").is_file()
            else inputs.folder
        )
        _copy(base / f"tables/{table.name}.csv", folder / f"tables/{table.name}.csv")
    text = json.dumps(metadata(inputs), indent=1, ensure_ascii=False, allow_nan=False)
    _write(folder / "report.json", text + "\n")


def _linked(inputs: ReportInputs) -> list[str]:
    """Return files of the results folder that the pages link to, beside figures and tables."""
    named = [*inputs.evaluation["file"], *inputs.comparison["file"], *inputs.failures["log"]]
    files = {inside(file, inputs.folder) for file in named if file}
    return sorted(file for file in files if (inputs.folder / file).is_file())


def _copy(source: Path, target: Path) -> None:
    with atomic_path(target) as path:
        shutil.copyfile(source, path)


def _write(target: Path, text: str) -> None:
    with atomic_path(target) as path:
        path.write_text(text, encoding="utf-8")


def metadata(inputs: ReportInputs) -> dict[str, Any]:
    """Return everything that the report knows, as plain data.

    Returns
    -------
    dict
        ``run`` (run.json), ``inputs`` (raw files with their sums, by data set), ``score``,
        ``findings``, ``winners``, ``differences``, ``datasets``, ``cells`` (one per published
        number that was measured), ``results`` (evaluation.csv), ``missing`` (published cells
        without a measurement, counted by data set and reason), ``failures``, ``figures``,
        ``tables``. A number that is missing is null.
    """
    score = score_of(inputs.comparison)
    measured = inputs.comparison[inputs.comparison["measured"].notna()]
    printed = measured.assign(published=measured["published_text"], std=measured["std_text"])
    return {
        "name": "toplabel reproduction report",
        "run": inputs.run,
        "complete": inputs.failures.empty,
        "inputs": inputs.raw,
        "score": {
            "published": score.published,
            "comparable": score.comparable,
            "reach": {part.key: part.cells for part in facts.reach(inputs, Trace(inputs))},
            **score.by_verdict,
            "meaning": {key: verdict.meaning for key, verdict in VERDICTS.items()},
        },
        "kept": _kept(inputs.kept),
        "findings": _rows(inputs.findings),
        "winners": _rows(inputs.winners),
        "differences": _rows(inputs.differences),
        "datasets": _rows(inputs.datasets),
        "cells": _rows(printed[COMPARISON.names]),
        "results": _rows(inputs.evaluation),
        "missing": _missing(inputs),
        "failures": _rows(inputs.failures),
        "figures": [
            {
                key: getattr(figure, key)
                for key in ("name", "title", "caption", "alt", "source", "script")
            }
            | {"svg": f"figures/{figure.name}.svg", "data": f"figures/{figure.name}.csv"}
            for figure in inputs.figures
        ],
        "tables": [
            {
                key: getattr(table, key)
                for key in ("name", "title", "caption", "source", "table", "study")
            }
            | {"data": f"tables/{table.name}.csv"}
            for table in inputs.tables
        ],
    }


def _kept(kept: Kept | None) -> dict[str, Any] | None:
    """Return the score of the kept run, whose numbers the pages show where this run has none."""
    if kept is None:
        return None
    score = kept.score
    named = {"created": kept.run["created"], "commit": kept.run["git"]["commit"]}
    return named | {"comparable": score.comparable} | score.by_verdict


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as dicts; NaN is None, since JSON has no NaN."""
    return [
        {name: None if isinstance(v, float) and math.isnan(v) else v for name, v in row.items()}
        for row in frame.to_dict("records")
    ]


def _missing(inputs: ReportInputs) -> list[dict[str, Any]]:
    trace = Trace(inputs)
    bare = inputs.comparison[inputs.comparison["measured"].isna()]
    counts: dict[tuple[str, str], int] = {}
    for _, row in bare.iterrows():
        key = (row["dataset"], trace.reason(row))
        counts[key] = counts.get(key, 0) + 1
    return [{"dataset": d, "reason": r, "cells": n} for (d, r), n in counts.items()]
