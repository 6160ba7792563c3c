"""The claims of the papers (config/notes.yaml), asked of their tables and of ours.

A claim compares two sides. Each is one method, or the best of several: of measured methods the one
with the best validation value, so that the sides are fixed before the test rows are seen; of printed
ones, and of networks, which have no validation value, the one with the best number. How the
differences are judged is the same in print and in what was measured (`compare.intervals`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import lower_is_better
from toplabel.reproduction.compare.cells import (
    CELL,
    PUBLISHED,
    are_among,
    measurements,
)
from toplabel.reproduction.compare.intervals import (
    DRAWS,
    TIE,
    Interval,
    RowDraws,
    outcome,
    over_sets,
    quantile_interval,
)
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.compare.verdicts import DEVIATIONS, in_points, rounding_of
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.keys import key_of, table_name
from toplabel.reproduction.config.notes import Claim, Side
from toplabel.reproduction.jobs import seed_of

PRINTED, SHARED, SAME, OTHER = "printed", "shared", "same", "other"
NUMBERS = (PRINTED, SHARED, SAME, OTHER)
"""The numbers that a claim is asked of: the papers' tables; those of their numbers that were
measured, too; what was measured of these; and what was measured on other data."""
COLUMNS: Mapping[str, type] = {
    "claim": str,
    "source": str,
    "place": str,
    "says": str,
    "first": str,
    "second": str,
    "expects": str,
    "margin": float,
    "numbers": str,
    "datasets": str,
    "sets": int,
    "wins": int,
    "losses": int,
    "difference": float,
    "low": float,
    "high": float,
    "over": str,
    "outcome": str,
}
"""The columns of results/claims.csv: a row for each claim and each of `NUMBERS`.

The unit is a data set (with its features): its difference is the mean over the metrics of the claim
of the first side minus the second, in points. `wins` and `losses` count the sets on which the first
side is ahead and behind, `difference` is the median over the sets, `low` and `high` are the ends of
its 95 % interval, and `over` says what varies in that (`compare.intervals.Interval`). Without a set
there is no outcome.
"""
_SET = ["dataset", "features"]
_PAIR = [*_SET, "metric"]
_PLACE = [*_PAIR, "key"]
_OF_SIDE = ["points", "error", "rounding", "cell"]
Validation = Mapping[tuple[str, str, str], float]
"""The validation value that was selected by, by data set, method and metric."""


def judge(
    cells: pd.DataFrame,
    catalogue: Catalogue,
    draws: RowDraws | None = None,
    validation: Validation | None = None,
) -> pd.DataFrame:
    """Return the differences of each claim and its outcome; the columns are `COLUMNS`.

    `cells` is the long frame of a run (`compare.cells`). Results that stand beside no published
    number, by their note, count as other data. Other draws of a data set and variants of a method
    do not count.
    """
    ours = measurements(cells)
    again = ours["config_dataset"].isin(catalogue.other_draws) | (ours["variant_of"] != "")
    printed = cells[(cells["run"] == PUBLISHED) & (cells["method"] != OTHERS)]
    printed = _numbers(printed, catalogue, {})
    measured = _numbers(ours[~again], catalogue, validation or {})
    rows = []
    for claim in catalogue.notes.claims.values():
        is_compared = measured["config_dataset"].map(
            lambda name, source=claim.source: catalogue.registry.is_compared(name, source)
        )
        parts = _parts(claim, printed, measured[is_compared.astype(bool)])
        rows += [_row(claim, name, parts[name], draws or {}) for name in NUMBERS]
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _numbers(rows: pd.DataFrame, catalogue: Catalogue, validation: Validation) -> pd.DataFrame:
    """Return rows of the long frame in points, larger being better, with the keys of their methods.

    Measured numbers of data sets that may be compared stand under the papers' names.
    """
    is_printed, is_own = rows["run"] == PUBLISHED, rows["note"] != ""
    names = rows["config_dataset"].map(catalogue.registry.published_key)
    names = rows["config_dataset"].where(is_own, names)
    error = (rows["std"] / rows["splits"].pow(0.5)).where(rows["splits"] > 1, 0.0)
    rounding = rows["printed"].map(rounding_of).astype(float).where(is_printed, 0.0)
    scales = rows["metric"].map(lambda metric: in_points(metric, 1.0)).astype(float)
    signed = scales.where(~rows["metric"].map(lower_is_better).astype(bool), -scales)
    cells = [*rows[CELL].itertuples(index=False, name=None)]
    keys = [key_of(row) for row in rows.to_dict("records")]
    return rows[["features", "metric", "source", "table", "config_dataset"]].assign(
        dataset=rows["dataset"].where(is_printed, names),
        key=pd.Series(keys, rows.index, dtype=object),
        cell=pd.Series(cells, rows.index, dtype=object),
        is_own=is_own,
        points=rows["value"] * signed,
        validation=[validation.get(cell, math.nan) for cell in cells] * signed,
        error=error.fillna(0.0) * scales,
        rounding=rounding * scales,
    )


def _parts(claim: Claim, printed: pd.DataFrame, ours: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the numbers that a claim is asked of, by their names in `NUMBERS`."""
    names = [table_name(*pair) for pair in zip(printed["source"], printed["table"], strict=True)]
    tables = printed[pd.Series(names, printed.index, dtype=str).isin(claim.tables)]
    if claim.second.methods == "others":  # the rivals in print, and no method of our own
        ours = ours[ours["key"].isin({*tables["key"]})]
    is_same = ~ours["is_own"].astype(bool) & are_among(ours, tables, _SET)
    here = ours[is_same]
    return {
        PRINTED: tables,
        SHARED: tables[are_among(tables, here, _PLACE)],
        SAME: here[are_among(here, tables, _PLACE)],
        OTHER: ours[~is_same],
    }


