"""The tree of the report as HTML pages, readable from disk without network, and as a PDF by Typst."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typst
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from toplabel.reproduction.compare.verdicts import VERDICTS
from toplabel.reproduction.files import FileError, atomic_path
from toplabel.reproduction.report.text import PAPERS, SCRIPTS, read_template
from toplabel.reproduction.report.tree import Tree

#: Marks our pages.
_MARK = '<meta name="generator" content="toplabel report">'
_NAME = re.compile(r"([^\s^_]*)((?:[\^_]\{[^{}]*\})+)")
_PAIR = re.compile(r"\^\{([^{}]*)\}_\{([^{}]*)\}")
#: PDF/UA forbids characters that the embedded fonts lack; with them the document is a plain PDF.
_STANDARDS: tuple[list[Any], ...] = (["ua-1"], [])
_SOURCES = {"main.typ": "report.typ", "parts.typ": "parts.typ", "references.yml": "references.yml"}


def templates(**options: Any) -> Environment:
    """Return the environment of the folder ``templates`` with some options of Jinja."""
    loader = PackageLoader("toplabel.reproduction.report", "templates")
    return Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, **options)


def write_html(tree: Tree, pictures: Mapping[str, str], folder: Path) -> None:
    """Write a page for each page of the tree; pages of an earlier report are removed."""
    environment = templates(autoescape=True, lstrip_blocks=True)
    environment.filters.update(label=label_markup)
    environment.globals.update(
        report=tree,
        asset=lambda name: Markup(read_template(name)),  # our own, as it is
        papers=PAPERS,
        references=yaml.safe_load(read_template("references.yml")),
        verdicts=VERDICTS,
        images={name: _data_uri(text) for name, text in pictures.items()},
    )
    template = environment.get_template("page.html.j2")
    for path in filter(is_page, folder.glob("*.html")):
        path.unlink()
    first, *others = tree["pages"]
    for page in (*others, first):  # Snakemake waits for the first page
        with atomic_path(folder / f"{page['name']}.html") as path:
            path.write_text(template.render(page=page), encoding="utf-8")


def _data_uri(svg: str) -> str:
    """Return a picture as an address, so that no script in it runs in the page."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def is_page(path: Path) -> bool:
    """Return whether a file is a page of such a report."""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return _MARK in stream.read(1024)


def label_markup(label: str) -> Markup:
    """Return a label in the small markup of `toplabel.reproduction.report.text` as HTML.

    A name and its scripts stay together at the end of a line; a pair of scripts stands one above
    the other.
    """
    # Escaping leaves the marks as they are.
    return Markup(_NAME.sub(_scripts, str(Markup.escape(label))))


def _scripts(name: re.Match[str]) -> str:
    """Return a name with its superscripts and subscripts as HTML."""
    scripts = _PAIR.sub(r'<span class="ss"><sup>\1</sup><sub>\2</sub></span>', name[2])
    for sign, tag in SCRIPTS.items():
        scripts = re.sub(rf"\{sign}\{{([^{{}}]*)\}}", rf"<{tag}>\1</{tag}>", scripts)
    return f'<span class="nb">{name[1]}{scripts}</span>' if name[1] else scripts


def write_pdf(tree: Tree, pictures: Mapping[str, str], out: Path) -> None:
    """Write the report as an accessible PDF (PDF/UA), dated as the run.

    The text goes to Typst as data, never as markup, and nothing is fetched. The same data give the
    same bytes. A document that cannot be set is a FileError.
    """
    created = datetime.fromisoformat(tree["created"]).replace(tzinfo=UTC)
    content = tree | {
        "created": [created.year, created.month, created.day],
        "verdicts": {key: vars(verdict) for key, verdict in VERDICTS.items()},
        "papers": PAPERS,
    }
    texts = {name: read_template(source) for name, source in _SOURCES.items()}
    texts |= {f"{name}.svg": text for name, text in pictures.items()}
    texts["content.json"] = json.dumps(content, ensure_ascii=False, allow_nan=False)
    files = {name: text.encode() for name, text in texts.items()}
    with atomic_path(out) as path:
        path.write_bytes(_compiled(files, created))


def _compiled(files: Any, created: datetime) -> bytes:
    for standards in _STANDARDS:
        try:
            return typst.compile(
                files,
                ignore_system_fonts=True,
                font_paths=[],
                format="pdf",
                pdf_standards=standards,
                timestamp=created,
            )
        except typst.TypstError as error:
            message = error.message
    raise FileError(f"the PDF cannot be set: {message}")
