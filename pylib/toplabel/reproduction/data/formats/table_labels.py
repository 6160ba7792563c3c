"""The labels of a table: a column of classes, columns of 0 and 1, or a column of lists of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.preprocessing import MultiLabelBinarizer

from toplabel.reproduction.data.formats.cells import as_truth, is_list, words_of_list
from toplabel.reproduction.data.formats.common import shown
from toplabel.reproduction.data.formats.table_columns import TableColumns, looks_like_a_value
from toplabel.reproduction.files import reason


def read_labels(
    table: TableColumns,
    asked: Sequence[str],
    label: str | None,
    tags: Mapping[Literal["column", "separator"], str] | None,
    rows: pd.MultiIndex,
) -> tuple[list[str] | None, np.ndarray]:
    """Return the names of the labels, None for classes, and the labels of some rows as they stand."""
    if label is not None:
        return None, _classes(table, label)[rows].to_numpy(str)
    if tags is not None:
        return _tags(table, asked[0], tags.get("separator"), rows)
    found = {name: _indicator(table, name)[rows] for name in asked}
    return [*asked], np.column_stack([*found.values()])


def _classes(table: TableColumns, name: str) -> pd.Series:
    """Return the class of each row as a word."""
    column = table.whole[name]
    gaps = table.how.gaps(column)
    if gaps.any():
        row = gaps.idxmax()
        advice = "leave the row out of the file"
        if word := str(column[row] or "").strip():
            advice = f"`keep_default_na: false` takes {word} for a word; or {advice}"
        message = f"the label of row {row[1]} (from 0), {shown(column[row])}, is a missing value"
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
    table.tell_labels(name, "words", gaps, f"{text.nunique()} classes")
    return text


def _indicator(table: TableColumns, name: str) -> pd.Series:
    """Return which rows have a label, by its column of 0 and 1, or of true and false."""
    column = as_truth(table.whole[name])
    gaps = table.how.gaps(column)
    numbers = table.how.numbers(column, gaps)
    wrong = ~numbers.isin([0.0, 1.0])
    if wrong.any():
        row = wrong.idxmax()
        message = f"the label {shown(name)} of row {row[1]} (from 0) is {shown(column[row])}"
        table.refuse(row, f"{message}; labels must be 0 or 1")
    table.tell_labels(name, "numbers", gaps, "a label")
    return numbers


def _tags(
    table: TableColumns, name: str, separator: str | None, rows: pd.MultiIndex
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
        _check_words(table, name, values.astype(str), are_lists, separator)
        text = column.astype(str).mask(gaps, "")
        sets, kind = text.str.split(separator or ";"), "words"
    sets = sets.map(lambda words: {word.strip() for word in words} - {""})
    coder = MultiLabelBinarizer().fit(sets[rows])
    table.tell_labels(name, kind, gaps, f"{len(coder.classes_)} labels")
    if words := sorted({*coder.classes_} & {"NA", "N/A", "None", "nan", "NaN", "null", "NULL"}):
        table.notes.append(
            f"{', '.join(words)} is taken for a tag; `na_values: [{words[0]}]` takes a row with it alone "
            "for one without tags."
        )
    return [*coder.classes_], coder.transform(sets[rows])


def _check_words(
    table: TableColumns, name: str, values: pd.Series, are_lists: pd.Series, separator: str | None
) -> None:
    """Refuse lists among words, and another separator than the one that is taken."""
    quoted = values.str.match(r"""\s*[\[({]\s*['"]""") & are_lists
    if quoted.any():
        row = (~are_lists).idxmax()
        message = f"{shown(values[row])} is no list as others of `tags` are"
        table.refuse(row, f"{message}, such as {shown(values[quoted].iloc[0])}")
    if separator is not None or values.str.contains(";", regex=False).any():
        return
    counts = {mark: int(values.str.contains(mark, regex=False).sum()) for mark in ",|/"}
    likely = max(counts, key=counts.get)
    if counts[likely] > len(values) / 4:
        message = (
            f"no value of {shown(name)} has the separator ';', but {counts[likely]} have {likely!r}"
        )
        row = values.str.contains(likely, regex=False).idxmax()
        advice = f'`tags: {{column: {name}, separator: "{likely}"}}` separates them, ";" does not'
        table.refuse(row, f"{message}; {advice}")
