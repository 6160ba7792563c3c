"""The pages of the HTML report: which there are, in which order, and what each of them holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from toplabel.reproduction.config.studies import whole_name
from toplabel.reproduction.report.figures.registry import FIGURES as LISTED
from toplabel.reproduction.report.figures.registry import row_of, table_files
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.score import sum_of
from toplabel.reproduction.report.sections import Section, restricted

Page = dict[str, Any]

FRONT = "index"
CALIBRATION = "calibration"
FIGURES = "figures"
SPEED = "speed"
DATA = "data"
PUBLISHED = "published"
RUN = "run"
# Title and first sentence; a page of figures is left out without any.
_OF_FIGURES = {
    CALIBRATION: (
        "Calibration",
        "Where the minimiser of each loss ranks the likeliest classes first, and where not"
        " (TPAMI 2017, section 4).",
    ),
    FIGURES: ("Figures", "Figures, and tables that belong to no single study."),
    SPEED: ("Speed", "Times on the machine of the run."),
}
_ALWAYS = {
    DATA: ("Data, and what is missing", "What was there, what was not, and why."),
    PUBLISHED: ("As published", "Published tables of which nothing was measured in this run."),
    RUN: ("The run", "How the numbers were made, and how sure they are."),
}
#: Names of pages that no study can have.
RESERVED = (FRONT, *_OF_FIGURES, *_ALWAYS)


def build_pages(
    inputs: ReportInputs,
    sections: Iterable[Section],
    plain: Iterable[dict[str, Any]],
    figures: Iterable[dict[str, Any]],
) -> list[Page]:
    """Distribute tables and figures over pages.

    Parameters
    ----------
    inputs : ReportInputs
    sections : iterable of dict
        Tables with a measurement; each is given its ``page``, and its ``figures``: those of its
        data sets that no smaller table of the page has.
    plain : iterable of dict
        Tables that are no grids.
    figures : iterable of dict

    Returns
    -------
    list of dict
        The front page, one per study, then the others; a study or kind of figure without content
        has none. ``name``, ``file``, ``kind`` ("study" for all pages of tables and figures, else
        the name), ``title``, ``lead``, ``score``, ``contents``; ``sections``, whole tables;
        ``visits``, rows of tables that stand whole on other pages; ``plain``; ``figures`` that
        belong to no table.
    """
    where = _Places(inputs)
    pages = {FRONT: _page(FRONT, FRONT, "Reproduction report", "")}
    for name, (title, text) in where.studies.items():
        pages[where.page_of(name)] = _page(where.page_of(name), "study", title, text)
    pages |= {name: _page(name, "study", *words) for name, words in _OF_FIGURES.items()}
    pages |= {name: _page(name, name, *words) for name, words in _ALWAYS.items()}
    for section in sections:
        home = where.home(section)
        section |= {"page": where.page_of(home), "figures": []}
        pages[section["page"]]["sections"].append(section)
        for study, files in where.files.items():
            if study != home and any(record["file"] in files for record in section["records"]):
                visit = restricted(section, files)
                pages[where.page_of(study)]["visits"].append(visit)
    for table in plain:
        pages[where.of_table(table)]["plain"].append(table)
    asked = {figure["name"]: figure["page"] for figure in inputs.figures}
    for figure in figures:
        page = pages[where.of_figure(figure["name"], asked[figure["name"]])]
        _beside(figure, page["sections"], page["figures"])
    filled = ("sections", "visits", "plain", "figures")
    return [
        page
        | {"score": sum_of(one["score"] for one in page["sections"]), "contents": _contents(page)}
        for page in pages.values()
        if page["kind"] != "study" or any(page[part] for part in filled)
    ]


def _page(name: str, kind: str, title: str, lead: str) -> Page:
    words = {"name": name, "file": f"{name}.html", "kind": kind, "title": title, "lead": lead}
    return words | {"sections": [], "visits": [], "plain": [], "figures": []}


def _beside(figure: dict[str, Any], sections: list[Section], loose: list) -> None:
    """Put a figure of a data set with the smallest table that has the set, else with the others."""
    row = row_of(figure["name"])
    dataset = row.dataset_of(figure["name"]) if row else ""
    homes = [one for one in sections if any(block["key"] == dataset for block in one["blocks"])]
    home = min(homes, key=lambda one: len(one["blocks"]), default=None)
    (home["figures"] if home else loose).append(figure)


def _contents(page: Page) -> str:
    """Return what is on it, in a few words."""
    tables = sum(len(page[part]) for part in ("sections", "visits", "plain"))
    drawn = len(page["figures"]) + sum(len(one["figures"]) for one in page["sections"])
    counts = ((tables, "table"), (drawn, "figure"))
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)


class _Places:
    """The pages of studies, and what belongs to them.

    Studies are those that something was measured for, in the order of run.json's list, then of
    evaluation.csv.
    """

    def __init__(self, inputs: ReportInputs) -> None:
        runs = inputs.evaluation[["study", "file", "dataset"]]
        runs = runs.assign(study=runs["study"].str.split(";")).explode("study")
        runs = runs[runs["study"].fillna("") != ""]
        found = {name: set(files) for name, files in runs.groupby("study", sort=False)["file"]}
        self._sets = {dataset: Counter(part) for dataset, part in runs.groupby("dataset")["study"]}
        self._of_table = _studies_of_tables(inputs.run, found)
        cells = inputs.comparison
        of_kept = cells.loc[cells["kept"].notna(), ["source", "table"]].drop_duplicates()
        kept = {self._of_table.get(key, "") for key in of_kept.itertuples(index=False, name=None)}
        texts = {
            str(one["name"]): (str(one["title"]), str(one.get("description", "")))
            for one in inputs.run.get("studies") or ()
        }
        order = [name for name in texts if name in found or name in kept]
        order += [name for name in found if name not in texts]
        self.studies = {name: texts.get(name, (name, "")) for name in order}
        #: The files of each study's results.
        self.files = {name: found[name] for name in order if name in found}

    def page_of(self, study: str) -> str:
        """Return the page of a study; what is in no study stands with the figures."""
        if study not in self.studies:
            return FIGURES
        return f"study-{study}" if study in RESERVED else study

    def home(self, section: Section) -> str:
        """Return the study that a table belongs to: its own, or the one with most of its compared
        cells; with numbers of the kept run alone the first study that reproduces it.
        """
        if section["study"] in self.studies:
            return section["study"]
        records = section["records"]
        if not records:
            return self._of_table.get((section["source"], section["table"]), "")
        counts = {
            study: sum(bool(one["verdict"]) for one in records if one["file"] in files)
            for study, files in self.files.items()
            if any(one["file"] in files for one in records)
        }
        return self._most(counts)

    def of_figure(self, name: str, asked: str) -> str:
        """Return the page of a figure: that of its .json, or of its row in
        `toplabel.reproduction.report.figures.registry`.
        """
        row = row_of(name)
        page = asked or (row.page if row else FIGURES)
        if row and row.dataset and not asked:
            page = self._most(self._sets.get(row.dataset_of(name), {}))
        return page if page in RESERVED else self.page_of(page)

    def of_table(self, table: Mapping[str, Any]) -> str:
        """Return the page of a table that is no grid: its study's, that of its data sets, or of the
        figure it is made with.
        """
        if table["study"] in self.studies:
            return self.page_of(table["study"])
        if table["datasets"]:
            counts = sum((self._sets.get(one, Counter()) for one in table["datasets"]), Counter())
            return self.page_of(self._most(counts))
        file = table_files(table["name"])[0]
        return next((row.page for row in LISTED if file in row.files), FIGURES)

    def _most(self, counts: Mapping[str, int]) -> str:
        """Return the study with the highest count, of several the first; empty without any."""
        return max((name for name in self.studies if name in counts), key=counts.get, default="")


def _studies_of_tables(
    run: Mapping[str, Any], measured: Mapping[str, Any]
) -> dict[tuple[str, str], str]:
    """Return the study of each published table, by source and number.

    Of several it is one with measurements, else one of the config, else the first.
    """
    config = run["config"] if isinstance(run["config"], Mapping) else {}
    asked = {name.partition("/")[0] for name in config.get("studies", ())}
    found: dict[tuple[str, str], str] = {}
    for entry in sorted(
        run.get("studies") or (),
        key=lambda one: (one["name"] not in measured, one["name"] not in asked),
    ):
        for name in entry.get("tables", ()):
            source, _, number = whole_name(name).rpartition("_table")
            found.setdefault((source, str(int(number))), str(entry["name"]))
    return found
