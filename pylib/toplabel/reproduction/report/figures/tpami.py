"""The figures of TPAMI that need measurements: times (Fig. 3), and what each method predicts on the circle
(Fig. 4).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Wedge

from toplabel.reproduction.data.prepared import load_prepared
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.figures.drawing import (
    INK,
    WIDTH,
    Design,
    Source,
    draw_against_time,
    mathtext,
    panel_grid,
    series_look,
)
from toplabel.reproduction.selection.choice import load_choices
from toplabel.reproduction.selection.models import Model, key_of, load_models
from toplabel.reproduction.timing import projections, training

# Projections without sorting beside those that sort (Fig. 3a) -------------------------------------


def draw_projections(frame: pd.DataFrame) -> Figure:
    """Draw the time of 1000 projections against the dimension, both logarithmic."""
    figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
    ax = figure.subplots()
    for i, ((projection, algorithm), part) in enumerate(
        frame.groupby(["projection", "algorithm"], sort=False)
    ):
        label = f"{projection}, {algorithm}" if projection == projections.BIPARTITE else projection
        look = series_look(i) | {"linestyle": "-" if algorithm == projections.OURS else "--"}
        ax.plot(part["dimension"], part["seconds"], label=label, **look)
    ax.set(xscale="log", yscale="log", xlabel="dimension d", ylabel="seconds for 1000 problems")
    figure.legend(loc="outside right center")
    return figure


PROJECTIONS = Design(
    title="Scaling of the projections",
    caption=(
        "Time of 1000 projections of vectors from N(0, 1), radius 10: simplex, top-k simplices α, and the"
        " bipartite simplex, both sides of dimension d/2, by variable fixing and by sorting."
    ),
    alt=(
        "Lines of time against dimension on logarithmic axes, nearly straight and parallel: all"
        " projections by variable fixing together, the bipartite simplex by sorting above them."
    ),
    numbers=lambda source: read_frame(source.file("projections.csv"), projections.COLUMNS),
    draw=draw_projections,
)


# Duality gap and validation accuracy against time (Fig. 3b and c) ---------------------------------


def draw_convergence(frame: pd.DataFrame) -> Figure:
    """Draw the relative gap (left) and the top-1 accuracy (right) of each method against time."""
    floor = frame.loc[frame["relative_gap"] > 0, "relative_gap"].min()
    figure, axes = panel_grid(2, across=2, height=2.6)
    drawn = frame.assign(relative_gap=frame["relative_gap"].clip(lower=floor))
    for ax, column in zip(axes, ("relative_gap", "top1"), strict=True):
        draw_against_time(ax, drawn, "label", column)
    axes[0].set(yscale="log", ylabel="relative duality gap")
    axes[1].set_ylabel("validation accuracy, top-1 (%)")
    axes[0].legend()
    return figure


CONVERGENCE = Design(
    title="Duality gap and validation accuracy against time",
    caption="Points are epochs; the seconds are those of the epochs, without evaluations.",
    alt=(
        "Two panels over the seconds of training: the relative duality gap falls, the validation accuracy"
        " rises and levels off early."
    ),
    numbers=lambda source: read_frame(source.file("convergence.csv"), training.CONVERGENCE),
    draw=draw_convergence,
)


# The softmax by our solver and by FISTA, scored by one objective (Fig. 3d) ------------------------


def draw_softmax(frame: pd.DataFrame) -> Figure:
    """Draw how far the objective of each solver is from the optimum, against time."""
    figure = Figure(figsize=(WIDTH, 3.1), layout="constrained")
    ax = figure.subplots()
    floor = min(frame.loc[frame["excess"] > 0, "excess"].min(), training.FINISH)
    drawn = frame.assign(excess=frame["excess"].clip(lower=floor))
    draw_against_time(ax, drawn, "solver", "excess")
    ax.set(yscale="log", ylabel="(P − P*) / P*")
    ax.legend(loc="lower left")
    return figure


SOFTMAX = Design(
    title="Training the softmax by SDCA and by FISTA",
    caption=(
        "Both are scored by the same objective P; P* is a lower bound that our dual proves. Evaluating P"
        " does not count."
    ),
    alt=(
        "Excess of the softmax objective over its least value against seconds, a curve for each solver,"
        " both axes logarithmic."
    ),
    numbers=lambda source: read_frame(source.file("softmax.csv"), training.SOFTMAX),
    draw=draw_softmax,
)


# Training points on the circle, and around them what each method predicts (Fig. 4) ----------------

_METRIC = "top2"  # each method is shown with the model that is best in it
_DIRECTIONS = 720
# Radii: the black circle is 1; the classes of the points lie inside, the rings outside.
_POINTS_OUTER, _POINTS_STEP = 0.93, 0.095
_RINGS = {"rank1": (1.06, 1.19), "rank2": (1.22, 1.35)}
_SHORTEST_NAMED_ARC = 14  # degrees


def circle_numbers(source: Source) -> pd.DataFrame:
    """Return training points (``what`` is "point") and predictions, by angle in radians.

    A point has a ``class``, a prediction the two classes ``rank1`` and ``rank2`` that a method
    scores highest.
    """
    prepared = load_prepared(source.file("data/meta.json").parent)
    part = prepared.parts[
        next(split.train for split in prepared.splits if split.name == source.split)
    ]
    names = np.array(prepared.class_names)
    angle = np.arctan2(part.X[:, 1], part.X[:, 0]) % (2.0 * np.pi)
    frames = [pd.DataFrame({"what": "point", "angle": angle, "class": names[part.y]})]
    for method in source.methods:
        choices = load_choices(source.file(f"{method['name']}/selection.csv"))
        chosen = next(c for c in choices if (c.split, c.metric) == (source.split, _METRIC))
        model = load_models(source.file(f"{method['name']}/models.npz"))[key_of(chosen)]
        words = {"method": method["name"], "label": method["label"], "k": method["k"]}
        frames.append(predictions(model, names).assign(what="prediction", **words))
    columns = ["what", "angle", "class", "method", "label", "k", "rank1", "rank2"]
    return pd.concat(frames, ignore_index=True)[columns]


def predictions(model: Model, names: np.ndarray) -> pd.DataFrame:
    """Return the two classes that a linear model scores highest in each direction."""
    angle = 2.0 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    scores = model.scores(np.column_stack([np.cos(angle), np.sin(angle)]))
    order = np.argsort(-scores, axis=1, kind="stable")
    return pd.DataFrame({"angle": angle, "rank1": names[order[:, 0]], "rank2": names[order[:, 1]]})


def draw_circle(frame: pd.DataFrame) -> Figure:
    """Draw a panel for each method."""
    points = frame[frame["what"] == "point"]
    rings = frame[frame["what"] == "prediction"]
    classes = sorted({*points["class"], *rings["rank1"], *rings["rank2"]}, key=str)
    panels = list(rings.groupby(["method", "label"], sort=False))
    figure, axes = panel_grid(len(panels), across=3, height=2.6)
    for ax, ((_, label), part) in zip(axes, panels, strict=True):
        _draw_points(ax, points, classes)
        for rank in _RINGS:
            _draw_ring(ax, part, rank, classes)
        ax.set_title(mathtext(label), loc="center", pad=2)
        ax.set(aspect="equal", xlim=(-1.38, 1.38), ylim=(-1.38, 1.38))
        ax.axis("off")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(classes))
    return figure


def _draw_points(ax: Axes, points: pd.DataFrame, classes: Sequence[str]) -> None:
    """Draw the points, the classes beside each other, since they overlap in angle."""
    ax.add_patch(Circle((0, 0), 1.0, fill=False, edgecolor=INK, linewidth=0.9))
    for i, name in enumerate(classes):
        angle = points.loc[points["class"] == name, "angle"].to_numpy(dtype=float)
        radius = _POINTS_OUTER - _POINTS_STEP * i
        look = series_look(i) | {"linestyle": "", "markersize": 2.8, "markeredgewidth": 0}
        ax.plot(radius * np.cos(angle), radius * np.sin(angle), label=f"class {name}", **look)


def _draw_ring(ax: Axes, part: pd.DataFrame, rank: str, classes: Sequence[str]) -> None:
    inner, outer = _RINGS[rank]
    for start, end, name in arcs(part[rank].to_numpy()):
        look = {"facecolor": f"C{classes.index(name)}", "edgecolor": "none"}
        ax.add_patch(Wedge((0, 0), outer, start, end, width=outer - inner, **look))
        if end - start >= _SHORTEST_NAMED_ARC:
            middle, radius = np.radians((start + end) / 2), (inner + outer) / 2
            place = (radius * np.cos(middle), radius * np.sin(middle))
            ax.text(*place, name, color="white", fontsize=6, ha="center", va="center")


def arcs(classes: np.ndarray) -> list[tuple[float, float, str]]:
    """Join neighbouring directions of one class into arcs: start and end in degrees, and the class.

    `classes` has the class of each of n directions, i / n of a turn; each stands for the arc up to
    halfway to its neighbours. The arcs cover the circle once.
    """
    n = len(classes)
    (first,) = np.nonzero(classes != np.roll(classes, 1))  # where an arc begins
    if not len(first):
        return [(0.0, 360.0, classes[0])]
    ends = np.append(first[1:], first[0] + n)
    borders = 360.0 * (np.column_stack([first, ends]) - 0.5) / n
    return [(*map(float, border), classes[i]) for border, i in zip(borders, first, strict=True)]


CIRCLE = Design(
    title="Synthetic data on the unit circle, and what each method predicts",
    caption=(
        "Training points inside the black circle, the classes side by side. The inner ring is the class"
        " predicted first at that angle, the outer ring the class predicted second; the numbers name the"
        " classes."
    ),
    alt=(
        "The training points of three classes on the unit circle, drawn once for each method, with two"
        " rings around each circle: the classes with the highest and the second highest score by angle."
    ),
    numbers=circle_numbers,
    draw=draw_circle,
)
