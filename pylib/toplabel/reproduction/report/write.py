"""The whole report: which pages there are and what each holds, printed as HTML, PDF and JSON, and
described in an RO-Crate.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import CELL, MEASURED, write_cells
from toplabel.reproduction.compare.claims import COLUMNS as CLAIMS
from toplabel.reproduction.compare.comparison import Comparison
from toplabel.reproduction.compare.published import load_texts
from toplabel.reproduction.config.notes import load_notes
from toplabel.reproduction.files import SUMMARY, atomic_path, read_json, read_text
from toplabel.reproduction.frames import empty_frame, read_frame
from toplabel.reproduction.report import background, beside, front
from toplabel.reproduction.report.crate import write_crate
from toplabel.reproduction.report.figures.registry import row_of
from toplabel.reproduction.report.findings import score_of
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.paper_files import write_paper_files
from toplabel.reproduction.report.render import write_html, write_pdf
from toplabel.reproduction.report.sections import (
    class_sections,
    own_sections,
    plain_section,
    published_sections,
)
from toplabel.reproduction.report.text import PAPERS, WORDS
from toplabel.reproduction.report.tree import Figure, Page, Section, Tree

FIGURES, PUBLISHED = "figures", "published"
#: Names of pages that no study can have.
RESERVED = (front.NAME, *WORDS["pages"])
_FIGURE_WORDS = ("name", "title", "caption", "alt", "source")
_TABLE_WORDS = ("name", "title", "caption", "page")
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
    kept = checkout / SUMMARY
    has_kept = (kept / "run.json").is_file()
    words = [Path(path) for path in shown]
    tables = [
        read_json(path, _TABLE_WORDS) | {"frame": read_frame(path.with_suffix(".csv"))}
        for path in words
        if path.parent.name == "tables"
    ]
    figures = [
        read_json(path, _FIGURE_WORDS) | {"svg": read_text(path.with_suffix(".svg"))}
        for path in words
        if path.parent.name == "figures"
    ]
    measured = comparison.cells[comparison.cells["run"] == MEASURED]
    if isinstance(run["config"].get("studies"), Mapping) and measured["source"].eq("").all():
        # Studies of its own, that measured nothing that a paper prints: neither the papers' numbers
        # nor the kept run are shown.
        has_kept = False
        wide = comparison.wide[comparison.wide["state"] == MEASURED]
        claims = comparison.claims.iloc[:0]
        comparison = replace(comparison, cells=measured, wide=wide, claims=claims)
        datasets = datasets[datasets["dataset"].isin(measured["config_dataset"])]
    else:
        tables += background.paper_tables(checkout)
    files = [*map(Path, linked), *(path.with_suffix(".csv") for path in words)]
    inputs = Inputs(
        comparison=comparison,
        datasets=datasets,
        run=run,
        notes=load_notes(checkout),
        texts=load_texts(checkout / "data/published/tables.csv"),
        kept_run=read_json(kept / "run.json", ("created", "git")) if has_kept else None,
        kept_claims=read_frame(kept / "claims.csv", CLAIMS) if has_kept else empty_frame(CLAIMS),
        tables=tables,
        figures=figures,
        metas={path.parents[1].name: read_json(path) for path in sorted(map(Path, metas))},
        results=results,
        files=frozenset(path.relative_to(results).as_posix() for path in files),
        missing=list(missing),
    )
    tree, pictures = build_report(inputs)
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
    write_cells(inputs.comparison.cells, folder / "cells.csv")
    content = {"run": inputs.run, "inputs": inputs.raw, **tree}
    with atomic_path(folder / "report.json") as path:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8", newline="")


# The pages ----------------------------------------------------------------------------------------


def build_report(inputs: Inputs) -> tuple[Tree, dict[str, str]]:
    """Return the tree that the pages, the document and report.json print, and its pictures.

    The tree has the result in a word (`answer`) and in a sentence (`headline`), what ran, the papers
    whose numbers are compared (`sources`), the `score` of this run, and the `pages`, the front page
    first. The pictures are SVG, by the names of figures and charts.
    """
    first, pictures = front.front_page(inputs)
    pages = _Pages(inputs)
    sections, diagrams = beside.sections(inputs)
    pages.of[beside.NAME].sections += sections
    pages.of[background.DATA].sections += background.data_sections(inputs)
    run = pages.of[background.RUN]
    run.sections = [*background.run_sections(inputs), *run.sections]
    measured, named = inputs.cells_in(MEASURED), {*inputs.cells["source"]}
    answer, headline = front.result(inputs)
    shown = [first, *(page for page in pages.of.values() if page.sections)]
    tree = {
        "answer": answer,
        "headline": headline,
        "created": inputs.run["created"][:10],
        "commit": str(inputs.run["git"].get("commit") or ""),
        "kept_name": inputs.kept_name,
        "sources": [source for source in PAPERS if source in named],
        "score": score_of(measured) | {"published": int(inputs.cells["published"].count())},
        "pages": [asdict(page) for page in shown],
    }
    figures = {f"figure-{figure['name']}": figure["svg"] for figure in inputs.figures}
    return tree, pictures | figures | diagrams


class _Pages:
    """The pages but the first, and what belongs to each.

    There is a page for each study of the configuration that something was measured for. Tables and
    figures of several studies stand with the one that measured most of them.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._name_of = {
            study: f"study-{study}" if study in RESERVED else study for study in inputs.studies
        }
        words = {name: inputs.studies[study] for study, name in self._name_of.items()}
        words |= WORDS["pages"] | ({} if inputs.of_papers else WORDS["own_pages"])
        self.of = {name: Page(name, title, lead) for name, (title, lead) in words.items()}
        self.of[PUBLISHED].paper = False
        self._add_tables()
        self._add_figures()

    def _page_of(self, studies: pd.Series, otherwise: str = FIGURES) -> Page:
        """Return the page of the study that most rows belong to, of several the first.

        A row may belong to several studies, joined by ";".
        """
        counts = studies.str.split(";").explode().value_counts().to_dict()
        asked = [study for study in self._name_of if counts.get(study)]
        study = max(asked, key=counts.__getitem__, default="")
        return self.of.get(self._name_of.get(study, otherwise), self.of[FIGURES])

    def _studies_of(self, dataset: str) -> pd.Series:
        """Return the studies of all that was measured on a data set."""
        measured = self._inputs.cells_in(MEASURED).drop_duplicates(CELL)
        return measured.loc[measured["config_dataset"] == dataset, "study"]

    def _add_tables(self) -> None:
        inputs = self._inputs
        for cells, section in published_sections(inputs):
            own = cells[cells["verdict"].ne("") & (cells["state"] == MEASURED)]
            self._page_of(own["study"], PUBLISHED).add_table(section)
        for cells, section in own_sections(inputs):
            self._page_of(cells["study"]).add_table(section)
        for dataset, section in class_sections(inputs):
            self._page_of(self._studies_of(dataset)).sections.append(section)
        for table in inputs.tables:
            page = self.of.get(table["page"], self.of[FIGURES])
            page.add_table(plain_section(table, inputs))

    def _add_figures(self) -> None:
        """Put figures at the end of their own page, else of the page of their data set."""
        sections: dict[str, Section] = {}
        for figure in self._inputs.figures:
            name = figure["name"]
            row = row_of(name)
            page = self.of[FIGURES]
            if row:
                dataset = row.dataset_of(name) if row.page == FIGURES else ""
                page = self._page_of(self._studies_of(dataset or ""), row.page)
            if page.name not in sections:
                title = "" if page.name == FIGURES else FIGURES.capitalize()
                sections[page.name] = Section(FIGURES, title, [])
                page.sections.append(sections[page.name])
            part = Figure(
                f"figure-{name}",
                figure["title"],
                figure["caption"],
                figure["alt"] or figure["title"],
                source=figure["source"] or "",
                share=figure.get("share", 1.0),
                file=f"figures/{name}.csv",
                href=self._inputs.link(f"figures/{name}.csv"),
            )
            sections[page.name].parts.append(part)
