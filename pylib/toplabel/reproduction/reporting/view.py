"""The whole report as text in its order, for the HTML page and the PDF alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toplabel.reproduction.reporting import (
    agreement,
    differences_text,
    facts,
    findings_text,
    headline_text,
    provenance,
    run_facts,
    search,
    winners_text,
)
from toplabel.reproduction.reporting.agreement import Lane
from toplabel.reproduction.reporting.coverage import Item, build_coverage
from toplabel.reproduction.reporting.differences_text import Group
from toplabel.reproduction.reporting.findings_text import Finding
from toplabel.reproduction.reporting.found import (
    FollowedChoice,
    FoundReading,
    followed_choices,
    found_readings,
    score_under_found,
)
from toplabel.reproduction.reporting.inputs import FigureInput, ReportInputs
from toplabel.reproduction.reporting.labels import table_order
from toplabel.reproduction.reporting.pages import Page, build_pages
from toplabel.reproduction.reporting.places import Places
from toplabel.reproduction.reporting.protocol import protocol_texts
from toplabel.reproduction.reporting.score import Score, score_of
from toplabel.reproduction.reporting.sections import (
    PlainTable,
    Section,
    build_plain_tables,
    build_sections,
)
from toplabel.reproduction.reporting.trace import Trace
from toplabel.reproduction.reporting.winners_text import WinnerMatrix, WinnerRow


@dataclass(frozen=True)
class Report:
    """What a report shows; numbers are text already.

    `touched` are tables with a measurement, `untouched` published tables without any.
    """

    score: Score
    reach: list[facts.Reach]
    lanes: list[Lane]
    agreement: str
    touched: list[Section]
    untouched: list[Section]
    plain_tables: list[PlainTable]
    figures: tuple[FigureInput, ...]
    datasets: list[facts.DatasetRow]
    missing_sets: list[facts.MissingSet]
    missing_cells: list[facts.MissingCells]
    certificates: facts.Certificates
    run: list[tuple[str, str]]
    stages: list[provenance.Stage]
    commit: tuple[str, str]
    command: str
    config: str
    created: str
    warning: str
    sources: list[str]
    pages: list[Page]
    findings: list[Finding]
    findings_remark: str
    winners: list[WinnerRow]
    winners_remark: str
    winner_matrices: list[WinnerMatrix]
    differences: list[Group]
    differences_remark: str
    coverage: list[Item]
    failures: list[facts.Failure]
    protocol: list[str]
    targets: list[search.Target]
    kept: KeptView | None
    worth: str
    found: Score | None
    readings: list[FoundReading]
    choices: list[FollowedChoice]


@dataclass(frozen=True)
class KeptView:
    """The kept run in a report; `differences` are those of cells that this run did not measure."""

    name: str
    headline: str
    lanes: list[Lane]
    worth: str
    worth_rows: list[list[str]]
    differences: list[Group]
    differences_remark: str


def _kept_view(inputs: ReportInputs, anchors: Mapping[tuple[str, str], str]) -> KeptView | None:
    kept = inputs.kept
    if kept is None:
        return None
    rows = differences_text.of_kept(inputs)
    return KeptView(
        name=kept.name,
        headline=kept.headline(len(inputs.comparison)),
        worth=headline_text.sentences(kept.worth),
        worth_rows=headline_text.rows(kept.worth),
        lanes=agreement.lanes_of_cells(kept.cells),
        differences=differences_text.build_groups(rows, anchors),
        differences_remark=differences_text.summary(rows),
    )


def build_report(inputs: ReportInputs) -> Report:
    """Arrange the inputs."""
    trace = Trace(inputs)
    sections = build_sections(inputs, trace)
    plain = build_plain_tables(inputs, trace)
    measured = [section for section in sections if section.blocks]
    pages = build_pages(Places(inputs), measured, plain, inputs.figures)
    touched = in_order([section for page in pages for section in page.sections], measured)
    anchors = {(s.source, s.table): f"{s.page}.html#{s.anchor}" for s in touched if s.source}
    winners = winners_text.build_winners(inputs, trace, anchors)
    claims = findings_text.build_findings(inputs, trace)
    missing_sets, missing_cells = facts.missing(inputs, trace)
    lanes = agreement.lanes_of(touched)
    untouched = [section for section in sections if not section.blocks]
    datasets = facts.dataset_rows(inputs)
    return Report(
        lanes=lanes,
        agreement=agreement.sentence(lanes),
        score=score_of(inputs.comparison),
        reach=facts.reach(inputs, trace),
        touched=touched,
        untouched=untouched,
        plain_tables=plain,
        figures=inputs.figures,
        datasets=datasets,
        missing_sets=missing_sets,
        missing_cells=missing_cells,
        certificates=facts.certificates(inputs, trace),
        run=run_facts.run_facts(inputs.run),
        stages=provenance.stages(inputs.run),
        commit=provenance.commit_of(inputs.run),
        command=str(inputs.run["command"] or ""),
        config=run_facts.config_text(inputs.run),
        created=str(inputs.run["created"] or ""),
        warning=run_facts.warning(inputs.run),
        sources=sorted(
            set(inputs.comparison["source"]), key=lambda source: table_order(source, "")
        ),
        pages=pages,
        findings=claims,
        findings_remark=findings_text.summary(claims),
        winners=winners,
        winners_remark=winners_text.same_winners(winners),
        winner_matrices=winners_text.winner_matrices(inputs, trace, anchors),
        differences=differences_text.build_groups(inputs.differences, anchors),
        differences_remark=differences_text.summary(inputs.differences),
        coverage=build_coverage(inputs, trace, pages, sections),
        failures=facts.failures(inputs, trace),
        protocol=protocol_texts(inputs.run),
        targets=search.targets(pages, untouched, datasets),
        kept=_kept_view(inputs, anchors),
        worth=headline_text.sentences(inputs.headline),
        found=score_under_found(inputs),
        readings=found_readings(inputs),
        choices=followed_choices(inputs),
    )


def in_order(placed: list[Section], order: list[Section]) -> list[Section]:
    """Put tables back into the papers' order."""
    rank = {section.anchor: number for number, section in enumerate(order)}
    return sorted(placed, key=lambda section: rank[section.anchor])
