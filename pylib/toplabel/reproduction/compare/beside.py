"""Methods beside each other: the tables of each study by each metric, and the tests of the differences.

Within a data set methods are compared over the folds of its splits or, of one split, over its test
rows; over data sets by their means, from `statistics.FEWEST_SETS` sets on. Differences are in points,
positive where the first method is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

SCORES: Mapping[str, type] = {
    "study": str,
    "metric": str,
    "dataset": str,
    "method": str,
    "label": str,
    "mean": float,
    "std": float,
    "splits": int,
    "place": int,
    "best": bool,
    "alike": bool,
    "stopped": bool,
    "seconds": float,
    "over": str,
    "behind": float,
    "behind_low": float,
    "behind_high": float,
    "behind_p": float,
    "ahead": float,
    "ahead_low": float,
    "ahead_high": float,
    "ahead_p": float,
    "worse": float,
    "same": float,
    "better": float,
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
    "study": str,
    "metric": str,
    "method": str,
    "label": str,
    "mean_rank": float,
    "wins": int,
    "ties": int,
    "losses": int,
    "told_wins": int,
    "told_losses": int,
    "ahead": float,
    "ahead_low": float,
    "ahead_high": float,
    "p": float,
    "worse": float,
    "same": float,
    "better": float,
}
"""The columns of results/comparison_methods.csv: each method over the data sets with all methods.

Wins, ties and losses are against the reference; of these the test within the set tells so many
apart. `ahead` is the median difference from the reference, `p` that of Wilcoxon's test by Holm's
method, and the probabilities are those of the Bayesian signed rank test.
"""
TESTS: Mapping[str, type] = {
    "study": str,
    "metric": str,
    "reference": str,
    "rope": float,
    "datasets": str,
    "missing": str,
    "methods": int,
    "friedman_chi2": float,
    "friedman_F": float,
    "friedman_p": float,
    "critical_difference": float,
    "wilcoxon_least_p": float,
    "nemenyi": str,
    "wilcoxon": str,
}
"""The columns of results/comparison_tests.csv: a row for each study and metric.

`datasets` are those with all methods, `missing` the cells <set>/<method> that take the others out.
`wilcoxon_least_p` is the smallest p-value that Wilcoxon's test against the reference can have by Holm's
method, over so many sets and methods. `nemenyi` and `wilcoxon` are the groups of methods of which no two
differ by that test, joined by ";" within a group and by "|" between groups.
"""
LEVEL = 0.05
_CELL = ["dataset", "method"]
_NO_TEST = Difference(*[math.nan] * 7)


@dataclass(frozen=True)
class Beside:
    """The frames of the comparison: their columns are `SCORES`, `METHODS` and `TESTS`."""

    scores: pd.DataFrame
    methods: pd.DataFrame
    tests: pd.DataFrame


def compare_methods(
    evaluations: pd.DataFrame,
    catalogue: Catalogue,
    studies: Sequence[str],
    draws: RowDraws,
    shares: Mapping[str, float],
) -> Beside:
    """Compare the methods of each of some studies by each metric.

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
    tables = []
    for study in (catalogue.studies[name] for name in studies if name in catalogue.studies):
        rows = _rows_of(study, evaluations, catalogue)
        tables += [
            _Table(study, str(metric), part, draws, shares)
            for metric, part in rows.groupby("metric", sort=False)
            if metric in (study.metrics or (metric,))
        ]
    labels = {name: method.label for name, method in catalogue.methods.items()}
    scores = [row for table in tables for row in table.scores]
    methods = [row for table in tables for row in table.over_sets()]
    for row in (*scores, *methods):
        row["label"] = labels[row["method"]]
    return Beside(
        scores=pd.DataFrame(scores, columns=[*SCORES]),
        methods=pd.DataFrame(methods, columns=[*METHODS]),
        tests=pd.DataFrame([table.tests() for table in tables], columns=[*TESTS]),
    )


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