def _row(claim: Claim, name: str, numbers: pd.DataFrame, draws: RowDraws) -> dict[str, Any]:
    """Return a row of claims.csv."""
    pairs = _differences(claim, numbers)
    sets = pairs[["points", "error", "rounding"]].groupby(level=_SET, sort=False).mean()
    tie = (DEVIATIONS * sets["error"]).clip(lower=TIE)
    margin = claim.margin if claim.expects == "similar" else math.nan
    interval = _interval(sets, pairs, draws)
    return {
        "claim": claim.name,
        "source": claim.source,
        "place": claim.place,
        "says": claim.says,
        "first": claim.first.label,
        "second": claim.second.label,
        "expects": claim.expects,
        "margin": margin,
        "numbers": name,
        "datasets": ";".join(dict.fromkeys(sets.index.get_level_values("dataset"))),
        "sets": len(sets),
        "wins": int((sets["points"] >= tie).sum()),
        "losses": int((sets["points"] <= -tie).sum()),
        "difference": sets["points"].median(),
        "low": interval.low,
        "high": interval.high,
        "over": interval.over,
        "outcome": outcome(claim.expects, interval, margin) if len(sets) else "",
    }


def _differences(claim: Claim, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the first side minus the second, by data set, features and metric.

    Errors and roundings are those of the differences; `first` and `second` are the measured cells.
    """
    chosen = numbers["metric"].isin(claim.metrics) & ~numbers["dataset"].isin(claim.excluded)
    if claim.datasets:
        chosen &= numbers["dataset"].isin(claim.datasets)
    numbers = numbers[chosen]
    is_first = _are_of(numbers, claim.first)
    is_second = ~is_first
    if claim.second.methods != "others":
        is_second = _are_of(numbers, claim.second)
    first, second = _side(numbers[is_first]), _side(numbers[is_second])
    sides = first.add_suffix("_first").join(second.add_suffix("_second"), how="inner")
    return pd.DataFrame(
        {
            "points": sides["points_first"] - sides["points_second"],
            "error": (sides["error_first"].pow(2) + sides["error_second"].pow(2)).pow(0.5),
            "rounding": sides["rounding_first"] + sides["rounding_second"],
            "first": sides["cell_first"],
            "second": sides["cell_second"],
        }
    )


def _are_of(numbers: pd.DataFrame, side: Side) -> pd.Series:
    """Return the mask of the numbers of the methods that a side names."""
    selectors = () if side.methods == "others" else side.methods
    pairs = zip(numbers["key"], numbers["metric"], strict=True)
    chosen = [any(selector.matches(*pair) for selector in selectors) for pair in pairs]
    return pd.Series(chosen, numbers.index, dtype=bool)


def _side(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the number of a side for each data set and metric: that of its chosen method.

    The validation values decide where all methods have one, and else the numbers themselves.
    """
    groups = numbers.groupby(_PAIR, sort=False)
    all_known = groups["validation"].transform("count") == groups["validation"].transform("size")
    merit = numbers["validation"].where(all_known, numbers["points"])
    rows = merit.groupby([numbers[name] for name in _PAIR], sort=False).idxmax()
    return numbers.loc[rows].set_index(_PAIR)[_OF_SIDE]


def _interval(sets: pd.DataFrame, pairs: pd.DataFrame, draws: RowDraws) -> Interval:
    """Return the interval of the median difference over some data sets.

    With enough sets it is the interval over them. With fewer it speaks of these sets alone: of
    other test rows, or other draws of the data, for measured numbers; of what was rounded off for
    printed ones.
    """
    exact = over_sets(sets["points"].to_numpy())
    if exact.over or sets.empty:
        return exact
    rounding = sets["rounding"].max()
    if rounding > 0.0:
        median = sets["points"].median()
        return Interval(median - rounding, median + rounding, "digits")
    drawn = [_drawn(part, draws) for _, part in pairs.groupby(level=_SET, sort=False)]
    low, high = quantile_interval(np.median(drawn, axis=0))
    if math.isnan(low):
        return Interval()
    return Interval(low, high, "draws" if (pairs["error"] > 0.0).any() else "rows")


def _drawn(pairs: pd.DataFrame, draws: RowDraws) -> np.ndarray:
    """Return the difference of one data set on the test rows of each draw, shape (DRAWS,).

    Means over draws of the data, which have no test rows in common, vary by their errors. NaN where
    a metric has neither.
    """
    columns = []
    for pair in pairs.itertuples():
        if pair.first in draws and pair.second in draws:
            columns.append(draws[pair.first] - draws[pair.second])
        elif pair.error > 0.0:
            rng = np.random.default_rng(seed_of("error", *pair.Index))
            columns.append(pair.points + pair.error * rng.standard_normal(DRAWS))
        else:
            return np.full(DRAWS, math.nan)
    return np.mean(columns, axis=0)
