"""The HTML report: pages with everything in them, readable from disk without network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from toplabel._core.files import atomic_path
from toplabel.reproduction.report import agreement, facts, labels
from toplabel.reproduction.report.exported import without_formulas
from toplabel.reproduction.report.figures import agreement as agreement_chart
from toplabel.reproduction.report.figures import claims as claims_chart
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.svg import data_uri
from toplabel.reproduction.report.tree import WORTH_HEAD, Tree, build_tree
from toplabel.reproduction.report.words import environment

#: Marks our pages.
_MARK = '<meta name="generator" content="toplabel report">'
#: Larger data is linked, not embedded in the page.
LARGEST_DATA = 32 * 1024
#: What the workflow makes beside the pages.
_DOWNLOADS = {
    "data/comparison.csv": "every published number beside ours, one per row",
    "data/report.json": "everything that is known of this run, for machines",
    "ro-crate-metadata.json": "an RO-Crate: inputs with their sums, code, config, results",
    "toplabel.pdf": "this report as a document",
}


def write_html(inputs: ReportInputs, out_path: str | Path) -> None:
    """Write the report as HTML pages that need nothing but themselves.

    Parameters
    ----------
    inputs : ReportInputs
        From `load_inputs`.
    out_path : path-like
        The front page. The others go beside it (`toplabel.reproduction.report.pages`), and pages
        of an earlier report that this one does not have are removed; the files behind the numbers
        are linked as `write_data` puts them beside it.

    Raises
    ------
    FileError
        A figure is not SVG; then nothing is written.
    """
    out = Path(out_path)
    tree = build_tree(inputs)
    beside = (out.parent / "data/comparison.csv").is_file()
    pages = environment(autoescape=True)
    pages.filters.update(
        label=label_markup, slug=labels.slug, pair=lambda text, cls="r": (text, cls)
    )
    pages.globals.update(
        report=tree,
        asset=_asset,
        papers=labels.PAPERS,
        statistics=facts.STATISTICS,
        worth_head=WORTH_HEAD,
        images=_images(inputs, tree),
        said=claims_chart.words,
        csv=_csv_uris(inputs),
        downloads=_DOWNLOADS if beside else {},
    )
    texts = {
        page["file"]: pages.get_template(f"{page['kind']}.html.j2").render(page=page)
        for page in tree["pages"]
    }
    stale = [path for path in out.parent.glob("*.html") if path.name not in texts and is_page(path)]
    texts[out.name] = texts.pop("index.html")  # last: Snakemake waits for this file
    for name, text in texts.items():
        with atomic_path(out.with_name(name)) as path:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        path.unlink()


def is_page(path: Path) -> bool:
    """Return whether a file is a page of such a report."""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return _MARK in stream.read(1024)


def charts(inputs: ReportInputs, tree: Tree) -> dict[str, str]:
    """Return the charts of the report itself as SVG: those of the agreement and of the claims."""
    found = claims_chart.draw(one for one in tree["findings"] if one["tested"])
    if tree["points"]:
        points = agreement.points_of(tree["touched"])
        found["agreement"] = agreement_chart.draw(points)
    if inputs.kept is not None and tree["kept"]["points"]:
        points = agreement.points_of_cells(inputs.kept.cells)
        found["kept"] = agreement_chart.draw(points)
    return found


def _images(inputs: ReportInputs, tree: Tree) -> dict[str, str]:
    """Return the addresses of all images, by the names of figures and charts."""
    drawn = {f"figure-{one['name']}": one["svg"] for one in inputs.figures} | charts(inputs, tree)
    return {name: data_uri(text) for name, text in drawn.items()}


def _csv_uris(inputs: ReportInputs) -> Mapping[str, str]:
    """Return the data of figures as data URIs, of those that are not too large."""
    return {
        one["name"]: "data:text/csv;charset=utf-8,"
        + quote(without_formulas(one["csv"]), safe=",.-+eE_ ")
        for one in inputs.figures
        if len(one["csv"].encode("utf-8")) <= LARGEST_DATA
    }


_NAME = re.compile(r"([^\s^_]*)((?:[\^_]\{[^{}]*\})+)")
_PAIR = re.compile(r"\^\{([^{}]*)\}_\{([^{}]*)\}")
_MARKUP = re.compile(r"([\^_])\{([^{}]*)\}")


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


def _asset(name: str) -> Markup:
    """Return a style sheet or script of our own, which stands in the page as it is."""
    templates = resources.files("toplabel.reproduction.report").joinpath("templates")
    return Markup(templates.joinpath(name).read_text("utf-8"))
