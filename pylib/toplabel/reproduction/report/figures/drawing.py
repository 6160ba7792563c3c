"""What all figures share: their files, labels as mathematics, panels and axes of time."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from toplabel.reproduction.files import read_json, result_path, write_json
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.report.figures import style
from toplabel.reproduction.report.figures.registry import FigureTask
from toplabel.reproduction.report.text import segments


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


@dataclass(frozen=True)
class Source:
    """What the numbers of a figure are computed from.

    `files` are the inputs of the figure's row; the other fields are those of `FigureTask`.
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
        (file,) = self.all(pattern)
        return file


def design_of(name: str) -> Design:
    """Return a design by the name of its module and its own, as in the registry."""
    module, _, design = name.partition(".")
    return getattr(
        importlib.import_module(f"toplabel.reproduction.report.figures.{module}"), design
    )


def make_figure(task: FigureTask, files: Sequence[Path], out_svg: str | os.PathLike[str]) -> None:
    """Compute the numbers of a figure, draw them, and write ``<name>.svg``, ``.csv`` and ``.json``.

    The .csv with the numbers and the .json with the words are written beside `out_svg`.
    """
    source = Source(files, task.dataset, task.title, task.split, task.methods)
    design = design_of(task.design)
    out = Path(out_svg)
    with style.house_style():
        frame = design.numbers(source)
        drawing = design.draw(frame)
        width, height = drawing.get_size_inches()
        with result_path(out) as path:
            drawing.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    write_frame(frame, out.with_suffix(".csv"))
    # So wide that letters are of one size in all figures, but no higher than a page.
    share = min(width, style.HEIGHT / height * width, style.WIDTH) / style.WIDTH
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


def draw_against_time(ax: Axes, frame: pd.DataFrame, series: str, column: str) -> None:
    """Draw a column of each series against the seconds of training, on a logarithmic axis."""
    for i, (name, part) in enumerate(frame.groupby(series, sort=False)):
        part = part.sort_values("seconds", kind="stable")
        # The time of the first points may be measured as 0.
        seconds = part["seconds"].clip(lower=1e-5)
        ax.plot(seconds, part[column], label=mathtext(name), markevery=0.08, **style.look(i))
    ax.set_xscale("log")
    ax.set_xlabel("seconds of training")
