"""Which page of the report each table and figure stands on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from toplabel.reproduction import figures
from toplabel.reproduction.config.studies import whole_name
from toplabel.reproduction.figures import row_of, table_files
from toplabel.reproduction.reporting.inputs import FigureInput, ReportInputs
from toplabel.reproduction.reporting.sections import PlainTable, Section

FRONT = "index"
CALIBRATION = "calibration"
FIGURES = "figures"
SPEED = "speed"
DATA = "data"
PUBLISHED = "published"
RUN = "run"
#: Names of pages that no study can have.
RESERVED = (FRONT, CALIBRATION, FIGURES, SPEED, DATA, PUBLISHED, RUN)


@dataclass(frozen=True)
class StudyText:
    """A study in words."""

    name: str
    title: str
    description: str

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"study-{self.name}" if self.name in RESERVED else self.name


class Places:
    """The pages of studies, and what belongs to them.

    Parameters
    ----------
    inputs : ReportInputs
        Studies are those that something was measured for, in the order of run.json's list, then of
        evaluation.csv.
    """

    def __init__(self, inputs: ReportInputs) -> None:
        runs = inputs.evaluation
        self._files: dict[str, set[str]] = {}
        self._sets: dict[str, Counter[str]] = {}
        for names, file, dataset in zip(runs["study"], runs["file"], runs["dataset"], strict=True):
            for name in filter(None, names.split(";")):
                self._files.setdefault(name, set()).add(file)
                self._sets.setdefault(dataset, Counter())[name] += 1
        texts = _texts(inputs.run)
        self._of_table = _studies_of_tables(inputs.run, self._files)
        of_kept = inputs.comparison.loc[inputs.comparison["kept"].notna(), ["source", "table"]]
        shown = {self._of_table.get(tuple(key), "") for key in of_kept.drop_duplicates().to_numpy()}
        order = [
            *(n for n in texts if n in self._files or n in shown),
            *(n for n in self._files if n not in texts),
        ]
        self._rank = {name: rank for rank, name in enumerate(order)}
        self.studies = [texts.get(name, StudyText(name, name, "")) for name in order]
        self._pages = {study.name: study.page for study in self.studies}

    def files(self, study: str) -> set[str]:
        """Return the files of a study's results."""
        return self._files.get(study, set())

    def page_of(self, study: str) -> str:
        """Return the page of a study; what is in no study stands with the figures."""
        return self._pages.get(study, FIGURES)

    def home(self, section: Section) -> str:
        """Return the study that a table belongs to: its own, or the one with most of its compared
        cells.

        A table with numbers of the kept run alone belongs to the first study that reproduces it.
        """
        if section.study in self._pages:
            return section.study
        if not section.records:
            return self._of_table.get((section.source, section.table), "")
        counts: Counter[str] = Counter()
        for record in section.records:
            for study, files in self._files.items():
                if record.file in files:
                    counts[study] += 1 if record.verdict else 0
                    counts.setdefault(study, 0)
        return self._most(counts)

    def visitors(self, section: Section) -> list[str]:
        """Return other studies with results in a table, in the order of the studies."""
        files = {record.file for record in section.records}
        home = self.home(section)
        return [s.name for s in self.studies if s.name != home and files & self.files(s.name)]

    def of_figure(self, figure: FigureInput) -> str:
        """Return the page of a figure: that of its .json, or of its row in
        `toplabel.reproduction.figures`.
        """
        row = row_of(figure.name)
        page = figure.page or (row.page if row else FIGURES)
        if row and row.dataset and not figure.page:
            page = self._most(self._sets.get(row.dataset_of(figure.name), Counter()))
        return page if page in RESERVED else self.page_of(page)

    def of_table(self, table: PlainTable) -> str:
        """Return the page of a table that is no grid: its study's, that of its data sets, or of the
        figure it is made with.
        """
        if table.study in self._pages:
            return self.page_of(table.study)
        if table.datasets:
            counts = [self._sets.get(name, Counter()) for name in table.datasets]
            return self.page_of(self._most(sum(counts, Counter())))
        file = table_files(table.name)[0]
        return next((row.page for row in figures.FIGURES if file in row.files), FIGURES)

    def _most(self, counts: Counter[str]) -> str:
        """Return the study with the highest count, of several the first; empty when there is none."""
        return min(counts, key=lambda name: (-counts[name], self._rank[name]), default="")


def _studies_of_tables(
    run: Mapping[str, object], measured: Collection[str]
) -> dict[tuple[str, str], str]:
    """Return the study of each published table, by source and number.

    Of several it is one with measurements, else one of the config, else the first.
    """
    found: dict[tuple[str, str], str] = {}
    config = run["config"] if isinstance(run["config"], Mapping) else {}
    asked = {name.partition("/")[0] for name in config.get("studies", ())}
    studies = sorted(
        run.get("studies") or (),
        key=lambda entry: (entry["name"] not in measured, entry["name"] not in asked),
    )
    for entry in studies:
        for name in entry.get("tables", ()):
            source, _, number = whole_name(name).rpartition("_table")
            found.setdefault((source, str(int(number))), str(entry["name"]))
    return found


def _texts(run: Mapping[str, object]) -> dict[str, StudyText]:
    """Return the studies of run.json, which older runs lack."""
    found = {}
    for entry in run.get("studies") or ():
        name = str(entry["name"])
        found[name] = StudyText(name, str(entry["title"]), str(entry.get("description", "")))
    return found
