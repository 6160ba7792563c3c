"""The HTML report: pages with everything in them, readable from disk without network."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from toplabel.reproduction.files import atomic_path
from toplabel.reproduction.report import labels
from toplabel.reproduction.report.tree import Tree
from toplabel.reproduction.report.words import read_template

#: Marks our pages.
_MARK = '<meta name="generator" content="toplabel report">'
_NAME = re.compile(r"([^\s^_]*)((?:[\^_]\{[^{}]*\})+)")
_PAIR = re.compile(r"\^\{([^{}]*)\}_\{([^{}]*)\}")
_MARKUP = re.compile(r"([\^_])\{([^{}]*)\}")


def write_html(tree: Tree, pictures: Mapping[str, str], folder: Path) -> None:
    """Write a page for each page of the tree; pages of an earlier report are removed."""
    environment = Environment(
        loader=PackageLoader("toplabel.reproduction.report", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(label=label_markup)
    environment.globals.update(
        report=tree,
        asset=lambda name: Markup(read_template(name)),  # our own, as it is
        papers=labels.PAPERS,
        verdicts=labels.VERDICTS,
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
    """Return a label in the small markup of `toplabel.reproduction.report.labels` as HTML.

    A name and its scripts stay together at the end of a line; a pair of scripts stands one above
    the other.
    """

    def scripts(found: re.Match[str]) -> str:
        stacked = _PAIR.sub(r'<span class="ss"><sup>\1</sup><sub>\2</sub></span>', found[2])
        single = _MARKUP.sub(
            lambda one: "<{0}>{1}</{0}>".format("sup" if one[1] == "^" else "sub", one[2]), stacked
        )
        return f'<span class="nb">{found[1]}{single}</span>' if found[1] else single

    # Escaping leaves the marks as they are.
    return Markup(_NAME.sub(scripts, str(Markup.escape(label))))
