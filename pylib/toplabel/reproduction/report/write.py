"""The whole report: one tree, printed as HTML, PDF and JSON, and described in an RO-Crate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import MEASURED
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.published import load_texts
from toplabel.reproduction.config.methods import load_methods
from toplabel.reproduction.config.notes import load_notes
from toplabel.reproduction.config.run import SUMMARY
from toplabel.reproduction.config.studies import published_tables
from toplabel.reproduction.files import read_json
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.data import write_data
from toplabel.reproduction.report.html import write_html
from toplabel.reproduction.report.inputs import Inputs, read_figure, read_table
from toplabel.reproduction.report.pages import build_report
from toplabel.reproduction.report.papers import paper_tables
from toplabel.reproduction.report.pdf import write_pdf


def write_report(
    cells: pd.DataFrame,
    claims: pd.DataFrame,
    datasets: pd.DataFrame,
    run: Mapping[str, Any],
    folder: str | Path,
    *,
    checkout: str | Path,
    results: str | Path = "results",
    shown: Iterable[str | Path] = (),
    missing: Iterable[str] = (),
) -> None:
    """Write index.html and the other pages, toplabel.pdf, data/ and ro-crate-metadata.json.

    Parameters
    ----------
    cells, claims, datasets, run, missing
        As in `toplabel.reproduction.report.inputs.Inputs`, with the rows of the kept run.
    folder : path-like
        Where the report is written, as ``reports``; pages and data of an earlier one are removed.
    checkout : path-like
        The folder with config/, data/published/, reports/summary/ and workflow/.
    results : path-like
        The results folder, for the files behind the numbers.
    shown : iterable of path-like
        The .json files of tables and figures to show, each with a .csv or a .svg file beside it.

    Raises
    ------
    FileError
        A file is missing or damaged.
    """
    folder, checkout, results = Path(folder), Path(checkout), Path(results)
    published, kept = checkout / "data/published", checkout / SUMMARY
    names = published_tables(published)
    texts = load_texts(published / "tables.csv")
    methods = load_methods(checkout / "config/methods.yaml").values()
    config = run["config"] if isinstance(run["config"], Mapping) else {}
    all_methods = load_methods(checkout / "config/methods.yaml", config).values()
    has_kept = (kept / "run.json").is_file()
    shown = [Path(path) for path in shown]
    tables = [read_table(path) for path in shown if path.parent.name == "tables"]
    if not is_own(cells, run):
        tables += paper_tables(checkout)
    else:
        cells = cells[cells["run"] == MEASURED]
        claims, has_kept = claims.iloc[:0], False
        datasets = datasets[datasets["dataset"].isin(cells["config_dataset"])]
    inputs = Inputs(
        frame=cells,
        claims=claims,
        datasets=datasets,
        run=run,
        notes=load_notes(checkout),
        labels={one.key: one.label for one in methods if not one.variant_of},
        candidates={one.name: one.candidates for one in all_methods if one.estimator and one.grid},
        texts={names[name]: text for name, text in texts.items() if name in names},
        kept_run=read_json(kept / "run.json", ("created", "git")) if has_kept else None,
        kept_claims=read_frame(kept / "claims.csv", CLAIMS) if has_kept else None,
        tables=tables,
        figures=[read_figure(path) for path in shown if path.parent.name == "figures"],
        metas={
            path.parts[-3]: read_json(path) for path in sorted(results.glob("*/data/meta.json"))
        },
        results=results,
        missing=list(missing),
    )
    report, pictures = build_report(inputs)
    tree = report.plain()
    folder.mkdir(parents=True, exist_ok=True)
    write_data(tree, inputs, folder / "data")
    write_pdf(tree, pictures, folder / "toplabel.pdf")
    write_html(tree, pictures, folder)
    write_crate(tree, inputs, folder, checkout)


def is_own(cells: pd.DataFrame, run: Mapping[str, Any]) -> bool:
    """Return whether a run has studies of its own, and measured nothing that a paper prints.

    Its report shows neither the papers' numbers nor the kept run.
    """
    printed = (cells["run"] == MEASURED) & (cells["source"] != "")
    return isinstance(run["config"].get("studies"), Mapping) and not printed.any()
