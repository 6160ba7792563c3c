"""The score: how many published cells were measured, and how they compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.report.numbers import count
from toplabel.reproduction.tables.collected import NOT_REPRODUCED

Score = dict[str, Any]


def score_of(cells: pd.DataFrame) -> Score:
    """Count the cells of comparison.csv, or of a part of it.

    Returns
    -------
    dict
        ``published`` cells; ``comparable`` ones, which have a measurement; ``by_verdict``;
        ``draws``, how many those within the spread were measured on, 0 where that differs;
        ``measurements``, how many numbers of ours stand beside the comparable cells, since papers
        print the same cell again; ``word``, the verdicts in words.
    """
    counts = cells["verdict"].value_counts()
    both = cells[cells["measured"].notna() & cells["published"].notna()]
    # Kept measurements, which a part may have beside its own, do not say theirs.
    draws = cells.get("splits", pd.Series(dtype=float))[cells["verdict"] == "spread"].unique()
    return _score(
        published=int(cells["published"].notna().sum()),
        comparable=len(both),
        by_verdict={key: int(counts.get(key, 0)) for key in VERDICTS},
        draws=int(draws[0]) if len(draws) == 1 and pd.notna(draws[0]) else 0,
        measurements=len(both.drop_duplicates(["file", "metric"])) if "file" in both else 0,
    )


def _score(**counts: Any) -> Score:
    return counts | {"word": in_words(counts["by_verdict"])}


def sum_of(scores: Iterable[Score]) -> Score:
    """Add scores of tables."""
    scores = list(scores)
    return _score(
        **{key: sum(one[key] for one in scores) for key in ("published", "comparable")},
        by_verdict={key: sum(one["by_verdict"][key] for one in scores) for key in VERDICTS},
    )


def in_words(counts: Mapping[str, int], leave_out: Collection[str] = ()) -> str:
    """Return counts of verdicts in words, as "63 match; not reproduced: 4 (1 higher than printed, 3
    off)".

    A number that is farther from print than close is not reproduced, whatever the direction.
    """

    def words(keys: Iterable[str]) -> str:
        found = [key for key in keys if counts.get(key) and key not in leave_out]
        return ", ".join(f"{count(counts[key])} {VERDICTS[key].word}" for key in found)

    parts = [words(key for key in VERDICTS if key not in NOT_REPRODUCED)]
    if far := words(key for key in VERDICTS if key in NOT_REPRODUCED):
        total = sum(counts.get(key, 0) for key in NOT_REPRODUCED)
        parts.append(f"not reproduced: {count(total)} ({far})")
    return "; ".join(filter(None, parts))
