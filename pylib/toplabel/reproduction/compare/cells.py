"""The one frame of a run: every printed, measured and kept number as a row, ``results/cells.csv``.

A row is a number beside a place in the papers' tables; tables, pages, figures and counts are views
of the frame (`compare.views`). Its columns, in groups:

**The place.** `source` (nips2012, nips2015, cvpr2016 or tpami2017) and `table` (its number) name
the published table, `dataset`, `features`, `method`, `k`, `gamma`, `kernel` and `metric` the cell
in it, as data/published has them. Of a measured number that no paper prints source and table are
empty, `dataset` is the name in config/datasets.yaml, and the method stands under its canonical key
(`config.keys`). A number that is printed in several places has a row for each.

**The number.** `run` says whose it is: "published", "measured" (by this run) or "kept" (by the last
whole run of the project, from reports/summary/cells.csv). `reading` is empty for a number as the
protocol states it. It is the name of a reading of config/notes.yaml where another protocol, which
the papers' numbers suggest, was followed; and "variant" for a variant of the method (`variant_of`).
`value` is the number with all its digits, `std` its deviation over `splits` (n - 1). `printed` is
the printed text, in the rows of measured numbers too.

**The comparison**, of measured and kept numbers that a paper prints. `difference` is measured minus
printed; `verdict` is match, close, spread, higher, lower or off (`compare.verdicts`). `rows_low` and
`rows_high` are the 95 % interval over test rows (`compare.bootstrap`), of every top-k accuracy on one
split; `seeds`, `seeds_mean` and `seeds_std` say what other draws of the folds gave. `in_rows` and
`in_seeds` are "true" where the printed number, as rounded, lies in that interval, or in the 95 %
prediction interval of a further draw; else "false", or "" where it is not known.

**Notes.** `reason` is the name of the reason in config/notes.yaml why a number is not reproduced,
`choice` that of the reading that it follows and in whose choice printed test numbers had a part.
`note` says in words why a printed number has no measured one, or a measured one is compared with
none, where that is known.

**How it was measured.** `config_dataset` and `config_method` are the names in config/datasets.yaml
and methods.yaml, so results/<config_dataset>/<config_method> holds the files of the number.
`label`, `variant_of`, `study` (joined by ";"); `budget`; `C`, `theta`, `threshold` and `selected_k`
as selected, of several splits the lower median; `relative_gap` and `gradient_norm`, the worst;
`epochs` and `seconds`, summed; `status`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.bootstrap import RowDraws
from toplabel.reproduction.compare.measured import reduce_splits
from toplabel.reproduction.compare.published import PLACE, load_published
from toplabel.reproduction.compare.verdicts import (
    NOT_REPRODUCED,
    further_draw,
    is_inside,
    spread_of,
    verdict,
)
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.keys import key_of
from toplabel.reproduction.config.studies import table_name
from toplabel.reproduction.frames import empty_frame, read_frame, write_frame

COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(PLACE, str),
    **dict.fromkeys(("run", "reading"), str),
    **{"value": float, "std": float, "splits": int, "printed": str},
    **{"difference": float, "verdict": str},
    **{"rows_low": float, "rows_high": float, "in_rows": str},
    **{"seeds": int, "seeds_mean": float, "seeds_std": float, "in_seeds": str},
    **dict.fromkeys(("reason", "choice", "note"), str),
    **dict.fromkeys(("config_dataset", "config_method", "label", "variant_of", "study"), str),
    **{"budget": str, "C": float, "theta": float, "threshold": float, "selected_k": int},
    **{"relative_gap": float, "gradient_norm": float, "epochs": int, "seconds": float},
    "status": str,
}
PUBLISHED, MEASURED, KEPT = "published", "measured", "kept"
VARIANT = "variant"
Row = dict[str, Any]


def write_cells(cells: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a frame with the columns `COLUMNS`."""
    write_frame(cells, path, COLUMNS)


