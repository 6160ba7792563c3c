"""Measured numbers beside published ones: results/comparison.csv."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.compare.collection import ROWS
from toplabel.reproduction.config.datasets import NONE_REGISTERED, Registry
from toplabel.reproduction.config.keys import Key, key_of
from toplabel.reproduction.tables.collected import COMPARISON

TOLERANCE = 0.5
"""Of percentages, in points."""
TOLERANCE_LOSS = 0.005
"""Of the rank and the Hamming loss."""

DEVIATIONS = 2.0
"""Standard deviations over our draws that count as the spread of a number that is one draw."""

_SLACK = 1e-9  # relative; 57.7 - 58.2 is half a point, although not in binary
_TRACE = ["budget", "C", "theta", "threshold", "relative_gap", "seconds", "selected_k", "splits"]
_SEEDS = ["seeds", "seeds_mean", "seeds_std"]
_NUMBERS = ["measured", "difference", "measured_std", *_TRACE[1:], *ROWS, *_SEEDS]
_CELL = ["source", "dataset", "features", "metric"]


def compare(
    collected: pd.DataFrame,
    published: pd.DataFrame,
    registry: Registry = NONE_REGISTERED,
    not_comparable: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Put the measured number beside every published one: `COMPARISON`.

    A published cell is measured when there is a result (of `collect`) for the same data set,
    features, metric and canonical key (`keys.canonical_key`) of the method. The registry says what
    a data set is called in the papers, which of them use it as it is here, and of which set it
    draws the folds again. `not_comparable` are data sets whose results are not put beside published
    ones, and why.

    There is one row per cell of `published`, in its order; ``published`` and ``std`` as printed,
    ``difference`` is measured minus published with all digits. Without a measurement the numbers
    are NaN and the verdict is empty; ``reason`` then says why when it is known here. Two results
    for the same published cell are a ValueError.
    """
    why = not_comparable or {}
    comparable = ~collected["dataset"].isin(list(why))
    sources = published["source"].unique()
    results, other_features = _index(collected[comparable], registry, sources)
    kept_out = {
        (registry.published_key(row.dataset), row.features): f"not compared: {why[row.dataset]}"
        for row in collected[~comparable].itertuples(index=False)
    }
    redrawn = _redrawn(collected, registry.seeds_of)
    rows = []
    for cell in published.to_dict("records"):
        source, dataset, features, metric = (cell[name] for name in _CELL)
        key = key_of(cell)
        row = dict.fromkeys(COMPARISON.names, "") | dict.fromkeys(_NUMBERS, math.nan) | cell
        result = results.get((source, dataset, features, key, metric))
        if result is None:
            elsewhere = other_features.get((source, dataset, key, metric))
            kept = kept_out.get((dataset, features), "")
            row["reason"] = f"measured with {elsewhere}" if elsewhere else kept
        elif not math.isfinite(result["measured"]):
            row["reason"] = "the measurement is no number"
        else:
            row |= _measured(result, cell) | redrawn.get(_of_budget(result), {})
            mean, reach = row["seeds_mean"], further_draw(row["seeds_std"], row["seeds"])
            row["in_seeds"] = _inside(cell["published"], mean - reach, mean + reach)
        rows.append(row)
    return COMPARISON.frame(rows)


def _index(collected: pd.DataFrame, registry: Registry, sources: Iterable[str]):
    """Return results by published cell; and, without the features, which features were measured."""
    results: dict[tuple[str, str, str, Key, str], dict[str, Any]] = {}
    other_features: dict[tuple[str, str, Key, str], str] = {}
    for row, source in itertools.product(collected.to_dict("records"), sources):
        if not registry.is_compared(row["dataset"], source):
            continue
        dataset = registry.published_key(row["dataset"])
        key = key_of(row, "loss")
        cell = (source, dataset, row["features"], key, row["metric"])
        if cell in results:
            both = f"{results[cell]['file']} and {row['file']}"
            raise ValueError(f"{both} are results for the same published cells")
        results[cell] = row
        words = f"the features {row['features']}" if row["features"] else "the set's own vectors"
        other_features[source, dataset, key, row["metric"]] = words
    return results, other_features


def _measured(result: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, Any]:
    std, printed_std = float(result["std"]), float(cell["std"] or math.nan)
    difference = float(result["measured"]) - cell["value"]
    spread = spread_of(std, int(result["splits"]), printed_std)
    return {name: result[name] for name in ("measured", "file", *_TRACE, *ROWS)} | {
        "difference": difference,
        "verdict": verdict(cell["metric"], difference, spread),
        "measured_std": std,
        "in_rows": _inside(cell["published"], *(result[name] for name in ROWS)),
    }


def _of_budget(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(result[name]) for name in ("dataset", "method", "metric", "budget"))


def _redrawn(
    collected: pd.DataFrame, seeds_of: Mapping[str, str]
) -> dict[tuple[str, ...], dict[str, float]]:
    """Return number, mean and deviation of draws of the folds, by the cell that they are of."""
    results = collected[collected["dataset"].isin([*seeds_of])].to_dict("records")
    return {
        _of_budget(row | {"dataset": seeds_of[row["dataset"]]}): dict(
            zip(_SEEDS, (row["splits"], row["measured"], row["std"]), strict=True)
        )
        for row in results
    }


def further_draw(std: float, draws: float) -> float:
    """Return how far from the mean of normal draws one more lies at most in 95 % of cases.

    Student's prediction interval, by the standard deviation (n - 1) over at least two draws; NaN
    gives NaN.
    """
    from scipy.special import stdtrit  # planning a run imports this module; keep that fast

    return float(stdtrit(draws - 1, 0.975)) * std * math.sqrt(1.0 + 1.0 / draws)


def _inside(published: str, low: float, high: float) -> str:
    """Return whether a printed number, as rounded, may lie in an interval; "" without one."""
    if math.isnan(low):
        return ""
    rounding = 0.5 * 10.0 ** -len(published.partition(".")[2]) * (1.0 + _SLACK)
    return str(low - rounding <= float(published) <= high + rounding).lower()


def spread_of(std: float, splits: int, published_std: float = math.nan) -> float:
    """Return how far apart two measurements of the same may lie by the draw of the data alone.

    `std` is over our splits, `published_std` what the paper prints, if it does: then its number is
    a mean, taken to be over as many draws. The result is two standard deviations where the
    published number is one draw, two standard errors of the difference where it is a mean; 0 with
    one split.
    """
    if splits < 2 or not math.isfinite(std):
        return 0.0
    if math.isnan(published_std):
        return DEVIATIONS * std
    return DEVIATIONS * math.hypot(std, published_std) / math.sqrt(splits)


def verdict(metric: str, difference: float, spread: float = 0.0) -> str:
    """Judge a difference, measured minus published (docs/architecture.md, "Verdicts").

    "match" up to the tolerance, whatever the spread; "spread" beyond it within the spread of our
    draws (`spread_of`); "close" up to three times the tolerance; farther away "off" to the bad
    side, and to the good one "higher" than printed, or "lower" for a loss. Empty when it is NaN.
    """
    if math.isnan(difference):
        return ""
    tolerance = TOLERANCE_LOSS if is_fraction(metric) else TOLERANCE
    distance = abs(difference) / (1.0 + _SLACK)
    if distance <= tolerance:
        return "match"
    if distance <= spread:
        return "spread"
    if distance <= 3.0 * tolerance:
        return "close"
    if (difference < 0) != lower_is_better(metric):
        return "off"
    return "higher" if difference > 0 else "lower"
