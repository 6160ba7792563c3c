"""Methods beside each other: the tables of each study by each metric, and the tests of the differences.

On a data set methods are compared over the folds of its splits or the test rows of one; over data sets
by their means, from `statistics.FEWEST_SETS` sets on. Differences are in points, positive where the
first method is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare import statistics
from toplabel.reproduction.compare.intervals import RowDraws, over_sets
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import FEWEST_SETS, Difference
from toplabel.reproduction.compare.verdicts import in_points
from toplabel.reproduction.config.catalogue import Catalogue, Study
from toplabel.reproduction.frames import join_names
from toplabel.reproduction.jobs import seed_of

LEVEL = 0.05
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
METHODS: Mapping[str, type] = {
    **dict.fromkeys(("study", "metric", "method", "label"), str),
    "mean_rank": float,
    **dict.fromkeys(("wins", "ties", "losses", "told_wins", "told_losses"), int),
    **dict.fromkeys(("ahead", "ahead_low", "ahead_high", "p", *SIDES), float),
}
"""The columns of results/comparison_methods.csv: each method over the data sets with all methods.

Wins, ties and losses are against the reference; of these the test within the set tells so many
apart. `ahead` is the median difference from the reference, `p` that of Wilcoxon's test by Holm's
method, and the probabilities are those of the Bayesian signed rank test.
"""
TESTS: Mapping[str, type] = {
    **{"study": str, "metric": str, "reference": str, "rope": float},
    **{"datasets": str, "missing": str, "absent": str, "methods": int},
    **dict.fromkeys(("friedman_chi2", "friedman_F", "friedman_p"), float),
    **{"critical_difference": float, "wilcoxon_least_p": float, "nemenyi": str, "wilcoxon": str},
    "level": str,
}
"""The columns of results/comparison_tests.csv: a row for each study and metric.

`datasets` are those with all methods, and `missing` the cells <set>/<method> that take the others out.
`absent` are methods without any result, which take no set out.
`wilcoxon_least_p` is the smallest p-value that Wilcoxon's test against the reference can have by Holm's
method, over so many sets and methods. `nemenyi` and `wilcoxon` are the groups of methods of which no two
differ by that test, joined by ";" within a group and by "|" between groups. `level` are the methods that
one of both tests does not tell from that with the best mean rank.
"""


def compare_methods(
    evaluations: pd.DataFrame,
    catalogue: Catalogue,
    studies: Sequence[str],
    draws: RowDraws,
    shares: Mapping[str, float],
) -> dict[str, pd.DataFrame]:
    """Return the `scores`, `methods` and `tests` of each of some studies by each metric.

    The columns of the frames are `SCORES`, `METHODS` and `TESTS`.

    Parameters
    ----------
    evaluations : DataFrame
        The joined rows of results/<set>/<method>/evaluation.csv.
    catalogue : Catalogue
    studies : sequence of str
        The studies that the run asks for; names of others are passed over.
    draws : mapping
        The numbers on drawn test rows (`intervals.draw_rows`).
    shares : mapping
        The share of the rows that a split tests on, by data set.
    """
    labels = {name: method.label for name, method in catalogue.methods.items()}
    scores: list[dict[str, Any]] = []
    methods: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for study in (catalogue.studies[name] for name in studies if name in catalogue.studies):
        rows = _rows_of(study, evaluations, catalogue)
        absent = [
            name
            for name in study.methods
            if name not in {*rows["method"]} and not catalogue.methods[name].variant_of
        ]
        for metric, part in rows.groupby("metric", sort=False):
            if study.metrics and metric not in study.metrics:
                continue
            head = {"study": study.name, "metric": str(metric)}
            on_sets = _OnSets(study, str(metric), part, draws, shares)
            over_all = _OverSets(on_sets)
            of_metric = on_sets.scores()
            scores += [head | row for row in of_metric]
            methods += [head | row for row in over_all.methods(pd.DataFrame(of_metric))]
            tests.append(head | over_all.tests() | {"absent": join_names(absent)})
    for row in (*scores, *methods):
        row["label"] = labels[row["method"]]
    return {
        "scores": pd.DataFrame(scores, columns=[*SCORES]),
        "methods": pd.DataFrame(methods, columns=[*METHODS]),
        "tests": pd.DataFrame(tests, columns=[*TESTS]),
    }


def _rows_of(study: Study, evaluations: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return the rows of a study, without variants, other draws of a set, and parts of the mAP."""
    pairs = [
        (dataset, method)
        for dataset, method in study.pairs
        if dataset not in catalogue.other_draws and not catalogue.methods[method].variant_of
    ]
    cells = pd.MultiIndex.from_frame(evaluations[["dataset", "method"]])
    is_part = evaluations["metric"].str.startswith("ap_")
    return evaluations[cells.isin(pairs) & ~is_part]


