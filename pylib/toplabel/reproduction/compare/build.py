"""Put every measured number beside the printed ones: the rows of ``results/cells.csv``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.cells import (
    CELL,
    COLUMNS,
    MEASURED,
    PLACE,
    PUBLISHED,
    VARIANT,
    with_columns,
)
from toplabel.reproduction.compare.intervals import RowDraws
from toplabel.reproduction.compare.measured import reduce_splits
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
from toplabel.reproduction.config.keys import key_of, table_name
from toplabel.reproduction.config.notes import Notes

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
    published = published.assign(key=_keys(published))
    measured = with_columns(reduce_splits(evaluations, catalogue, draws or {}).assign(run=MEASURED))
    measured = _with_seeds(measured, catalogue.registry.seeds_of)
    measured = measured.assign(note=_barred(measured["config_dataset"], not_compared or {}))
    comparable = _comparable(measured, [*published["source"].unique()], catalogue.registry)
    stated = _at_printed_places(published, comparable)
    parts = [
        published.assign(note=_gaps(published, stated, comparable, measured, catalogue.registry)),
        _judged(stated, catalogue.registry),
        measured[~_are_among(measured, stated, CELL)],
        _judged(_under_readings(stated, measured, catalogue.notes), catalogue.registry),
        _judged(_variants(stated, measured), catalogue.registry),
    ]
    if kept is not None:
        parts.append(kept)
    cells = pd.concat([part[[*COLUMNS]] for part in parts], ignore_index=True)
    return cells.assign(**_names_of_notes(cells, catalogue.notes))


def _keys(frame: pd.DataFrame) -> pd.Series:
    """Return the canonical key of each row (`config.keys`)."""
    keys = [key_of(row) for row in frame.to_dict("records")]
    return pd.Series(keys, frame.index, dtype=object)


def _mask(rows: pd.DataFrame, chosen: Sequence[bool]) -> pd.Series:
    return pd.Series(chosen, rows.index, dtype=bool)


def _are_among(rows: pd.DataFrame, others: pd.DataFrame, columns: list[str]) -> pd.Series:
    """Return the mask of the rows whose entries in some columns are those of any other row."""
    known = pd.MultiIndex.from_frame(others[columns])
    return _mask(rows, pd.MultiIndex.from_frame(rows[columns]).isin(known))


def _with_seeds(measured: pd.DataFrame, seeds_of: Mapping[str, str]) -> pd.DataFrame:
    """Add what other draws of the folds gave, measured on a data set of their own."""
    keys = ["config_dataset", "config_method", "metric", "budget"]
    again = measured[measured["config_dataset"].isin([*seeds_of])]
    again = again.assign(config_dataset=again["config_dataset"].map(seeds_of))
    names = {"splits": "seeds", "value": "seeds_mean", "std": "seeds_std"}
    again = again[[*keys, *names]].rename(columns=names)
    return measured.drop(columns=[*names.values()]).merge(again, on=keys, how="left")


def _barred(datasets: pd.Series, not_compared: Mapping[str, str]) -> list[str]:
    """Return the note of each data set: why its results stand beside no printed number, or ""."""
    return [
        f"not compared: {not_compared[name]}" if name in not_compared else "" for name in datasets
    ]


def _comparable(measured: pd.DataFrame, sources: list[str], registry: Registry) -> pd.DataFrame:
    """Return the measured numbers once for each paper whose numbers they may stand beside.

    `source` and `dataset` are the paper's names; `key` is the canonical key.
    """
    may = measured[measured["note"] == ""]
    may = may.assign(dataset=may["config_dataset"].map(registry.published_key), key=_keys(may))
    parts = []
    for source in sources:
        is_in = [registry.is_compared(name, source) for name in may["config_dataset"]]
        parts.append(may[_mask(may, is_in)].assign(source=source))
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
    is_stated = _are_among(published, stated, PLACE)
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
