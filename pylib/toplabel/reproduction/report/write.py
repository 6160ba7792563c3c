"""The whole report: one tree, printed as HTML, PDF and JSON, and described in an RO-Crate."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import MEASURED, write_cells
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.comparison import Comparison
from toplabel.reproduction.compare.published import load_texts
from toplabel.reproduction.config.notes import load_notes
from toplabel.reproduction.files import SUMMARY, atomic_path, read_json
from toplabel.reproduction.frames import empty_frame, read_frame
from toplabel.reproduction.report.background import paper_tables
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.inputs import Inputs, read_figure, read_table
from toplabel.reproduction.report.pages import build_report
from toplabel.reproduction.report.paper_files import write_paper_files
from toplabel.reproduction.report.render import write_html, write_pdf
from toplabel.reproduction.report.tree import Tree

CELLS, REPORT = "cells.csv", "report.json"
Paths = Iterable[str | Path]


def write_report(
    comparison: Comparison,
    datasets: pd.DataFrame,
    run: Mapping[str, Any],
    folder: str | Path,
    *,
    checkout: str | Path,
    results: str | Path = "results",
    shown: Paths = (),
    metas: Paths = (),
    linked: Paths = (),
    workflow: Paths = (),
    own_code: Paths = (),
    missing: Iterable[str] = (),
) -> None:
    """Write index.html and the other pages, toplabel.pdf, data/ and ro-crate-metadata.json.

    `comparison`, `datasets`, `run`, `results` and `missing` are those of `report.inputs.Inputs`, with
    the rows of the kept run. Pages and data of an earlier report in the `folder` are removed. The
    `checkout` has config/, data/published/ and reports/summary/. `shown` are the .json files of tables
    and figures, each with a .csv or a .svg file beside it, `metas` the meta.json of the prepared data
    sets. `linked` are the files behind the numbers, evaluation.csv and predictions.csv; beside the
    latter lie classes.csv, confusion.csv and model.npz. `workflow` are the files of the workflow below
    the checkout, the Snakefile first, and `own_code` the config file of the user with the modules
    beside it. A file that is missing or damaged is a FileError.
    """
    folder, checkout, results = Path(folder), Path(checkout), Path(results)
    published, kept = checkout / "data/published", checkout / SUMMARY
    has_kept = (kept / "run.json").is_file()
    words = [Path(path) for path in shown]
    tables = [read_table(path) for path in words if path.parent.name == "tables"]
    if is_own(comparison, run):
        comparison, has_kept = _own_part(comparison), False
        datasets = datasets[datasets["dataset"].isin(comparison.cells["config_dataset"])]
    else:
        tables += paper_tables(checkout)
    files = [*map(Path, linked), *(path.with_suffix(".csv") for path in words)]
    inputs = Inputs(
        comparison=comparison,
        datasets=datasets,
        run=run,
        notes=load_notes(checkout),
        texts=load_texts(published / "tables.csv"),
        kept_run=read_json(kept / "run.json", ("created", "git")) if has_kept else None,
        kept_claims=read_frame(kept / "claims.csv", CLAIMS) if has_kept else empty_frame(CLAIMS),
        tables=tables,
        figures=[read_figure(path) for path in words if path.parent.name == "figures"],
        metas={path.parents[1].name: read_json(path) for path in sorted(map(Path, metas))},
        results=results,
        files=frozenset(path.relative_to(results).as_posix() for path in files),
        missing=list(missing),
    )
    report, pictures = build_report(inputs)
    tree = report.plain()
    folder.mkdir(parents=True, exist_ok=True)
    _write_data(tree, inputs, folder / "data")
    write_pdf(tree, pictures, folder / "toplabel.pdf")
    write_html(tree, pictures, folder)
    code = {path.relative_to(checkout).as_posix(): path for path in map(Path, workflow)}
    own = [Path(path) for path in own_code]
    code |= {f"own/{_below(own[0].parent, path)}": path for path in own}
    write_crate(tree, inputs, folder, code)


def _below(folder: Path, path: Path) -> str:
    """Return the path of a file below a folder; of one elsewhere its name."""
    folder, path = folder.resolve(), path.resolve()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def is_own(comparison: Comparison, run: Mapping[str, Any]) -> bool:
    """Return whether a run has studies of its own, and measured nothing that a paper prints.

    Its report shows neither the papers' numbers nor the kept run.
    """
    cells = comparison.cells
    printed = (cells["run"] == MEASURED) & (cells["source"] != "")
    return isinstance(run["config"].get("studies"), Mapping) and not printed.any()


def _own_part(comparison: Comparison) -> Comparison:
    """Return the part of a comparison that no paper has to do with."""
    return replace(
        comparison,
        cells=comparison.cells[comparison.cells["run"] == MEASURED],
        wide=comparison.wide[comparison.wide["state"] == MEASURED],
        claims=comparison.claims.iloc[:0],
    )


def _write_data(tree: Tree, inputs: Inputs, folder: Path) -> None:
    """Write the folder ``data`` of the report anew, so that the report does not need results/."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in sorted(inputs.files):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(inputs.results / file, folder / file)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for figure in inputs.figures:
        (folder / "figures" / f"{figure['name']}.svg").write_text(figure["svg"], encoding="utf-8")
    if not inputs.of_papers:
        write_paper_files(inputs, folder)
    write_cells(inputs.comparison.cells, folder / CELLS)
    content = {"run": inputs.run, "inputs": inputs.raw, **tree}
    with atomic_path(folder / REPORT) as path:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8", newline="")
