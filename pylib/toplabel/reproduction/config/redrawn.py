"""Data sets that are another one with its folds drawn several times (``fold_seeds`` of
config/datasets.yaml).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toplabel.reproduction.config.documents import Fault, unknown
from toplabel.reproduction.config.entry import Entry


def redrawn(base: Entry, seeds: int) -> Entry:
    """Return the set with a split for each draw: the folds depend on the names of set and split."""
    return replace(
        base,
        name=_name(base.name),
        title=f"{base.title}, {seeds} seeds of the folds",
        splits=tuple(replace(base.splits[0], name=f"s{seed:02d}") for seed in range(seeds)),
        statistics=(),
        published_key="",
        published_sources=(),
    )


def check_redrawn(base: str, entries: Mapping[str, Entry]) -> None:
    """Refuse to draw the folds of a set that is not registered, or that has not one split.

    Raises
    ------
    Fault
        With the key and what is wrong.
    """
    key = f"fold_seeds.{base}"
    if base not in entries:
        raise Fault(key, unknown("data set", base, entries))
    if len(entries[base].splits) != 1:
        raise Fault(key, f"'{base}' has not one split, whose folds could be drawn again")
    if entries[base].splits[0].val:
        raise Fault(key, f"'{base}' has a validation part of its own, and so no folds")
    if _name(base) in entries:
        raise Fault(key, f"there is a data set '{_name(base)}'")


def _name(base: str) -> str:
    return f"{base}_seeds"
