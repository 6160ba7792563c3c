"""The claims of the papers (``config/notes.yaml``), tested on their tables and on ours.

A claim compares two sides, the best method of each, over data sets and metrics. Its outcome is
counted the same way in the published tables and in what was measured.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.compare.bootstrap import DRAWS, RowDraws, interval
from toplabel.reproduction.compare.comparison import TOLERANCE
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.config.datasets import NONE_REGISTERED, Registry
from toplabel.reproduction.config.keys import Key, key_of
from toplabel.reproduction.config.notes import Claim, Selector
from toplabel.reproduction.seeds import seed_of
from toplabel.reproduction.tables.collected import COMPARISON, FINDINGS
from toplabel.reproduction.tables.table import as_numbers

_UNIT = ["dataset", "features", "metric"]
_TIE_POINTS = 0.05  # half a unit of the last printed digit, of percentages and of losses with three
_QUARTER = 0.25
_DEVIATIONS = 2.0  # standard errors of a difference of means over draws, below which it is a tie
_ENOUGH = 4  # comparisons before "no clear winner" can be said
_POINTS_OF_ONE = 100.0
_LEVEL = 0.95  # of the interval of a median over comparisons


def find(
    claims: Iterable[Claim],
    comparison: pd.DataFrame,
    collected: pd.DataFrame,
    registry: Registry = NONE_REGISTERED,
    not_comparable: Collection[str] = (),
    draws: RowDraws | None = None,
) -> pd.DataFrame:
    """Count how each claim fares in the papers' tables and in what was measured: `FINDINGS`.

    `comparison` and `collected` are results/comparison.csv and evaluation.csv. Data sets that are
    `not_comparable` count as measured, and never beside a published number. `draws` on test rows
    give the intervals of our medians.

    A comparison is one data set (and features) and one metric; medians are of the first side minus
    the second in points, positive when the first is better. Differences below half of the last
    printed digit are ties, and so are differences of means over several draws below two standard
    errors. An outcome is that of `outcome`, or "smaller": it holds, by a median difference of less
    than half the papers' (and at least half a point less), or "undecided": one side is said to be
    ahead, and 0 is in the interval of our median over test rows. Data sets of the claim's tables
    are the "same" data, the rest is "other". ``p`` is of a sign test over comparisons (`p_value`),
    and ``adjusted`` the same after Holm's correction for the number of claims. ``both`` counts
    comparisons that are decided in the papers' tables and in ours, ``agree`` those of them that go
    the same way.
    """
    claims, printed = list(claims), _printed_cells(comparison)
    shared = {name: registry.published_key(name) for name in registry if name not in not_comparable}
    ours = {}
    for source in {claim.source for claim in claims}:
        names = collected["dataset"]
        usable = [one for one in names.unique() if registry.is_compared(one, source)]
        ours[source] = _measured_cells(collected[names.isin(usable)], shared)
    rows = [
        _finding(claim, printed, ours[claim.source], not_comparable, draws or {})
        for claim in claims
    ]
    for side in ("same", "other"):
        adjusted = holm([row[f"{side}_p"] for row in rows])
        for row, value in zip(rows, adjusted, strict=True):
            row[f"{side}_adjusted"] = float(value)
    return FINDINGS.frame(rows)


def _printed_cells(comparison: pd.DataFrame) -> pd.DataFrame:
    frame = comparison[comparison["method"] != OTHERS]
    name = frame["source"] + "_table" + frame["table"].str.zfill(2)
    value = as_numbers(frame["published"].astype(str), COMPARISON.path)
    frame = frame.assign(name=name, value=value, error=0.0, method_key=frame["method"])
    return _cells(frame, frame["file"])


def _measured_cells(collected: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    dataset = collected["dataset"].map(lambda one: names.get(one, one))
    splits = collected["splits"].astype(float)
    error = (collected["std"].astype(float) / splits.pow(0.5)).where(splits > 1, 0.0)
    frame = collected.assign(
        dataset=dataset, name="", value=collected["measured"], error=error.fillna(0.0)
    )
    names = zip(collected["dataset"], collected["method"], collected["metric"], strict=True)
    of_draws = pd.Series([*names], frame.index, dtype=object)
    return _cells(frame.assign(method_key=frame["loss"]), of_draws)


def _cells(frame: pd.DataFrame, cell: pd.Series) -> pd.DataFrame:
    """Return names, canonical key, and value and error in points, larger being better."""
    keys = [key_of(row, "method_key") for row in frame.to_dict("records")]
    sign = frame["metric"].map(lambda metric: -1.0 if lower_is_better(metric) else 1.0)
    scale = frame["metric"].map(lambda metric: _POINTS_OF_ONE if is_fraction(metric) else 1.0)
    points = (frame["value"] * sign * scale).astype(float)  # larger is better
    error = (frame["error"] * scale).astype(float)
    found = frame[["name", *_UNIT]].assign(key=pd.Series(keys, index=frame.index, dtype=object))
    return found.assign(points=points, error=error, cell=cell).dropna(subset="points")


def _finding(
    claim: Claim,
    printed: pd.DataFrame,
    ours: pd.DataFrame,
    not_comparable: Collection[str],
    draws: RowDraws,
) -> dict[str, Any]:
    tables = printed[printed["name"].isin(claim.tables)]
    in_print, in_ours = _differences(claim, tables), _differences(claim, ours)
    sets = set(zip(tables["dataset"], tables["features"], strict=True))
    units = in_ours.index
    shared = [unit[0] not in not_comparable and unit[:2] in sets for unit in units]
    same, other = in_ours.loc[shared], in_ours.loc[[not one for one in shared]]
    decided = pd.concat([_signs(in_print), _signs(same)], axis=1, join="inner")
    decided = decided[(decided != 0).all(axis=1)]
    return {
        "claim": claim.name,
        **{key: getattr(claim, key) for key in ("source", "place", "says", "expects")},
        "least": claim.least,
        "margin": claim.margin if claim.expects == "similar" else math.nan,
        "ties_win": str(claim.ties_win).lower(),
        "first": claim.first.label,
        "second": claim.second.label,
        **_counted("published", claim, in_print),
        **_ours("same", claim, same, in_print, draws),
        "same_datasets": ";".join(same.index.unique("dataset")),
        **_ours("other", claim, other, in_print, draws),
        "other_datasets": ";".join(other.index.unique("dataset")),
        "both": len(decided),
        "agree": int((decided.iloc[:, 0] == decided.iloc[:, 1]).sum()),
    }


def _counted(prefix: str, claim: Claim, differences: pd.DataFrame) -> dict[str, Any]:
    """Return the counts of some comparisons."""
    low, median, high = differences["points"].quantile([0.25, 0.5, 0.75])
    counts = {
        "comparisons": len(differences),
        "first": _ahead(differences, 1),
        "second": _ahead(differences, -1),
        "within": _within(claim, differences),
        "low": low,
        "median": median,
        "high": high,
        "outcome": outcome(claim, differences),
    }
    return {f"{prefix}_{name}": value for name, value in counts.items()}


def _ours(
    prefix: str,
    claim: Claim,
    differences: pd.DataFrame,
    in_print: pd.DataFrame,
    draws: RowDraws,
) -> dict[str, Any]:
    """Return the counts of ours, tests, and what test rows and the papers' differences say."""
    from scipy.stats import quantile_test

    found = _counted(prefix, claim, differences)
    ends = (math.nan, math.nan)
    if len(differences):
        ends = quantile_test(differences["points"].to_numpy()).confidence_interval(_LEVEL)
    found |= dict(zip((f"{prefix}_median_low", f"{prefix}_median_high"), ends, strict=True))
    found[f"{prefix}_p"] = p_value(claim, differences)
    low, high = interval(_medians(differences, draws))
    if claim.expects == "first" and low <= 0.0 <= high:
        found[f"{prefix}_outcome"] = "undecided"
    elif claim.expects == "first" and found[f"{prefix}_outcome"] == "holds":
        printed, median = in_print["points"].median(), found[f"{prefix}_median"]
        if median < printed / 2 and printed - median >= TOLERANCE:
            found[f"{prefix}_outcome"] = "smaller"
    return found | {f"{prefix}_rows_low": low, f"{prefix}_rows_high": high}


