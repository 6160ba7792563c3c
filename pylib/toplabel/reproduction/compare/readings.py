"""Numbers beside those that are compared: under other readings of the protocols, and of variants.

A variant of a method is trained otherwise than the protocol says.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare.comparison import spread_of, verdict
from toplabel.reproduction.config.notes import Reading
from toplabel.reproduction.config.studies import whole_table
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS, READINGS, VARIANTS

_CELL = [*PUBLISHED_KEYS]
_FEW = 3  # cells whose numbers a sentence can hold


def read_otherwise(
    comparison: pd.DataFrame, collected: pd.DataFrame, readings: Iterable[Reading]
) -> pd.DataFrame:
    """Put what other readings give beside the compared cells: `READINGS`.

    There is one row per compared cell with another reading that was measured, in the order of
    `comparison`; of several readings that were measured the first counts. The draws of a stated
    reading do not widen the tolerance of the found one.
    """
    readings = list(readings)
    measured = {
        (row["dataset"], row["method"], row["metric"]): row for row in collected.to_dict("records")
    }
    rows = []
    for cell in comparison[comparison["verdict"] != ""].to_dict("records"):
        table = whole_table(cell["source"], cell["table"])
        dataset, method, _ = PurePosixPath(cell["file"]).parts
        others = (
            (one.name, measured[place])
            for one in readings
            if table in one.tables
            and (place := one.place(dataset, method, cell["metric"])) in measured
        )
        for name, found in itertools.islice(others, 1):
            published = float(cell["published"])
            difference = float(found["measured"]) - published
            cell |= {"published": published, "reading": name, "found": found["measured"]}
            cell |= {"found_difference": difference, "found_file": found["file"]}
            rows.append(cell | {"found_verdict": verdict(cell["metric"], difference)})
    return READINGS.frame(rows)


def compare_variants(comparison: pd.DataFrame, collected: pd.DataFrame) -> pd.DataFrame:
    """Put what variants measured beside the published cells of their methods: `VARIANTS`.

    There is one row per published cell that was measured and variant of its method that was
    measured on the same data set, in the order of `comparison`.
    """
    found = collected[collected["variant_of"] != ""]
    names = {"method": "variant", "measured": "variant_measured", "std": "own_std", "splits": "own"}
    found = found.rename(columns=names)[
        ["dataset", "variant_of", "metric", "label", *names.values()]
    ]
    file = found.pop("dataset") + "/" + found.pop("variant_of") + "/evaluation.csv"
    rows = comparison.merge(found.assign(file=file), on=["file", "metric"])
    rows = rows.assign(published=rows["published"].astype(float))
    return VARIANTS.frame(
        {**row, "variant_verdict": _verdict(row)} for row in rows.to_dict("records")
    )


def _verdict(row: Mapping[str, Any]) -> str:
    printed_std = float(row["std"]) if row["std"] else math.nan
    spread = spread_of(float(row["own_std"]), int(row["own"]), printed_std)
    return verdict(row["metric"], row["variant_measured"] - row["published"], spread)


def experiment(cells: pd.DataFrame, variants: pd.DataFrame) -> str:
    """Say in a sentence or two what variants give on some cells; empty where none was measured.

    Of several variants of a cell the one that is nearest to the printed number counts.
    """
    wanted = pd.MultiIndex.from_frame(cells[_CELL])
    nearest = _nearest(variants)
    found = nearest[pd.MultiIndex.from_frame(nearest[_CELL]).isin(wanted)]
    if found.empty:
        return ""
    tried = variants[pd.MultiIndex.from_frame(variants[_CELL]).isin(wanted)]
    labels = [*dict.fromkeys(tried["label"])]
    which = labels[0] if len(labels) == 1 else f"the nearest of {len(labels)} ({'; '.join(labels)})"
    text = f"Experiment: {which} gives {_counted(found)} of {_cells(len(cells))}"
    if len(found) <= _FEW:
        return f"{text} ({', '.join(_numbers(row) for row in found.to_dict('records'))})."
    rows = _CELL[:-1]
    same = nearest.merge(found[rows].drop_duplicates(), on=rows)
    return f"{text}; of all {len(same)} cells in their rows: {_counted(same)}."


def _nearest(variants: pd.DataFrame) -> pd.DataFrame:
    distance = (variants["variant_measured"] - variants["published"]).abs()
    order = distance.sort_values(kind="stable").index
    return variants.loc[order].drop_duplicates(_CELL).sort_index()


def _counted(rows: pd.DataFrame) -> str:
    counts = rows["variant_verdict"].value_counts()
    known = ("match", "spread", "close", "off", "higher", "lower")
    return ", ".join(f"{counts[name]} {name}" for name in known if name in counts)


def _cells(n: int) -> str:
    return "this cell" if n == 1 else f"these {n} cells"


def _numbers(row: Mapping[str, Any]) -> str:
    digits = 3 if is_fraction(row["metric"]) else 1
    return f"{row['variant_measured']:.{digits}f} where {row['published']:.{digits}f} is printed"
