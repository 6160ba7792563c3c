"""The PDF report: a paper-like document set by Typst, the same bytes for the same results."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import resources
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import typst

from toplabel._core.files import FileError, atomic_path
from toplabel.reproduction.reporting import claims_chart, facts, labels, numbers
from toplabel.reproduction.reporting.agreement import draw
from toplabel.reproduction.reporting.findings_text import OUTCOMES, Finding
from toplabel.reproduction.reporting.grid import Block, GridCell, GridRow
from toplabel.reproduction.reporting.inputs import FigureInput, ReportInputs
from toplabel.reproduction.reporting.pages import Page
from toplabel.reproduction.reporting.places import RUN
from toplabel.reproduction.reporting.sections import PlainTable, Section
from toplabel.reproduction.reporting.svg import share_of
from toplabel.reproduction.reporting.view import Report, build_report

_MAIN = "report.typ"
_PARTS = (_MAIN, "parts.typ", "references.yml")
#: Archival, accessible PDF, as far as the document allows it (a date is needed for PDF/A).
_STANDARDS = ["a-2a", "ua-1"]
#: More columns of numbers than this do not fit the width of the page.
WIDEST = 10


def write_pdf(inputs: ReportInputs, out_path: str | Path) -> None:
    """Write the report as a PDF document.

    The text goes to Typst as data, never as markup, so nothing in it is executed or needs escaping.
    Only the fonts inside Typst are used and nothing is fetched. The date is that of run.json;
    identical inputs give identical bytes.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    out_path : path-like

    Raises
    ------
    FileError
        A figure is not SVG, or the document cannot be set.
    """
    out = Path(out_path)
    report = build_report(inputs)
    created = _date(report.created)
    with tempfile.TemporaryDirectory() as folder, atomic_path(out) as path:
        root = Path(folder)
        _write_sources(report, created, root)
        path.write_bytes(compiled(root, _MAIN, created))


def _write_sources(report: Report, created: datetime | None, root: Path) -> None:
    """Put the template, the data and the figures where Typst reads them."""
    templates = resources.files("toplabel.reproduction.reporting").joinpath("templates")
    for name in _PARTS:
        (root / name).write_text(templates.joinpath(name).read_text("utf-8"), encoding="utf-8")
    for number, figure in enumerate(report.figures):
        (root / f"figure{number}.svg").write_text(figure.svg, encoding="utf-8")
    if report.lanes:
        (root / "agreement.svg").write_text(draw(report.lanes), encoding="utf-8")
    for number, drawing in enumerate(claims_chart.draw(_tested(report), standalone=True).values()):
        (root / f"claim{number}.svg").write_text(drawing, encoding="utf-8")
    content = json.dumps(_content(report, created), ensure_ascii=False)
    (root / "content.json").write_text(content, encoding="utf-8")


def compiled(root: Path, main: str, created: datetime | None) -> bytes:
    """Return the PDF document that Typst sets from a file of a folder.

    Raises
    ------
    FileError
        The document cannot be set.
    """

    def attempt(standards: list[str]) -> bytes:
        return typst.compile(
            root / main,
            root=root,
            ignore_system_fonts=True,
            font_paths=[],
            format="pdf",
            pdf_standards=standards,
            timestamp=created or 0,
        )

    try:
        return attempt(_STANDARDS if created else ["ua-1"])
    except typst.TypstError:
        # PDF/A forbids characters that the embedded fonts lack; write plain PDF then.
        try:
            return attempt([])
        except typst.TypstError as error:
            raise FileError(f"the PDF cannot be set: {error.message}") from None


def _share(figure: FigureInput) -> float:
    try:
        return share_of(figure.svg, figure.name)
    except ValueError as error:
        raise FileError(str(error)) from None


def _date(created: str) -> datetime | None:
    """Read the date of run.json; None when it is no date. A time without a zone is taken as UTC."""
    try:
        when = datetime.fromisoformat(created)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _content(report: Report, created: datetime | None) -> dict[str, Any]:
    """Return the report as plain data; what the template shows, in its order."""
    shown = [section for section in report.touched if section.score.published]
    shown_verdicts = [verdict for verdict, _ in report.score.verdicts]
    pictures = {
        figure.name: {"file": f"figure{number}.svg", "share": _share(figure)}
        | {key: getattr(figure, key) for key in ("title", "caption", "alt", "source")}
        for number, figure in enumerate(report.figures)
    }
    return {
        "created": [created.year, created.month, created.day] if created else None,
        "headline": report.score.headline,
        "detail": report.score.detail,
        "worth": report.worth,
        "warning": report.warning,
        "findings_remark": report.findings_remark,
        "findings": _findings(report),
        "winners_remark": report.winners_remark,
        "winners": [
            {key: getattr(row, key) for key in ("table", "title", "same", "columns")}
            | {side: labels.segments(getattr(row, side)) for side in ("ours", "papers")}
            for row in report.winners
            if not row.kept
        ],
        "differences_remark": report.differences_remark,
        "differences": [
            asdict(group) | {"evidence": labels.segments(" ".join(group.evidence))}
            for group in report.differences
        ],
        "protocol": report.protocol,
        "failures": [
            asdict(one) | {"method": labels.segments(one.method)} for one in report.failures
        ],
        "verdicts": [
            asdict(verdict) | {"count": n, "counted": numbers.count(n)}
            for verdict, n in report.score.verdicts
        ],
        "known_verdicts": [asdict(verdict) for verdict in labels.VERDICTS.values()],
        "comparable": report.score.comparable,
        "agreement": report.agreement,
        "lanes": len(report.lanes),
        "kept": {"name": report.kept.name, "headline": report.kept.headline}
        if report.kept
        else None,
        "reach": [asdict(part) | {"counted": numbers.count(part.cells)} for part in report.reach],
        "scores": [
            {
                "origin": section.origin,
                "source": _cited(section.source),
                "title": section.title,
                "counts": [numbers.count(n) for n in section.score.counts(shown_verdicts)],
                "comparable": numbers.count(section.score.comparable),
                "published": numbers.count(section.score.published),
            }
            for section in shown
        ],
        "chapters": [
            _chapter(page, pictures)
            for page in report.pages
            if page.kind == "study" and (page.sections or page.plain or page.figures)
        ],
        "gaps": [
            pictures[one.name] for page in report.pages if page.name == RUN for one in page.figures
        ],
        "untouched": _untouched(report.untouched),
        "statistics": facts.STATISTICS,
        "datasets": [
            asdict(row) | {"source": facts.paper_of(row.source)}
            for row in report.datasets
            if row.ready
        ],
        "missing_sets": [asdict(one) for one in report.missing_sets],
        "missing_cells": [asdict(one) for one in report.missing_cells],
        "certificates": _certificates(report.certificates),
        "run": [{"name": name, "text": text} for name, text in report.run],
    }


def _tested(report: Report) -> list[Finding]:
    return [one for one in report.findings if one.tested]


def _findings(report: Report) -> list[dict[str, Any]]:
    """Return the claims, those with a drawing with its file and what it says."""
    files = {anchor: f"claim{i}.svg" for i, anchor in enumerate(claims_chart.draw(_tested(report)))}
    return [
        _finding(one) | {"file": files.get(one.anchor, ""), "alt": claims_chart.words(one)}
        for one in report.findings
    ]


def _chapter(page: Page, pictures: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a page of tables and figures: a figure of a data set with the table of that set."""
    return {
        "title": page.title,
        "lead": page.lead,
        "sections": [
            _section(section) | {"figures": [pictures[one.name] for one in page.beside(section)]}
            for section in page.sections
        ],
        "figures": [pictures[one.name] for one in page.loose_figures],
        "plain": [_plain(table) for table in page.plain],
    }


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "says": one.says,
        "place": one.place,
        "source": _cited(one.source),
        "tested": one.tested,
        "rule": labels.segments(one.rule),
        "papers": labels.segments(one.papers.text),
        "sides": [
            {"name": name, "text": labels.segments(side.text)} | asdict(OUTCOMES[side.state])
            for name, side in (("same data", one.same), ("other data", one.other))
            if side.state
        ],
    }


