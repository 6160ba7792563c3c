"""Recall, precision and confusion by class, of predictions for the test rows of an own data set."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

SEPARATOR = ";"
"""Stands between the labels of a set (`toplabel.reproduction.selection.predictions`)."""
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


def class_rates(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return recall and precision of each class, by the rows of predictions.csv."""
    names = _classes(predictions)
    true, predicted = (_indicator(predictions[side], names) for side in ("true", "predicted"))
    right = (true & predicted).sum()
    rows, said = true.sum(), predicted.sum()
    return pd.DataFrame(
        {
            "class": names,
            "rows": rows.to_numpy(),
            "recall": (100.0 * right / rows).to_numpy(),
            "predicted": said.to_numpy(),
            "precision": (100.0 * right / said).to_numpy(),
        }
    )


def confusion(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each pair of true and predicted class, by the rows of predictions.csv."""
    if not predictions["true"].isin(_classes(predictions)).all():
        predictions = predictions.iloc[:0]
    pairs = predictions.groupby(["true", "predicted"], sort=False).size()
    return pairs.rename("rows").reset_index()[[*CONFUSION]]


def _classes(predictions: pd.DataFrame) -> list[str]:
    return [name.removeprefix(_SCORE) for name in predictions if name.startswith(_SCORE)]


def _indicator(labels: pd.Series, names: list[str]) -> pd.DataFrame:
    """Return the indicator of the labels of each row, shape (rows, classes)."""
    is_single = labels.isin(names).all()
    columns = pd.get_dummies(labels) if is_single else labels.str.get_dummies(SEPARATOR)
    return columns.reindex(columns=names, fill_value=0).astype(bool)
