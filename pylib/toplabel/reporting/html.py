"""The HTML report: one file with everything in it, readable from disk without network."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from toplabel.files import atomic_path
from toplabel.reporting import facts, labels, numbers
from toplabel.reporting.inputs import FigureInput, ReportInputError, ReportInputs
from toplabel.reporting.svg import inline_svg
from toplabel.reporting.trace import Trace
from toplabel.reporting.view import build_report

_STACKED = Markup('<span class="ss"><sup>{}</sup><sub>{}</sub></span>')

#: Larger data than this is linked to, not carried in the page.
LARGEST_DATA = 256 * 1024


def write_html(inputs: ReportInputs, out_path: str | Path) -> None:
    """Write the report as one HTML page.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    out_path : path-like
        The page; links to the files behind the numbers are relative to its folder.

    Raises
    ------
    ReportInputError
        A figure is not SVG.
    """
    out = Path(out_path)
    environment = _environment(Trace(inputs, out.parent))
    text = environment.get_template("report.html.j2").render(
        report=build_report(inputs, out.parent),
        verdicts=labels.VERDICTS,
        papers=labels.PAPERS,
        statistics=facts.STATISTICS,
    )
    with atomic_path(out) as path:
        path.write_text(text, encoding="utf-8")


def _environment(trace: Trace) -> Environment:
    environment = Environment(
        loader=PackageLoader("toplabel.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        label=label_markup,
        count=numbers.count,
        paper=facts.paper_of,
        figure=_figure_markup,
        csv_uri=_csv_uri,
        link=trace.link,
    )
    environment.globals["asset"] = _asset
    return environment


def label_markup(label: str) -> Markup:
    """Return a label in the small markup of `toplabel.reporting.labels` as HTML."""
    pairs = labels.segments(label)
    parts = []
    while pairs:
        kind, text = pairs.pop(0)
        if kind == "text":
            parts.append(escape(text))
        elif kind == "sup" and pairs and pairs[0][0] == "sub":  # one above the other
            parts.append(_STACKED.format(text, pairs.pop(0)[1]))
        else:
            parts.append(Markup("<{0}>{1}</{0}>").format(kind, text))
    return Markup("").join(parts)


def _asset(name: str) -> Markup:
    """Return a style sheet or script of our own, which stands in the page as it is."""
    text = resources.files("toplabel.reporting").joinpath("templates", name).read_text("utf-8")
    return Markup(text)


def _figure_markup(figure: FigureInput) -> Markup:
    try:
        return Markup(inline_svg(figure.svg, figure.name, figure.alt or figure.title))
    except ValueError as error:
        raise ReportInputError(str(error)) from None


def _csv_uri(figure: FigureInput) -> str:
    """Return the data of a figure as a data URI, empty when it is too large."""
    if len(figure.csv.encode("utf-8")) > LARGEST_DATA:
        return ""
    return "data:text/csv;charset=utf-8," + quote(figure.csv, safe=",.-+eE_ ")
