"""The report and the replication paper, set by Typst: the same data give the same bytes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import typst

from toplabel._core.files import FileError, atomic_path
from toplabel.reproduction.report import facts, labels
from toplabel.reproduction.report.figures import claims as claims_chart
from toplabel.reproduction.report.html import charts
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.tree import Tree, build_tree

_SHARED = ("parts.typ", "references.yml")
#: Archival, accessible PDF, as far as the document allows it (a date is needed for PDF/A).
_STANDARDS = ["a-2a", "ua-1"]


def write_pdf(inputs: ReportInputs, out_path: str | Path) -> None:
    """Write the report as a PDF document, dated as run.json.

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
    tree = build_tree(inputs)
    content = content_of(tree)
    write_document("report.typ", content, pictures_of(inputs, tree), content["created"], out_path)


def content_of(tree: Tree) -> dict[str, Any]:
    """Return what the template of the report prints: the tree, and words that are in no data."""
    created = _date(tree["created"])
    left_out = ("targets", "parts", "coverage", "trust")
    return {name: part for name, part in tree.items() if name not in left_out} | {
        "created": created and [created.year, created.month, created.day],
        "verdicts": [vars(one) for one in labels.VERDICTS.values()],
        "outcomes": {key: vars(one) for key, one in labels.OUTCOMES.items()},
        "papers": {key: one.short for key, one in labels.PAPERS.items()},
        "statistics": list(facts.STATISTICS),
        "said": {one["anchor"]: claims_chart.words(one) for one in tree["findings"]},
    }


def pictures_of(inputs: ReportInputs, tree: Tree) -> dict[str, str]:
    """Return the figures and charts of the report as SVG, by their file names."""
    found = {f"figure-{one['name']}": one["svg"] for one in inputs.figures} | charts(inputs, tree)
    return {f"{name}.svg": text for name, text in found.items()}


def write_document(
    main: str,
    content: Mapping[str, Any],
    pictures: Mapping[str, str],
    created: datetime | list[int] | None,
    out_path: str | Path,
) -> None:
    """Set a template with some data.

    The text goes to Typst as data, never as markup, so nothing in it is executed or needs escaping.
    Only the fonts inside Typst are used and nothing is fetched.

    Parameters
    ----------
    main : str
        The template.
    content : mapping
        What it prints, as plain data.
    pictures : mapping of str to str
        SVG by file name.
    created : datetime or list of int, optional
        The date of the run.
    out_path : path-like

    Raises
    ------
    FileError
        The document cannot be set, or the file cannot be written.
    """
    templates = resources.files("toplabel.reproduction.report").joinpath("templates")
    sources = {name: templates.joinpath(name).read_text("utf-8") for name in (main, *_SHARED)}
    sources |= pictures | {"content.json": json.dumps(content, ensure_ascii=False, allow_nan=False)}
    when = datetime(*created, tzinfo=UTC) if isinstance(created, list) else created
    with tempfile.TemporaryDirectory() as folder, atomic_path(out_path) as path:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        path.write_bytes(_compiled(Path(folder), main, when))


def _compiled(root: Path, main: str, created: datetime | None) -> bytes:
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


def _date(created: str) -> datetime | None:
    """Read the date of run.json; None when it is no date."""
    try:
        return datetime.fromisoformat(created)
    except ValueError:
        return None