def _cited(source: str) -> str:
    """Return the key of a paper in references.yml, empty for one that is not there."""
    return source if source in labels.PAPERS else ""


def _plain(table: PlainTable) -> dict[str, Any]:
    rows = [[labels.segments(text) for text in row] for row in table.rows]
    caption = labels.segments(table.caption)
    return {
        "title": table.title,
        "caption": caption,
        "header": table.header,
        "numeric": table.numeric,
        "rows": rows,
    }


def _untouched(sections: list[Section]) -> list[dict[str, Any]]:
    """Return the tables without a measurement, those of a paper together."""
    papers = groupby(sections, key=lambda section: section.origin.rpartition(", Table ")[0])
    found = []
    for paper, group in papers:
        group = list(group)
        numbers = ", ".join(section.origin.rpartition(" ")[2] for section in group)
        word = "Table" if len(group) == 1 else "Tables"
        cells = sum(section.score.published for section in group)
        found.append({"paper": paper, "tables": f"{word} {numbers}", "cells": cells})
    return found


def _section(section: Section) -> dict[str, Any]:
    """Return a table; data sets with the same columns stand in one grid, under their names."""
    by_columns = groupby(section.blocks, key=lambda block: tuple(block.columns))
    grids = []
    for _, blocks in by_columns:
        blocks = list(blocks)
        grids += [_grid(blocks, part) for part in _parts(len(blocks[0].columns))]
    return {
        "title": section.title,
        "origin": section.origin,
        "source": _cited(section.source),
        "caption": section.caption,
        "grids": grids,
        "unmeasured": [block.title for block in section.unmeasured],
        "kept": section.kept.word,
    }


def _parts(columns: int) -> list[slice]:
    """Cut columns into parts that fit the page, none of them much narrower than the others."""
    number = max(1, -(-columns // WIDEST))
    ends = [columns * i // number for i in range(number + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def _grid(blocks: list[Block], part: slice) -> dict[str, Any]:
    return {
        "columns": [column.label for column in blocks[0].columns[part]],
        "blocks": [
            {"title": block.title, "rows": [_row(row, part) for row in block.rows]}
            for block in blocks
        ],
    }


def _row(row: GridRow, part: slice) -> dict[str, Any]:
    return {
        "label": labels.segments(row.label),
        "measured": row.measured or row.kept,
        "cells": [_cell(cell) for cell in row.cells[part]],
    }


def _cell(cell: GridCell) -> dict[str, Any]:
    keys = (
        "ours",
        "ours_std",
        "published",
        "published_std",
        "verdict",
        "best_ours",
        "best_published",
    )
    return {key: getattr(cell, key) for key in keys} | {"kept": cell.state == "kept"}


def _certificates(found: facts.Certificates) -> dict[str, Any]:
    """Return the gaps, cut into parts that fit the page."""
    parts = [
        {
            "columns": found.columns[part],
            "rows": [
                {"label": labels.segments(label), "gaps": gaps[part]} for label, gaps in found.rows
            ],
        }
        for part in _parts(len(found.columns))
    ]
    return {"remark": found.remark, "parts": parts}