class _OnSets:
    """The methods of a study by one metric, on each data set.

    `means`, (sets, methods), are in points, larger being better, and NaN where a cell is missing.
    `compared` are the methods with a result that are for all sets; those for some sets alone take
    none out. `whole` are the sets with all of them, and `reference` is what the others are compared with.
    """

    def __init__(
        self,
        study: Study,
        metric: str,
        rows: pd.DataFrame,
        draws: RowDraws,
        shares: Mapping[str, float],
    ) -> None:
        self.study, self.metric = study, metric
        self._draws, self._shares = draws, shares
        self._scale = in_points(metric, -1.0 if lower_is_better(metric) else 1.0)
        cell = ["dataset", "method"]
        self._cells = {name: part.set_index("split") for name, part in rows.groupby(cell)}
        means = self._scale * rows.groupby(cell)["value"].mean().unstack()
        methods = dict.fromkeys([*study.methods, *study.only])
        self.means = means.reindex(
            index=[name for name in study.datasets if name in means.index],
            columns=[name for name in methods if name in means.columns],
        )
        of_all = {*study.methods} - {*study.only}
        self.compared = [name for name in self.means.columns if name in of_all]
        has_all = self.means[self.compared].notna().all(axis=1)
        self.whole = [*has_all.index[has_all & bool(self.compared)]]
        self.reference = study.reference
        if study.reference not in self.means.columns:
            self.reference = [*self.compared, *self.means.columns][0]

    def scores(self) -> list[dict[str, Any]]:
        """Return a row of `SCORES` for each method on each data set."""
        return [row for name in self.means.index for row in self._scores_on(name)]

    def _scores_on(self, dataset: str) -> list[dict[str, Any]]:
        means = self.means.loc[dataset].dropna()
        best = means.idxmax()
        behind = {name: self._difference(dataset, best, name) for name in means.index}
        behind = _adjusted(behind, best)
        ahead = {}
        if self.reference in means:
            ahead = {name: self._difference(dataset, name, self.reference) for name in means.index}
            ahead = _adjusted(ahead, self.reference)
        shown = (means / self._scale).round(decimals_of(self.metric))
        rows = []
        for name, place in means.rank(ascending=False, method="first").items():
            is_best = bool(shown[name] == shown[best])
            row = {
                "dataset": dataset,
                "method": name,
                "place": int(place),
                "best": is_best,
                "alike": is_best or behind[name].p > LEVEL,
                "over": behind[name].over,
                **_of_cell(self._cells[dataset, name]),
                **_distance("behind", behind[name]),
            }
            if name in ahead:
                row |= _distance("ahead", ahead[name])
                row |= {side: getattr(ahead[name], side) for side in SIDES}
            rows.append(row)
        return rows

    def _difference(self, dataset: str, first: str, second: str) -> Difference:
        """Return the difference of two methods on a data set; without a test its mean alone."""
        values = [self._cells[dataset, name]["value"] for name in (first, second)]
        folds = self._scale * (values[0] - values[1]).dropna().to_numpy()
        if len(folds) > 1:
            return statistics.over_folds(folds, self._shares[dataset], self.study.rope)
        mean = float(self.means.loc[dataset, first] - self.means.loc[dataset, second])
        cells = [(dataset, name, self.metric) for name in (first, second)]
        if not all(cell in self._draws for cell in cells):
            return Difference(mean)
        drawn = self._scale * (self._draws[cells[0]] - self._draws[cells[1]])
        return statistics.over_rows(drawn, mean, self.study.rope)


def _of_cell(cell: pd.DataFrame) -> dict[str, Any]:
    """Return what a row says of one cell, whatever the others are."""
    return {
        "mean": cell["value"].mean(),
        "std": cell["value"].std(ddof=1),
        "splits": len(cell),
        "stopped": bool((~cell["status"].isin(["converged", "uncertified"])).any()),
        "seconds": cell["seconds"].sum(),
    }


def _distance(name: str, difference: Difference) -> dict[str, float]:
    return {name: difference.mean} | {f"{name}_{key}": getattr(difference, key) for key in DISTANCE}


