"""Sets of variable size: the classes whose score is close enough to the best one.

How close is chosen on calibration rows, by the mean size of the sets or by their coverage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples

from toplabel._core.arrays import MatrixLike, as_number, as_weights
from toplabel.estimators.ranking import columns_of
from toplabel.estimators.scores import class_levels
from toplabel.thresholds.coverage import ROUNDING, check_coverage, match_coverage, rows_for
from toplabel.thresholds.matching import match_cardinality

__all__ = ["Calibration", "SetsMixin"]

_CONTAINERS = ("default", "pandas", "polars")


@dataclass(frozen=True)
class Calibration:
    """Calibration rows: the levels of their scores, (n, m), as of `class_levels`, the column of each
    row's class, (n,), -1 where it has none, and the weights of the rows.
    """

    levels: np.ndarray
    columns: np.ndarray
    weights: np.ndarray | None
    classes: np.ndarray

    def threshold(
        self, size: float | None, coverage: float | None, by_class: bool
    ) -> float | np.ndarray:
        """Return the threshold for a mean size, or for a coverage, of each class if `by_class`."""
        if coverage is None:
            return self._of_size(size)
        if by_class:
            return self._of_each_class(coverage)
        return match_coverage(self._own_scores(), coverage, self.weights)

    def _of_size(self, size: float | None) -> float:
        size = as_number(size, "size", 1.0, high=len(self.classes))
        # Where many classes tie for the best, no set at all may be nearer to the size.
        best = float(self.levels.max())
        return min(best, match_cardinality(self.levels, size, self.weights))

    def _of_each_class(self, coverage: float) -> np.ndarray:
        needed = rows_for(check_coverage(coverage))
        counted = self.columns >= 0
        weights = None if self.weights is None else self.weights[counted]
        counts = np.bincount(self.columns[counted], weights, minlength=len(self.classes))
        if counts.min() < needed * (1 - ROUNDING):
            fewest = int(counts.argmin())
            raise ValueError(
                f"by_class=True with coverage={coverage} needs at least {needed} calibration rows of "
                f"each class; class {self.classes.tolist()[fewest]!r} has {counts[fewest]:g}"
            )
        own = self._own_scores()
        rows_of = (self.columns == column for column in range(len(self.classes)))
        return np.array([match_coverage(own[r], coverage, _at(self.weights, r)) for r in rows_of])

    def _own_scores(self) -> np.ndarray:
        own = np.take_along_axis(self.levels, np.maximum(self.columns, 0)[:, None], axis=1)[:, 0]
        return np.where(self.columns >= 0, own, -np.inf)


class SetsMixin:
    """A mixin that gives a classifier `calibrate` and `predict_set`; it has the parameters `calibration` and
    `random_state`, and a method `_fit`.
    """

    calibration: float | None
    random_state: Any
    calibration_: Calibration
    n_calibration_: int

    def calibrate(
        self, X: MatrixLike, y: MatrixLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Keep the scores of rows by which `predict_set` chooses how large its sets are.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows that chose nothing of the model, no parameter either. With ``kernel="precomputed"``:
            (n, n_train), the kernel between them and the training rows.
        y : array-like, (n,)
            Class names. A class that the model does not know is in no set, which counts against the
            coverage.
        sample_weight : array-like, (n,), optional
            A weight w is the same as w copies of the row.

        Returns
        -------
        self
            The classifier. A further `fit` forgets the rows.
        """
        levels, classes = self._levels(X)
        columns = columns_of(y, classes, len(levels))
        weights = as_weights(sample_weight, len(levels))
        self.calibration_ = Calibration(levels, columns, weights, classes)
        self.n_calibration_ = len(levels)
        return self

    def predict_set(
        self,
        X: MatrixLike,
        *,
        size: float | None = None,
        coverage: float | None = None,
        by_class: bool = False,
        sparse_output: bool = False,
    ) -> Any:
        """Return the classes whose score is close enough to the best one of the row.

        Either `size` or `coverage` is given, after `calibrate`. The set of a row always has its best class.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.
        size : float, 1..m, optional
            The number of classes that the calibration rows are given on average, as near as ties of
            their scores allow.
        coverage : float, in (0, 1), optional
            The probability that the set of a new row has its class, over calibration and new rows.
            It holds where both are exchangeable, and needs ``coverage / (1 - coverage)`` calibration
            rows.
        by_class : bool, default=False
            Whether `coverage` is to hold for the rows of each class by themselves, which needs as
            many calibration rows of each.
        sparse_output : bool, default=False
            Whether a CSR matrix is returned.

        Returns
        -------
        ndarray of bool, (n, m), CSR matrix of bool, or data frame as `set_output` says
            Indicator, with a column for each class in ascending order.
        """
        if (size is None) == (coverage is None):
            raise ValueError(f"give either size or coverage, got size={size}, coverage={coverage}")
        if by_class and coverage is None:
            raise ValueError("by_class is for coverage, got size")
        levels, classes = self._levels(X)
        threshold = self._calibration().threshold(size, coverage, by_class)
        sets = levels >= threshold
        return sparse.csr_matrix(sets) if sparse_output else self._in_container(sets, classes, X)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `predict_set` returns where it does not return a CSR matrix.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            An array, or a data frame whose columns are the classes. None leaves the choice as it is;
            at first it is that of `sklearn.set_config`. The name is that of scikit-learn's
            transformers.

        Returns
        -------
        self
            The classifier.
        """
        if transform is None:
            return self
        if transform not in _CONTAINERS:
            raise ValueError(
                f"transform must be one of {', '.join(_CONTAINERS)}, got {transform!r}"
            )
        self._sklearn_output_config = {"transform": transform}  # the attribute that clone copies
        return self

    def _levels(self, X) -> tuple[np.ndarray, np.ndarray]:
        return class_levels(self, X)

    def _calibration(self) -> Calibration:
        if "calibration_" not in vars(self):
            raise NotFittedError(
                f"this {type(self).__name__} is not calibrated: call calibrate(X, y) with rows that "
                "chose nothing, or fit with calibration=0.2"
            )
        return self.calibration_

    def _in_container(self, sets: np.ndarray, classes: np.ndarray, X) -> Any:
        config = getattr(self, "_sklearn_output_config", {})
        container = config.get("transform", get_config()["transform_output"])
        if container == "pandas":
            import pandas

            # A list has an attribute `index`, too.
            index = X.index if isinstance(X, pandas.DataFrame) else None
            return pandas.DataFrame(sets, columns=classes, index=index)
        if container == "polars":
            import polars  # type: ignore[import-not-found]

            return polars.DataFrame(sets, schema=[str(name) for name in classes])
        return sets

    def _fit_and_calibrate(self, X, y, sample_weight, **params: Any) -> Self:
        """Fit on the rows that are not held out, and calibrate on those that are; `params` are further
        arguments of `_fit`, for each row.
        """
        for name in ("calibration_", "n_calibration_"):
            self.__dict__.pop(name, None)
        params["sample_weight"] = sample_weight
        if self.calibration is None:
            return self._fit(X, y, **params)
        share = check_share(self.calibration)
        if get_tags(self).input_tags.pairwise:
            raise ValueError(
                f"calibration={self.calibration} cannot hold rows out of a Gram matrix: fit with "
                "calibration=None, and call calibrate with the kernel between the calibration rows "
                "and the training rows"
            )
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        params["sample_weight"] = as_weights(sample_weight, _num_samples(X))
        rows = {name: value for name, value in params.items() if value is not None}
        parts = train_test_split(
            X, y, *rows.values(), test_size=share, random_state=self.random_state
        )
        self._fit(parts[0], parts[2], **dict(zip(rows, parts[4::2], strict=True)))
        held_out = dict(zip(rows, parts[5::2], strict=True))
        return self.calibrate(parts[1], parts[3], held_out.get("sample_weight"))

    def _fit(self, X, y, sample_weight=None) -> Self:
        """Fit on all rows given; each classifier has its own."""
        raise NotImplementedError


def check_share(calibration: object) -> float:
    """Return the share of the rows that are held out; ``ValueError`` unless it is between 0 and 1."""
    share = as_number(calibration, "calibration", 0.0, strict=True)
    if share >= 1:
        raise ValueError(f"calibration must be > 0 and < 1, or None, got {calibration!r}")
    return share


def _at(values: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if values is None else values[rows]
