"""All registered data sets, beside what the papers print about them: ``results/datasets.csv``; and what
`check` prints of data sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.config.entry import PrintedStatistics, Statistic
from toplabel.reproduction.data import DescribedSet, DescribeTask
from toplabel.reproduction.data.checks import class_counts, printed_interval
from toplabel.reproduction.data.parts import Column, PreparedSet
from toplabel.reproduction.data.prepared import columns_text, load_columns, load_prepared, read_meta
from toplabel.reproduction.files import PathLike

COLUMNS: dict[str, type] = {
    **dict.fromkeys(("dataset", "title", "task", "status", "reason"), str),
    **dict.fromkeys(("n_classes", "n_train", "n_val", "n_test", "n_features"), int),
    "label_cardinality": float,
    **dict.fromkeys(
        ("zero_rows", "empty_label_sets", "full_label_sets", "classes_without_example"), int
    ),
    **dict.fromkeys(("paper_n_classes", "paper_n_train", "paper_n_features"), str),
    **dict.fromkeys(("paper_label_cardinality", "paper_source", "agrees", "licence"), str),
    **dict.fromkeys(("citation", "url", "published_key", "features", "published_sources"), str),
}
"""The columns of the file, with the types of `toplabel.reproduction.frames`."""
_SHOWN = 20  # of many classes, so many
_COMPARED: tuple[Statistic, ...] = ("n_classes", "n_train", "n_features", "label_cardinality")


def describe_datasets(task: DescribeTask, metas: Iterable[PathLike]) -> pd.DataFrame:
    """Return a row for each registered data set; `metas` are the meta.json of the prepared ones."""
    prepared = {Path(meta).parents[1].name: read_meta(Path(meta).parent) for meta in metas}
    rows = [
        dataset_row(about, prepared.get(about.name), task.reasons.get(about.name, ""))
        for about in task.sets
    ]
    # Counts stay whole numbers although a missing set has none.
    return pd.DataFrame(rows, columns=[*COLUMNS], dtype=object)


def dataset_row(
    entry: DescribedSet, meta: dict[str, Any] | None, reason: str = ""
) -> dict[str, Any]:
    """Return the facts of a data set by its meta.json, or the reason why it is missing."""
    if meta is not None and (why := meta.get("not_comparable")):
        reason = f"not comparable: {why}"
    row = {
        "dataset": entry.name,
        **{key: getattr(entry, key) for key in ("title", "task", "licence", "citation", "url")},
        "status": "missing" if meta is None else "ready",
        "reason": reason,
        "published_key": entry.published_key,
        "features": entry.features,
        "published_sources": ";".join(entry.published_sources),
        **{f"paper_{key}": _first_printed(entry, key) for key in _COMPARED},
        "paper_source": "; ".join(printed.source for printed in entry.statistics) or None,
    }
    if meta is None:
        return row
    measured = meta["statistics"]
    row |= measured
    agrees = not disagreements(measured, entry.statistics) if entry.statistics else None
    return row | {"agrees": agrees}


def _first_printed(entry: DescribedSet, key: str) -> str | None:
    printed = [getattr(row, key) for row in entry.statistics]
    return next((value for value in printed if value is not None), None)


def disagreements(
    measured: dict[str, Any], printed: Sequence[PrintedStatistics]
) -> list[tuple[Statistic, str, str | None]]:
    """Return each printed number that is not the measured one, rounded: the statistic, a sentence,
    and the registry's explanation if it has one.
    """
    differing = []
    for row in printed:
        for key in _COMPARED:
            text, value = getattr(row, key), measured[key]
            if text is None or value is None:
                continue
            low, high = printed_interval(text)
            if not low <= Fraction(value) <= high:
                reason = row.differs.get(key)
                shown = f"{value:.4f}" if isinstance(value, float) else str(value)
                sentence = f"{key} is {shown}, {row.source} prints {text}"
                differing.append((key, f"{sentence}: {reason}" if reason else sentence, reason))
    return differing


def set_lines(prepared: PreparedSet, columns: Sequence[Column]) -> list[str]:
    """Return the lines that `check` prints of a prepared set: sizes, classes, columns and advice."""
    size, n = prepared.meta["statistics"], len(prepared.splits)
    counts = class_counts(prepared)
    named = zip(prepared.class_names, counts, strict=True)
    more = len(counts) - _SHOWN
    return [
        f"{prepared.name}: {prepared.task}, {size['n_train']} training rows, "
        f"{size['n_test']} test rows, {size['n_features']} features, "
        f"{prepared.n_classes} classes, {n} split{'s' if n > 1 else ''}",
        *(f"  {name}: {count} training rows" for name, count in [*named][:_SHOWN]),
        *([f"  and {more} more classes"] if more > 0 else []),
        *(f"  {line}" for line in columns_text(columns)),
        *(f"  Note: {sentence}" for sentence in prepared.meta["advice"]),
    ]


def print_sets(metas: Iterable[PathLike]) -> None:
    """Print what the prepared sets among some hold, by their meta.json."""
    for folder in (Path(meta).parent for meta in metas if Path(meta).is_file()):
        print("", *set_lines(load_prepared(folder), load_columns(folder)), sep="\n", flush=True)
