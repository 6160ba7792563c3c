"""The pages of the report: which there are, in which order, and what each of them holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.report import data_page, front, run_page
from toplabel.reproduction.report.classes import class_sections
from toplabel.reproduction.report.figures.registry import FIGURES as REGISTERED
from toplabel.reproduction.report.figures.registry import row_of
from toplabel.reproduction.report.inputs import Inputs, web_address
from toplabel.reproduction.report.labels import PAPERS
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.sections import own_sections, plain_section, published_sections
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
    pages = _Pages(inputs)
    pages.add_tables()
    pages.add_figures()
    pictures |= {f"figure-{one['name']}": one["svg"] for one in inputs.figures}
    pages.of[data_page.NAME].sections += data_page.data_sections(inputs)
    run = pages.of[run_page.NAME]
    run.sections = [*run_page.run_sections(inputs), *run.sections]
    measured = inputs.cells[inputs.cells["state"] == "measured"]
    git, named = inputs.run["git"], {*inputs.cells["source"]}
    report = Report(
        answer=front.answer(inputs),
        headline=front.headline(inputs),
        created=str(inputs.run["created"] or "")[:10],
        commit=str(git.get("commit") or ""),
        commit_url=web_address(git.get("url")),
        command=str(inputs.run["command"] or ""),
        kept_name=inputs.kept_name,
        sources=[source for source in PAPERS if source in named],
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
        self._name_of = {
            study: f"study-{study}" if study in RESERVED else study for study in inputs.studies
        }
        self.of = {
            name: Page(name, *inputs.study_text(study), []) for study, name in self._name_of.items()
        }
        self.of |= {name: Page(name, *words, []) for name, words in _OTHERS.items()}
        self.of[PUBLISHED].paper = False
        self._of_dataset: dict[str, list[Section]] = {}

    def _page_of(self, studies: pd.Series, otherwise: str) -> Page:
        """Return the page of the study that most rows belong to, of several the first.

        A row may belong to several studies, joined by ";".
        """
        counts = studies.str.split(";").explode().value_counts().to_dict()
        asked = [study for study in self._name_of if counts.get(study)]
        study = max(asked, key=counts.__getitem__, default="")
        return self._named(self._name_of.get(study, otherwise))

    def _named(self, name: str) -> Page:
        """Return a page; that of the figures where there is none of this name."""
        return self.of.get(name, self.of[FIGURES])

    def add_tables(self) -> None:
        """Put every table on a page, a published one with the study that measured most of it."""
        inputs = self._inputs
        for cells, section in published_sections(inputs):
            own = cells[cells["state"] == "measured"]
            score = score_of(own)
            page = self._page_of(own.loc[own["verdict"] != "", "study"], PUBLISHED)
            page.match += score["match"]
            page.compared += score["comparable"]
            self._add(page, section, own)
        for cells, section in own_sections(inputs):
            self._add(self._page_of(cells["study"], FIGURES), section, cells)
        for dataset, section in class_sections(inputs):
            own = inputs.cells["config_dataset"] == dataset
            self._page_of(inputs.cells.loc[own, "study"], FIGURES).sections.append(section)
        for table in inputs.tables:
            page = self._page_of_table(table)
            page.sections.append(plain_section(table, inputs))
            page.tables = True

    def _add(self, page: Page, section: Section, cells: pd.DataFrame) -> None:
        page.sections.append(section)
        page.tables = True
        for dataset in cells["config_dataset"].unique():
            self._of_dataset.setdefault(dataset, []).append(section)

    def _page_of_table(self, table: Mapping[str, Any]) -> Page:
        """Return the page of a table that is no grid: that of its study, of its data sets, or of
        the figure that it is made with.
        """
        measured = self._inputs.measured
        rows = measured["config_dataset"].isin(table["frame"].get("data set", ()))
        studies = pd.Series(table["study"]) if table["study"] else measured.loc[rows, "study"]
        made_with = (row.page for row in REGISTERED if table["name"] in row.tables)
        return self._page_of(studies, next(made_with, FIGURES))

    def add_figures(self) -> None:
        """Put every figure beside the smallest table of its data set, else on its page."""
        for figure in self._inputs.figures:
            row = row_of(figure["name"])
            dataset = row.dataset_of(figure["name"]) if row else ""
            homes = self._of_dataset.get(dataset, ())
            home = min(homes, key=lambda section: len(section.parts), default=None)
            if home is None:
                name = figure.get("page") or (row.page if row else FIGURES)
                home = self._section_of_figures(self._named(name))
            home.parts.append(_figure(figure, self._inputs))

    @staticmethod
    def _section_of_figures(page: Page) -> Section:
        found = next((one for one in page.sections if one.anchor == FIGURES), None)
        if found is None:
            title = "" if page.name == FIGURES else FIGURES.capitalize()
            found = Section(FIGURES, title, [])
            page.sections.append(found)
        return found


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