def read_cells(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read what `write_cells` wrote: text, "" where empty, and numbers, NaN where empty."""
    return read_frame(path, COLUMNS)


def build(
    catalogue: Catalogue,
    evaluations: pd.DataFrame,
    draws: RowDraws | None = None,
    not_compared: Mapping[str, str] | None = None,
    kept: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Put every measured number beside the printed ones.

    Parameters
    ----------
    catalogue : Catalogue
        Which also says where the printed numbers are.
    evaluations : DataFrame
        The joined rows of results/<set>/<method>/evaluation.csv.
    draws : mapping, optional
        The numbers on drawn test rows (`bootstrap.draw_rows`), for the intervals.
    not_compared : mapping, optional
        Data sets whose results stand beside no printed number, and why.
    kept : DataFrame, optional
        The rows of the kept run.

    Returns
    -------
    DataFrame
        First the printed numbers, in the order of data/published; then the measured ones, as the
        protocol states, in the same order, and those that no paper prints in the order of the
        studies; then the numbers under other readings and of variants; then the kept ones.

    Raises
    ------
    ValueError
        Two results are of the same printed number.
    """
    published = _complete(load_published(catalogue.published).assign(run=PUBLISHED))
    measured = _complete(reduce_splits(evaluations, catalogue, draws or {}).assign(run=MEASURED))
    measured = _with_seeds(measured, catalogue.registry.seeds_of)
    stated = _placed(measured, published, catalogue, not_compared or {})
    others = _read_otherwise(stated, measured, catalogue) + _variants(stated, measured)
    stds = dict(zip(map(_place, published.to_dict("records")), published["std"], strict=True))
    rows = [_judged(row, stds.get(_place(row), math.nan)) for row in [*stated, *others]]
    parts = [_noted_gaps(published, stated, catalogue), _frame(rows)]
    if kept is not None:
        parts.append(kept)
    return _with_notes(pd.concat(parts, ignore_index=True), catalogue)


def _complete(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with all columns; those that it lacks are empty."""
    missing = {name: kind for name, kind in COLUMNS.items() if name not in frame}
    return frame.assign(**{k: "" if t is str else math.nan for k, t in missing.items()})


def _frame(rows: list[Row]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[*COLUMNS]) if rows else empty_frame(COLUMNS)


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in PLACE)


def _cell(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["config_dataset"], row["config_method"], row["metric"]


def _with_seeds(measured: pd.DataFrame, seeds_of: Mapping[str, str]) -> pd.DataFrame:
    """Add what other draws of the folds gave, measured on a data set of their own."""
    keys = ["config_dataset", "config_method", "metric", "budget"]
    again = measured[measured["config_dataset"].isin([*seeds_of])]
    again = again.assign(config_dataset=again["config_dataset"].map(seeds_of))
    names = {"splits": "seeds", "value": "seeds_mean", "std": "seeds_std"}
    again = again[[*keys, *names]].rename(columns=names)
    return measured.drop(columns=[*names.values()]).merge(again, on=keys, how="left")


def _placed(
    measured: pd.DataFrame,
    published: pd.DataFrame,
    catalogue: Catalogue,
    not_compared: Mapping[str, str],
) -> list[Row]:
    """Return the measured numbers at each place that prints them, the others after them."""
    registry = catalogue.registry
    sources = published["source"].unique()
    results: dict[tuple, Row] = {}
    rows = measured.to_dict("records")
    for row, source in product(rows, sources):
        dataset = row["config_dataset"]
        if dataset in not_compared:
            row["note"] = f"not compared: {not_compared[dataset]}"
        elif registry.is_compared(dataset, source):
            name = (source, registry.published_key(dataset), row["features"], key_of(row))
            first = results.setdefault((*name, row["metric"]), row)
            if first is not row:
                both = " and ".join("/".join(_cell(one)[:2]) for one in (first, row))
                raise ValueError(f"{both} are results for the same published cells")
    found = []
    for cell in published.to_dict("records"):
        name = (cell["source"], cell["dataset"], cell["features"], key_of(cell), cell["metric"])
        if name in results:
            place = {key: cell[key] for key in (*PLACE, "printed")}
            found.append(results[name] | place)
    printed = {_cell(row) for row in found}
    return found + [row for row in rows if _cell(row) not in printed]


def _noted_gaps(published: pd.DataFrame, stated: list[Row], catalogue: Catalogue) -> pd.DataFrame:
    """Note of printed numbers why they have no measured one, as far as the results say it."""
    registry = catalogue.registry
    other_features, kept_out = {}, {}
    for row in stated:
        dataset, features = row["config_dataset"], row["features"]
        name = registry.published_key(dataset)
        if row["note"]:
            kept_out[name, features] = row["note"]
            continue
        words = f"the features {features}" if features else "the set's own vectors"
        for source in published["source"].unique():
            if registry.is_compared(dataset, source):
                other_features[source, name, key_of(row), row["metric"]] = f"measured with {words}"
    known = {_place(row) for row in stated}
    notes = []
    for cell in published.to_dict("records"):
        name = (cell["source"], cell["dataset"], key_of(cell), cell["metric"])
        out = kept_out.get((cell["dataset"], cell["features"]), "")
        notes.append("" if _place(cell) in known else other_features.get(name) or out)
    return published.assign(note=notes)[[*COLUMNS]]


def _read_otherwise(stated: list[Row], measured: pd.DataFrame, catalogue: Catalogue) -> list[Row]:
    """Return the numbers under other readings, beside the printed ones of the stated numbers.

    Of several readings of a cell that were measured the first counts.
    """
    known = {_cell(row): row for row in measured.to_dict("records")}
    found = []
    for row in stated:
        if row["source"]:
            for reading in catalogue.notes.readings.values():
                is_about = table_name(row["source"], row["table"]) in reading.tables
                place = reading.place(*_cell(row))
                if is_about and place in known:
                    found.append(_instead(row, known[place], reading.name))
                    break
    return found


def _variants(stated: list[Row], measured: pd.DataFrame) -> list[Row]:
    """Return the numbers of variants of methods, beside the printed ones of the methods."""
    known: dict[tuple[str, str, str], list[Row]] = {}
    for row in measured[measured["variant_of"] != ""].to_dict("records"):
        base = (row["config_dataset"], row["variant_of"], row["metric"])
        known.setdefault(base, []).append(row)
    return [
        _instead(row, variant, VARIANT)
        for row in stated
        if row["source"]
        for variant in known.get(_cell(row), ())
    ]


def _instead(stated: Row, other: Row, reading: str) -> Row:
    """Return another number at the place of a stated one."""
    return other | {name: stated[name] for name in (*PLACE, "printed")} | {"reading": reading}


def _judged(row: Row, printed_std: float) -> Row:
    """Add the comparison with the printed number, if there is one.

    The draws of a stated reading do not widen the tolerance of another one.
    """
    if not row["source"]:
        return row
    difference = float(row["value"]) - float(row["printed"])
    spread = spread_of(row["std"], row["splits"], printed_std)
    if row["reading"] not in ("", VARIANT):
        spread = 0.0
    mean, reach = row["seeds_mean"], further_draw(row["seeds_std"], row["seeds"])
    return row | {
        "difference": difference,
        "verdict": verdict(row["metric"], difference, spread),
        "in_rows": is_inside(row["printed"], row["rows_low"], row["rows_high"]),
        "in_seeds": is_inside(row["printed"], mean - reach, mean + reach),
    }


def _with_notes(cells: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Add the names of the notes on printed numbers."""
    notes = catalogue.notes
    reasons, choices = [], []
    for row in cells.to_dict("records"):
        differs = row["verdict"] in NOT_REPRODUCED and not row["reading"]
        found = notes.reason_of(row) if differs else None
        reasons.append(found[0].name if found else "")
        named = (one.name for one in notes.choices.values() if row["source"] and one.names(row))
        choices.append(next(named, ""))
    return cells.assign(reason=reasons, choice=choices)
