"""The pages of the report: which there are, in which order, and what each of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import CELL, MEASURED
from toplabel.reproduction.report import background, beside, front
from toplabel.reproduction.report.figures.registry import row_of
from toplabel.reproduction.report.findings import score_of
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.sections import (
    class_sections,
    own_sections,
    plain_section,
    published_sections,
)
from toplabel.reproduction.report.text import PAPERS, WORDS
from toplabel.reproduction.report.tree import Figure, Page, Report, Section

FIGURES, PUBLISHED = "figures", "published"
#: Names of pages that no study can have.
RESERVED = (front.NAME, *WORDS["pages"])


def build_report(inputs: Inputs) -> tuple[Report, dict[str, str]]:
    """Return the tree that the pages, the document and report.json print, and its pictures.

    The pictures are SVG, by the names of figures and charts.
    """
    first, pictures = front.front_page(inputs)
    pages = _Pages(inputs)
    pictures |= {f"figure-{figure['name']}": figure["svg"] for figure in inputs.figures}
    sections, diagrams = beside.sections(inputs)
    pages.of[beside.NAME].sections += sections
    pictures |= diagrams
    pages.of[background.DATA].sections += background.data_sections(inputs)
    run = pages.of[background.RUN]
    run.sections = [*background.run_sections(inputs), *run.sections]
    measured = inputs.cells_in(MEASURED)
    git, named = inputs.run["git"], {*inputs.cells["source"]}
    answer, headline = front.result(inputs)
    report = Report(
        answer=answer,
        headline=headline,
        created=inputs.run["created"][:10],
        commit=str(git.get("commit") or ""),
        kept_name=inputs.kept_name,
        sources=[source for source in PAPERS if source in named],
        score=score_of(measured) | {"published": int(inputs.cells["published"].count())},
        pages=[first, *(page for page in pages.of.values() if page.sections)],
    )
    return report, pictures


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
        self.of: dict[str, Page] = {}
        for study, name in self._name_of.items():
            title, lead = inputs.studies[study]
            self.of[name] = Page(name, title, lead, [])
        words = WORDS["pages"] | ({} if inputs.of_papers else WORDS["own_pages"])
        for name in WORDS["pages"]:
            title, lead = words[name]
            self.of[name] = Page(name, title, lead, [])
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

    def _studies_of(self, datasets: Iterable[str]) -> pd.Series:
        """Return the studies of all that was measured on some data sets."""
        measured = self._inputs.cells_in(MEASURED).drop_duplicates(CELL)
        return measured.loc[measured["config_dataset"].isin([*datasets]), "study"]

    def _add_tables(self) -> None:
        inputs = self._inputs
        for cells, section in published_sections(inputs):
            own = cells[cells["verdict"].ne("") & (cells["state"] == MEASURED)]
            page = self._page_of(own["study"], PUBLISHED)
            page.add_table(section)
        for cells, section in own_sections(inputs):
            self._page_of(cells["study"]).add_table(section)
        for dataset, section in class_sections(inputs):
            self._page_of(self._studies_of([dataset])).sections.append(section)
        for table in inputs.tables:
            studies = self._studies_of(table["frame"].get("data set", ()))
            page = self._page_of(studies, table["page"])
            page.add_table(plain_section(table, inputs))

    def _add_figures(self) -> None:
        """Put figures at the end of their own page, else of the page of their data set."""
        sections: dict[str, Section] = {}
        for figure in self._inputs.figures:
            row = row_of(figure["name"])
            dataset = row.dataset_of(figure["name"]) if row and row.page == FIGURES else None
            studies = self._studies_of([dataset] if dataset else [])
            page = self._page_of(studies, row.page if row else FIGURES)
            if page.name not in sections:
                title = "" if page.name == FIGURES else FIGURES.capitalize()
                sections[page.name] = Section(FIGURES, title, [])
                page.sections.append(sections[page.name])
            sections[page.name].parts.append(_figure(figure, self._inputs))


def _figure(figure: Mapping[str, Any], inputs: Inputs) -> Figure:
    file = f"figures/{figure['name']}.csv"
    return Figure(
        f"figure-{figure['name']}",
        figure["title"],
        figure["caption"],
        figure["alt"] or figure["title"],
        source=figure["source"] or "",
        share=figure.get("share", 1.0),
        file=file,
        href=inputs.link(file),
    )
