"""The parts that all figures share: style, files, labels as mathematics, panels and axes of time."""

from __future__ import annotations

import importlib
import io
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from toplabel.reproduction.files import read_json, result_path, write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.report.figures.registry import FigureTask
from toplabel.reproduction.report.text import SEGMENT

#: Okabe and Ito's palette, the yellow left out, sky blue and orange darker: all have a contrast of
#: 3 or more to white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#3A92C8", "#B07D00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.")

INK = "#222222"
MUTED = "#767676"
RULE = "#cccccc"

# A script, or a superscript and a subscript in either order.
_SCRIPTS = re.compile(r"\^\{[^{}]*\}(?:_\{[^{}]*\})?|_\{[^{}]*\}(?:\^\{[^{}]*\})?")

WIDTH, HEIGHT = 7.2, 9.2  # inches: the text of the PDF's page, with room for a caption


@contextmanager
def house_style() -> Iterator[None]:
    """Apply the style of all figures while they are drawn and saved.

    Text is drawn as outlines, so that a figure looks the same in a browser, in the PDF and in a copy
    of the file alone. The background is transparent, so that a page may be light or dark.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc("svg", fonttype="path", hashsalt="toplabel")
        mpl.rc("figure", facecolor="none")
        mpl.rc("savefig", facecolor="none", transparent=True)
        mpl.rc("font", family="DejaVu Sans", size=8.0)
        mpl.rc("mathtext", fontset="dejavusans")
        mpl.rc("text", color=INK)
        mpl.rc("axes", titlesize=8.5, titlelocation="left", labelsize=8.0, linewidth=0.6)
        mpl.rc("axes", edgecolor=MUTED, labelcolor=INK, prop_cycle=cycler(color=PALETTE))
        mpl.rc("axes", grid=True, axisbelow=True)
        mpl.rc("axes.spines", top=False, right=False)
        mpl.rc("grid", color=RULE, linewidth=0.4)
        mpl.rc("xtick", color=INK, labelsize=7.5)
        mpl.rc("ytick", color=INK, labelsize=7.5)
        mpl.rc("xtick.major", width=0.6)
        mpl.rc("ytick.major", width=0.6)
        mpl.rc("lines", linewidth=1.3, markersize=3.5)
        mpl.rc("legend", frameon=False, fontsize=7.5)
        yield


def series_look(position: int) -> dict[str, Any]:
    """Return colour, marker and line of the series at this position, all different up to 28."""
    marker = MARKERS[position % len(MARKERS)]
    line = LINES[(position // len(PALETTE)) % len(LINES)]
    return {"color": f"C{position}", "marker": marker, "linestyle": line}


@dataclass(frozen=True)
class Design:
    """The words of a figure, how its numbers are computed, and how they are drawn.

    ``{title}`` in title and alternative text stands for the title of the data set.
    """

    title: str
    caption: str
    alt: str
    numbers: Callable[[Source], pd.DataFrame]
    draw: Callable[[pd.DataFrame], Drawing]


@dataclass(frozen=True, kw_only=True)
class Source(FigureTask):
    """A figure to draw, and the `files` that its numbers are computed from."""

    files: Sequence[Path] = ()

    def all(self, pattern: str) -> list[Path]:
        """Return the files whose path ends like a pattern."""
        return [path for path in self.files if path.match(pattern)]

    def file(self, pattern: str) -> Path:
        """Return the file whose path ends like a pattern; ValueError without exactly one."""
        (file,) = self.all(pattern)
        return file


def design_of(name: str) -> Design:
    """Return a design by the name of its module and its own, as in the registry."""
    module, _, design = name.partition(".")
    figures = importlib.import_module(f"toplabel.reproduction.report.figures.{module}")
    return getattr(figures, design)


def make_figure(task: FigureTask, files: Sequence[Path], out_svg: str | os.PathLike[str]) -> None:
    """Compute the numbers of a figure, draw them, and write ``<name>.svg``, ``.csv`` and ``.json``."""
    source = Source(**vars(task), files=files)
    design = design_of(task.design)
    out = Path(out_svg)
    with house_style():
        frame = design.numbers(source)
        drawing = design.draw(frame)
        width, height = drawing.get_size_inches()
        with result_path(out) as path:
            drawing.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    write_frame(frame, out.with_suffix(".csv"))
    # So wide that letters are of one size in all figures, but no higher than a page.
    share = min(width, HEIGHT / height * width, WIDTH) / WIDTH
    conditions = [read_json(path, ["what", "sentence"]) for path in source.all("timing/*.json")]
    measured = [f"{words['what']} {words['sentence']}".strip() for words in conditions]
    words = {
        "name": task.name,
        "title": design.title.format(title=source.title),
        "caption": " ".join([design.caption, *measured]),
        "alt": design.alt.format(title=source.title),
        "source": task.source,
        "share": round(share, 3),
    }
    write_json(out.with_suffix(".json"), words)


def mathtext(label: str) -> str:
    """Return a label in the small markup of `toplabel.reproduction.report.text` as mathtext."""
    return _SCRIPTS.sub(_formula, label.replace("$", r"\$"))


def _formula(scripts: re.Match[str]) -> str:
    """Return a superscript, a subscript, or both above each other, as a formula."""
    formula = ""
    for sign, text in SEGMENT.findall(scripts[0]):
        inner = re.sub(r"[\\{}$^_]", "", text).replace(" ", r"\ ").replace("%", r"\%")
        formula += rf"{sign}{{\mathrm{{{inner}}}}}"
    return f"${formula}$"


def panel_grid(number: int, *, across: int, height: float) -> tuple[Drawing, list[Axes]]:
    """Return a figure with a number of panels, `across` in a row, each `height` inches high."""
    columns = min(number, across)
    rows = math.ceil(number / columns)
    size = (WIDTH * columns / across, height * rows + 0.35)
    figure = Drawing(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in grid[number:]:
        spare.remove()
    return figure, list(grid[:number])


def small_panels(
    labels: Sequence[str], *, across: int, height: float
) -> tuple[Drawing, list[Axes]]:
    """Return a figure with a small panel for each method, all on one scale."""
    figure, axes = panel_grid(len(labels), across=across, height=height)
    for i, (ax, label) in enumerate(zip(axes, labels, strict=True)):
        if i:
            ax.sharex(axes[0])
            ax.sharey(axes[0])
        ax.set_title(mathtext(label), fontsize=7.5, pad=3)
        bottom = i + across >= len(labels)
        ax.tick_params(labelleft=i % across == 0, labelbottom=bottom, labelsize=6.5)
    return figure, axes


def draw_against_time(ax: Axes, frame: pd.DataFrame, series: str, column: str) -> None:
    """Draw a column of each series against the seconds of training, on a logarithmic axis."""
    for i, (name, part) in enumerate(frame.groupby(series, sort=False)):
        part = part.sort_values("seconds", kind="stable")
        # The time of the first points may be measured as 0.
        seconds = part["seconds"].clip(lower=1e-5)
        ax.plot(seconds, part[column], label=mathtext(name), markevery=0.08, **series_look(i))
    ax.set_xscale("log")
    ax.set_xlabel("seconds of training")


def picture(
    figure: Drawing, title: str, file_format: str = "svg", background: str = "none"
) -> bytes:
    """Return a figure that is no file of its own as "svg" or "pdf", always the same bytes."""
    out = io.BytesIO()
    dates = ("Date", "Creator") if file_format == "svg" else ("CreationDate",)
    metadata = {"Title": title} | dict.fromkeys(dates)
    figure.savefig(out, format=file_format, metadata=metadata, facecolor=background)
    return out.getvalue()
