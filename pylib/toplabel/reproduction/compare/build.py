"""Put every measured number beside the printed ones: the rows of ``results/cells.csv``.

The test metrics of all splits are reduced to a row for each metric before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.cells import (
    CELL,
    COLUMNS,
    MEASURED,
    PLACE,
    PUBLISHED,
    VARIANT,
    are_among,
    keys_of,
    with_columns,
)
from toplabel.reproduction.compare.intervals import RowDraws, quantile_interval
from toplabel.reproduction.compare.published import load_published
from toplabel.reproduction.compare.verdicts import (
    NOT_REPRODUCED,
    further_draw,
    is_inside,
    spread_of,
    tells_nothing,
    tolerance_of,
    verdict,
)
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.datasets import Registry
from toplabel.reproduction.config.keys import table_name
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.notes import Notes

_MEASUREMENT = ["dataset", "method", "metric"]
_MEETING = ["source", "dataset", "features", "key", "metric"]
"""The columns by which a measured number meets a printed one."""
_OWN_METRIC = "own_metric"
"""The column of the metric by which a number was measured that takes the place of another one."""
_COMPARISON = {"difference": float, "verdict": str, "in_rows": str, "in_seeds": str}
_PRINTED = [*PLACE, "printed", "printed_std"]


def build(
    catalogue: Catalogue,
    evaluations: pd.DataFrame,
    draws: RowDraws | None = None,
    not_compared: Mapping[str, str] | None = None,
    kept: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the long frame of a run (`compare.cells.COLUMNS`).

    First come the printed numbers, in the order of data/published; then the measured ones, as the
    protocol states, in the same order, and those that no paper prints in the order of the studies;
    then the numbers under other readings and of variants; then the `kept` ones.

    `evaluations` are the joined rows of results/<set>/<method>/evaluation.csv, `draws` the numbers on
    drawn test rows. `not_compared` says why results of data sets stand beside no printed number. Two
    results of the same printed number are a ValueError.
    """
    published = with_columns(load_published(catalogue.published).assign(run=PUBLISHED))
    published = published.assign(key=keys_of(published))
    measured = with_columns(_reduced(evaluations, catalogue, draws or {}).assign(run=MEASURED))
    measured = _with_seeds(measured, catalogue.registry.seeds_of)
    why = not_compared or {}
    names = measured["config_dataset"]
    measured["note"] = [f"not compared: {why[name]}" if name in why else "" for name in names]
    comparable = _comparable(measured, [*published["source"].unique()], catalogue.registry)
    stated = _at_printed_places(published, comparable)
    parts = [
        published.assign(note=_gaps(published, stated, comparable, measured, catalogue.registry)),
        _judged(stated, catalogue.registry),
        measured[~are_among(measured, stated, CELL)],
        _judged(_under_readings(stated, measured, catalogue.notes), catalogue.registry),
        _judged(_variants(stated, measured), catalogue.registry),
    ]
    if kept is not None:
        parts.append(kept)
    cells = pd.concat([part[[*COLUMNS]] for part in parts], ignore_index=True)
    return cells.assign(**_names_of_notes(cells, catalogue.notes))


def _reduced(evaluations: pd.DataFrame, catalogue: Catalogue, draws: RowDraws) -> pd.DataFrame:
    """Return the splits of every data set, method and metric reduced to one row.

    The columns are those of `compare.cells.COLUMNS` that need no printed number: mean
    (`value`) and standard deviation (n - 1) over the splits; of C, theta, threshold and the selected k
    the lower median, which is a value that was used; the worst relative gap and gradient norm; epochs
    and seconds summed; the status "converged" only when every split is.
    """
    if evaluations.empty:
        return pd.DataFrame()
    unmeasured = evaluations[~np.isfinite(evaluations["value"])]
    if len(unmeasured):
        row = unmeasured.iloc[0]
        cell = f"{row['dataset']}/{row['method']}, split '{row['split']}'"
        raise ValueError(f"results of {cell}: {row['metric']} is no number")
    rows = evaluations.groupby(_MEASUREMENT, sort=False).agg(
        value=("value", lambda values: values.mean()),
        std=("value", lambda values: values.std(ddof=1)),
        splits=("value", "size"),
        budget=("budget", lambda names: ";".join(names.unique())),
        C=("C", _lower_median),
        theta=("theta", _lower_median),
        threshold=("threshold", _lower_median),
        selected_k=("selected_k", _lower_median),
        relative_gap=("relative_gap", "max"),
        gradient_norm=("gradient_norm", "max"),
        epochs=("epochs", "sum"),
        seconds=("seconds", lambda seconds: seconds.sum()),
        status=("status", _status),
    )
    intervals = [quantile_interval(draws.get(name, np.array([math.nan]))) for name in rows.index]
    rows["rows_low"] = [low for low, _ in intervals]
    rows["rows_high"] = [high for _, high in intervals]
    return _in_order(_named(rows.reset_index(), catalogue), catalogue)


