"""The claims of the papers (config/notes.yaml), tested on their tables and on ours.

A claim compares two sides, the best method of each. A comparison is one data set (and features) and
one metric. How they are counted and judged is the same in the published tables and in what was
measured (`compare.outcomes`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.compare.bootstrap import DRAWS, LEVEL, RowDraws, interval
from toplabel.reproduction.compare.cells import PUBLISHED
from toplabel.reproduction.compare.outcomes import (
    ahead,
    final,
    holm,
    outcome,
    p_value,
    qualified,
    signs,
    within,
)
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.compare.views import CELL, measurements
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.keys import key_of
from toplabel.reproduction.config.notes import Claim, Selector
from toplabel.reproduction.config.studies import table_name
from toplabel.reproduction.seeds import seed_of

_UNIT = ["dataset", "features", "metric"]
_CELL = [*_UNIT, "key"]
_POINTS_OF_ONE = 100.0

_SIDE = {
    **dict.fromkeys(("comparisons", "first", "second", "within"), int),
    "median": float,
    "outcome": str,
}
_OURS = {
    **_SIDE,
    **dict.fromkeys(("median_low", "median_high", "p", "adjusted"), float),
    **dict.fromkeys(("rows_low", "rows_high"), float),
    "datasets": str,
}
COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("claim", "source", "place", "says", "expects"), str),
    **{"least": float, "margin": float, "ties_win": str, "first": str, "second": str},
    **{f"{side}_{name}": kind for side in ("published", "shared") for name, kind in _SIDE.items()},
    **{f"{side}_{name}": kind for side in ("same", "other") for name, kind in _OURS.items()},
    **{"both": int, "agree": int},
}
"""The columns of results/claims.csv: a row per claim, with the words of its note.

`published_*` count the papers' tables, `shared_*` those of their numbers that were measured, too,
`same_*` what was measured of these, and `other_*` what was measured on other data: comparisons,
those that each side wins, those that differ by no more than the margin, the median difference in
points, and the outcome. Of ours also: the exact 95 % interval of the median over comparisons; the
p-value of the sign test over comparisons, and the same corrected for the number of claims; the 95 %
interval of the median over test rows; and the data sets. `both` counts comparisons that are decided
in the papers' tables and in ours, `agree` those of them that go the same way.
"""


def judge(cells: pd.DataFrame, catalogue: Catalogue, draws: RowDraws | None = None) -> pd.DataFrame:
    """Count how each claim fares in the papers' tables and in what was measured.

    `cells` is the frame of a run (`compare.cells`); `draws` on test rows give the intervals of our
    medians. Results that stand beside no published number, by their note, count as other data.
    Other draws of a data set and variants of a method do not count.
    """
    ours = measurements(cells)
    again = ours["config_dataset"].isin(catalogue.other_draws) | (ours["variant_of"] != "")
    ours = ours[~again]
    printed, measured = _printed(cells), _measured(ours, catalogue)
    rows = []
    for claim in catalogue.notes.claims.values():
        sets = {
            name
            for name in ours["config_dataset"].unique()
            if catalogue.registry.is_compared(name, claim.source)
        }
        mine = measured[ours["config_dataset"].isin(sets)]
        rows.append(_judged(claim, printed, mine, draws or {}))
    for side in ("same", "other"):
        adjusted = holm([row[f"{side}_p"] for row in rows])
        for row, value in zip(rows, adjusted, strict=True):
            row[f"{side}_adjusted"] = float(value)
            row[f"{side}_outcome"] = final(row, side)
    return pd.DataFrame(rows, columns=[*COLUMNS])


def _printed(cells: pd.DataFrame) -> pd.DataFrame:
    frame = cells[(cells["run"] == PUBLISHED) & (cells["method"] != OTHERS)]
    return _in_points(frame.assign(error=0.0, cell="", own=False))


def _measured(frame: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return measured numbers; data sets whose numbers may be compared have the papers' names."""
    own = frame["note"] != ""
    name = frame["config_dataset"]
    error = (frame["std"] / frame["splits"].pow(0.5)).where(frame["splits"] > 1, 0.0)
    cell = pd.Series([*frame[CELL].itertuples(index=False, name=None)], frame.index, dtype=object)
    dataset = name.where(own, name.map(catalogue.registry.published_key))
    return _in_points(frame.assign(dataset=dataset, error=error.fillna(0.0), cell=cell, own=own))


