"""Methods beside each other: the tables of each study by each metric, and the tests of the differences.

On a data set methods are compared by `within`; over data sets by their means, from
`statistics.FEWEST_SETS` sets on. Differences are in points, positive where the first method is better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reproduction.compare import statistics
from toplabel.reproduction.compare.intervals import RowDraws, over_sets
from toplabel.reproduction.compare.statistics import FEWEST_SETS
from toplabel.reproduction.compare.within import LEVEL, SCORES, SIDES, Numbers, Within
from toplabel.reproduction.config.catalogue import Catalogue, Study
from toplabel.reproduction.frames import join_names
from toplabel.reproduction.jobs import seed_of

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
}
"""The columns of results/comparison_tests.csv: a row for each study and metric.

`datasets` are those with all methods, and `missing` the cells <set>/<method> that take the others out.
`absent` are methods without any result, which take no set out.
`wilcoxon_least_p` is the smallest p-value that Wilcoxon's test against the reference can have by Holm's
method, over so many sets and methods. `nemenyi` and `wilcoxon` are the groups of methods of which no two
differ by that test, joined by ";" within a group and by "|" between groups.
"""


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
            numbers = Numbers.of(study, str(metric), part)
            on_sets = Within(numbers, draws, shares).scores()
            over = _OverSets(numbers)
            scores += on_sets
            methods += over.methods(pd.DataFrame(on_sets))
            tests.append(over.tests() | {"absent": join_names(absent)})
    for row in (*scores, *methods):
        row["label"] = labels[row["method"]]
    return Beside(
        scores=pd.DataFrame(scores, columns=[*SCORES]),
        methods=pd.DataFrame(methods, columns=[*METHODS]),
        tests=pd.DataFrame(tests, columns=[*TESTS]),
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


class _OverSets:
    """The comparison of methods over the data sets that have all of them."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers, self._study = numbers, numbers.study
        self._methods, self._sets = numbers.compared, numbers.whole
        # Rounded, so that sums in another order do not break ties; (sets, methods).
        self._means = numbers.means.loc[self._sets, self._methods].to_numpy().round(9)
        ranks = statistics.rank_methods(self._means)
        self._ranks = ranks.mean(axis=0) if len(ranks) else np.full(len(self._methods), np.nan)

    @property
    def _is_tested(self) -> bool:
        return len(self._sets) >= FEWEST_SETS and len(self._methods) > 1

    def methods(self, scores: pd.DataFrame) -> list[dict[str, Any]]:
        """Return a row of `METHODS` for each method; `scores` are the rows on each data set."""
        differences = self._differences()
        p_values = self._against_reference(differences)
        told = scores[scores["dataset"].isin(self._sets) & (scores["ahead_p"] <= LEVEL)]
        rows = []
        for name, rank in zip(self._methods, self._ranks, strict=True):
            row: dict[str, Any] = {"study": self._study.name, "metric": self._numbers.metric}
            row |= {"method": name, "mean_rank": float(rank)}
            row["p"] = p_values.get(name, math.nan)
            if name in differences:
                row |= self._ahead(name, differences[name])
                ahead = told.loc[told["method"] == name, "ahead"]
                row |= {"told_wins": int((ahead > 0).sum()), "told_losses": int((ahead < 0).sum())}
            rows.append(row)
        return rows

    def _differences(self) -> dict[str, np.ndarray]:
        """Return the differences of the other methods from the reference, (sets,)."""
        reference = self._numbers.reference
        if reference not in self._methods:
            return {}
        columns = dict(zip(self._methods, self._means.T, strict=True))
        base = columns.pop(reference)
        return {name: column - base for name, column in columns.items()}

    def _against_reference(self, differences: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Return the p-values of Wilcoxon's test of each method against the reference."""
        if not (self._is_tested and differences):
            return {}
        raw = [statistics.wilcoxon(values) for values in differences.values()]
        return dict(zip(differences, map(float, statistics.holm(raw)), strict=True))

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
            seed = seed_of("signed rank", self._study.name, self._numbers.metric, name)
            sides = statistics.signed_rank_probabilities(differences, self._study.rope, seed)
            row |= dict(zip(SIDES, sides, strict=True))
        return row

    def tests(self) -> dict[str, Any]:
        """Return the row of `TESTS`."""
        lacking = self._numbers.means[self._methods].isna().stack()
        row = {
            "study": self._study.name,
            "metric": self._numbers.metric,
            "reference": self._numbers.reference,
            "rope": self._study.rope,
            "datasets": join_names(self._sets),
            "missing": join_names("/".join(cell) for cell in lacking.index[lacking]),
            "methods": len(self._methods),
            "nemenyi": "",
            "wilcoxon": "",
        }
        if not self._is_tested:
            return row
        test = statistics.friedman(self._means)
        least = (len(self._methods) - 1) * 0.5 ** (len(self._sets) - 1)
        return row | {
            "friedman_chi2": test.chi2,
            "friedman_F": test.F if np.isfinite(test.F) else np.nan,
            "friedman_p": test.p,
            "critical_difference": statistics.critical_difference(*self._means.shape),
            "wilcoxon_least_p": min(1.0, least),
            "nemenyi": self._cliques(statistics.nemenyi(self._means)),
            "wilcoxon": self._cliques(statistics.wilcoxon_holm(self._means)),
        }

    def _cliques(self, p_values: np.ndarray) -> str:
        groups = statistics.cliques(self._ranks, p_values <= LEVEL)
        return "|".join(";".join(self._methods[i] for i in group) for group in groups)
