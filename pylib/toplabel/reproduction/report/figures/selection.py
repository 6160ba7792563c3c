"""The validation value of each method against C, on the splits of one data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from toplabel.metrics.names import lower_is_better, unit
from toplabel.reproduction.report.figures.drawing import MUTED, Design, Source, small_panels
from toplabel.reproduction.report.text import metric_label
from toplabel.reproduction.selection.choice import Choice, GridValues, choose, load_grids, means
from toplabel.reproduction.selection.measures import sign


def numbers(source: Source) -> pd.DataFrame:
    """Return the best validation value of each method at each C, and whether this C was chosen."""
    frames = []
    for method in source.methods:
        tuned = means(load_grids(source.all(f"{method['name']}/tune/*.npz")))
        choices = choose(tuned)
        for split in dict.fromkeys(result.split for result in tuned):
            results = [result for result in tuned if result.split == split]
            curve = selection_curve(results, choices)
            frames.append(curve.assign(split=split, method=method["name"], label=method["label"]))
    frame = pd.concat(frames, ignore_index=True).assign(dataset=source.dataset, title=source.title)
    return frame[["dataset", "title", "split", "method", "label", "metric", "C", "value", "chosen"]]


def selection_curve(results: Sequence[GridValues], choices: Iterable[Choice]) -> pd.DataFrame:
    """Return the best value of the protocol's first metric at each C, over k, theta and threshold.

    `results` are the means over the folds of one split, one for each k where that is selected.
    """
    split, metric = results[0].split, str(results[0].metric[0])
    (chosen,) = (row.C for row in choices if (row.split, row.metric) == (split, metric))
    values = pd.concat([pd.Series(_best_over_others(result), result.C) for result in results])
    best = values[np.isfinite(values)].groupby(level=0).max()
    columns = {"C": best.index, "value": sign(metric) * best.to_numpy()}
    return pd.DataFrame({"metric": metric} | columns | {"chosen": best.index == chosen})


def _best_over_others(result: GridValues) -> np.ndarray:
    """Return the best value at each C over theta and the threshold; more is better."""
    signed = sign(str(result.metric[0])) * result.value[..., 0]
    return np.where(np.isnan(signed), -np.inf, signed).max(axis=(0, 2))


def draw(frame: pd.DataFrame) -> Figure:
    """Draw a small panel for each method, all on one scale."""
    panels = dict(iter(frame.groupby("label", sort=False)))
    metric = frame["metric"].iat[0]
    chosen = frame.loc[frame["chosen"].astype(bool), "value"]
    best = chosen.min() if lower_is_better(metric) else chosen.max()
    figure, axes = small_panels([*panels], across=5, height=1.1)
    for ax, curve in zip(axes, panels.values(), strict=True):
        own = curve[curve["chosen"].astype(bool)]
        ax.axhline(best, color=MUTED, linewidth=0.6, linestyle="--")
        splits = list(curve.sort_values("C").groupby("split"))
        width = 1.0 if len(splits) == 1 else 0.4
        for _, part in splits:
            ax.plot(part["C"], part["value"], "o-", color="C0", markersize=2.0, linewidth=width)
        ring: dict[str, Any] = {
            "marker": "o",
            "markersize": 6,
            "markerfacecolor": "none",
            "linestyle": "",
        }
        ax.plot(own["C"], own["value"], color="C0", clip_on=False, **ring)
    axes[0].set_xscale("log")
    figure.supxlabel("C = 1/(λn)", fontsize=7.5)
    units = f" ({unit(metric)})" if unit(metric) else ""
    figure.supylabel(metric_label(metric) + units, fontsize=7.5)
    return figure


SELECTION = Design(
    title="Validation value against C: {title}",
    caption=(
        "The value on the validation part or folds, a panel for each method with a curve for each"
        " split, all on one scale; a ring marks the C that was chosen, the dashed line the"
        " best value that any method was chosen with."
    ),
    alt=(
        "Curves of the validation value against C on {title}, a panel for each method, with the chosen"
        " C marked. The values are in the data file of the figure."
    ),
    numbers=numbers,
    draw=draw,
)
