"""Shared by all figures: the three files, labels as mathtext, panels, legends."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from toplabel._core.files import result_path, write_json
from toplabel.reproduction.figures import row_of
from toplabel.reproduction.report import style
from toplabel.reproduction.report.labels import segments
from toplabel.reproduction.tables.table import write_csv

# Inches that an entry of a legend takes: the longest is like "top-10 SVM^{α}_{1} (RBF)".
_LEGEND_COLUMN, _LEGEND_ROW = 1.5, 0.2


def write_figure(
    figure: Figure,
    data: pd.DataFrame,
    out_svg: str | Path,
    *,
    caption: str,
    alt: str,
    title: str = "",
    page: str = "",
) -> None:
    """Write a figure, its data and its description beside each other.

    Title, source and script come from the figure's row in `toplabel.reproduction.figures`.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Made within `toplabel.reproduction.report.style.house_style`, like this call.
    data : DataFrame
        The numbers drawn.
    out_svg : path-like
        `<name>.svg`; `<name>.csv` and `<name>.json` go beside it, the .json last.
    caption : str
        What is seen.
    alt : str
        What a reader who does not see the figure needs to know of it.
    title : str
        Instead of that of the row.
    page : str
        The page of the report, of a figure without a row: a study's name, or one of
        `toplabel.reproduction.report.pages`.

    Raises
    ------
    ValueError
        `alt` or `title` is empty.
    """
    out = Path(out_svg)
    row = row_of(out.stem)
    title = title or (row.title if row else "")
    for name, text in (("title", title), ("alt", alt)):
        if not text.strip():
            raise ValueError(f"{name}: a figure needs one, found ''")
    with result_path(out) as path:
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    write_csv(data, out.with_suffix(".csv"), digits=None)
    words = {"name": out.stem, "title": title, "caption": caption, "alt": alt}
    if row:
        words |= {"source": row.source, "script": f"workflow/scripts/{row.script}.py"}
    if page:
        words["page"] = page
    write_json(out.with_suffix(".json"), words)


def mathtext(label: str) -> str:
    """Return a label in the small markup of `toplabel.reproduction.report.labels` as
    matplotlib's mathtext.
    """
    marks = {"sup": "^", "sub": "_"}
    parts, previous = [], "text"
    for kind, text in segments(label):
        if kind == "text":
            parts.append(text.replace("$", r"\$"))
        else:
            inner = re.sub(r"[\\{}$^_]", "", text).replace(" ", r"\ ").replace("%", r"\%")
            script = rf"{marks[kind]}{{\mathrm{{{inner}}}}}$"
            stacked = {previous, kind} == {
                "sup",
                "sub",
            }  # one formula, so that they stand above each other
            parts[-1:] = [parts[-1][:-1] + script] if stacked else [*parts[-1:], "$" + script]
        previous = kind
    return "".join(parts)


def panel_grid(number: int, *, across: int, height: float) -> tuple[Figure, list[Axes]]:
    """Make a figure with `number` panels in rows of `across`."""
    columns = min(number, across)
    rows = math.ceil(number / columns)
    figure = Figure(
        figsize=(style.WIDTH * columns / across, height * rows + 0.35), layout="constrained"
    )
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in grid[number:]:
        spare.remove()
    return figure, list(grid[:number])


def legend(figure: Figure, handles: list[Line2D]) -> None:
    """Put a legend below the panels, in no more columns than fit; its further rows make the figure
    higher.
    """
    columns = min(len(handles), max(1, int(figure.get_figwidth() // _LEGEND_COLUMN)))
    rows = math.ceil(len(handles) / columns)
    figure.set_figheight(figure.get_figheight() + (rows - 1) * _LEGEND_ROW)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)


# Above 90 % differences are small in accuracy and large in relative error: an axis of the error's
# logarithm.
_NEAR = 90.0
_BEYOND = 100.2  # so that 100 has a place
_TICKS = (100, 90, 50, 99, 80, 10, 95, 99.5, 98, 97, 70, 30)  # the first that have room


def percent_axis(ax: Axes, low: float, high: float, apart: float) -> None:
    """Scale the y axis for percentages from `low` to `high`; where they come near 100, by the
    error's logarithm.

    Parameters
    ----------
    ax : Axes
    low, high : float
        What is drawn, error bars included.
    apart : float
        The least distance of two ticks, as a share of the axis.
    """
    if high < _NEAR:
        pad = 0.05 * max(high - low, 1.0)
        ax.set_ylim(low - pad, high + pad)
        ax.yaxis.set_major_locator(MaxNLocator(max(2, int(0.6 / apart))))
        return
    bottom, top = _stretched(np.array([low, high]))
    pad = max(0.05 * (top - bottom), 0.02)
    bottom, top = bottom - pad, top + pad
    chosen: list[float] = []
    for tick in _TICKS:
        at = float(_stretched(np.array(tick)))
        near = (abs(at - _stretched(np.array(one))) < apart * (top - bottom) for one in chosen)
        if bottom <= at <= top and not any(near):
            chosen.append(tick)
    ax.set_yscale("function", functions=(_stretched, _accuracy))
    ax.set_ylim(*_accuracy(np.array([bottom, top])))
    ax.set_yticks(sorted(chosen))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


def _stretched(accuracy: np.ndarray) -> np.ndarray:
    return -np.log10(np.maximum(_BEYOND - accuracy, 1e-3))


def _accuracy(stretched: np.ndarray) -> np.ndarray:
    return _BEYOND - 10.0**-stretched
