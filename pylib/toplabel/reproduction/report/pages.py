"""The pages of the report: which there are, in which order, and what each of them holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.report import data_page, front, run_page
from toplabel.reproduction.report.figures.registry import FIGURES as REGISTERED
from toplabel.reproduction.report.figures.registry import row_of, table_files
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.labels import PAPERS, table_order
from toplabel.reproduction.report.run_page import web_address
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.tables import (
    own_sections,
    plain_section,
    published_sections,
)
from toplabel.reproduction.report.tree import Figure, Page, Report, Section

SPEED, FIGURES, PUBLISHED = "speed", "figures", "published"
#: Pages that are there whatever the studies: title and first sentence.
_OTHERS = {
    SPEED: ("Speed", "Times on the machine of the run."),
    FIGURES: ("Figures", "Figures, and tables that belong to no single study."),
    data_page.NAME: ("Data, and what is missing", "What was there, what was not, and why."),
    PUBLISHED: (
        "Other published tables",
        "Tables of which this run measured nothing, with the numbers of the kept run.",
    ),
    run_page.NAME: ("The run", "How the numbers were made, and how sure they are."),
}
#: Names of pages that no study can have.
RESERVED = (front.NAME, *_OTHERS)


def build_report(inputs: Inputs) -> tuple[Report, dict[str, str]]:
    """Arrange everything that the report shows.

    Returns
    -------
    Report
        The tree that the pages, the document and report.json print.
    dict of str to str
        The pictures, SVG by the names of figures and charts.
    """
    first, pictures = front.front_page(inputs)
    first.sections.append(front.downloads())
    pages = _Pages(inputs)
    pages.add_tables()
    pages.add_figures()
    pictures |= {f"figure-{one['name']}": one["svg"] for one in inputs.figures}
    pages.of[data_page.NAME].sections += data_page.data_sections(inputs)
    run = pages.of[run_page.NAME]
    run.sections = [*run_page.run_sections(inputs), *run.sections]
    measured = inputs.cells[inputs.cells["state"] == "measured"]
    git = inputs.run["git"]
    sources = {*inputs.cells["source"]} & {*PAPERS}
    report = Report(
        answer=front.answer(inputs),
        headline=front.headline(inputs),
        created=str(inputs.run["created"] or "")[:10],
        commit=str(git.get("commit") or ""),
        commit_url=web_address(str(git.get("url") or "")),
        command=str(inputs.run["command"] or ""),
        kept_name=inputs.kept_name,
        sources=sorted(sources, key=lambda one: table_order(one, "")),
        score=score_of(measured) | {"published": int(inputs.cells["published"].notna().sum())},
        pages=[first, *(page for page in pages.of.values() if page.sections)],
    )
    return report, pictures


class _Pages:
    """The pages but the first, and what belongs to each.

    There is a page for each study of the configuration that something was measured for.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self.of = {
            name: Page(self.name_of(name), *inputs.study_text(name), []) for name in inputs.studies
        }
        self.of |= {name: Page(name, *words, []) for name, words in _OTHERS.items()}
        self.of[PUBLISHED].paper = False
        studies = inputs.measured.assign(study=inputs.measured["study"].str.split(";"))
        studies = studies.explode("study")
        self._counts = {
            dataset: part["study"].value_counts().to_dict()
            for dataset, part in studies.groupby("config_dataset", sort=False)
        }
        self._grids: list[tuple[set[str], Section]] = []

    @staticmethod
    def name_of(study: str) -> str:
        """Return the name of the page of a study."""
        return f"study-{study}" if study in RESERVED else study

    def _study_of(self, counts: Mapping[str, int]) -> str:
        """Return the study with the highest count, of several the first; empty without any."""
        asked = [name for name in self._inputs.studies if counts.get(name)]
        return max(asked, key=counts.__getitem__, default="")

    def add_tables(self) -> None:
        """Put every table on a page, a published one with the study that measured most of it."""
        inputs = self._inputs
        for cells, section in published_sections(inputs):
            own = cells[cells["state"] == "measured"]
            studies = own.loc[own["verdict"] != "", "study"].str.split(";").explode()
            home = self.of[self._study_of(studies.value_counts().to_dict()) or PUBLISHED]
            home.sections.append(section)
            home.tables = True
            self._count(home, own)
            self._grids.append(({*own["config_dataset"]}, section))
        for cells, section in own_sections(inputs):
            studies = cells["study"].str.split(";").explode()
            home = self.of[self._study_of(studies.value_counts().to_dict()) or FIGURES]
            home.sections.append(section)
            home.tables = True
            self._grids.append(({*cells["config_dataset"]}, section))
        for table in inputs.tables:
            page = self.of[self._page_of_table(table)]
            page.sections.append(plain_section(table, inputs))
            page.tables = True

    @staticmethod
    def _count(page: Page, own: pd.DataFrame) -> None:
        """Add the scores of a table to those of its page."""
        score = score_of(own)
        if not score["comparable"]:
            return
        match, compared = map(int, (page.matches or "0/0").split("/"))
        page.matches = f"{match + score['match']}/{compared + score['comparable']}"

    def _page_of_table(self, table: Mapping[str, Any]) -> str:
        """Return the page of a table that is no grid: that of its study, of its data sets, or of
        the figure that it is made with.
        """
        for study in filter(None, str(table["study"]).split(";")):
            if study in self._inputs.studies:
                return study
        counts: dict[str, int] = {}
        for dataset in table["frame"].get("data set", ()):
            for study, n in self._counts.get(dataset, {}).items():
                counts[study] = counts.get(study, 0) + n
        if home := self._study_of(counts):
            return home
        file = table_files(table["name"])[0]
        pages = (row.page for row in REGISTERED if file in row.files)
        return next((page for page in pages if page in self.of), FIGURES)

    def add_figures(self) -> None:
        """Put every figure beside the smallest table of its data set, else on a page."""
        for figure in self._inputs.figures:
            node = _figure(figure, self._inputs)
            row = row_of(figure["name"])
            dataset = row.dataset_of(figure["name"]) if row else ""
            homes = [one for sets, one in self._grids if dataset in sets]
            home = min(homes, key=lambda one: len(one.parts), default=None)
            if home is None:
                name = (figure.get("page") or (row.page if row else "")) or FIGURES
                page = self.of[name if name in self.of else FIGURES]
                home = next((one for one in page.sections if one.anchor == FIGURES), None)
                if home is None:
                    title = "" if page.name == FIGURES else FIGURES.capitalize()
                    home = Section(FIGURES, title, [])
                    page.sections.append(home)
            home.parts.append(node)


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
