"""The report as a PDF, set by Typst: the same data give the same bytes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import typst

from toplabel._core.files import FileError, atomic_path
from toplabel.reproduction.report import labels
from toplabel.reproduction.report.tree import Tree

_MAIN = "report.typ"
_SOURCES = (_MAIN, "parts.typ", "references.yml")
#: Archival, accessible PDF, as far as the document allows it (a date is needed for PDF/A).
_STANDARDS = ["a-2a", "ua-1"]


def write_pdf(tree: Tree, pictures: Mapping[str, str], out: Path) -> None:
    """Write the report as a PDF document, dated as the run.

    The text goes to Typst as data, never as markup, so nothing in it is executed or needs escaping.
    Only the fonts inside Typst are used, and nothing is fetched.

    Raises
    ------
    FileError
        The document cannot be set, or the file cannot be written.
    """
    created = _date(tree["created"])
    content = tree | {
        "created": created and [created.year, created.month, created.day],
        "verdicts": {key: vars(one) for key, one in labels.VERDICTS.items()},
        "papers": {key: one.short for key, one in labels.PAPERS.items()},
    }
    templates = resources.files("toplabel.reproduction.report").joinpath("templates")
    sources = {name: templates.joinpath(name).read_text("utf-8") for name in _SOURCES}
    sources |= {f"{name}.svg": text for name, text in pictures.items()}
    sources["content.json"] = json.dumps(content, ensure_ascii=False, allow_nan=False)
    with tempfile.TemporaryDirectory() as folder, atomic_path(out) as path:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        path.write_bytes(_compiled(Path(folder), created))


def _compiled(root: Path, created: datetime | None) -> bytes:
    def attempt(standards: list[str]) -> bytes:
        return typst.compile(
            root / _MAIN,
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
    """Return the day of the run; None when it is no date."""
    try:
        return datetime.fromisoformat(created).replace(tzinfo=UTC)
    except ValueError:
        return None
