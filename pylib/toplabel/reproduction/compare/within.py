"""Methods beside each other on one data set, over the folds of its splits or the test rows of one.

Differences are in points, positive where the first method is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare import statistics
from toplabel.reproduction.compare.intervals import RowDraws
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import Difference
from toplabel.reproduction.compare.verdicts import in_points
from toplabel.reproduction.config.catalogue import Study

DISTANCE = ("low", "high", "p")
"""The columns beside a difference: the ends of its interval, and its p-value."""
SIDES = ("worse", "same", "better")
SCORES: Mapping[str, type] = {
    **dict.fromkeys(("study", "metric", "dataset", "method", "label"), str),
    **{"mean": float, "std": float, "splits": int, "place": int},
    **dict.fromkeys(("best", "alike", "stopped"), bool),
    **{"seconds": float, "over": str},
    **{"behind": float, **{f"behind_{name}": float for name in DISTANCE}},
    **{"ahead": float, **{f"ahead_{name}": float for name in DISTANCE}},
    **dict.fromkeys(SIDES, float),
}
"""The columns of results/comparison_scores.csv: a row for each method on each data set.

`mean` and `std` are over the splits, `place` counts from the best. `best` marks the best mean, with
its ties at the printed digits, and `alike` the methods that the test does not tell from it. `over`
says what the tests are over: "folds", the test "rows" of one split, or "" where there is none.
`behind` is the distance from the best method and `ahead` that from the reference, with 95 %
intervals, p-values by Holm's method, and the probabilities that the method is worse than the
reference, the same within the rope, and better.
"""
LEVEL = 0.05
_CELL = ["dataset", "method"]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of the methods of a study by one metric.

    `cells` are the rows of each data set and method by their splits. `means`, (sets, methods), are in
    points, larger being better, and NaN where a cell is missing. `scale` turns a number into that.
    """

    study: Study
    metric: str
    scale: float
    cells: Mapping[tuple[str, str], pd.DataFrame]
    means: pd.DataFrame

    @classmethod
    def of(cls, study: Study, metric: str, rows: pd.DataFrame) -> Numbers:
        """Return the numbers of some joined rows of evaluation.csv, in the order of the study."""
        scale = in_points(metric, -1.0 if lower_is_better(metric) else 1.0)
        means = scale * rows.groupby(_CELL)["value"].mean().unstack()
        methods = dict.fromkeys([*study.methods, *study.only])
        means = means.reindex(
            index=[name for name in study.datasets if name in means.index],
            columns=[name for name in methods if name in means.columns],
        )
        cells = {cell: part.set_index("split") for cell, part in rows.groupby(_CELL)}
        return cls(study, metric, scale, cells, means)

    @property
    def compared(self) -> list[str]:
        """The methods with a result that are for all sets; those for some sets alone take none out."""
        return [name for name in self.means.columns if name in self.study.methods]

    @property
    def reference(self) -> str:
        """The method that the others are compared with."""
        if self.study.reference in self.means.columns:
            return str(self.study.reference)
        return [*self.compared, *self.means.columns][0]

    @property
    def whole(self) -> list[str]:
        """The data sets with all compared methods."""
        has_all = self.means[self.compared].notna().all(axis=1)
        return [*has_all.index[has_all & bool(self.compared)]]

    def on_folds(self, dataset: str, first: str, second: str) -> np.ndarray:
        """Return the differences of two methods on the splits that both have, (splits,)."""
        values = [self.cells[dataset, name]["value"] for name in (first, second)]
        return self.scale * (values[0] - values[1]).dropna().to_numpy()


@dataclass(frozen=True, eq=False)
class Within:
    """The comparison of methods on each data set.

    `draws` are the numbers on drawn test rows, `shares` the share of the rows that a split tests on.
    """

    numbers: Numbers
    draws: RowDraws
    shares: Mapping[str, float]

    def scores(self) -> list[dict[str, Any]]:
        """Return a row of `SCORES` for each method on each data set."""
        return [row for name in self.numbers.means.index for row in self._scores_on(name)]

    def _scores_on(self, dataset: str) -> list[dict[str, Any]]:
        numbers = self.numbers
        means = numbers.means.loc[dataset].dropna()
        best = means.idxmax()
        behind = {name: self._difference(dataset, best, name) for name in means.index}
        ahead = {}
        if numbers.reference in means:
            ahead = {
                name: self._difference(dataset, name, numbers.reference) for name in means.index
            }
        behind_p, ahead_p = _adjusted(behind, best), _adjusted(ahead, numbers.reference)
        shown = (means / numbers.scale).round(decimals_of(numbers.metric))
        rows = []
        for name, place in means.rank(ascending=False, method="first").items():
            is_best = bool(shown[name] == shown[best])
            row: dict[str, Any] = {"study": numbers.study.name, "metric": numbers.metric}
            row |= {"dataset": dataset, "method": name, "place": int(place), "best": is_best}
            row |= _of_cell(numbers.cells[dataset, name])
            row |= {
                "alike": is_best or behind_p[name] > LEVEL,
                "over": self._over(dataset, best, name),
                **_distance("behind", behind[name], behind_p[name]),
            }
            if name in ahead:
                row |= _distance("ahead", ahead[name], ahead_p[name])
                row |= {side: getattr(ahead[name], side) for side in SIDES}
            rows.append(row)
        return rows

    def _over(self, dataset: str, first: str, second: str) -> str:
        """Return what the difference of two methods on a data set is tested over."""
        if len(self.numbers.on_folds(dataset, first, second)) > 1:
            return "folds"
        metric = self.numbers.metric
        has_draws = all((dataset, name, metric) in self.draws for name in (first, second))
        return "rows" if has_draws else ""

    def _difference(self, dataset: str, first: str, second: str) -> Difference:
        """Return the difference of two methods on a data set; without a test its mean alone."""
        numbers, rope = self.numbers, self.numbers.study.rope
        over = self._over(dataset, first, second)
        if over == "folds":
            folds = numbers.on_folds(dataset, first, second)
            return statistics.over_folds(folds, self.shares[dataset], rope)
        mean = float(numbers.means.loc[dataset, first] - numbers.means.loc[dataset, second])
        if over == "rows":
            drawn = [self.draws[dataset, name, numbers.metric] for name in (first, second)]
            return statistics.over_rows(numbers.scale * (drawn[0] - drawn[1]), mean, rope)
        return Difference(mean)


def _of_cell(cell: pd.DataFrame) -> dict[str, Any]:
    """Return what a row says of one cell, whatever the others are."""
    return {
        "mean": cell["value"].mean(),
        "std": cell["value"].std(ddof=1),
        "splits": len(cell),
        "stopped": bool((~cell["status"].isin(["converged", "uncertified"])).any()),
        "seconds": cell["seconds"].sum(),
    }


def _distance(name: str, difference: Difference, p: float) -> dict[str, float]:
    beside = zip(DISTANCE, (difference.low, difference.high, p), strict=True)
    return {name: difference.mean} | {f"{name}_{key}": value for key, value in beside}


def _adjusted(differences: Mapping[str, Difference], base: str) -> dict[str, float]:
    """Return the p-values of differences from a method by Holm's method; NaN without a test."""
    tested = {
        name: difference.p
        for name, difference in differences.items()
        if name != base and not math.isnan(difference.p)
    }
    adjusted = dict.fromkeys(differences, math.nan)
    adjusted.update(zip(tested, map(float, statistics.holm([*tested.values()])), strict=True))
    return adjusted
