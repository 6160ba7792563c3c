"""The score: how many published cells were measured, and how they compare."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from toplabel.reproduction.reporting.labels import VERDICTS, Verdict
from toplabel.reproduction.reporting.numbers import count
from toplabel.reproduction.tables.collected import NOT_REPRODUCED


@dataclass(frozen=True)
class Score:
    """Counts of published cells, of those with a measurement (comparable), and by verdict.

    `draws` is how many draws the cells within the spread were measured on, 0 where that differs;
    `measurements` how many numbers of ours stand beside the comparable cells, since papers print
    the same cell again.
    """

    published: int
    comparable: int
    by_verdict: dict[str, int]
    draws: int = 0
    measurements: int = 0

    @property
    def matched(self) -> int:
        return self.by_verdict["match"]

    @property
    def verdicts(self) -> list[tuple[Verdict, int]]:
        """The verdicts that occur with their counts, in the order of the legend."""
        return [(verdict, n) for key, verdict in VERDICTS.items() if (n := self.by_verdict[key])]

    def counts(self, verdicts: Iterable[Verdict]) -> list[int]:
        """Return the counts of some verdicts."""
        return [self.by_verdict[verdict.key] for verdict in verdicts]

    @property
    def headline(self) -> str:
        """The score in one sentence, with its denominator."""
        if not self.published:
            return "There is no published number to compare with."
        if not self.comparable:
            return (
                f"None of the {count(self.published)} published numbers was measured in this run."
            )
        verb = "is" if self.comparable == 1 else "are"
        text = (
            f"{count(self.comparable)} of {count(self.published)} published numbers {verb} measured"
            f" here: {count(self.by_verdict['match'])} within 0.5 points"
        )
        if spread := self.by_verdict["spread"]:
            draws = f"{self.draws} draws" if self.draws else "the draws"
            text += f", {count(spread)} more within the spread of {draws}"
        return f"{text}."

    @property
    def word(self) -> str:
        """The verdicts with their counts, as `in_words` puts them."""
        return in_words(self.by_verdict)

    @property
    def detail(self) -> str:
        """The other verdicts, and how many measurements there are."""
        if not self.comparable:
            return "What is missing and why is listed below."
        rest = in_words(self.by_verdict, leave_out=("match", "spread"))
        text = f"{rest[0].upper()}{rest[1:]}." if rest else ""
        if 0 < self.measurements < self.comparable:
            text += (
                f" {count(self.measurements)} measurements: some cells are printed several times."
            )
        return text.strip()


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


def score_of(cells: pd.DataFrame) -> Score:
    """Count the cells of comparison.csv, or of a part of it."""
    counts = cells["verdict"].value_counts()
    return Score(
        published=int(cells["published"].notna().sum()),
        comparable=int((cells["measured"].notna() & cells["published"].notna()).sum()),
        by_verdict={key: int(counts.get(key, 0)) for key in VERDICTS},
        draws=_draws(cells),
        measurements=_measurements(cells),
    )


def _measurements(cells: pd.DataFrame) -> int:
    if "file" not in cells:
        return 0
    measured = cells[cells["measured"].notna() & cells["published"].notna()]
    return len(measured[["file", "metric"]].drop_duplicates())


def _draws(cells: pd.DataFrame) -> int:
    if "splits" not in cells:
        return 0
    found = cells.loc[cells["verdict"] == "spread", "splits"].dropna().unique()
    return int(found[0]) if len(found) == 1 else 0


def sum_of(scores: Iterable[Score]) -> Score:
    """Add scores of tables."""
    scores = list(scores)
    return Score(
        published=sum(score.published for score in scores),
        comparable=sum(score.comparable for score in scores),
        by_verdict={key: sum(score.by_verdict[key] for score in scores) for key in VERDICTS},
    )