def p_value(claim: Claim, differences: pd.DataFrame) -> float:
    """Return the p-value of a sign test over comparisons.

    A claim that one side is ahead is tested against equal chances of both sides, ties left out
    (counted for the first side where `ties_win`). A claim that the sides are similar is tested by
    two one-sided sign tests, at either end of its margin (an equivalence test); the larger p-value
    counts. NaN for a claim that neither side wins, and without a comparison.
    """
    from scipy.stats import binomtest

    def sign_test(for_it: int, against: int) -> float:
        decided = for_it + against
        return float(binomtest(for_it, decided, alternative="greater").pvalue) if decided else 1.0

    if claim.expects == "neither" or differences.empty:
        return math.nan
    points = differences["points"]
    if claim.expects == "similar":
        ends = (points + claim.margin, claim.margin - points)
        return max(sign_test(int((end > 0).sum()), int((end < 0).sum())) for end in ends)
    first, second = _ahead(differences, 1), _ahead(differences, -1)
    return sign_test(len(differences) - second if claim.ties_win else first, second)


def holm(p: Sequence[float]) -> np.ndarray:
    """Return p-values that are corrected for their number by Holm's method; NaN is no test."""
    p = np.asarray(p, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    adjusted = np.full(len(p), math.nan)
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def _medians(differences: pd.DataFrame, draws: RowDraws) -> np.ndarray:
    """Return the median difference on the test rows of each draw, the methods chosen on all rows.

    Means over draws of the data, which have no test rows in common, vary by their errors. NaN where
    a comparison has neither, or none has rows.
    """
    rows, columns = 0, []
    for unit, one in zip(differences.index, differences.itertuples(index=False), strict=True):
        if one.first in draws and one.second in draws:
            rows += 1
            columns.append(draws[one.first] - draws[one.second])
        elif one.error > 0.0:
            rng = np.random.default_rng(seed_of("error", *unit))
            columns.append(one.points + one.error * rng.standard_normal(DRAWS))
        else:
            return np.full(DRAWS, math.nan)
    return np.median(columns, axis=0) if rows else np.full(DRAWS, math.nan)


def _differences(claim: Claim, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the first side minus the second, its error in points and the cells, by `_UNIT`."""
    metric = cells["metric"].map(
        lambda name: any(fnmatchcase(name, pattern) for pattern in claim.metrics)
    )
    cells = cells[metric.astype(bool) & ~cells["dataset"].isin(claim.excluded)]
    if claim.datasets:
        cells = cells[cells["dataset"].isin(claim.datasets)]

    def named(selectors: Iterable[Selector]) -> pd.Series:
        rows = zip(cells["key"], cells["metric"], strict=True)
        return pd.Series([is_selected(selectors, *row) for row in rows], cells.index, dtype=bool)

    first = named(claim.first.methods)
    second = ~first if claim.second.methods == "others" else named(claim.second.methods)
    best, other = (_best(part) for part in (cells[first], cells[second]))
    error = (best["error"].pow(2) + other["error"].pow(2)).pow(0.5)
    points = best["points"] - other["points"]
    sides = {"first": best["cell"], "second": other["cell"]}
    return pd.DataFrame({"points": points, "error": error, **sides}).dropna(subset="points")


def _best(cells: pd.DataFrame) -> pd.DataFrame:
    rows = cells.groupby(_UNIT, sort=False)["points"].idxmax()
    return cells.loc[rows].set_index(_UNIT)[["points", "error", "cell"]]


def is_selected(selectors: Iterable[Selector], key: Key, metric: str) -> bool:
    """Return whether one of the selectors names a method; a k may be that of the metric."""
    return any(_matches(one, key, metric) for one in selectors)


def _matches(selector: Selector, key: Key, metric: str) -> bool:
    if selector.method != key.method:
        return False
    if selector.k == "metric" and key.k != _k_of(metric):
        return False
    if isinstance(selector.k, tuple) and key.k not in map(str, selector.k):
        return False
    gamma = selector.gamma is None or key.gamma == f"{selector.gamma:.12g}"
    return gamma and selector.kernel in (None, key.kernel)


def _k_of(metric: str) -> str:
    found = re.fullmatch(r"top(\d+)", metric)
    return found[1] if found else ""


def _signs(differences: pd.DataFrame) -> pd.Series:
    tie = differences["points"].abs() < (_DEVIATIONS * differences["error"]).clip(_TIE_POINTS)
    return (differences["points"] > 0).map({True: 1, False: -1}).mask(tie, 0)


def _ahead(differences: pd.DataFrame, side: int) -> int:
    return int((_signs(differences) == side).sum())


def _within(claim: Claim, differences: pd.DataFrame) -> int:
    return int((differences["points"].abs() <= claim.margin).sum())


def outcome(claim: Claim, differences: pd.DataFrame) -> str:
    """Judge a claim by its differences, ``points`` and their standard ``error`` (docs/results.md).

    Return "holds", "mixed" or "fails"; "few" when there are too few comparisons to say that neither
    side wins; "" when there is none.
    """
    if differences.empty:
        return ""
    share = _share(claim, differences)
    if claim.expects == "neither":
        if len(differences) < _ENOUGH:
            return "few"
        return "holds" if _QUARTER <= share <= 1 - _QUARTER else "fails"
    if share >= claim.least:
        return "holds"
    return "fails" if share <= 1 - claim.least else "mixed"


def _share(claim: Claim, differences: pd.DataFrame) -> float:
    """Return the share of comparisons that speak for the claim; one half when all are ties."""
    if claim.expects == "similar":
        return _within(claim, differences) / len(differences)
    first, second = _ahead(differences, 1), _ahead(differences, -1)
    if claim.ties_win:
        return 1 - second / len(differences)
    return first / (first + second) if first + second else 0.5