def _named(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return rows with the keys and labels of their methods, and the features of their data sets."""
    methods = [catalogue.methods[name] for name in rows["method"]]
    features = [catalogue.registry[name].features for name in rows["dataset"]]
    selects_C = [method.selects_C for method in methods]
    return rows.assign(
        features=features,
        method=[method.key.method for method in methods],
        **{name: [getattr(method.key, name) for method in methods] for name in ("k", "gamma")},
        kernel=[_kernel(*pair) for pair in zip(methods, features, strict=True)],
        config_dataset=rows["dataset"],
        config_method=rows["method"],
        label=[method.label for method in methods],
        variant_of=[method.variant_of for method in methods],
        C=rows["C"].where(selects_C),
    )


def _kernel(method: Method, features: str) -> str:
    """Return the kernel of a key; a linear method on vectors made of kernels has these kernels."""
    of_kernels = features.endswith("_kernels") and method.key.kernel == "linear"
    return "precomputed" if of_kernels else method.key.kernel


def _in_order(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return rows with their studies, in the order of these; rows of no study come last."""
    studies: dict[tuple[str, str], list[str]] = {}
    for study in catalogue.studies.values():
        for pair in study.pairs:
            studies.setdefault(pair, []).append(study.name)
    ranks = {pair: rank for rank, pair in enumerate(studies)}
    pairs = [*zip(rows["config_dataset"], rows["config_method"], strict=True)]
    rows = rows.assign(
        study=[";".join(studies.get(pair, ())) for pair in pairs],
        rank=[ranks.get(pair, len(ranks)) for pair in pairs],
    )
    order = ["rank", "config_dataset", "config_method"]
    return rows.sort_values(order, kind="stable", ignore_index=True).drop(columns="rank")


def _lower_median(values: pd.Series) -> float:
    known = np.sort(values.dropna().to_numpy(dtype=float))
    return float(known[(len(known) - 1) // 2]) if len(known) else math.nan


def _status(values: pd.Series) -> str:
    others = {*values} - {"converged"}
    return ";".join(sorted(others)) or "converged"


def _with_seeds(measured: pd.DataFrame, seeds_of: Mapping[str, str]) -> pd.DataFrame:
    """Add what other draws of the folds gave, measured on a data set of their own."""
    keys = ["config_dataset", "config_method", "metric", "budget"]
    again = measured[measured["config_dataset"].isin([*seeds_of])]
    again = again.assign(config_dataset=again["config_dataset"].map(seeds_of))
    names = {"splits": "seeds", "value": "seeds_mean", "std": "seeds_std"}
    again = again[[*keys, *names]].rename(columns=names)
    return measured.drop(columns=[*names.values()]).merge(again, on=keys, how="left")


def _comparable(measured: pd.DataFrame, sources: list[str], registry: Registry) -> pd.DataFrame:
    """Return the measured numbers once for each paper whose numbers they may stand beside.

    `source` and `dataset` are the paper's names; `key` is the canonical key.
    """
    may = measured[measured["note"] == ""]
    may = may.assign(dataset=may["config_dataset"].map(registry.published_key), key=keys_of(may))
    parts = []
    for source in sources:
        is_in = [registry.is_compared(name, source) for name in may["config_dataset"]]
        parts.append(may.loc[is_in].assign(source=source))
    comparable = pd.concat(parts)
    twice = comparable[comparable.duplicated(_MEETING, keep=False)]
    if len(twice):
        same = twice.sort_values([*_MEETING[:3], "metric", "key"])
        first, second = (same["config_dataset"] + "/" + same["config_method"]).iloc[:2]
        raise ValueError(f"{first} and {second} are results for the same published cells")
    return comparable


def _at_printed_places(published: pd.DataFrame, comparable: pd.DataFrame) -> pd.DataFrame:
    """Return the measured numbers at each place that prints them, with the printed deviation."""
    places = published.rename(columns={"std": "printed_std"})[[*_PRINTED, "key"]]
    others = [name for name in (*PLACE, "printed") if name not in _MEETING]
    return places.merge(comparable.drop(columns=others), on=_MEETING)


def _gaps(
    published: pd.DataFrame,
    stated: pd.DataFrame,
    comparable: pd.DataFrame,
    measured: pd.DataFrame,
    registry: Registry,
) -> pd.Series:
    """Return the note of each printed number: why it has no measured one, as far as results say it."""
    other_features = {}
    for row in comparable.itertuples(index=False):
        words = f"the features {row.features}" if row.features else "the set's own vectors"
        place = (row.source, row.dataset, row.key, row.metric)
        other_features[place] = f"measured with {words}"
    barred = {
        (registry.published_key(row.config_dataset), row.features): row.note
        for row in measured[measured["note"] != ""].itertuples(index=False)
    }
    notes = []
    for row in published.itertuples(index=False):
        place = (row.source, row.dataset, row.key, row.metric)
        note = other_features.get(place) or barred.get((row.dataset, row.features), "")
        notes.append(note)
    is_stated = are_among(published, stated, PLACE)
    return pd.Series(notes, published.index, dtype=str).mask(is_stated, "")


def _under_readings(stated: pd.DataFrame, measured: pd.DataFrame, notes: Notes) -> pd.DataFrame:
    """Return the numbers under other readings, beside the printed ones of the stated numbers.

    Of several readings of a cell that were measured the first counts.
    """
    cells = [*stated[["source", "table", *CELL]].itertuples(index=False, name=None)]
    targets = []
    for reading in notes.readings.values():
        for order, (source, table, *cell) in enumerate(cells):
            target = reading.place(*cell) if table_name(source, table) in reading.tables else None
            if target is not None:
                targets.append((order, reading.name, *target))
    columns = ["order", "reading", "config_dataset", "config_method", _OWN_METRIC]
    frame = pd.DataFrame(targets, columns=columns).astype({"order": int})
    places = frame.join(stated.reset_index(drop=True)[_PRINTED], on="order")
    numbers = _in_place_of(places, measured.drop(columns="reading"), "config_method")
    return numbers.sort_values("order", kind="stable").drop_duplicates("order")


def _variants(stated: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of variants of methods, beside the printed ones of the methods."""
    places = stated[[*_PRINTED, "config_dataset"]].assign(
        variant_of=stated["config_method"], **{_OWN_METRIC: stated["metric"]}
    )
    return _in_place_of(places, measured, "variant_of").assign(reading=VARIANT)


def _in_place_of(places: pd.DataFrame, measured: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return measured numbers at places, by data set, the method in this column, and own metric."""
    numbers = measured.assign(**{_OWN_METRIC: measured["metric"]}).drop(columns=[*PLACE, "printed"])
    return places.merge(numbers, on=["config_dataset", method, _OWN_METRIC])


def _judged(numbers: pd.DataFrame, registry: Registry) -> pd.DataFrame:
    """Return numbers with their comparison with the printed ones."""
    rows = [
        _comparison(row, registry[row["config_dataset"]].empty_hamming_loss)
        for row in numbers.to_dict("records")
    ]
    compared = pd.DataFrame(rows, numbers.index, [*_COMPARISON]).astype(_COMPARISON)
    return numbers.drop(columns=[*_COMPARISON]).join(compared)


def _comparison(row: Mapping[str, Any], empty_loss: float) -> tuple[float, str, str, str]:
    """Return the difference from the printed number, the verdict, and whether the printed number
    lies in the intervals over test rows and of a further draw.

    The draws of a stated reading do not widen the tolerance of another one. There is no verdict
    where a prediction without any label, of `empty_loss`, matches the printed number, too.
    """
    metric, printed = row["metric"], row["printed"]
    difference = float(row["value"]) - float(printed)
    is_stated = row["reading"] in ("", VARIANT)
    spread = spread_of(row["std"], row["splits"], row["printed_std"]) if is_stated else 0.0
    tolerance = tolerance_of(metric, printed, empty_loss)
    word = verdict(metric, difference, tolerance, spread)
    mean, reach = row["seeds_mean"], further_draw(row["seeds_std"], row["seeds"])
    return (
        difference,
        "" if tells_nothing(metric, printed, empty_loss) else word,
        is_inside(printed, row["rows_low"], row["rows_high"]),
        is_inside(printed, mean - reach, mean + reach),
    )


def _names_of_notes(cells: pd.DataFrame, notes: Notes) -> dict[str, list[str]]:
    """Return the columns `reason` and `choice`, the names of the notes on printed numbers."""
    reasons, choices = [], []
    for row in cells.to_dict("records"):
        differs = row["verdict"] in NOT_REPRODUCED and not row["reading"]
        known = notes.reason_of(row) if differs else None
        reasons.append(known[0].name if known else "")
        named = (choice.name for choice in notes.choices.values() if choice.names(row))
        choices.append(next(named, "") if row["source"] else "")
    return {"reason": reasons, "choice": choices}


# ---- what was selected ---------------------------------------------------------------------------


def selected_values(
    evaluations: pd.DataFrame, catalogue: Catalogue
) -> dict[tuple[str, str, str], str]:
    """Return the selected parameters, in words, by data set, method and metric.

    It is C, of several splits the lower median, or the parameters of an estimator, each with its
    number of splits where they differ.
    """
    words = {}
    for name, rows in evaluations.groupby(_MEASUREMENT, sort=False):
        method = catalogue.methods[name[1]]
        if method.estimator and method.grid:
            words[name] = _candidates(rows["candidate"], method)
        elif method.selects_C and rows["C"].notna().any():
            words[name] = f"C = {_lower_median(rows['C']):.3g}"
    return words


def _candidates(indices: pd.Series, method: Method) -> str:
    """Return the candidates of an estimator that were selected, by their indices."""
    texts = [
        ", ".join(f"{name} {value}" for name, value in method.candidates[int(index)].items())
        for index in indices
    ]
    counts = Counter(texts).most_common()
    return "; ".join(f"{text} ({count})" if len(counts) > 1 else text for text, count in counts)
