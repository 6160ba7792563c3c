"""Put every measured number beside the printed ones: the rows of ``results/cells.csv``.

The test metrics of all splits are reduced to a row for each metric before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
from toplabel.reproduction.config.keys import Key, key_of, table_name
from toplabel.reproduction.config.methods import Method
from toplabel.reproduction.config.notes import Notes

_MEASUREMENT = ["dataset", "method", "metric"]
Row = dict[str, Any]


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
    registry, why = catalogue.registry, not_compared or {}
    published = with_columns(load_published(catalogue.published).assign(run=PUBLISHED))
    measured = with_columns(_reduced(evaluations, catalogue, draws or {}).assign(run=MEASURED))
    measured = _with_seeds(measured, registry.seeds_of)
    names = measured["config_dataset"]
    measured["note"] = [f"not compared: {why[name]}" if name in why else "" for name in names]
    printed, numbers = published.to_dict("records"), measured.to_dict("records")
    comparable = _comparable(numbers, [*published["source"].unique()], registry)
    met = [(row, comparable[_meeting(row)]) for row in printed if _meeting(row) in comparable]
    stated = _frame([_beside(*pair, registry) for pair in met])
    parts = [
        published.assign(note=_gaps(printed, comparable, numbers, registry)),
        stated,
        measured[~are_among(measured, stated, CELL)],
        _frame(_under_readings(met, numbers, catalogue)),
        _frame(_variants(met, numbers, registry)),
    ]
    if kept is not None:
        parts.append(kept)
    cells = pd.concat([part[[*COLUMNS]] for part in parts], ignore_index=True)
    return cells.assign(**_names_of_notes(cells, catalogue.notes))


def _frame(rows: Sequence[Row]) -> pd.DataFrame:
    numbers = [name for name, kind in COLUMNS.items() if kind is not str]
    return pd.DataFrame(rows, columns=[*COLUMNS]).astype(dict.fromkeys(numbers, float))


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
    return _named(rows.reset_index(), catalogue)


def _named(rows: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Return rows with the keys and labels of their methods, the features of their data sets, and
    their studies, in the order of these; rows of no study come last.
    """
    studies: dict[tuple[str, str], list[str]] = {}
    for study in catalogue.studies.values():
        for pair in study.pairs:
            studies.setdefault(pair, []).append(study.name)
    ranks = {pair: rank for rank, pair in enumerate(studies)}
    pairs = [*zip(rows["dataset"], rows["method"], strict=True)]
    methods = [catalogue.methods[name] for name in rows["method"]]
    features = [catalogue.registry[name].features for name in rows["dataset"]]
    selects_C = [method.selects_C for method in methods]
    named = rows.assign(
        features=features,
        method=[method.key.method for method in methods],
        **{name: [getattr(method.key, name) for method in methods] for name in ("k", "gamma")},
        kernel=[_kernel(*pair) for pair in zip(methods, features, strict=True)],
        config_dataset=rows["dataset"],
        config_method=rows["method"],
        label=[method.label for method in methods],
        variant_of=[method.variant_of for method in methods],
        C=rows["C"].where(selects_C),
        study=[";".join(studies.get(pair, ())) for pair in pairs],
        rank=[ranks.get(pair, len(ranks)) for pair in pairs],
    )
    order = ["rank", "config_dataset", "config_method"]
    return named.sort_values(order, kind="stable", ignore_index=True).drop(columns="rank")


def _kernel(method: Method, features: str) -> str:
    """Return the kernel of a key; a linear method on vectors made of kernels has these kernels."""
    of_kernels = features.endswith("_kernels") and method.key.kernel == "linear"
    return "precomputed" if of_kernels else method.key.kernel


def _lower_median(values: pd.Series) -> float:
    return float(values.astype(float).quantile(0.5, interpolation="lower"))


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


class Meeting(NamedTuple):
    """Names that a measured number has in common with the printed one that it meets."""

    source: str
    dataset: str
    features: str
    method: Key
    metric: str


def _meeting(row: Row) -> Meeting:
    return Meeting(row["source"], row["dataset"], row["features"], key_of(row), row["metric"])


