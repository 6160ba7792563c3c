"""The columns of a table, taken one by one: what becomes a feature, and what is told of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np
import pandas as pd
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel.reproduction.data.formats.cells import (
    Reading,
    fault_of_words,
    is_list,
    note_on_numbers,
    words_of_list,
)
from toplabel.reproduction.data.formats.common import FormatError, looks_like_a_value, shown
from toplabel.reproduction.data.parts import Column
from toplabel.reproduction.files import reason

_UNNAMED = "Unnamed: 0"  # a first column without a name: pandas and R save the names of rows so
_TRUE = {"true": "1", "false": "0"}  # as R and pandas write them
_IF_INFINITE = (
    "`na_values: [inf]` takes it for a gap, which `missing: median` fills, and `missing: drop` leaves "
    "the row out"
)
_FIRST = 3  # values that are told of a column
_FEWEST = 20  # rows, below which numbers may all differ by chance


class TableColumns:
    """The features of all parts of a table, taken column by column, and what is told of each.

    `whole` has the rows of all files, and `places` the part of each, its number and its line.
    """

    def __init__(
        self,
        paths: Mapping[str, Path],
        frames: Mapping[str, pd.DataFrame],
        how: Reading,
        missing: str,
    ) -> None:
        self.whole = pd.concat(frames)
        part, line = map(self.whole.index.get_level_values, (0, 1))
        row = np.concatenate([np.arange(len(frame)) for frame in frames.values()])
        self.places = pd.DataFrame({"part": part, "row": row, "line": line})
        self.whole.index = self.places.index
        self.notes: list[str] = []
        self.categories: dict[str, list[str]] = {}
        self.ids: pd.Series | None = None
        self.how = how
        self._paths, self._missing = paths, missing
        self._is_first_unnamed = all(frame.columns[0] == _UNNAMED for frame in frames.values())
        self._features: dict[str, pd.Series] = {}  # numbers, or words, with NaN for gaps
        self._told: dict[str, Column] = {}
        self._faults: dict[str, tuple[int, str]] = {}
        if all(map(looks_like_a_value, self.whole)) and any("." in name for name in self.whole):
            self.notes.append(
                "The names of all columns look like values: `header: false` is for files whose first "
                "line is a row."
            )

    def take(self, name: str, is_dropped: bool, is_categorical: bool) -> None:
        """Add a column to the features, or leave it out."""
        column = self.whole[name]
        gaps = self.how.gaps(column, is_word=is_categorical)
        is_unnamed = name == _UNNAMED and self._is_first_unnamed and not is_categorical
        if is_dropped:
            self._leave_out(name, "not looked at", gaps, "left out by `drop`")
        elif gaps.all():
            self.notes.append(f"The column {name!r} is empty; it is left out.")
            self._leave_out(name, "nothing", gaps, "left out: empty")
        elif is_unnamed and self._tells_rows_apart(name):
            self.notes.append(
                "The first column has no name, or the one that pandas gives, and differs in each row; it "
                "is taken for the names of the rows and left out. Another name in the header, or "
                f"`categorical: ['{name}']`, keeps it."
            )
            self._leave_out(name, "not looked at", gaps, "left out: names of the rows")
        elif is_categorical or not self._add_numbers(name, gaps):
            words = column.astype(str).mask(gaps, None)
            known = {*words.dropna()}
            for word in sorted(known):
                if word.isdecimal() and (twin := f"{word}.0") in known:
                    message = f"{shown(twin)} and {shown(word)} are one number; write them alike"
                    self.refuse(words.eq(twin).idxmax(), f"column {shown(name)}: {message}")
            self._features[name] = words
            self.tell(name, "words", gaps)

    def _add_numbers(self, name: str, gaps: pd.Series) -> bool:
        """Add a column of numbers; return False for one of words, and keep why it is none of categories."""
        column = self.whole[name]
        if column.dtype == object:
            self._check_types(name, column[~gaps])
        numbers = self.how.numbers(column, gaps)
        is_word = numbers.isna() & ~gaps
        words = column[is_word].astype(str).str.strip().str.lower()
        if not words.isin(["nan", "+nan", "-nan"]).all():
            if fault := fault_of_words(column, numbers, gaps, self.how):
                self._faults[name] = fault
            return False
        if note := note_on_numbers(column, numbers, self.how, len(column)):
            self.notes.append(note)
        self._note_twin(name, numbers)
        self._features[name] = numbers
        self.tell(name, "numbers", numbers.isna(), "a feature", 1)
        return True

    def refuse(self, row: int, message: str) -> NoReturn:
        """Raise an error about a row of the whole."""
        part, number, line = self.places.loc[row]
        message = message if line else f"row {number} (from 0): {message}"
        raise FormatError(self._paths[part], line, message)

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
        order = ("numbers", "words")
        features = sorted(self._features, key=lambda name: order.index(self._told[name].kind))
        others = [name for name in self.whole.columns if name not in features]
        return [self._told[name] for name in (*features, *others) if name in self._told]

    def features(self) -> pd.DataFrame:
        """Return the features of the rows that are kept, NaN for gaps in numbers that are to be filled."""
        path = next(iter(self._paths.values()))
        if not self._features:
            raise FormatError(path, None, "no column is left as a feature")
        X = pd.DataFrame(self._features, index=self.whole.index)
        gaps = X.isna()
        counts = gaps.sum()
        counts = counts[counts > 0]
        if self._missing == "drop":
            X = X[~gaps.any(axis=1)]
            if X.empty:
                message = "each row has a gap, so `missing: drop` leaves none; gaps: "
                raise FormatError(path, None, message + _listed(counts))
        elif self._missing == "error" and len(counts):
            self._refuse_gaps(gaps, counts)
        numbers = X.select_dtypes("number")
        self._refuse_infinite(numbers)
        words = X.columns.difference(numbers.columns, sort=False)
        return pd.concat([numbers, *(self._coded(name, X[name]) for name in words)], axis=1)

    def _coded(self, name: str, words: pd.Series) -> pd.DataFrame:
        """Return a column of 0 and 1 for each word of a column."""
        columns = pd.get_dummies(words, dtype=np.float64)
        self.categories[name] = [*columns]
        width = columns.shape[1]
        use = f"{width} columns of 0 and 1" if width > 1 else "a column of 0 and 1"
        self._told[name] = replace(self._told[name], use=use, width=width)
        return columns.add_prefix(f"{name}_")

    def _refuse_infinite(self, numbers: pd.DataFrame) -> None:
        infinite = np.argwhere(np.isinf(numbers.to_numpy(np.float64)))
        if not len(infinite):
            return
        row, column = infinite[0]
        index, value = numbers.index[row], numbers.iat[row, column]
        what = f"{shown(numbers.columns[column])} of row {self.places['row'][index]} (from 0) is {value}"
        self.refuse(index, f"{what}; features must be finite; {_IF_INFINITE}")

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
        if len(strange):
            value = strange.iloc[0]
            what = f"values of the type {type(value).__name__}, as {shown(str(value))}"
            message = f"column {shown(name)} has {what}; `drop: [{name}]` leaves it out"
            self.refuse(strange.index[0], message)

    def _leave_out(self, name: str, kind: str, gaps: pd.Series, use: str) -> None:
        self.tell(name, kind, gaps, use)
        if self.ids is None and len(gaps) > 1 and self._tells_rows_apart(name):
            self.ids = self.whole[name].astype(str)

    def _tells_rows_apart(self, name: str) -> bool:
        """Return whether a column differs in each row of a part."""
        texts = self.whole[name].astype(str)
        return all(values.is_unique for _, values in texts.groupby(self.places["part"]))

    def _note_twin(self, name: str, numbers: pd.Series) -> None:
        """Note an earlier column with the same values."""
        if len(numbers) < _FEWEST or numbers.nunique() < 3:
            return
        for other, values in self._features.items():
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


def read_labels(
    table: TableColumns,
    asked: Sequence[str],
    label: str | None,
    tags: Mapping[Literal["column", "separator"], str] | None,
    rows: pd.Index,
) -> tuple[list[str] | None, np.ndarray]:
    """Return the names of the labels, None for classes, and the labels of some rows as they stand."""
    if label is not None:
        return None, _classes(table, label)[rows].to_numpy(str)
    if tags is not None:
        return _tags(table, asked[0], tags.get("separator"), rows)
    return [*asked], np.column_stack([_indicator(table, name)[rows] for name in asked])


def _classes(table: TableColumns, name: str) -> pd.Series:
    """Return the class of each row as a word."""
    column = table.whole[name]
    gaps = table.how.gaps(column)
    if gaps.any():
        row = gaps.idxmax()
        advice = "leave the row out of the file"
        if word := str(column[row] or "").strip():
            advice = f"`keep_default_na: false` takes {word} for a word; or {advice}"
        place = table.places["row"][row]
        message = f"the label of row {place} (from 0), {shown(column[row])}, is a missing value"
        table.refuse(row, f"{message}; {advice}")
    text = column.astype(str).str.strip()
    lists = text.map(is_list)
    if lists.all():
        advice = f"a set of labels: `task: multilabel` and `tags: {{column: {name}}}` read it"
        table.refuse(lists.idxmax(), f"the label is a list, as {shown(text.iloc[0])}; {advice}")
    others = [other for other in table.whole.columns if other != name]
    if name in {*text} and any(map(looks_like_a_value, others)) and not name.isdecimal():
        message = f"the header has {shown(name)} above the classes, which is a class itself"
        table.refuse(text.index[0], f"{message}; `header: false` where the file has no header")
    table.tell(name, "words", gaps, f"{text.nunique()} classes")
    return text


def _indicator(table: TableColumns, name: str) -> pd.Series:
    """Return which rows have a label, by its column of 0 and 1, or of true and false."""
    column = table.whole[name].map(lambda v: _TRUE.get(v.lower(), v) if isinstance(v, str) else v)
    gaps = table.how.gaps(column)
    numbers = table.how.numbers(column, gaps)
    wrong = ~numbers.isin([0.0, 1.0])
    if wrong.any():
        row = wrong.idxmax()
        place = table.places["row"][row]
        message = f"the label {shown(name)} of row {place} (from 0) is {shown(column[row])}"
        table.refuse(row, f"{message}; labels must be 0 or 1")
    table.tell(name, "numbers", gaps, "a label")
    return numbers


def _tags(
    table: TableColumns, name: str, separator: str | None, rows: pd.Index
) -> tuple[list[str], np.ndarray]:
    """Return the names of all tags, and which rows have which.

    A value is a list of words, or words with the separator between them. NA is a word: a row without
    tags has an empty value.
    """
    column = table.whole[name]
    gaps = table.how.gaps(column, is_word=True) if column.dtype == object else column.isna()
    values = column[~gaps]
    are_lists = values.map(is_list)
    if len(values) and are_lists.all():
        sets, kind = pd.Series([[]] * len(column), column.index, dtype=object), "lists"
        for row, value in values.items():
            try:
                sets[row] = words_of_list(value)
            except ValueError as error:
                table.refuse(row, f"{shown(str(value))} is no list of words ({reason(error)})")
    else:
        _check_not_lists(table, values.astype(str), are_lists)
        text = column.astype(str).mask(gaps, "")
        sets, kind = text.str.split(separator or ";", regex=False), "words"
    sets = sets.map(lambda words: {word.strip() for word in words} - {""})
    coder = MultiLabelBinarizer().fit(sets[rows])
    if kind == "words":
        _check_not_joined(table, name, sets, separator)
    table.tell(name, kind, gaps, f"{len(coder.classes_)} labels")
    if words := sorted({*coder.classes_} & {"NA", "N/A", "None", "nan", "NaN", "null", "NULL"}):
        table.notes.append(
            f"{', '.join(words)} is taken for a tag; `na_values: [{words[0]}]` takes a row with it alone "
            "for one without tags."
        )
    return [*coder.classes_], coder.transform(sets[rows])


def _check_not_lists(table: TableColumns, values: pd.Series, are_lists: pd.Series) -> None:
    """Refuse lists of quoted words among words."""
    quoted = values.str.match(r"""\s*[\[({]\s*['"]""") & are_lists
    if quoted.any():
        row = (~are_lists).idxmax()
        message = f"{shown(values[row])} is no list as others of `tags` are"
        table.refuse(row, f"{message}, such as {shown(values[quoted].iloc[0])}")


def _check_not_joined(
    table: TableColumns, name: str, sets: pd.Series, separator: str | None
) -> None:
    """Refuse words that another mark joins than the one that separates; of a given `separator` note them.

    A mark joins words if one of them is a tag of its own, or if more than a quarter of the tags have the
    mark and no row has two tags.
    """
    tags = set().union(*sets)
    for mark in ",|/":
        joined = sorted(tag for tag in tags if mark in tag)
        words = {word.strip() for tag in joined for word in tag.split(mark)}
        if not words & tags and (len(joined) <= len(tags) / 4 or (sets.map(len) > 1).any()):
            continue
        message = f"column {shown(name)}: {mark!r} joins words in {len(joined)} of {len(tags)} tags"
        if separator is not None:
            table.notes.append(f"The {message}, such as {shown(joined[0])}.")
            continue
        row = sets.map(lambda words, tag=joined[0]: tag in words).idxmax()
        table.refuse(
            row,
            f'{message}, such as {shown(joined[0])}; `separator: "{mark}"` of `tags` separates them, and '
            '`separator: ";"` keeps them as they are',
        )
