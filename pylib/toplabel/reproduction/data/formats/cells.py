"""The values of a column: gaps, numbers, words and lists, and why a column is none of them.

A column is a Series of Python objects, text without blanks around it for CSV, with None for a value that a
Parquet file does not have.
"""

from __future__ import annotations

import ast
import csv
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from toplabel.reproduction.data.formats.common import shown

# pandas takes these for missing values, and UCI's files have the question mark.
_MISSING = {"", "?", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NULL", "null", "None"}
_MISSING |= {"NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"}
_MANY = 50  # words of a column, which are more than half the rows: no category
_FEW = 10  # numbers among words that may be words themselves
_ALL = 20  # rows, each with another word
_SEPARATED = re.compile(r"[+-]?[0-9][0-9.,' \u00a0\u202f]*")  # 5,1 or 1.234,5 or 1 234
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([., '\u00a0\u202f][0-9]{3})+")
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([ T].*)?|\d{1,2}([./-])\d{1,2}\2\d{2,4}( .*)?|\d{4}/\d\d?/\d\d?.*"
)
_MEASURED = re.compile(r"[<>~$€£≤≥]?\s*[+-]?[0-9][0-9.,]*\s*[%°µ€$£a-zA-Z/²³]*")
_ITEM = r"""'[^']*'|"[^"]*"|-?(?:0|[1-9][0-9]*|[0-9]+\.[0-9]*|\.[0-9]+)(?![0-9.])"""  # of an array that NumPy writes
_BRACKETS = {"[": "]", "{": "}", "(": ")"}


@dataclass(frozen=True)
class Reading:
    """Notation of the values of a table, by the names of `pandas.read_csv`."""

    decimal: Literal[".", ","] = "."
    thousands: str | None = None
    na_values: tuple[str, ...] = ()
    keep_default_na: bool = True

    def gaps(self, column: pd.Series, is_word: bool = False) -> pd.Series:
        """Return which values are missing; where NA may be a `word`, those of `na_values` alone are.

        Numbers in `na_values` are compared as numbers, so that -999 is the -999.0 of a file, too.
        """
        numbers = {number for number in map(_number, self.na_values) if not math.isnan(number)}
        if pd.api.types.is_numeric_dtype(column):
            return column.isna() | column.isin(numbers)
        listed = {"", *self.na_values}
        if self.keep_default_na and not is_word:
            listed |= _MISSING
        text = column[[isinstance(value, str) for value in column]]
        is_listed = text.isin(listed)
        if numbers:
            is_listed |= self._as_numbers(text).isin(numbers)
        return column.isna() | is_listed.reindex(column.index, fill_value=False)

    def numbers(self, column: pd.Series, gaps: pd.Series) -> pd.Series:
        """Return a column as numbers, NaN for gaps, or for words where not all values are numbers."""
        if pd.api.types.is_numeric_dtype(column):
            return column.astype(np.float64).mask(gaps)
        return self._as_numbers(column.mask(gaps, "nan") if gaps.any() else column)

    def _as_numbers(self, text: pd.Series) -> pd.Series:
        """Return texts as numbers, NaN for what is none."""
        if self.thousands:
            mark = "[ \u00a0\u202f]" if self.thousands.isspace() else re.escape(self.thousands)
            grouped = re.compile(
                rf"[+-]?[0-9]{{1,3}}({mark}[0-9]{{3}})+({re.escape(self.decimal)}[0-9]*)?"
            )
            text = text.map(lambda t: re.sub(mark, "", t) if grouped.fullmatch(t) else t)
        if self.decimal != ".":
            text = text.map(lambda t: "" if "." in t else t.replace(self.decimal, "."))
        return text.map(_number).astype(np.float64)


def _number(text: str) -> float:
    """Return the number that a text is, or NaN; Python alone reads 1_2 as 12."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def fault_of_words(
    column: pd.Series, numbers: pd.Series, gaps: pd.Series, how: Reading
) -> tuple[int, str] | None:
    """Return why a column of words is no column of categories, and the label of a row that shows it."""
    is_word = numbers.isna() & ~gaps
    words = column[is_word].astype(str).str.strip()
    name, row, example = shown(column.name), words.index[0], shown(words.iloc[0])
    among = numbers[~gaps & ~is_word]
    if all(map(_SEPARATED.fullmatch, words)) and not all(map(_DATE.fullmatch, words)):
        return row, f"column {name} has numbers as {example}; {_separator_advice(words, how)}"
    advice = f"leave it out with `drop: [{column.name}]`, or name it in `categorical`"
    if is_list(words.iloc[0]) and words.map(is_list).all():
        advice = f"write a column for each value, or leave it out with `drop: [{column.name}]`"
        return row, f"column {name} has lists such as {example}; {advice}"
    if len(among) and (len(among) > len(words) or among.nunique() > _FEW):
        taken = f"`na_values: [{_quoted(words.iloc[0])}]` takes it for a missing value"
        what = f"has numbers, but also {example} ({len(words)} values are no numbers)"
        return row, f"column {name} {what}; {taken}; or {advice}"
    if all(map(_DATE.fullmatch, words)):
        return row, f"column {name} has dates such as {example}; {advice}"
    different = words.nunique()
    if different > _FEW and all(map(_MEASURED.fullmatch, words)):
        return row, f"column {name} has numbers with a sign or a unit, as {example}; {advice}"
    if different > max(_MANY, len(column) / 2) or len(words) == different >= _ALL:
        return row, f"column {name} has {different} different words, such as {example}; {advice}"
    return None


def _quoted(word: str) -> str:
    """Return a word as YAML takes it for text."""
    return word if re.fullmatch(r"[A-Za-z][\w.]*", word) else json.dumps(word, ensure_ascii=False)


def _separator_advice(words: pd.Series, how: Reading) -> str:
    first = words.iloc[0]
    pointed = words[words.str.contains(".", regex=False)]
    if how.decimal == "," and len(pointed):
        if all(_GROUPED.fullmatch(re.sub(",[0-9]*$", "", t)) for t in pointed):
            return "`thousands: '.'` takes a point as the mark between thousands"
        return f"with `decimal: ','` the point in {shown(pointed.iloc[0])} has no meaning"
    mark = next((mark for mark in ",' \u00a0\u202f" if mark in first), ",")
    between = f'`thousands: "{" " if mark.isspace() else mark}"` takes it as the mark of thousands'
    if mark != ",":
        return between
    point = "`decimal: ','` takes a comma as the point"
    return f"{between}, {point}" if all(map(_GROUPED.fullmatch, words)) else point


def note_on_numbers(column: pd.Series, numbers: pd.Series, how: Reading, n_rows: int) -> str:
    """Return a suspicion about a column of numbers, or ""."""
    name = repr(str(column.name))
    values = numbers.dropna()
    is_whole = (values % 1 == 0).all()
    if n_rows >= _ALL and is_whole and len(values) == n_rows == values.nunique():
        what = "counts the rows" if np.ptp(values) == n_rows - 1 else "differs in each row"
        return f"The column {name} {what}: is it a number of the row or an id? `drop: [{column.name}]` leaves it out."
    if how.decimal == "." and not how.thousands and not pd.api.types.is_numeric_dtype(column):
        text = column[values.index]
        if any("." in t and not _GROUPED.fullmatch(t) for t in text):
            return ""
        pointed = text[text.str.contains(".", regex=False)]
        if _ALL <= len(pointed) < len(text) and not pointed.str.startswith("0").any():
            other = text[~text.index.isin(pointed.index)].iloc[0]
            return (
                f"The column {name} has {pointed.iloc[0]!r} beside {other!r}: if the point stands between "
                "thousands, give `thousands: '.'` and `decimal: ','`."
            )
    return ""


def is_list(value: object) -> bool:
    """Return whether a value is a list, or a text that looks like one."""
    if not isinstance(value, str):
        return isinstance(value, list | tuple | set | np.ndarray)
    text = value.strip()
    return len(text) > 1 and _BRACKETS.get(text[0]) == text[-1]


def words_of_list(value: Any) -> list[str]:
    """Return the words of a list: an array, or text as JSON, Python, NumPy or Postgres writes lists.

    A ValueError says that it is none.
    """
    if not isinstance(value, str):
        return _texts(value)
    text = value.strip()
    inner = text[1:-1]
    # NumPy writes no commas; Python would join the words.
    if re.fullmatch(rf"\s*(({_ITEM})\s+)+({_ITEM})\s*", inner):
        items = re.findall(_ITEM, inner)
        return _texts([i[1:-1] if i[0] in "'\"" else ast.literal_eval(i) for i in items])
    for parse in (json.loads, ast.literal_eval):
        try:
            parsed = parse(text)
        except (ValueError, SyntaxError):
            continue
        if isinstance(parsed, str):  # ('rock') of Python
            return [parsed]
        if isinstance(parsed, list | tuple | set):
            return _texts(sorted(parsed) if isinstance(parsed, set) else parsed)
        if parsed == {}:  # an empty array of Postgres
            return []
        break
    quote = "'" if inner.lstrip().startswith("'") else '"'
    reader = csv.reader(
        [inner], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True
    )
    try:
        return _texts([word for row in reader for word in row])
    except csv.Error as error:
        raise ValueError(str(error)) from None


def _texts(values: Sequence) -> list[str]:
    """Return the values of a list as words; what is missing is left out."""
    if any(isinstance(value, list | dict | tuple | set | np.ndarray) for value in values):
        raise ValueError("a list within a list")
    return [str(value).strip() for value in values if value is not None and value == value]
