"""The HTML report: pages with everything in them, readable from disk without network."""

from __future__ import annotations

from importlib import resources
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from toplabel._core.files import FileError, atomic_path
from toplabel.reproduction.reporting import (
    agreement,
    claims_chart,
    facts,
    findings_text,
    headline_text,
    labels,
    numbers,
)
from toplabel.reproduction.reporting.agreement import Lane
from toplabel.reproduction.reporting.inputs import FigureInput, ReportInputs
from toplabel.reproduction.reporting.pages import Page
from toplabel.reproduction.reporting.sections import slug
from toplabel.reproduction.reporting.svg import data_uri, share_of
from toplabel.reproduction.reporting.trace import Trace
from toplabel.reproduction.reporting.view import Report, build_report

_TOGETHER = Markup('<span class="nb">{}{}</span>')
_STACKED = Markup('<span class="ss"><sup>{}</sup><sub>{}</sub></span>')

#: Marks our pages.
_MARK = '<meta name="generator" content="toplabel report">'
#: Larger data is linked, not embedded in the page.
LARGEST_DATA = 32 * 1024


def write_html(inputs: ReportInputs, out_path: str | Path) -> None:
    """Write the report as HTML pages that need nothing but themselves.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    out_path : path-like
        The front page. The others go beside it (`toplabel.reproduction.reporting.pages`), and pages
        of an earlier report that this one does not have are removed; the files behind the numbers
        are linked as `write_data` puts them beside it.

    Raises
    ------
    FileError
        A figure is not SVG; then nothing is written.
    """
    out = Path(out_path)
    environment = _environment(Trace(inputs))
    report = build_report(inputs)
    common = {
        "report": report,
        "verdicts": labels.VERDICTS,
        "states": findings_text.OUTCOMES,
        "agreement": _agreement(report.lanes),
        "kept_agreement": _agreement(report.kept.lanes) if report.kept else "",
        "claim_charts": claims_chart.draw(one for one in report.findings if one.tested),
        "papers": labels.PAPERS,
        "worth_head": headline_text.HEAD,
        "statistics": facts.STATISTICS,
        "downloads": _downloads(out.parent),
    }
    texts = {
        page.file: environment.get_template(f"{page.kind}.html.j2").render(
            page=page, parts=_parts(page, report), **common
        )
        for page in report.pages
    }
    stale = [path for path in out.parent.glob("*.html") if path.name not in texts and is_page(path)]
    texts[out.name] = texts.pop("index.html")  # last: Snakemake waits for this file
    for name, text in texts.items():
        with atomic_path(out.with_name(name)) as path:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        path.unlink()


_PARTS = {
    "index": (
        ("differences", "Why numbers differ", "differences"),
        ("readings", "Other readings", "readings"),
        ("findings", "Findings", "findings"),
        ("winners", "Who wins where", "winners"),
        ("by-table", "Score by table", "touched"),
        ("pages", "All pages", "pages"),
    ),
    "data": (
        ("failures", "What failed", "failures"),
        ("coverage", "Tables and figures", "pages"),
        ("missing", "What is missing", "pages"),
        ("datasets", "Data sets", "pages"),
    ),
    "run": (
        ("protocol", "Protocol", "pages"),
        ("certificates", "Certificates", "pages"),
        ("run", "Machine and config", "pages"),
    ),
}
_DOWNLOADS = {
    "data/comparison.csv": "every published number beside ours, one per row",
    "data/report.json": "everything that is known of this run, for machines",
    "ro-crate-metadata.json": "an RO-Crate: inputs with their sums, code, config, environment, results",
    "toplabel.pdf": "this report as a document",
}


def _parts(page: Page, report: Report) -> list[tuple[str, str]]:
    """Return anchors and names of the sections of a page that is not of tables and figures."""
    return [(anchor, name) for anchor, name, of in _PARTS.get(page.name, ()) if getattr(report, of)]


def _downloads(folder: Path) -> list[tuple[str, str]]:
    """Return what the workflow makes beside the pages; nothing where the pages stand alone."""
    return list(_DOWNLOADS.items()) if (folder / "data/comparison.csv").is_file() else []


def _agreement(lanes: list[Lane]) -> str:
    """Return the address of the chart as an image; empty without a measured number."""
    return data_uri(agreement.draw(lanes)) if lanes else ""


def is_page(path: Path) -> bool:
    """Return whether a file is a page of such a report."""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return _MARK in stream.read(1024)


def _environment(trace: Trace) -> Environment:
    environment = Environment(
        loader=PackageLoader("toplabel.reproduction.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        label=label_markup,
        plain=labels.plain,
        count=numbers.count,
        paper=facts.paper_of,
        figure=_figure_markup,
        csv_uri=_csv_uri,
        link=trace.link,
        slug=slug,
    )
    environment.globals["asset"] = _asset
    return environment


def label_markup(label: str) -> Markup:
    """Return a label in the small markup of `toplabel.reproduction.reporting.labels` as HTML.

    A name and its scripts stay together at the end of a line.
    """
    parts: list[Markup] = []
    pairs = labels.segments(label)
    for position, (kind, text) in enumerate(pairs):
        if kind != "text":
            continue
        scripts = list(takewhile(lambda pair: pair[0] != "text", pairs[position + 1 :]))
        before, space, name = text.rpartition(" ")
        if scripts:
            parts += [escape(before + space), _TOGETHER.format(name, _scripts(scripts))]
        else:
            parts.append(escape(text))
    leading = list(takewhile(lambda pair: pair[0] != "text", pairs))
    return Markup("").join([_scripts(leading), *parts])


def _scripts(pairs: list[tuple[str, str]]) -> Markup:
    """Return superscripts and subscripts; a pair of them stands one above the other."""
    parts = []
    rest = list(pairs)
    while rest:
        kind, text = rest.pop(0)
        if kind == "sup" and rest and rest[0][0] == "sub":
            parts.append(_STACKED.format(text, rest.pop(0)[1]))
        else:
            parts.append(Markup("<{0}>{1}</{0}>").format(kind, text))
    return Markup("").join(parts)


def _asset(name: str) -> Markup:
    """Return a style sheet or script of our own, which stands in the page as it is."""
    text = (
        resources.files("toplabel.reproduction.reporting")
        .joinpath("templates", name)
        .read_text("utf-8")
    )
    return Markup(text)


def _figure_markup(figure: FigureInput) -> Markup:
    """Return a figure as an image."""
    try:
        share = share_of(figure.svg, figure.name)
    except ValueError as error:
        raise FileError(str(error)) from None
    image = Markup('<img style="--share:{}" alt="{}" src="{}">')
    return image.format(share, figure.alt or figure.title, data_uri(figure.svg))


def _csv_uri(figure: FigureInput) -> str:
    """Return the data of a figure as a data URI, empty when it is too large."""
    if len(figure.csv.encode("utf-8")) > LARGEST_DATA:
        return ""
    return "data:text/csv;charset=utf-8," + quote(figure.csv, safe=",.-+eE_ ")