def _in_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Return names and keys of numbers, and the numbers in points, larger being better."""
    scale = frame["metric"].map(lambda metric: _POINTS_OF_ONE if is_fraction(metric) else 1.0)
    sign = frame["metric"].map(lambda metric: -1.0 if lower_is_better(metric) else 1.0)
    keys = [key_of(row) for row in frame.to_dict("records")]
    return frame[["source", "table", *_UNIT, "cell", "own"]].assign(
        key=pd.Series(keys, frame.index, dtype=object),
        points=(frame["value"] * sign * scale).astype(float),
        error=(frame["error"] * scale).astype(float),
    )


def _judged(
    claim: Claim, printed: pd.DataFrame, ours: pd.DataFrame, draws: RowDraws
) -> dict[str, Any]:
    names = [table_name(*pair) for pair in zip(printed["source"], printed["table"], strict=True)]
    tables = printed[pd.Series(names, printed.index, dtype=str).isin(claim.tables)]
    if claim.second.methods == "others":  # the rivals in print, and no method of our own
        ours = ours[ours["key"].isin({*tables["key"]})]
    in_print = _differences(claim, tables)
    sets = pd.MultiIndex.from_frame(tables[_UNIT[:2]])
    is_other = ours["own"].astype(bool) | ~pd.MultiIndex.from_frame(ours[_UNIT[:2]]).isin(sets)
    here = ours[~is_other]
    shared = _differences(claim, tables[_are_among(tables, here)])
    same = _differences(claim, here[_are_among(here, tables)])
    other = _differences(claim, ours[is_other])
    decided = pd.concat([signs(shared), signs(same)], axis=1, join="inner")
    decided = decided[(decided != 0).all(axis=1)]
    return {
        "claim": claim.name,
        **{key: getattr(claim, key) for key in ("source", "place", "says", "expects")},
        "least": claim.least,
        "margin": claim.margin if claim.expects == "similar" else math.nan,
        "ties_win": str(claim.ties_win).lower(),
        "first": claim.first.label,
        "second": claim.second.label,
        **_named("published", _counted(claim, in_print)),
        **_named("shared", _counted(claim, shared)),
        **_named("same", _ours(claim, same, shared, draws)),
        **_named("other", _ours(claim, other, in_print, draws)),
        "both": len(decided),
        "agree": int((decided.iloc[:, 0] == decided.iloc[:, 1]).sum()),
    }


def _are_among(numbers: pd.DataFrame, others: pd.DataFrame) -> pd.Series:
    """Return which numbers are of the same cells of the papers' tables as some of the others."""
    known = {*others[_CELL].itertuples(index=False, name=None)}
    found = [cell in known for cell in numbers[_CELL].itertuples(index=False, name=None)]
    return pd.Series(found, numbers.index, dtype=bool)


def _named(side: str, found: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{side}_{name}": value for name, value in found.items()}


def _counted(claim: Claim, differences: pd.DataFrame) -> dict[str, Any]:
    """Return the counts of some comparisons."""
    return {
        "comparisons": len(differences),
        "first": ahead(differences, 1),
        "second": ahead(differences, -1),
        "within": within(claim, differences),
        "median": differences["points"].median(),
        "outcome": outcome(claim, differences),
    }


def _ours(
    claim: Claim, differences: pd.DataFrame, in_print: pd.DataFrame, draws: RowDraws
) -> dict[str, Any]:
    """Return the counts of measured comparisons, their tests, and what the test rows say."""
    from scipy.stats import quantile_test

    ends = (math.nan, math.nan)
    if len(differences):
        ends = quantile_test(differences["points"].to_numpy()).confidence_interval(LEVEL)
    rows = interval(_medians(differences, draws))
    return _counted(claim, differences) | {
        "outcome": qualified(claim, differences, in_print, rows),
        "median_low": ends[0],
        "median_high": ends[1],
        "p": p_value(claim, differences),
        "rows_low": rows[0],
        "rows_high": rows[1],
        "datasets": ";".join(differences.index.unique("dataset")),
    }


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


def _differences(claim: Claim, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the first side minus the second, its error in points and the cells, by `_UNIT`."""
    chosen = numbers["metric"].isin(claim.metrics) & ~numbers["dataset"].isin(claim.excluded)
    if claim.datasets:
        chosen &= numbers["dataset"].isin(claim.datasets)
    numbers = numbers[chosen]
    first = _are_of(numbers, claim.first.methods)
    second = ~first if claim.second.methods == "others" else _are_of(numbers, claim.second.methods)
    best, other = _best(numbers[first]), _best(numbers[second])
    found = pd.DataFrame(
        {
            "points": best["points"] - other["points"],
            "error": (best["error"].pow(2) + other["error"].pow(2)).pow(0.5),
            "first": best["cell"],
            "second": other["cell"],
            "own": best["own"],
        }
    )
    return found.dropna(subset="points")


def _are_of(numbers: pd.DataFrame, methods: Iterable[Selector]) -> pd.Series:
    """Return which numbers are of one of some methods."""
    pairs = zip(numbers["key"], numbers["metric"], strict=True)
    chosen = [any(one.matches(*pair) for one in methods) for pair in pairs]
    return pd.Series(chosen, numbers.index, dtype=bool)


def _best(numbers: pd.DataFrame) -> pd.DataFrame:
    rows = numbers.groupby(_UNIT, sort=False)["points"].idxmax()
    return numbers.loc[rows].set_index(_UNIT)[["points", "error", "cell", "own"]]
