"""The page "Methods beside each other": a table of each study by each metric, and what the tests say."""

from __future__ import annotations

from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.study_table import Record, StudyTable
from toplabel.reproduction.report.study_words import answer, best_of, notes
from toplabel.reproduction.report.text import plain, slug
from toplabel.reproduction.report.tree import Entry, Part, Section, Table, Text, table_of

NAME = "beside"


def sections(inputs: Inputs) -> tuple[list[Section], dict[str, str]]:
    """Return a section for each study with several methods, and the diagrams of mean ranks, SVG by name.

    All metrics of own data are shown, of the papers' studies the first, and of the others the answer
    alone; comparison_*.csv in results/ has the rest.
    """
    made: list[Section] = []
    pictures: dict[str, str] = {}
    for study, tables in study_tables(inputs).items():
        several = [table for table in tables if table.several]
        compared = several[:1] if inputs.of_papers else several
        if not compared:
            continue
        parts: list[Part] = []
        for table in compared:
            # A note that several metrics share stands once.
            parts += [part for part in _parts(table) if part not in parts]
        for table in several[len(compared) :]:
            if table.is_over_sets:
                parts.append(Text(answer(table), style="item"))
        if procedure := inputs.comparison.totals["procedures"].get(study):
            parts.append(Text(procedure, lead="For the method section of a paper:"))
        if not inputs.of_papers:
            parts.append(_files(compared))
        title, _ = inputs.studies[study]
        made.append(Section(slug(f"beside-{study}"), title, parts))
        for table in compared:
            if table.is_over_sets:
                pictures[f"ranks-{table.name}"] = table.diagram().decode()
    return made, pictures


def _head(table: StudyTable) -> list[Part]:
    """Return the answer, the table and what is to be known beside it."""
    note: list[Part] = [Text(text, style="note") for text in notes(table)]
    return [Text(answer(table)), table.table(), *note]


def _parts(table: StudyTable) -> list[Part]:
    """Return all that is said of the methods by the metric."""
    figures = [table.ranks()] if table.is_over_sets else []
    return [*_head(table), *figures, table.against_reference()]


def _files(tables: list[StudyTable]) -> Table:
    """Return the table of the files for a paper."""
    rows: list[list[str | Entry]] = []
    for table in tables:
        kinds = {"csv": "numbers", "tex": "LaTeX table (booktabs)"}
        names = {f"{table.file_name}.{kind}": words for kind, words in kinds.items()}
        if table.is_over_sets:
            diagrams = [f"{table.file_name}_ranks.{kind}" for kind in ("svg", "pdf")]
            names |= dict.fromkeys(diagrams, "critical-difference diagram")
        rows += [
            [Entry(name, href=f"data/{name}"), f"{table.metric}: {words}"]
            for name, words in names.items()
        ]
    rows += [
        [Entry("numbers.tex", href="data/numbers.tex"), "each number as a command of LaTeX"],
        [Entry("protocol.tex", href="data/protocol.tex"), "the paragraph for the method section"],
    ]
    return table_of("Files for a paper", ["File", "What it is"], rows)


def first_parts(inputs: Inputs) -> list[Part]:
    """Return answer and table of each study by its first metric, for the front page of own data."""
    parts: list[Part] = []
    for tables in study_tables(inputs).values():
        parts += _head(tables[0])
    return parts


def headline(inputs: Inputs) -> str:
    """Return which methods are best in all studies by their first metrics, without markup."""
    sentences = [best_of(tables[0]) for tables in study_tables(inputs).values()]
    return plain(" ".join(sentences))


def first_bests(inputs: Inputs) -> list[Record]:
    """Return the best method on each data set by the first metric, a row of the scores."""
    scores = inputs.comparison.scores
    return scores[scores["place"] == 1].drop_duplicates("dataset").to_dict("records")


def study_tables(inputs: Inputs) -> dict[str, list[StudyTable]]:
    """Return the comparisons of each study that the run asks for, by metric."""
    studies: dict[str, list[StudyTable]] = {}
    for test in inputs.comparison.tests.to_dict("records"):
        studies.setdefault(test["study"], []).append(StudyTable(inputs, test))
    return studies
