"""Columns of a data frame, by their names, as the features that a model was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from toplabel._core.arrays import plain

__all__ = ["NamedColumns"]


class NamedColumns(TransformerMixin, BaseEstimator):
    """The features of rows that are given as a data frame, whose columns may stand in any order.

    It is a step of the pipelines of `load_model`, and there is nothing to fit.

    Parameters
    ----------
    names : sequence of str
        The columns of the features, in the order in which the model takes them.
    categories : mapping of str to sequence of str
        Of a column of words its values: each becomes a feature of 0 and 1. Other columns are numbers.
    others : sequence of str
        The columns that the file of the training rows had besides, which are left out.
    na_values : sequence of str
        Values that were missing ones in the file of the training rows.

    Attributes
    ----------
    feature_names_in_ : ndarray, (len(names),)
    n_features_in_ : int
    """

    def __init__(
        self,
        names: Sequence[str],
        categories: Mapping[str, Sequence[str]],
        others: Sequence[str] = (),
        na_values: Sequence[str] = (),
    ) -> None:
        self.names = names
        self.categories = categories
        self.others = others
        self.na_values = na_values

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The columns of the features."""
        return np.array(self.names, dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Their number."""
        return len(self.names)

    @property
    def width(self) -> int:
        """The number of features that `transform` returns."""
        return sum(len(self.categories.get(name, (0,))) for name in self.names)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X, y=None) -> NamedColumns:
        """Return itself: there is nothing to learn from rows.

        Parameters
        ----------
        X : data frame or array-like
            Not looked at.
        y : array-like, optional
            Not looked at.

        Returns
        -------
        self
            The transformer.
        """
        return self

    def transform(self, X) -> np.ndarray:
        """Return features.

        Parameters
        ----------
        X : data frame, (n, columns), or array-like, (n, d)
            A frame is read by the names of its columns. An array has the features as they are, d being
            one for each column of numbers and for each category.

        Returns
        -------
        ndarray, (n, d)
            The features.

        Raises
        ------
        ValueError
            For a frame that lacks a column or has an unknown one, a missing value, a value of a column
            of numbers that is none, an unknown category, or an array of another width.
        """
        if not hasattr(X, "columns"):
            return self._features(X)
        given = {str(name): name for name in X.columns}
        self._check_names(list(given))
        columns = [self._column(name, plain(X[given[name]])) for name in self.names]
        return np.concatenate(columns, axis=1)

    def _features(self, X):
        width = self.width
        shape, kind = np.shape(X), getattr(getattr(X, "dtype", None), "kind", "f")
        if len(shape) == 2 and shape[1] == width and kind in "biuf":
            return X
        raise ValueError(
            f"X must be a data frame with the columns {_listed(self.names)}, or an array of the shape "
            f"(n, {width}) of numbers, got the shape {shape}"
        )

    def _check_names(self, given: list[str]) -> None:
        lacking = [name for name in self.names if name not in given]
        unknown = [name for name in given if name not in (*self.names, *self.others)]
        if lacking or unknown:
            faults = [f"lacks the columns {_listed(lacking)}"] if lacking else []
            faults += [f"has the unknown columns {_listed(unknown)}"] if unknown else []
            raise ValueError(
                f"X {' and '.join(faults)}; the model was trained on {_listed(self.names)}"
            )

    def _column(self, name: str, values: np.ndarray) -> np.ndarray:
        """Return the features of a column, (n, 1) or (n, its categories)."""
        if name in self.categories:
            return self._coded(name, values)
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"X: column {name!r} must hold numbers ({error})") from None
        is_usual = np.isfinite(numbers) & ~np.isin(numbers, self._gaps())
        if not is_usual.all():
            row = int(np.argmin(is_usual))
            value = values[row] if np.isfinite(numbers[row]) else numbers[row]
            why = ", a missing value of the training rows," if np.isfinite(numbers[row]) else ""
            raise ValueError(f"X: column {name!r} has {value}{why} in row {row} (from 0)")
        return numbers[:, None]

    def _gaps(self) -> list[float]:
        """Return the numbers among the values that were missing ones."""
        gaps = []
        for text in self.na_values:
            with suppress(ValueError):
                gaps.append(float(text))
        return gaps

    def _coded(self, name: str, values: np.ndarray) -> np.ndarray:
        known = list(self.categories[name])
        coded = np.zeros((len(values), len(known)))
        for row, value in enumerate(values.tolist()):
            word = _word(value)
            if word and word not in known:  # 1.0 of a file that has all its numbers so
                word = str(value)
            if word not in known:
                what = repr(word) if word else "a missing value"
                raise ValueError(
                    f"X: column {name!r} has {what} in row {row} (from 0); known are {_listed(known)}. "
                    "pandas.read_csv takes words such as NA for missing values, but for "
                    "keep_default_na=False"
                )
            coded[row, known.index(word)] = 1.0
        return coded


def _word(value) -> str:
    """Return a value as the text that stands in a file, "" for a missing one."""
    if value is None or str(value) in ("<NA>", "NaT") or value != value:
        return ""
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else f"{value}".strip()
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
