"""The figures: drawn from tidy frames, each written with its data and its description.

A figure is three files (docs/architecture.md): `<name>.svg`, `<name>.csv`, the very numbers drawn, and
`<name>.json`, which says what it shows. The recipe for another one is docs/add-a-figure.md.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Wedge

from toplabel.files import atomic_path
from toplabel.reporting import style
from toplabel.reporting.labels import is_loss, metric_label, segments

POINTS_COLUMNS = ["angle", "label"]
RINGS_COLUMNS = ["method", "label", "k", "angle", "rank1", "rank2"]
SELECTION_COLUMNS = ["dataset", "method", "label", "metric", "C", "value", "chosen"]
GAPS_COLUMNS = ["dataset", "method", "label", "relative_gap"]

# The circle's radii: the black circle is 1, the classes of the points lie inside, the rings outside.
_POINTS_OUTER, _POINTS_STEP = 0.93, 0.095
_RINGS = ((1.06, 1.19), (1.22, 1.35))
_EDGE = 1.38
_SHORTEST_NAMED_ARC = math.radians(14)


def write_figure(
    figure: Figure,
    data: pd.DataFrame,
    out_svg: str | Path,
    *,
    title: str,
    caption: str,
    alt: str,
    source: str = "",
    script: str = "",
) -> None:
    """Write a figure, its data and its description beside each other.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Made within `toplabel.reporting.style.house_style`, like this call.
    data : DataFrame
        The numbers drawn.
    out_svg : path-like
        `<name>.svg`; `<name>.csv` and `<name>.json` go beside it, the .json last.
    title, caption : str
        The title in a few words; the caption says what is seen.
    alt : str
        What a reader who does not see the figure needs to know of it.
    source : str
        The figure of a paper that this one answers to, as "TPAMI 2017, Fig. 4".
    script : str
        The script that drew it.

    Raises
    ------
    ValueError
        `alt` or `title` is empty.
    """
    for name, text in (("title", title), ("alt", alt)):
        if not text.strip():
            raise ValueError(f"{name}: a figure needs one, found ''")
    out = Path(out_svg)
    with atomic_path(out) as path:
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    with atomic_path(out.with_suffix(".csv")) as path:
        data.to_csv(path, index=False, lineterminator="\n")
    words = {"name": out.stem, "title": title, "caption": caption, "alt": alt}
    words |= {"source": source, "script": script}
    with atomic_path(out.with_suffix(".json")) as path:
        text = json.dumps(words, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")


def draw_circle(
    points: pd.DataFrame,
    rings: pd.DataFrame,
    out_svg: str | Path,
    *,
    title: str = "Synthetic data on the unit circle, and what each method predicts",
    caption: str = "",
    source: str = "TPAMI 2017, Fig. 4",
    script: str = "",
) -> None:
    """Draw the training points on the circle and each method's two best classes around it.

    Parameters
    ----------
    points : DataFrame
        Columns `angle` (radians) and `label` (class). Classes lie beside each other inside the black
        circle, since they overlap in angle.
    rings : DataFrame
        Columns `method`, `label` (of the method), `k`, `angle` (radians), `rank1`, `rank2` (the classes
        with the highest and the second highest score at this angle). One panel a method; each angle
        stands for the arc up to halfway to its neighbours.
    out_svg : path-like

    Raises
    ------
    ValueError
        A column is missing, a frame is empty, or an angle is not finite.
    """
    _require(points, POINTS_COLUMNS, "points", ["angle"])
    _require(rings, RINGS_COLUMNS, "rings", ["angle"])
    classes = sorted({*points["label"], *rings["rank1"], *rings["rank2"]}, key=str)
    panels = list(rings.groupby(["method", "label", "k"], sort=False, dropna=False))
    with style.house_style():
        figure, axes = _panels(len(panels), across=3, height=2.6)
        for ax, ((_, label, _), part) in zip(axes, panels, strict=True):
            _draw_points(ax, points, classes)
            for radii, rank in zip(_RINGS, ("rank1", "rank2"), strict=True):
                _draw_ring(ax, part, rank, radii, classes)
            ax.set_title(mathtext(str(label)), loc="center", pad=2)
            _frame_circle(ax)
        handles = [
            Line2D(
                [],
                [],
                color=style.colour(i),
                marker=style.marker(i),
                linestyle="",
                label=f"class {c}",
            )
            for i, c in enumerate(classes)
        ]
        _legend(figure, handles)
        names = ", ".join(_spoken(str(label)) for (_, label, _), _ in panels)
        alt = (
            f"{len(points)} training points of {len(classes)} classes on the unit circle, drawn once for"
            f" each of {len(panels)} methods ({names}). Two rings around each circle show by angle the"
            " class with the highest score (inner ring) and with the second highest (outer ring). "
            + _spoken_rings(panels)
        )
        default = (
            "Training points inside the black circle, the classes side by side. The inner ring is the"
            " class predicted first at that angle, the outer ring the class predicted second; the"
            " numbers name the classes."
        )
        words = {"title": title, "caption": caption or default, "source": source, "script": script}
        write_figure(figure, _circle_data(points, rings), out_svg, alt=alt, **words)


def _circle_data(points: pd.DataFrame, rings: pd.DataFrame) -> pd.DataFrame:
    """Put points and rings in one table: `what` tells them apart."""
    first = points[POINTS_COLUMNS].rename(columns={"label": "class"}).assign(what="point")
    second = rings[RINGS_COLUMNS].assign(what="prediction")
    columns = ["what", "angle", "class", *(c for c in RINGS_COLUMNS if c != "angle")]
    return pd.concat([first, second], ignore_index=True).reindex(columns=columns)


def _spoken_rings(panels: list) -> str:
    """Say for each method which share of the angles each class is predicted first."""
    parts = []
    for (_, label, _), part in panels:
        shares = part["rank1"].value_counts(normalize=True).sort_index()
        spoken = ", ".join(f"class {c} on {share:.0%}" for c, share in shares.items())
        parts.append(f"{_spoken(str(label))}: first {spoken} of the angles.")
    return " ".join(parts)


def _draw_points(ax: Axes, points: pd.DataFrame, classes: list) -> None:
    ax.add_patch(Circle((0, 0), 1.0, fill=False, edgecolor=style.INK, linewidth=0.9))
    for i, one in enumerate(classes):
        angle = points.loc[points["label"] == one, "angle"].to_numpy(dtype=float)
        radius = _POINTS_OUTER - _POINTS_STEP * i
        ax.plot(
            radius * np.cos(angle),
            radius * np.sin(angle),
            color=style.colour(i),
            marker=style.marker(i),
            markersize=2.8,
            markeredgewidth=0,
            linestyle="",
        )


def _draw_ring(
    ax: Axes, part: pd.DataFrame, rank: str, radii: tuple[float, float], classes: list
) -> None:
    inner, outer = radii
    for start, end, one in arcs(part["angle"].to_numpy(dtype=float), part[rank].to_numpy()):
        i = classes.index(one)
        wedge = Wedge((0, 0), outer, math.degrees(start), math.degrees(end), width=outer - inner)
        wedge.set(facecolor=style.colour(i), edgecolor="none")
        ax.add_patch(wedge)
        if end - start >= _SHORTEST_NAMED_ARC:
            middle, radius = (start + end) / 2, (inner + outer) / 2
            ax.text(
                radius * math.cos(middle),
                radius * math.sin(middle),
                str(one),
                color="white",
                fontsize=6,
                ha="center",
                va="center",
            )


def arcs(angles: np.ndarray, classes: np.ndarray) -> list[tuple[float, float, object]]:
    """Join neighbouring angles of one class into arcs.

    Parameters
    ----------
    angles : (n,) ndarray
        Radians, in any order; taken modulo 2 pi.
    classes : (n,) ndarray
        The class at each angle.

    Returns
    -------
    list of (start, end, class)
        Arcs that cover the circle once, start < end <= start + 2 pi. Each angle stands for the arc up to
        halfway to its neighbours.
    """
    turn = 2 * math.pi
    order = np.argsort(angles % turn, kind="stable")
    at, who = (angles % turn)[order], classes[order]
    following = np.append(at[1:], at[0] + turn)
    borders = (at + following) / 2
    changes = np.flatnonzero(who != np.roll(who, -1))
    if len(changes) == 0:
        return [(0.0, turn, who[0])]
    found = []
    for i, change in enumerate(changes):
        start = borders[change]
        end = borders[changes[i + 1]] if i + 1 < len(changes) else borders[changes[0]] + turn
        found.append((float(start), float(end), who[(change + 1) % len(who)]))
    return found


def _frame_circle(ax: Axes) -> None:
    ax.set_aspect("equal")
    ax.set_xlim(-_EDGE, _EDGE)
    ax.set_ylim(-_EDGE, _EDGE)
    ax.axis("off")


def draw_selection(
    frame: pd.DataFrame,
    out_svg: str | Path,
    *,
    title: str = "Validation value against C",
    caption: str = "",
    source: str = "",
    script: str = "",
) -> None:
    """Draw the selection curves: the validation value of each method against C, the chosen C marked.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `method`, `label` (of the method), `metric`, `C` (> 0), `value` (percent, or a
        fraction for losses), `chosen` (true where the protocol took this C). One panel a data set and
        metric, one curve a method.
    out_svg : path-like

    Raises
    ------
    ValueError
        A column is missing, the frame is empty, or a number is not finite or C is not positive.
    """
    _require(frame, SELECTION_COLUMNS, "frame", ["C", "value"])
    if (frame["C"] <= 0).any():
        raise ValueError(f"frame: C must be positive, found {frame['C'].min()}")
    labels = list(dict.fromkeys(frame["label"]))
    panels = list(frame.groupby(["dataset", "metric"], sort=False))
    with style.house_style():
        figure, axes = _panels(len(panels), across=3, height=2.0)
        for ax, ((dataset, metric), part) in zip(axes, panels, strict=True):
            for i, label in enumerate(labels):
                _draw_curve(ax, part[part["label"] == label].sort_values("C"), i)
            ax.set_xscale("log")
            ax.set_title(f"{dataset}: {metric_label(metric)}")
            ax.set_xlabel("C = 1/(λn)")
            ax.set_ylabel(
                metric_label(metric) if is_loss(metric) else f"{metric_label(metric)} (%)"
            )
        handles = [
            Line2D(
                [],
                [],
                color=style.colour(i),
                linestyle=style.line(i),
                marker=style.marker(i),
                markersize=2.5,
                label=mathtext(label),
            )
            for i, label in enumerate(labels)
        ]
        mark = {"marker": "o", "markerfacecolor": "none", "color": style.INK, "linestyle": ""}
        _legend(figure, [*handles, Line2D([], [], label="chosen C", **mark)])
        default = "The value on the validation part or folds; the ring marks the C that was chosen."
        words = {"title": title, "caption": caption or default, "source": source, "script": script}
        alt = (
            f"Curves of the validation value against C for {len(labels)} methods, one panel for each of"
            f" {len(panels)} pairs of data set and metric. {_spoken_choices(frame)}"
        )
        write_figure(figure, frame[SELECTION_COLUMNS], out_svg, alt=alt, **words)


def _draw_curve(ax: Axes, curve: pd.DataFrame, i: int) -> None:
    look = {"color": style.colour(i), "linestyle": style.line(i), "marker": style.marker(i)}
    ax.plot(curve["C"], curve["value"], markersize=2.5, **look)
    chosen = curve[curve["chosen"].astype(bool)]
    ax.plot(
        chosen["C"],
        chosen["value"],
        color=style.colour(i),
        marker="o",
        markersize=7,
        markerfacecolor="none",
        linestyle="",
    )


def _spoken_choices(frame: pd.DataFrame) -> str:
    """Say what was chosen: at most a dozen sentences, the data holds the rest."""
    chosen = frame[frame["chosen"].astype(bool)].head(12)
    return " ".join(
        f"{row.dataset}, {metric_label(row.metric)}, {_spoken(str(row.label))}: {row.value:.4g} at C = {row.C:.3g}."
        for row in chosen.itertuples()
    )


def draw_gaps(
    frame: pd.DataFrame,
    eps: float,
    out_svg: str | Path,
    *,
    title: str = "Relative duality gap of every trained model",
    caption: str = "",
    source: str = "",
    script: str = "",
) -> None:
    """Draw the relative duality gaps by method, the largest of each method marked, against eps.

    Parameters
    ----------
    frame : DataFrame
        Columns `dataset`, `method`, `label` (of the method), `relative_gap` (>= 0).
    eps : float
        The tolerance that the solver stops at, drawn as a line.
    out_svg : path-like

    Raises
    ------
    ValueError
        A column is missing, the frame is empty, a gap is not finite, or eps is not positive.
    """
    _require(frame, GAPS_COLUMNS, "frame", ["relative_gap"])
    if not eps > 0:
        raise ValueError(f"eps: must be positive, found {eps}")
    labels = list(dict.fromkeys(frame["label"]))[::-1]  # the first method on top
    floor = min(eps, frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()) / 10
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, 0.7 + 0.24 * len(labels)), layout="constrained")
        ax = figure.subplots()
        for y, label in enumerate(labels):
            gaps = frame.loc[frame["label"] == label, "relative_gap"].clip(lower=floor)
            ax.plot(
                gaps,
                np.full(len(gaps), y),
                color=style.MUTED,
                marker="|",
                markersize=6,
                linestyle="",
            )
            over = gaps.max() > eps
            ax.plot(
                gaps.max(), y, color=style.colour(1 if over else 0), marker="D" if over else "o"
            )
        ax.axvline(eps, color=style.INK, linewidth=0.9, linestyle="--")
        ax.annotate(
            f"ε = {eps:g}",
            (eps, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
            fontsize=7.5,
        )
        ax.set_xscale("log")
        ax.set_yticks(range(len(labels)), [mathtext(label) for label in labels])
        ax.set_ylim(-0.6, len(labels) - 0.4)
        ax.set_xlabel("relative duality gap, (P − D) / max(|P|, |D|)")
        largest = frame.groupby("label", sort=False)["relative_gap"].max()
        over = [_spoken(str(label)) for label in largest.index[largest > eps]]
        alt = (
            f"Relative duality gaps of {len(frame)} models of {len(labels)} methods on a logarithmic axis."
            f" The largest is {largest.max():.1e}; the tolerance is {eps:g}. "
            + (f"Above the tolerance: {', '.join(over)}." if over else "No method exceeds it.")
        )
        default = (
            "Each tick is a trained model, the dot the largest gap of its method; a diamond lies above the"
            " tolerance ε."
        )
        words = {"title": title, "caption": caption or default, "source": source, "script": script}
        write_figure(figure, frame[GAPS_COLUMNS], out_svg, alt=alt, **words)


def mathtext(label: str) -> str:
    """Return a label in the small markup of `toplabel.reporting.labels` as matplotlib's mathtext."""
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


def _spoken(label: str) -> str:
    return " ".join(text.strip() for _, text in segments(label))


def _panels(number: int, *, across: int, height: float) -> tuple[Figure, list[Axes]]:
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


def _legend(figure: Figure, handles: list[Line2D]) -> None:
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 6))


def _require(frame: pd.DataFrame, columns: list[str], name: str, finite: list[str]) -> None:
    """Check an input frame: its columns are there, it has rows, these numbers are finite."""
    for column in columns:
        if column not in frame.columns:
            raise ValueError(
                f"{name}: the column '{column}' is missing, found {list(frame.columns)}"
            )
    if frame.empty:
        raise ValueError(f"{name}: there is no row to draw")
    for column in finite:
        if not np.isfinite(frame[column].to_numpy(dtype=float)).all():
            raise ValueError(f"{name}: the column '{column}' has a number that is not finite")