def _adjusted(differences: Mapping[str, Difference], base: str) -> dict[str, Difference]:
    """Return differences from a method with p-values by Holm's method; NaN without a test."""
    raw = {name: difference.p for name, difference in differences.items() if name != base}
    tested = {name: p for name, p in raw.items() if not math.isnan(p)}
    adjusted = dict(zip(tested, statistics.holm([*tested.values()]).tolist(), strict=True))
    return {
        name: replace(difference, p=adjusted.get(name, math.nan))
        for name, difference in differences.items()
    }


class _OverSets:
    """The comparison of methods over the data sets that have all of them."""

    def __init__(self, on_sets: _OnSets) -> None:
        self._on_sets, self._study = on_sets, on_sets.study
        self._methods, self._sets = on_sets.compared, on_sets.whole
        # Rounded, so that sums in another order do not break ties; (sets, methods).
        self._means = on_sets.means.loc[self._sets, self._methods].round(9)
        ranks = statistics.rank_methods(self._means)
        self._ranks = ranks.mean(axis=0) if len(ranks) else np.full(len(self._methods), np.nan)
        self._is_tested = len(self._sets) >= FEWEST_SETS and len(self._methods) > 1

    def methods(self, scores: pd.DataFrame) -> list[dict[str, Any]]:
        """Return a row of `METHODS` for each method; `scores` are the rows on each data set."""
        reference = self._on_sets.reference
        differences = pd.DataFrame()
        if reference in self._methods:
            differences = self._means.sub(self._means[reference], axis=0).drop(columns=reference)
        p_values = {}
        if self._is_tested:
            raw = [statistics.wilcoxon(differences[name].to_numpy()) for name in differences]
            p_values = dict(zip(differences, statistics.holm(raw).tolist(), strict=True))
        told = scores[scores["dataset"].isin(self._sets) & (scores["ahead_p"] <= LEVEL)]
        rows = []
        for name, rank in zip(self._methods, self._ranks.tolist(), strict=True):
            row = {"method": name, "mean_rank": rank, "p": p_values.get(name, math.nan)}
            if name in differences:
                row |= self._ahead(name, differences[name].to_numpy())
                ahead = told.loc[told["method"] == name, "ahead"]
                row |= {"told_wins": int((ahead > 0).sum()), "told_losses": int((ahead < 0).sum())}
            rows.append(row)
        return rows

    def _ahead(self, name: str, differences: np.ndarray) -> dict[str, Any]:
        """Return how far a method is ahead of the reference over the data sets."""
        interval = over_sets(differences)
        row: dict[str, Any] = {
            "wins": int((differences > 0.0).sum()),
            "ties": int((differences == 0.0).sum()),
            "losses": int((differences < 0.0).sum()),
            "ahead": float(np.median(differences)) if len(differences) else math.nan,
            "ahead_low": interval.low,
            "ahead_high": interval.high,
        }
        if self._is_tested:
            seed = seed_of("signed rank", self._study.name, self._on_sets.metric, name)
            sides = statistics.signed_rank_probabilities(differences, self._study.rope, seed)
            row |= dict(zip(SIDES, sides, strict=True))
        return row

    def tests(self) -> dict[str, Any]:
        """Return the row of `TESTS`."""
        lacking = self._on_sets.means[self._methods].isna().stack()
        row = {
            "reference": self._on_sets.reference,
            "rope": self._study.rope,
            "datasets": join_names(self._sets),
            "missing": join_names("/".join(cell) for cell in lacking.index[lacking]),
            "methods": len(self._methods),
            "nemenyi": "",
            "wilcoxon": "",
            "level": "",
        }
        if not self._is_tested:
            return row
        means = self._means.to_numpy()
        test = statistics.friedman(means)
        nemenyi, wilcoxon = statistics.nemenyi(means), statistics.wilcoxon_holm(means)
        best = np.argmin(self._ranks)
        largest = np.maximum(nemenyi, wilcoxon)[best]
        largest[best] = 0.0  # it is not compared with itself
        least = (len(self._methods) - 1) * 0.5 ** (len(self._sets) - 1)
        return row | {
            "friedman_chi2": test.chi2,
            "friedman_F": test.F if np.isfinite(test.F) else np.nan,
            "friedman_p": test.p,
            "critical_difference": statistics.critical_difference(*means.shape),
            "wilcoxon_least_p": min(1.0, least),
            "nemenyi": self._cliques(nemenyi),
            "wilcoxon": self._cliques(wilcoxon),
            "level": join_names(self._methods[i] for i in np.flatnonzero(largest > LEVEL)),
        }

    def _cliques(self, p_values: np.ndarray) -> str:
        groups = statistics.cliques(self._ranks, p_values <= LEVEL)
        return "|".join(";".join(self._methods[i] for i in group) for group in groups)