class _Table:
    """The numbers of the methods of a study by one metric, in points, larger being better."""

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
        self._cells = {cell: part.set_index("split") for cell, part in rows.groupby(_CELL)}
        means = self._scale * rows.groupby(_CELL)["value"].mean().unstack()
        named = [*dict.fromkeys([*study.methods, *study.only])]
        self._means = means.reindex(
            index=[name for name in study.datasets if name in means.index],
            columns=[name for name in named if name in means.columns],
        )
        # Methods that are for some sets alone take no other set out.
        self.compared = [name for name in self._means.columns if name in study.methods]
        asked = study.reference if study.reference in self._means.columns else ""
        self.reference = asked or [*self.compared, *self._means.columns][0]
        whole = self._means[self.compared].notna().all(axis=1)
        self.whole = [*whole.index[whole & bool(self.compared)]]

    # ---- within a data set -----------------------------------------------------------------------

    @cached_property
    def scores(self) -> list[dict[str, Any]]:
        """A row of `SCORES` for each method on each data set."""
        return [row for name in self._means.index for row in self._scores_on(name)]

    def _scores_on(self, dataset: str) -> list[dict[str, Any]]:
        means = self._means.loc[dataset].dropna()
        best = means.idxmax()
        from_best = {name: self._difference(dataset, best, name) for name in means.index}
        over = {name: self._over(dataset, best, name) for name in means.index}
        from_reference = {}
        if self.reference in means:
            from_reference = {
                name: self._difference(dataset, name, self.reference) for name in means.index
            }
        behind_p = _adjusted(from_best, best)
        ahead_p = _adjusted(from_reference, self.reference)
        decimals = decimals_of(self.metric)
        shown = (means / self._scale).round(decimals)
        rows = []
        for name, place in means.rank(ascending=False, method="first").items():
            behind, ahead = from_best[name], from_reference.get(name, _NO_TEST)
            is_best = bool(shown[name] == shown[best])
            cell = self._cells[dataset, name]
            rows.append(
                {
                    "study": self.study.name,
                    "metric": self.metric,
                    "dataset": dataset,
                    "method": name,
                    "mean": cell["value"].mean(),
                    "std": cell["value"].std(ddof=1),
                    "splits": len(cell),
                    "place": int(place),
                    "best": is_best,
                    "alike": is_best or behind_p[name] > LEVEL,
                    "stopped": bool((~cell["status"].isin(["converged", "uncertified"])).any()),
                    "seconds": cell["seconds"].sum(),
                    "over": over[name],
                    "behind": behind.mean,
                    "behind_low": behind.low,
                    "behind_high": behind.high,
                    "behind_p": behind_p[name],
                    "ahead": ahead.mean,
                    "ahead_low": ahead.low,
                    "ahead_high": ahead.high,
                    "ahead_p": ahead_p.get(name, math.nan),
                    "worse": ahead.worse,
                    "same": ahead.same,
                    "better": ahead.better,
                }
            )
        return rows

    def _over(self, dataset: str, first: str, second: str) -> str:
        """Return what the difference of two methods on a data set is tested over."""
        if len(self._on_folds(dataset, first, second)) > 1:
            return "folds"
        has_draws = all((dataset, name, self.metric) in self._draws for name in (first, second))
        return "rows" if has_draws else ""

    def _on_folds(self, dataset: str, first: str, second: str) -> np.ndarray:
        """Return the differences of two methods on the splits that both have, (splits,)."""
        values = [self._cells[dataset, name]["value"] for name in (first, second)]
        return self._scale * (values[0] - values[1]).dropna().to_numpy()

    def _difference(self, dataset: str, first: str, second: str) -> Difference:
        """Return the difference of two methods on a data set; without a test its mean alone."""
        folds, rope = self._on_folds(dataset, first, second), self.study.rope
        over = self._over(dataset, first, second)
        if over == "folds":
            return statistics.over_folds(folds, self._shares[dataset], rope)
        mean = float(self._means.loc[dataset, first] - self._means.loc[dataset, second])
        if over == "rows":
            drawn = [self._draws[dataset, name, self.metric] for name in (first, second)]
            return statistics.over_rows(self._scale * (drawn[0] - drawn[1]), mean, rope)
        return Difference(mean, *[math.nan] * 6)

    # ---- over data sets --------------------------------------------------------------------------

    def over_sets(self) -> list[dict[str, Any]]:
        """Return a row of `METHODS` for each method that all data sets are to have."""
        means = self._rounded()
        ranks = dict(zip(self.compared, statistics.rank_methods(means).mean(axis=0), strict=True))
        base = means[:, self.compared.index(self.reference)] if self._has_reference else None
        differences = (
            {} if base is None else dict(zip(self.compared, (means.T - base), strict=True))
        )
        p_values = self._against_reference(differences)
        told = pd.DataFrame(self.scores).set_index(["dataset", "method"])
        rows = []
        for name in self.compared:
            row = {"study": self.study.name, "metric": self.metric, "method": name}
            row |= {"mean_rank": float(ranks[name]), "p": p_values.get(name, math.nan)}
            if name in differences and name != self.reference:
                row |= self._ahead(name, differences[name])
                here = told.loc[[(dataset, name) for dataset in self.whole]]
                apart = here["ahead_p"] <= LEVEL
                row["told_wins"] = int((apart & (here["ahead"] > 0.0)).sum())
                row["told_losses"] = int((apart & (here["ahead"] < 0.0)).sum())
            rows.append(row)
        return rows

    @property
    def _has_reference(self) -> bool:
        return self.reference in self.compared

    def _rounded(self) -> np.ndarray:
        """Return the means on the data sets with all methods, (sets, methods).

        They are rounded so that sums in another order do not break ties.
        """
        return self._means.loc[self.whole, self.compared].to_numpy().round(9)

    def _against_reference(self, differences: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Return the p-values of Wilcoxon's test of each method against the reference."""
        others = [name for name in differences if name != self.reference]
        if len(self.whole) < FEWEST_SETS or not others:
            return {}
        raw = np.array([statistics.wilcoxon(differences[name]) for name in others])
        return dict(zip(others, map(float, statistics.holm(raw)), strict=True))

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
        if len(differences) >= FEWEST_SETS:
            seed = seed_of("signed rank", self.study.name, self.metric, name)
            sides = statistics.signed_rank_probabilities(differences, self.study.rope, seed)
            row |= dict(zip(("worse", "same", "better"), sides, strict=True))
        return row

    def tests(self) -> dict[str, Any]:
        """Return the row of `TESTS`."""
        lacking = self._means[self.compared].isna().stack()
        row = {
            "study": self.study.name,
            "metric": self.metric,
            "reference": self.reference,
            "rope": self.study.rope,
            "datasets": join_names(self.whole),
            "missing": join_names("/".join(cell) for cell in lacking.index[lacking]),
            "methods": len(self.compared),
            "nemenyi": "",
            "wilcoxon": "",
        }
        if len(self.whole) < FEWEST_SETS or len(self.compared) < 2:
            return row
        means = self._rounded()
        ranks, test = statistics.rank_methods(means).mean(axis=0), statistics.friedman(means)
        differ = {
            "nemenyi": statistics.nemenyi(means) <= LEVEL,
            "wilcoxon": statistics.wilcoxon_holm(means) <= LEVEL,
        }
        return row | {
            "friedman_chi2": test.chi2,
            "friedman_F": test.F,
            "friedman_p": test.p,
            "critical_difference": statistics.critical_difference(*means.shape),
            "wilcoxon_least_p": min(1.0, (len(self.compared) - 1) * 0.5 ** (len(self.whole) - 1)),
            **{name: self._cliques(ranks, mask) for name, mask in differ.items()},
        }

    def _cliques(self, ranks: np.ndarray, differs: np.ndarray) -> str:
        groups = statistics.cliques(ranks, differs)
        return "|".join(";".join(self.compared[i] for i in group) for group in groups)


def _adjusted(differences: Mapping[str, Difference], base: str) -> dict[str, float]:
    """Return the p-values of differences from a method by Holm's method; NaN without a test."""
    tested = {
        name: difference.p
        for name, difference in differences.items()
        if name != base and not math.isnan(difference.p)
    }
    adjusted = statistics.holm(np.array([*tested.values()]))
    return dict.fromkeys(differences, math.nan) | dict(
        zip(tested, map(float, adjusted), strict=True)
    )
