"""The whole report as text in its order, for the HTML page and the PDF alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toplabel.reporting import facts
from toplabel.reporting.inputs import FigureInput, ReportInputs
from toplabel.reporting.labels import table_order
from toplabel.reporting.score import Score, score_of
from toplabel.reporting.sections import PlainTable, Section, build_plain_tables, build_sections
from toplabel.reporting.speed import build_speed
from toplabel.reporting.trace import Trace


@dataclass(frozen=True)
class Report:
    """What a report shows; numbers are text already.

    `touched` are tables with a measurement, `untouched` published tables without any.
    """

    score: Score
    touched: list[Section]
    untouched: list[Section]
    plain_tables: list[PlainTable]
    figures: tuple[FigureInput, ...]
    datasets: list[facts.DatasetRow]
    missing_sets: list[facts.MissingSet]
    missing_cells: list[facts.MissingCells]
    certificates: facts.Certificates
    speed: list[PlainTable]
    run: list[tuple[str, str]]
    config: str
    created: str
    sources: list[str]


def build_report(inputs: ReportInputs, out_folder: Path) -> Report:
    """Arrange the inputs; `out_folder` is where the report will stand, for relative links."""
    trace = Trace(inputs, out_folder)
    sections = build_sections(inputs, trace)
    return Report(
        score=score_of(inputs.comparison),
        touched=[section for section in sections if section.blocks],
        untouched=[section for section in sections if not section.blocks],
        plain_tables=build_plain_tables(inputs, trace),
        figures=inputs.figures,
        datasets=facts.dataset_rows(inputs),
        missing_sets=facts.missing_sets(inputs),
        missing_cells=facts.missing_cells(inputs, trace),
        certificates=facts.certificates(inputs, trace),
        speed=build_speed(inputs, trace),
        run=facts.run_facts(inputs.run),
        config=facts.config_text(inputs.run),
        created=str(inputs.run["created"] or ""),
        sources=sorted(
            set(inputs.comparison["source"]), key=lambda source: table_order(source, "")
        ),
    )
