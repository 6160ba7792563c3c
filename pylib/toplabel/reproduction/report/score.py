"""Counts of published cells by verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.compare.verdicts import NOT_REPRODUCED
from toplabel.reproduction.report.labels import VERDICTS
from toplabel.reproduction.report.numbers import count


def score_of(cells: pd.DataFrame) -> dict[str, int]:
    """Count cells: "published", "comparable" (measured and published), and each verdict."""
    counts = cells["verdict"].value_counts()
    return {
        "published": int(cells["published"].notna().sum()),
        "comparable": int((cells["verdict"] != "").sum()),
        **{key: int(counts.get(key, 0)) for key in VERDICTS},
    }


def missed(score: Mapping[str, int]) -> int:
    """Return how many cells are farther from print than close, whatever the direction."""
    return sum(score[key] for key in NOT_REPRODUCED)


def in_words(score: Mapping[str, int]) -> str:
    """Return a score as "63 match; not reproduced: 4 (1 higher than printed, 3 off)"."""

    def words(keys) -> str:
        return ", ".join(f"{count(score[key])} {VERDICTS[key].word}" for key in keys if score[key])

    parts = [words(key for key in VERDICTS if key not in NOT_REPRODUCED)]
    if far := words(NOT_REPRODUCED):
        parts.append(f"not reproduced: {count(missed(score))} ({far})")
    return "; ".join(filter(None, parts))
