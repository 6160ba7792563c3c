"""The report as a PDF, set by Typst: the same data give the same bytes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import typst

from toplabel.reproduction.files import FileError, atomic_path
from toplabel.reproduction.report import labels
from toplabel.reproduction.report.tree import Tree
from toplabel.reproduction.report.words import read_template

_MAIN = "report.typ"
_SOURCES = (_MAIN, "parts.typ", "references.yml")


def write_pdf(tree: Tree, pictures: Mapping[str, str], out: Path) -> None:
    """Write the report as an accessible PDF (PDF/UA), dated as the run.

    The text goes to Typst as data, never as markup, so nothing in it is executed or needs escaping.
    Only the fonts inside Typst are used, and nothing is fetched.

    Raises
    ------
    FileError
        The document cannot be set, or the file cannot be written.
    """
    created = datetime.fromisoformat(tree["created"]).replace(tzinfo=UTC)
    content = tree | {
        "created": [created.year, created.month, created.day],
        "verdicts": {key: vars(one) for key, one in labels.VERDICTS.items()},
        "papers": {key: one.short for key, one in labels.PAPERS.items()},
    }
    sources = {name: read_template(name) for name in _SOURCES}
    sources |= {f"{name}.svg": text for name, text in pictures.items()}
    sources["content.json"] = json.dumps(content, ensure_ascii=False, allow_nan=False)
    with tempfile.TemporaryDirectory() as folder, atomic_path(out) as path:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        path.write_bytes(_compiled(Path(folder), created))


def _compiled(root: Path, created: datetime) -> bytes:
    for standards in (["ua-1"], []):  # PDF/UA forbids characters that the embedded fonts lack
        try:
            return typst.compile(
                root / _MAIN,
                root=root,
                ignore_system_fonts=True,
                font_paths=[],
                format="pdf",
                pdf_standards=standards,
                timestamp=created,
            )
        except typst.TypstError as error:
            message = error.message
    raise FileError(f"the PDF cannot be set: {message}")
