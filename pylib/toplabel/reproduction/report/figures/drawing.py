"""What all figures share: their files, labels as mathematics, panels and legends."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D

from toplabel._core.files import read_json, result_path, write_json
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.registry import Figure, row_of
from toplabel.reproduction.report.labels import segments

# Inches that an entry of a legend takes: the longest is like "top-10 SVM^{α}_{1} (RBF)".
_LEGEND_COLUMN, _LEGEND_ROW = 1.5, 0.2
# The accuracy with an infinite logarithm of the error, so that 100 % has a place on the axis.
_BEYOND = 100.2
_TICKS = (0, 50, 80, 90, 95, 98, 99, 99.5, 100)


@dataclass(frozen=True)
class Source:
    """What the numbers of a figure are computed from.

    Attributes
    ----------
    files : sequence of Path
        The inputs of the figure's row.
    dataset, title, split : str
        Name, title and first split of the data set of the figure; empty without one.
    methods : sequence of mapping
        The methods that are shown: `name`, `label`, `k` and `group` of each.
    """

    files: Sequence[Path] = ()
    dataset: str = ""
    title: str = ""
    split: str = ""
    methods: Sequence[Mapping[str, Any]] = ()

    def all(self, pattern: str) -> list[Path]:
        """Return the files whose path ends like a pattern."""
        return [path for path in self.files if path.match(pattern)]

    def one(self, pattern: str) -> Path:
        """Return the file whose path ends like a pattern; ValueError without exactly one."""
        (found,) = self.all(pattern)
        return found


def make_figure(name: str, source: Source, out_svg: str | os.PathLike[str]) -> None:
    """Compute the numbers of a figure, draw them, and write ``<name>.svg``, ``.csv`` and ``.json``.

    Parameters
    ----------
    name : str
        The name of a figure of the registry, with its data set in place of ``{dataset}``.
    source : Source
    out_svg : path-like
        The .csv, with the numbers drawn, and the .json, with the words, are written beside it.
    """
    row = row_of(name)
    module = importlib.import_module(f"toplabel.reproduction.report.figures.{row.module}")
    out = Path(out_svg)
    with style.house_style():
        frame = module.numbers(source)
        drawing = module.draw(frame)
        width, height = drawing.get_size_inches()
        with result_path(out) as path:
            drawing.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    with result_path(out.with_suffix(".csv")) as path:
        frame.to_csv(path, index=False, lineterminator="\n")
    # So wide that letters are of one size in all figures, but no higher than a page.
    share = min(width, style.HEIGHT / height * width, style.WIDTH) / style.WIDTH
    words = words_of(row, name, source) | {"share": round(share, 3)}
    write_json(out.with_suffix(".json"), words)


def words_of(row: Figure, name: str, source: Source) -> dict[str, str]:
    """Return the words beside a figure; its caption ends with the conditions of a measurement."""
    conditions = [read_json(path, ["what", "sentence"]) for path in source.all("timing/*.json")]
    measured = [f"{one['what']} {one['sentence']}".strip() for one in conditions]
    return {
        "name": name,
        "title": row.title.format(title=source.title),
        "caption": " ".join([row.caption, *measured]),
        "alt": row.alt.format(title=source.title),
        "source": row.source,
        "script": f"pylib/toplabel/reproduction/report/figures/{row.module}.py",
    }


def mathtext(label: str) -> str:
    """Return a label in the small markup of `toplabel.reproduction.report.labels` as mathtext."""
    marks = {"sup": "^", "sub": "_"}
    parts, previous = [], "text"
    for kind, text in segments(label):
        if kind == "text":
            parts.append(text.replace("$", r"\$"))
        else:
            inner = re.sub(r"[\\{}$^_]", "", text).replace(" ", r"\ ").replace("%", r"\%")
            script = rf"{marks[kind]}{{\mathrm{{{inner}}}}}$"
            # A superscript and a subscript are one formula, so that they stand above each other.
            stacked = {previous, kind} == {"sup", "sub"}
            parts[-1:] = [parts[-1][:-1] + script] if stacked else [*parts[-1:], "$" + script]
        previous = kind
    return "".join(parts)


def panel_grid(number: int, *, across: int, height: float) -> tuple[Drawing, list[Axes]]:
    """Return a figure with a number of panels, `across` in a row, each `height` inches high."""
    columns = min(number, across)
    rows = math.ceil(number / columns)
    size = (style.WIDTH * columns / across, height * rows + 0.35)
    figure = Drawing(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in grid[number:]:
        spare.remove()
    return figure, list(grid[:number])


def scale_accuracies(ax: Axes, low: float, high: float) -> None:
    """Scale the y axis by the logarithm of the error if accuracies in percent come near to 100.

    There, differences are small in the accuracy and large in the error.
    """
    if high < 90:
        return
    bottom, top = _stretched(low), _stretched(high)
    pad = max(0.05 * (top - bottom), 0.02)
    ax.set_yscale("function", functions=(_stretched, _accuracy))
    ax.set_ylim(_accuracy(bottom - pad), _accuracy(top + pad))
    ax.set_yticks([tick for tick in _TICKS if bottom - pad <= _stretched(tick) <= top + pad])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


def _stretched(accuracy):
    return -np.log10(np.maximum(_BEYOND - accuracy, 1e-3))


def _accuracy(stretched):
    return _BEYOND - 10.0**-stretched


def legend(figure: Drawing, handles: list[Line2D]) -> None:
    """Put a legend below the panels, in as many columns as fit, and make room for its rows."""
    columns = min(len(handles), max(1, int(figure.get_figwidth() // _LEGEND_COLUMN)))
    rows = math.ceil(len(handles) / columns)
    figure.set_figheight(figure.get_figheight() + (rows - 1) * _LEGEND_ROW)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def handles_of(labels: Sequence[str]) -> list[Line2D]:
    """Return the entries of a legend for the series of these labels."""
    return [
        Line2D([], [], label=mathtext(label), **style.look(i)) for i, label in enumerate(labels)
    ]


def draw_against_time(ax: Axes, frame: pd.DataFrame, series: str, column: str) -> None:
    """Draw a column of each series against the seconds of training, on a logarithmic axis."""
    for i, (_, part) in enumerate(frame.groupby(series, sort=False)):
        part = part.sort_values("seconds", kind="stable")
        # The time of the first points may be measured as 0.
        seconds = part["seconds"].clip(lower=1e-5)
        ax.plot(seconds, part[column], markevery=0.08, **style.look(i))
    ax.set_xscale("log")
    ax.set_xlabel("seconds of training")
