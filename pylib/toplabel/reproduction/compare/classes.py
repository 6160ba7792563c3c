"""Recall, precision and confusion by class, of predictions for the test rows of an own data set."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from toplabel.reproduction.frames import split_names

RATES: Mapping[str, type] = {
    "class": str,
    "rows": int,
    "recall": float,
    "predicted": int,
    "precision": float,
}
"""The columns of classes.csv: a row for each class, the rates in percent, NaN where none counts."""
CONFUSION: Mapping[str, type] = {"true": str, "predicted": str, "rows": int}
"""The columns of confusion.csv: a row for each pair of classes with test rows; none for label sets."""
_SCORE = "score_"


def class_rates(predictions: pd.DataFrame, are_sets: bool = False) -> pd.DataFrame:
    """Return recall and precision of each class, by the rows of predictions.csv.

    Where they `are_sets`, `true` and `predicted` are names that `join_names` joined.
    """
    names = [name.removeprefix(_SCORE) for name in predictions if name.startswith(_SCORE)]
    true, predicted = (
        _indicator(predictions[side], names, are_sets) for side in ("true", "predicted")
    )
    right, rows, said = (true & predicted).sum(), true.sum(), predicted.sum()
    rates = {"recall": 100.0 * right / rows, "precision": 100.0 * right / said}
    frame = pd.DataFrame({"rows": rows, "predicted": said, **rates})
    return frame.rename_axis("class").reset_index()[[*RATES]]


def confusion(predictions: pd.DataFrame, are_sets: bool = False) -> pd.DataFrame:
    """Return the rows of each pair of true and predicted class; of label sets there are none."""
    if are_sets:
        predictions = predictions.iloc[:0]
    pairs = predictions.groupby(["true", "predicted"], sort=False).size()
    return pairs.rename("rows").reset_index()[[*CONFUSION]]


def _indicator(labels: pd.Series, names: list[str], are_sets: bool) -> pd.DataFrame:
    """Return the indicator of the labels of each row, shape (rows, classes)."""
    rows = labels.map(split_names if are_sets else lambda name: [name])
    return pd.DataFrame({name: [name in row for row in rows] for name in names}, dtype=bool)