def _comparable(
    numbers: Sequence[Row], sources: Sequence[str], registry: Registry
) -> dict[Meeting, Row]:
    """Return the measured numbers by what they meet in each paper that they may stand beside."""
    comparable: dict[Meeting, Row] = {}
    for number in numbers:
        if number["note"]:
            continue
        name = number["config_dataset"]
        for source in sources:
            if not registry.is_compared(name, source):
                continue
            meeting = _meeting(number | {"source": source, "dataset": registry.published_key(name)})
            other = comparable.setdefault(meeting, number)
            if other is not number:
                cells = (
                    f"{row['config_dataset']}/{row['config_method']}" for row in (other, number)
                )
                raise ValueError(f"{' and '.join(cells)} are results for the same published cells")
    return comparable


def _gaps(
    printed: Sequence[Row],
    comparable: Mapping[Meeting, Row],
    numbers: Sequence[Row],
    registry: Registry,
) -> list[str]:
    """Return the note of each printed number: why it has no measured one, as far as results say it."""
    of_any_features = {}
    for meeting in comparable:
        features = meeting.features
        words = f"the features {features}" if features else "the set's own vectors"
        of_any_features[meeting._replace(features="any")] = f"measured with {words}"
    barred = {
        (registry.published_key(number["config_dataset"]), number["features"]): number["note"]
        for number in numbers
        if number["note"]
    }
    notes = []
    for row in printed:
        meeting = _meeting(row)
        if meeting in comparable:
            notes.append("")
            continue
        note = of_any_features.get(meeting._replace(features="any"))
        notes.append(note or barred.get((meeting.dataset, meeting.features), ""))
    return notes


def _under_readings(
    met: Sequence[tuple[Row, Row]], numbers: Sequence[Row], catalogue: Catalogue
) -> list[Row]:
    """Return the numbers under other readings, beside the printed ones of the stated numbers.

    Of several readings of a cell that were measured the first counts.
    """
    by_cell = {tuple(number[name] for name in CELL): number for number in numbers}
    rows = []
    for printed, number in met:
        table = table_name(printed["source"], printed["table"])
        cell = [number[name] for name in CELL]
        for reading in catalogue.notes.readings.values():
            place = reading.place(*cell) if table in reading.tables else None
            if place in by_cell:
                rows.append(_beside(printed, by_cell[place], catalogue.registry, reading.name))
                break
    return rows


def _variants(
    met: Sequence[tuple[Row, Row]], numbers: Sequence[Row], registry: Registry
) -> list[Row]:
    """Return the numbers of variants of methods, beside the printed ones of the methods."""
    variants: dict[tuple, list[Row]] = {}
    for number in numbers:
        cell = number["config_dataset"], number["variant_of"], number["metric"]
        variants.setdefault(cell, []).append(number)
    return [
        _beside(printed, variant, registry, VARIANT)
        for printed, number in met
        for variant in variants.get(tuple(number[name] for name in CELL), ())
    ]


def _beside(printed: Row, number: Row, registry: Registry, reading: str = "") -> Row:
    """Return a measured number beside a printed one: with its place, their difference, the verdict,
    and whether the printed number lies in the intervals over test rows and of a further draw.

    The draws of a stated reading do not widen the tolerance of another one. There is no verdict
    where a prediction without any label matches the printed number, too.
    """
    metric, text = printed["metric"], printed["printed"]
    empty_loss = registry[number["config_dataset"]].empty_hamming_loss
    difference = number["value"] - float(text)
    is_stated = reading in ("", VARIANT)
    spread = spread_of(number["std"], number["splits"], printed["std"]) if is_stated else 0.0
    word = verdict(metric, difference, tolerance_of(metric, text, empty_loss), spread)
    mean, reach = number["seeds_mean"], further_draw(number["seeds_std"], number["seeds"])
    place = {name: printed[name] for name in (*PLACE, "printed")}
    return (
        number
        | place
        | {
            "reading": reading,
            "difference": difference,
            "verdict": "" if tells_nothing(metric, text, empty_loss) else word,
            "in_rows": is_inside(text, number["rows_low"], number["rows_high"]),
            "in_seeds": is_inside(text, mean - reach, mean + reach),
        }
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
