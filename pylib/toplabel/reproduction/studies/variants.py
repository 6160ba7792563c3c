"""Variants of methods, trained otherwise than the protocol says, beside the printed numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.studies.comparison import spread_of, verdict
from toplabel.reproduction.tables.collected import PUBLISHED_KEYS, VARIANTS


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


_CELL = [*PUBLISHED_KEYS]
_FEW = 3  # cells whose numbers a sentence can hold


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
