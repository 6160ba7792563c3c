"""The score: how many published cells were measured, and how they compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from toplabel.reporting.labels import VERDICTS, Verdict
from toplabel.reporting.numbers import count


@dataclass(frozen=True)
class Score:
    """Counts of published cells, of those with a measurement (comparable), and by verdict."""

    published: int
    comparable: int
    by_verdict: dict[str, int]

    @property
    def matched(self) -> int:
        return self.by_verdict["match"]

    @property
    def missing(self) -> int:
        return self.published - self.comparable

    @property
    def verdicts(self) -> list[tuple[Verdict, int]]:
        """The verdicts with their counts, in the order of the legend."""
        return [(verdict, self.by_verdict[key]) for key, verdict in VERDICTS.items()]

    @property
    def headline(self) -> str:
        """The score in one sentence."""
        if not self.published:
            return "There is no published number to compare with."
        if not self.comparable:
            return (
                f"None of the {count(self.published)} published numbers was measured in this run."
            )
        noun = "number matches" if self.comparable == 1 else "numbers match"
        return f"{count(self.matched)} of {count(self.comparable)} comparable {noun} the papers."

    @property
    def detail(self) -> str:
        """The other verdicts, and what could not be compared."""
        if not self.comparable:
            return "What is missing and why is listed below."
        rest = [f"{count(n)} {v.key}" for v, n in self.verdicts if v.key != "match"]
        text = f"{', '.join(rest[:-1])} and {rest[-1]}. "
        return text + (
            f"{count(self.comparable)} of {count(self.published)} published numbers could be"
            " compared in this run."
        )


def score_of(cells: pd.DataFrame) -> Score:
    """Count the cells of comparison.csv, or of a part of it."""
    counts = cells["verdict"].value_counts()
    return Score(
        published=int(cells["published"].notna().sum()),
        comparable=int((cells["measured"].notna() & cells["published"].notna()).sum()),
        by_verdict={key: int(counts.get(key, 0)) for key in VERDICTS},
    )


def sum_of(scores: Iterable[Score]) -> Score:
    """Add scores of tables."""
    scores = list(scores)
    return Score(
        published=sum(score.published for score in scores),
        comparable=sum(score.comparable for score in scores),
        by_verdict={key: sum(score.by_verdict[key] for score in scores) for key in VERDICTS},
    )
