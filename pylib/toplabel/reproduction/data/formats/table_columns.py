"""The columns of a table, taken one by one: what becomes a feature, and what is told of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from toplabel.reproduction.data.formats.cells import Reading, fault_of_words, note_on_numbers
from toplabel.reproduction.data.formats.common import FormatError, shown
from toplabel.reproduction.data.parts import Column

_FIRST = 3  # values that are told of a column
_FEWEST = 20  # rows, below which numbers may all differ by chance


@dataclass(frozen=True)
class RawTable:
    """A file as a table of what stands in it, with the line of each row of a text file.

    `unnamed` is a first column without a name, as pandas and R save the names of the rows.
    """

    path: Path
    frame: pd.DataFrame
    lines: np.ndarray | None = None
    unnamed: str | None = None


class TableColumns:
    """The features of all parts of a table, taken column by column, and what is told of each.

    `whole` has a row for each row of each file, by part and number.
    """

    def __init__(self, raws: Mapping[str, RawTable], how: Reading, missing: str) -> None:
        frames = {part: raw.frame for part, raw in raws.items()}
        self.whole = pd.concat(frames, names=["part", "row"])
        self.notes: list[str] = []
        self.categories: dict[str, list[str]] = {}
        self.ids: pd.Series | None = None
        self._raws, self.how, self._missing = raws, how, missing
        self._numbers: dict[str, pd.Series] = {}
        self._words: dict[str, pd.Series] = {}
        self._gaps: dict[str, pd.Series] = {}
        self._told: dict[str, Column] = {}
        self._faults: dict[str, tuple[Any, str]] = {}
        if all(map(looks_like_a_value, self.whole)) and any("." in name for name in self.whole):
            self.notes.append(
                "The names of all columns look like values: `header: false` is for files whose first "
                "line is a row."
            )

    def take(self, name: str, is_dropped: bool, is_categorical: bool) -> None:
        """Add a column to the features, or leave it out."""
        column = self.whole[name]
        if is_dropped:
            self._leave_out(name, "left out by `drop`")
            return
        gaps = self.how.gaps(column, is_word=is_categorical)
        if gaps.all():
            self.notes.append(f"The column {name!r} is empty; it is left out.")
            self._leave_out(name, "left out: empty")
            return
        if is_categorical:
            self._add_words(name, gaps)
            return
        if self._is_saved_index(name):
            self.notes.append(
                "The first column has no name and differs in each row; it is taken for the names of the "
                f"rows and left out. A name in the header, or `categorical: ['{name}']`, keeps it."
            )
            self._leave_out(name, "left out: names of the rows")
            return
        if column.dtype == object:
            self._check_types(name, column[~gaps])
        numbers = self.how.numbers(column, gaps)
        if (numbers.isna() & ~gaps).any() and not _is_nan_alone(column[numbers.isna() & ~gaps]):
            if fault := fault_of_words(column, numbers, gaps, self.how):
                self._faults[name] = fault
            self._add_words(name, gaps)
            return
        gaps |= numbers.isna()
        if note := note_on_numbers(column, numbers, self.how, len(column)):
            self.notes.append(note)
        self._note_twin(name, numbers)
        self._numbers[name], self._gaps[name] = numbers, gaps
        self.tell(name, "numbers", gaps, "a feature", 1)

    def refuse(self, row: tuple[str, int], message: str) -> NoReturn:
        """Raise an error about a row, by its part and number."""
        raw = self._raws[row[0]]
        line = None if raw.lines is None else int(raw.lines[row[1]])
        message = message if line else f"row {row[1]} (from 0): {message}"
        raise FormatError(raw.path, line, message)

    def refuse_words(self) -> None:
        """Refuse columns of words that are none of categories: the first one, and the others by name."""
        names = [*self._faults]
        if names:
            row, message = self._faults[names[0]]
            if others := ", ".join(map(shown, names[1:])):
                message += f"; nor are these columns numbers or categories: {others}"
            self.refuse(row, message)

    def described(self) -> list[Column]:
        """Return all columns: numbers, then words, as their features stand, then all others."""
        features = [*self._numbers, *self._words]
        others = [name for name in self.whole.columns if name not in features]
        return [self._told[name] for name in (*features, *others) if name in self._told]

    def features(self) -> pd.DataFrame:
        """Return the features of the rows that are kept, NaN for gaps in numbers that are to be filled."""
        path = next(iter(self._raws.values())).path
        if not self._numbers and not self._words:
            raise FormatError(path, None, "no column is left as a feature")
        numbers, words, gaps = (
            pd.DataFrame(columns, index=self.whole.index)
            for columns in (self._numbers, self._words, self._gaps)
        )
        counts = gaps.sum()
        counts = counts[counts > 0]
        if self._missing == "drop":
            kept = ~gaps.any(axis=1)
            if not kept.any():
                message = "each row has a gap, so `missing: drop` leaves none; gaps: "
                message += _listed(counts)
                raise FormatError(path, None, message)
            numbers, words = numbers[kept], words[kept]
        elif self._missing == "error" and len(counts):
            self._refuse_gaps(gaps, counts)
        return pd.concat([numbers, *(self._coded(name, words[name]) for name in words)], axis=1)

    def _coded(self, name: str, words: pd.Series) -> pd.DataFrame:
        """Return a column of 0 and 1 for each word of a column."""
        columns = pd.get_dummies(words, dtype=np.float64)
        self.categories[name] = [*columns]
        width = columns.shape[1]
        use = f"{width} columns of 0 and 1" if width > 1 else "a column of 0 and 1"
        self._told[name] = replace(self._told[name], use=use, width=width)
        return columns.add_prefix(f"{name}_")

    def _refuse_gaps(self, gaps: pd.DataFrame, counts: pd.Series) -> NoReturn:
        row = gaps.any(axis=1).idxmax()
        advice = "`missing: median`, mean or drop fills them or drops the rows"
        written = {str(value) for name in counts.index for value in self.whole[name][gaps[name]]}
        if words := sorted(written - {"", "None", "nan"} or written & {"None"}):
            advice += f"; {', '.join(map(shown, words[:3]))} is taken for a gap: where it is a word, name the "
            advice += "column in `categorical`, or give `keep_default_na: false`"
        self.refuse(row, f"missing values in the columns {_listed(counts)}; {advice}")

    def _check_types(self, name: str, values: pd.Series) -> None:
        """Refuse what is neither text nor a number: dates, lists and the like of a Parquet file."""
        strange = values[[not isinstance(value, str | int | float) for value in values]]
        for row, value in strange.iloc[:1].items():
            what = f"values of the type {type(value).__name__}, as {shown(str(value))}"
            self.refuse(row, f"column {shown(name)} has {what}; `drop: [{name}]` leaves it out")

    def _add_words(self, name: str, gaps: pd.Series) -> None:
        text = self.whole[name].astype(str).mask(gaps, None)
        self._words[name], self._gaps[name] = text, gaps
        self.tell(name, "words", gaps)

    def _leave_out(self, name: str, use: str) -> None:
        column = self.whole[name]
        kind = "nothing" if "empty" in use else "not looked at"
        self.tell(name, kind, self.how.gaps(column), use)
        texts = column.astype(str)
        is_id = all(texts.loc[part].is_unique for part in self._raws) and len(texts) > 1
        if self.ids is None and is_id:
            self.ids = texts

    def _is_saved_index(self, name: str) -> bool:
        """Return whether a first column without a name tells the rows of each part apart."""
        is_unnamed = all(raw.unnamed == name for raw in self._raws.values())
        return is_unnamed and all(self.whole.loc[part, name].is_unique for part in self._raws)

    def _note_twin(self, name: str, numbers: pd.Series) -> None:
        """Note an earlier column with the same values."""
        if len(numbers) < _FEWEST or numbers.nunique() < 3:
            return
        for other, values in self._numbers.items():
            if values.iat[0] == numbers.iat[0] and values.equals(numbers):
                self.notes.append(
                    f"The columns {other!r} and {name!r} hold the same numbers; `drop: [{name}]` leaves "
                    "one out."
                )
                return

    def tell(self, name: str, kind: str, gaps: pd.Series, use: str = "", width: int = 0) -> None:
        """Describe a column."""
        column = self.whole[name]
        kept = column[~gaps]
        if not kept.map(type).isin([str, int, float]).all():  # lists have no hash
            kept = kept.map(str)
        first = " | ".join(shown(str(value))[1:-1] for value in kept.iloc[:_FIRST])
        self._told[name] = Column(
            name, kind, int(kept.nunique()), int(gaps.sum()), first, use, width
        )


def _listed(counts: pd.Series) -> str:
    return ", ".join(f"{shown(name)} ({count})" for name, count in counts.items())


def _is_nan_alone(values: pd.Series) -> bool:
    """Return whether values that are no finite word of a gap all read as NaN."""
    return values.astype(str).str.strip().str.lower().isin(["nan", "+nan", "-nan"]).all()


def looks_like_a_value(name: str) -> bool:
    """Return whether the name of a column looks like a number."""
    return name[:1].isdigit() or name[:1] in "+-."
