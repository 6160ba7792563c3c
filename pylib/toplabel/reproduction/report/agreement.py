"""The agreement chart: how far every measured number lies from the printed one, a row a table."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.report import numbers, style
from toplabel.reproduction.report.kept import KEPT_EPS
from toplabel.reproduction.report.labels import VERDICTS, table_label, table_order
from toplabel.reproduction.report.words import say

_KNEE = 0.1  # points; the axis is linear up to about here, and logarithmic beyond
_TICKS = (0.1, 0.5, 1.5, 5, 20, 50)
_BINS = 80  # stacks of marks on each side of 0
_ROOM = 0.84  # of a row, for its highest stack
_LARGEST_STEP = 0.16  # of a row, between two marks of a stack
_ROW = 0.36  # inches
_GREEN = "#009e73"
_MARKS = {
    "match": {"marker": "o", "color": _GREEN, "markersize": 2.6},
    "close": {"marker": "D", "color": "#0b5fa5", "markersize": 3.0},
    "spread": {"marker": "o", "color": style.MUTED, "markersize": 3.2, "markerfacecolor": "white"},
    "higher": {"marker": "^", "color": "#a3548c", "markersize": 3.6},
    "lower": {"marker": "v", "color": "#a3548c", "markersize": 3.6},
    "off": {"marker": "x", "color": "#c24a00", "markersize": 3.8},
}
_STOPPED = {"marker": "s", "color": style.INK, "markersize": 6.5, "markerfacecolor": "none"}
_COLUMNS = ["table", "points", "verdict", "loss", "stopped"]


def points_of(sections: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Return the measured cells of the tables of a report.

    Returns
    -------
    DataFrame
        ``table``; ``points``, ours minus published (a hundredth of a loss is a point);
        ``verdict``; ``loss``, whether it is one; ``stopped``, whether its fit did not converge.
    """
    rows = [
        (section["origin"], one["points"], one["verdict"], one["is_loss"], one["stopped"])
        for section in sections
        for one in section["records"]
        if one["verdict"]
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def points_of_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the measured cells of the comparison.csv of a kept run, as `points_of` does."""
    rows = cells[cells["verdict"] != ""].to_dict("records")
    rows.sort(key=lambda row: table_order(row["source"], row["table"]))
    return pd.DataFrame(
        [
            (
                table_label(row["source"], row["table"]),
                numbers.in_points(row["metric"], float(row["difference"])),
                row["verdict"],
                is_fraction(row["metric"]),
                float(row["relative_gap"] or "nan") > KEPT_EPS,
            )
            for row in rows
        ],
        columns=_COLUMNS,
    )


def sentence(points: pd.DataFrame) -> str:
    """Say how near the percentages are; empty without any."""
    found = points.loc[~points["loss"].astype(bool), "points"].astype(float).abs()
    return say("agreement", len(found), found.quantile(0.5), found.quantile(0.9))


def draw(points: pd.DataFrame, background: str = "none") -> str:
    """Draw the chart as SVG.

    Parameters
    ----------
    points : DataFrame
        From `points_of`, at least one.
    background : str
        A colour, for a picture that stands alone.
    """
    tables = list(dict.fromkeys(points["table"]))
    reach = max(2.0, points["points"].abs().max())
    with style.house_style():
        height = _ROW * len(tables) + 0.95
        figure = Figure(figsize=(style.WIDTH, height), layout="constrained", facecolor=background)
        ax = figure.subplots()
        ax.set_facecolor(background)
        ax.set_xscale("function", functions=(_stretched, _points))
        ax.set_xlim(-1.04 * reach, 1.04 * reach)
        for width, alpha in ((1.5, 0.08), (0.5, 0.14)):
            ax.axvspan(-width, width, color=_GREEN, alpha=alpha, linewidth=0)
        ax.axvline(0.0, color=style.INK, linewidth=0.6)
        handles = []
        placed = _placed(points, tables, reach)
        for key in VERDICTS:
            found = placed[placed["verdict"] == key]
            for row, part in found.groupby("row"):
                ax.plot(
                    part["points"], part["height"], linestyle="", gid=f"{key}-{row}", **_MARKS[key]
                )
            if len(found):
                handles.append(_handle(VERDICTS[key].word, len(found), _MARKS[key]))
        stopped = placed[placed["stopped"].astype(bool)]
        if len(stopped):
            look = _STOPPED | {"markeredgewidth": 0.6}
            ax.plot(stopped["points"], stopped["height"], linestyle="", **look)
            handles.append(_handle("not converged", len(stopped), look))
        ticks = [0.0, *(sign * tick for tick in _TICKS if tick <= reach for sign in (-1, 1))]
        texts = ["0" if t == 0 else numbers.signed(t, 0 if abs(t) >= 5 else 1) for t in ticks]
        ax.set_xticks(ticks, texts)
        ax.set_yticks(range(len(tables)), tables)
        ax.set_ylim(len(tables) - 0.5, -0.5)
        ax.set_xlabel("measured minus printed, points")
        ax.grid(False, axis="y")
        figure.legend(handles=handles, loc="outside upper left", ncols=min(3, len(handles)))
        text = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Title": sentence(points) or None}
        figure.savefig(text, format="svg", metadata=metadata, facecolor=background)
    return text.getvalue()


def _handle(word: str, number: int, look: dict[str, Any]) -> Line2D:
    return Line2D([], [], linestyle="", label=f"{word} {numbers.count(number)}", **look)


def _placed(points: pd.DataFrame, tables: list[str], reach: float) -> pd.DataFrame:
    """Return the marks with the row of each and its height there; those that would cover each
    other are stacked from the middle of the row.
    """
    place = (_BINS * _stretched(points["points"]) / _stretched(reach)).round().astype(int)
    marks = points.assign(row=points["table"].map(tables.index), place=place)
    marks = marks.sort_values(["row", "place", "verdict", "points"])
    rank = marks.groupby(["row", "place"]).cumcount()
    highest = marks.groupby(["row", "place"])["place"].transform("size")
    highest = highest.groupby(marks["row"]).transform("max")
    step = (_ROOM / highest).clip(upper=_LARGEST_STEP)
    side = np.where(rank % 2 == 1, 1, -1)
    return marks.assign(height=marks["row"] + step * ((rank + 1) // 2) * side)


def _stretched(points):
    return np.sign(points) * np.log1p(np.abs(points) / _KNEE)


def _points(stretched):
    return np.sign(stretched) * _KNEE * np.expm1(np.abs(stretched))
