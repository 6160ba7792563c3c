"""Measured numbers beside published ones: results/evaluation.csv and results/comparison.csv."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.config.datasets import NONE_REGISTERED, Registry
from toplabel.reproduction.config.keys import Key, canonical_key
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.studies import Study
from toplabel.reproduction.studies.bootstrap import RowDraws, interval
from toplabel.reproduction.tables.collected import COMPARISON, EVALUATION

TOLERANCE = 0.5
"""Of percentages, in points."""
TOLERANCE_LOSS = 0.005
"""Of the rank and the Hamming loss."""

DEVIATIONS = 2.0
"""How many standard deviations over our draws still count as the spread of a number that is one
draw.
"""

_SLACK = 1e-9  # relative; 57.7 - 58.2 is half a point, although not in binary
_TRACE = ["budget", "C", "theta", "threshold", "relative_gap", "seconds", "selected_k", "splits"]
_ROWS = ["rows_low", "rows_high"]
_SEEDS = ["seeds", "seeds_mean", "seeds_std"]


# Collected ---------------------------------------------------------------------------------------


def collect(
    evaluations: pd.DataFrame,
    methods: Mapping[str, Method],
    studies: Iterable[Study],
    features: Mapping[str, str],
    draws: RowDraws | None = None,
) -> pd.DataFrame:
    """Reduce the splits of every (data set, method, metric) to one row.

    Parameters
    ----------
    evaluations : DataFrame
        The joined results/<set>/<method>/evaluation.csv.
    methods : mapping of str to Method
    studies : iterable of Study
        They give the order of the rows.
    features : mapping of str to str
        The features of each data set, "" for its own vectors.
    draws : mapping, optional
        On drawn test rows, for the intervals.

    Returns
    -------
    DataFrame
        The columns of `EVALUATION`: mean and standard deviation (n - 1) over the splits; C, theta,
        threshold and the selected k of the split, of several the lower median, which is a value
        that was used (no C where a baseline selects something else); the worst relative gap and
        gradient norm; epochs and seconds summed; the status "converged" only when every split is. A
        pair that several studies share names them all, joined by ";".

    Raises
    ------
    ValueError
        On a method or a data set that is not registered, a metric that stands twice for a split, or
        a value that is no finite number.
    """
    studies = list(studies)
    _check_evaluations(evaluations, methods, features)
    rows = [
        _reduced(splits, methods[method], features[dataset], _names(studies, dataset, method))
        for (dataset, method, _), splits in evaluations.groupby(
            ["dataset", "method", "metric"], sort=False
        )
    ]
    frame = EVALUATION.frame([row | _interval(row, draws or {}) for row in rows])
    rank = _ranks(studies)
    order = sorted(
        range(len(frame)), key=lambda i: rank(frame["dataset"].iat[i], frame["method"].iat[i])
    )
    return frame.iloc[order].reset_index(drop=True)


def _check_evaluations(
    evaluations: pd.DataFrame, methods: Mapping[str, Method], features: Mapping[str, str]
) -> None:
    for column, known in (("method", methods), ("dataset", features)):
        for name in evaluations[column].unique():
            if name not in known:
                raise ValueError(f"results of a {column} that is not registered: '{name}'")
    repeated = evaluations.duplicated(["dataset", "method", "split", "metric"])
    unmeasured = ~np.isfinite(evaluations["value"].to_numpy(dtype=float))
    for wrong, complaint in ((repeated.to_numpy(), "stands twice"), (unmeasured, "is no number")):
        if wrong.any():
            row = evaluations.iloc[int(wrong.argmax())]
            place = f"{row['dataset']}/{row['method']}, split '{row['split']}'"
            raise ValueError(f"results of {place}: {row['metric']} {complaint}")


def _names(studies: list[Study], dataset: str, method: str) -> str:
    return ";".join(s.name for s in studies if (dataset, method) in s.pairs)


def _ranks(studies: list[Study]):
    """Give a sort key: pairs in the order of the studies, what is in none of them at the end."""
    place: dict[tuple[str, str], int] = {}
    for study in studies:
        for pair in study.pairs:
            place.setdefault(pair, len(place))

    def rank(dataset: str, method: str) -> tuple[int, str, str]:
        known = (dataset, method) in place
        return place.get((dataset, method), len(place)), *(("", "") if known else (dataset, method))

    return rank


def _reduced(splits: pd.DataFrame, method: Method, features: str, study: str) -> dict[str, Any]:
    first = splits.iloc[0]
    return {
        "study": study,
        "dataset": first["dataset"],
        "features": features,
        "method": method.name,
        "label": method.label,
        "loss": method.family,
        "k": str(method.k) if method.has_k and not method.ks else "",
        "gamma": f"{method.gamma:.12g}" if method.has_gamma else "",
        "kernel": _kernel(method, features),
        "metric": first["metric"],
        "measured": splits["value"].mean(),
        "std": splits["value"].std(ddof=1),
        "splits": len(splits),
        "budget": ";".join(splits["budget"].unique()),
        "C": _lower_median(splits["C"]) if method.selects_C else math.nan,
        "theta": _lower_median(splits["theta"]),
        "threshold": _lower_median(splits["threshold"]),
        "relative_gap": splits["relative_gap"].max(),
        "epochs": int(splits["epochs"].sum()),
        "status": _status(splits["status"]),
        "seconds": splits["seconds"].sum(),
        "file": f"{first['dataset']}/{method.name}/evaluation.csv",
        "gradient_norm": splits["gradient_norm"].max(),
        "selected_k": _lower_median(splits["selected_k"]),
        "variant_of": method.variant_of,
    }


def _interval(row: Mapping[str, Any], draws: RowDraws) -> dict[str, float]:
    """Return where a number of one split would lie on other test rows."""
    found = draws.get((row["dataset"], row["method"], row["metric"]))
    ends = (math.nan, math.nan) if found is None else interval(found)
    return dict(zip(_ROWS, ends, strict=True))


def _kernel(method: Method, features: str) -> str:
    """Return the kernel that a method counts as: on vectors computed from a kernel a linear method
    counts as one of that kernel.
    """
    is_kernel = features.endswith("_kernels") and method.kernel == "linear"
    return "precomputed" if is_kernel else method.kernel


def _lower_median(values: pd.Series) -> float:
    known = np.sort(values.dropna().to_numpy(dtype=float))
    return float(known[(len(known) - 1) // 2]) if len(known) else math.nan


def _status(values: pd.Series) -> str:
    others = [value for value in values.unique() if value != "converged"]
    return ";".join(sorted(others)) or "converged"


# Compared ----------------------------------------------------------------------------------------


def compare(
    collected: pd.DataFrame,
    published: pd.DataFrame,
    registry: Registry = NONE_REGISTERED,
    not_comparable: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Put the measured number beside every published one.

    A published cell is measured when there is a result for the same data set, features, metric and
    canonical key (`keys.canonical_key`) of the method.

    Parameters
    ----------
    collected : DataFrame
        As `collect` gives it.
    published : DataFrame
        As `published.load_published` gives it.
    registry : Registry, optional
        It says what a data set is called in the papers, which of them use it as it is here, and of
        which set it draws the folds again; by default none does.
    not_comparable : mapping of str to str, optional
        Data sets whose results are not put beside published ones, and why.

    Returns
    -------
    DataFrame
        The columns of `COMPARISON`, one row per published cell, in the order of `published`;
        ``published`` and ``std`` as printed, ``difference`` is measured minus published with all
        digits. Without a measurement the numbers are NaN and the verdict is empty; ``reason`` then
        says why when it is known here.

    Raises
    ------
    ValueError
        When two results claim the same published cell.
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
    for cell in published.itertuples(index=False):
        key = canonical_key(cell.method, cell.k, cell.gamma, cell.kernel)
        row = {name: getattr(cell, name, "") for name in COMPARISON.names}
        numbers = ("measured", "difference", "measured_std", *_TRACE[1:], *_ROWS, *_SEEDS)
        row |= dict.fromkeys(numbers, math.nan)
        result = results.get((cell.source, cell.dataset, cell.features, key, cell.metric))
        if result is None:
            elsewhere = other_features.get((cell.source, cell.dataset, key, cell.metric))
            kept = kept_out.get((cell.dataset, cell.features), "")
            row["reason"] = f"measured with {elsewhere}" if elsewhere else kept
        elif not math.isfinite(result["measured"]):
            row["reason"] = "the measurement is no number"
        else:
            row |= _measured(result, cell.metric, cell.value, _number(cell.std))
            row["in_rows"] = _inside(cell.published, *(result[name] for name in _ROWS))
            row |= redrawn.get(_of_budget(result), {})
            row["in_seeds"] = _within_seeds(row)
        rows.append(row)
    return COMPARISON.frame(rows)


def _index(collected: pd.DataFrame, registry: Registry, sources: Iterable[str]):
    """Results by published cell; and, without the features, which features were measured."""
    results: dict[tuple[str, str, str, Key, str], dict[str, Any]] = {}
    other_features: dict[tuple[str, str, Key, str], str] = {}
    for row, source in itertools.product(collected.to_dict("records"), sources):
        if not registry.is_compared(row["dataset"], source):
            continue
        dataset = registry.published_key(row["dataset"])
        key = canonical_key(row["loss"], row["k"], row["gamma"], row["kernel"])
        cell = (source, dataset, row["features"], key, row["metric"])
        if cell in results:
            both = f"{results[cell]['file']} and {row['file']}"
            raise ValueError(f"{both} are results for the same published cells")
        results[cell] = row
        words = f"the features {row['features']}" if row["features"] else "the set's own vectors"
        other_features[source, dataset, key, row["metric"]] = words
    return results, other_features


def _number(text: str) -> float:
    return float(text) if text else math.nan


def _measured(
    result: Mapping[str, Any], metric: str, published: float, published_std: float
) -> dict[str, Any]:
    std = float(result["std"])
    difference = float(result["measured"]) - published
    spread = spread_of(std, int(result["splits"]), published_std)
    return {
        "measured": result["measured"],
        "difference": difference,
        "verdict": verdict(metric, difference, spread),
        "measured_std": std,
        "file": result["file"],
        "reason": "",
    } | {name: result[name] for name in (*_TRACE, *_ROWS)}


def _of_budget(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(result[name]) for name in ("dataset", "method", "metric", "budget"))


def _redrawn(
    collected: pd.DataFrame, seeds_of: Mapping[str, str]
) -> dict[tuple[str, ...], dict[str, float]]:
    """Number, mean and deviation over draws of the folds, by the cell of the set that they are
    of.
    """
    results = collected[collected["dataset"].isin([*seeds_of])].to_dict("records")
    return {
        _of_budget(row | {"dataset": seeds_of[row["dataset"]]}): dict(
            zip(_SEEDS, (row["splits"], row["measured"], row["std"]), strict=True)
        )
        for row in results
    }


def _within_seeds(row: Mapping[str, Any]) -> str:
    """Return, as `_inside`, whether a printed number may lie in the interval of one more draw of
    the folds.
    """
    mean, reach = row["seeds_mean"], further_draw(row["seeds_std"], row["seeds"])
    return _inside(row["published"], mean - reach, mean + reach)


def further_draw(std: float, draws: float) -> float:
    """Return how far from the mean of normal draws one more lies at most in 95 % of cases:
    Student's prediction interval.

    Parameters
    ----------
    std : float
        Standard deviation over the draws (n - 1).
    draws : float
        How many there are, at least two; nan gives nan.
    """
    from scipy.special import stdtrit  # planning a run imports this module; keep that fast

    return float(stdtrit(draws - 1, 0.975)) * std * math.sqrt(1.0 + 1.0 / draws)


def _inside(published: str, low: float, high: float) -> str:
    """Return whether a printed number may lie in an interval: "true" or "false", or "" without an
    interval.

    It stands for all numbers that are printed like it.
    """
    if math.isnan(low):
        return ""
    rounding = 0.5 * 10.0 ** -len(published.partition(".")[2]) * (1.0 + _SLACK)
    return str(low - rounding <= float(published) <= high + rounding).lower()


def spread_of(std: float, splits: int, published_std: float = math.nan) -> float:
    """Return how far apart two measurements of the same may lie by the draw of the data alone.

    Parameters
    ----------
    std : float
        Standard deviation over our splits.
    splits : int
    published_std : float
        The deviation that the paper prints, if it does: then its number is a mean, taken to be over
        as many draws.

    Returns
    -------
    float
        Two standard deviations where the published number is one draw, two standard errors of the
        difference where it is a mean; 0 with one split.
    """
    if splits < 2 or not math.isfinite(std):
        return 0.0
    if math.isnan(published_std):
        return DEVIATIONS * std
    return DEVIATIONS * math.hypot(std, published_std) / math.sqrt(splits)


def verdict(metric: str, difference: float, spread: float = 0.0) -> str:
    """Judge one cell (docs/architecture.md, "Verdicts").

    Parameters
    ----------
    metric : str
    difference : float
        Measured minus published.
    spread : float
        `spread_of` our draws; 0 where there are none.

    Returns
    -------
    str
        "match" up to the tolerance, whatever the spread; "spread" beyond it within the spread of
        the draws; "close" up to three times the tolerance; farther away "off" to the bad side, and
        to the good one "higher" than printed, or "lower" for a loss. Empty when the difference is
        NaN.
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
