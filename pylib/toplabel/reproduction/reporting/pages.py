"""The pages of the HTML report: which there are, in which order, and what each of them holds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from toplabel.reproduction.figures import row_of
from toplabel.reproduction.reporting import places
from toplabel.reproduction.reporting.inputs import FigureInput
from toplabel.reproduction.reporting.places import Places
from toplabel.reproduction.reporting.score import Score, sum_of
from toplabel.reproduction.reporting.sections import PlainTable, Section, restricted


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    name : str
        The file's name without suffix.
    kind : str
        Which template it has: "study" for all pages of tables and figures, else the name of the
        page.
    title, lead : str
    sections : list of Section
        Whole tables of this page.
    visits : list of Section
        Rows of tables that stand whole on other pages.
    plain, figures : list
    """

    name: str
    kind: str
    title: str
    lead: str
    sections: list[Section] = field(default_factory=list)
    visits: list[Section] = field(default_factory=list)
    plain: list[PlainTable] = field(default_factory=list)
    figures: list[FigureInput] = field(default_factory=list)

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.name}.html"

    @property
    def score(self) -> Score:
        """The score of its whole tables."""
        return sum_of([section.score for section in self.sections])

    @property
    def filled(self) -> bool:
        """Whether there is a table or figure on it."""
        return bool(self.sections or self.visits or self.plain or self.figures)

    def beside(self, section: Section) -> list[FigureInput]:
        """Return figures of the data sets of a table that no smaller table of this page has."""
        return [figure for figure in self.figures if self._home(figure) is section]

    @property
    def loose_figures(self) -> list[FigureInput]:
        """Figures that belong to no table of this page."""
        return [figure for figure in self.figures if self._home(figure) is None]

    def _home(self, figure: FigureInput) -> Section | None:
        row = row_of(figure.name)
        dataset = row.dataset_of(figure.name) if row else ""
        homes = [one for one in self.sections if dataset in {block.key for block in one.blocks}]
        return min(homes, key=lambda one: len(one.blocks), default=None)

    @property
    def contents(self) -> str:
        """What is on it, in a few words."""
        tables = len(self.sections) + len(self.visits) + len(self.plain)
        counts = ((tables, "table"), (len(self.figures), "figure"))
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)


_LEADS = {
    places.CALIBRATION: (
        "Calibration",
        "Where the minimiser of each loss ranks the likeliest classes first, and where not (TPAMI 2017, section 4).",
    ),
    places.FIGURES: ("Figures", "Figures, and tables that belong to no single study."),
    places.SPEED: (
        "Speed",
        "Times on the machine of the run.",
    ),
}
_ALWAYS = (
    (places.DATA, "Data, and what is missing", "What was there, what was not, and why."),
    (
        places.PUBLISHED,
        "As published",
        "Published tables of which nothing was measured in this run.",
    ),
    (places.RUN, "The run", "How the numbers were made, and how sure they are."),
)


def build_pages(
    where: Places,
    sections: list[Section],
    plain: list[PlainTable],
    figures: tuple[FigureInput, ...],
) -> list[Page]:
    """Distribute tables and figures over pages.

    Parameters
    ----------
    where : Places
    sections : list of Section
        Tables with a measurement.
    plain : list of PlainTable
        Tables that are no grids.
    figures : tuple of FigureInput

    Returns
    -------
    list of Page
        The front page, one per study, then the others; a study or kind of figure without content
        has none.
    """
    pages = {places.FRONT: Page(places.FRONT, places.FRONT, "Reproduction report", "")}
    for study in where.studies:
        pages[study.page] = Page(study.page, "study", study.title, study.description)
    for name, (title, lead) in _LEADS.items():
        pages[name] = Page(name, "study", title, lead)
    for name, title, lead in _ALWAYS:
        pages[name] = Page(name, name, title, lead)
    for section in sections:
        home = where.page_of(where.home(section))
        section = replace(section, page=home)
        pages[home].sections.append(section)
        for study in where.visitors(section):
            pages[where.page_of(study)].visits.append(restricted(section, where.files(study)))
    for table in plain:
        pages[where.of_table(table)].plain.append(table)
    for figure in figures:
        pages[where.of_figure(figure)].figures.append(figure)
    return [page for page in pages.values() if page.kind != "study" or page.filled]
