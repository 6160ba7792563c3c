"""Common mistakes in labels, with what to do instead: checked before scikit-learn's own checks."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

import numpy as np

from toplabel._core.arrays import MatrixLike

__all__ = [
    "check_no_joined_labels",
    "check_no_lists",
    "check_one_label",
    "column_names",
    "sparse_indicator",
    "warn_of_empty_labels",
]


def check_one_label(y: MatrixLike) -> None:
    """Refuse label sets where one label per row is needed."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    lists = isinstance(y, list | tuple) and any(_is_set(row) and len(row) != 1 for row in y)
    if lists or (len(shape) == 2 and shape[1] > 1):
        raise ValueError(
            "y must be one label per row, (n,); for label sets use MultilabelClassifier"
        )


def _is_set(row) -> bool:
    return isinstance(row, list | tuple | set | frozenset)


def check_no_lists(y: MatrixLike) -> None:
    """Refuse a list of label sets where an indicator is needed."""
    if not isinstance(y, list | tuple) and not (isinstance(y, np.ndarray) and y.dtype.kind == "O"):
        return
    lists = [row for row in y if _is_set(row)]
    ragged = len({len(row) for row in lists}) > 1 or 0 < len(lists) < len(y)
    if ragged or any(isinstance(row, set | frozenset) for row in lists):
        raise ValueError(
            "y is a list of label sets; make an indicator of it with "
            "sklearn.preprocessing.MultiLabelBinarizer"
        )


def sparse_indicator(Y):
    """Return an indicator as CSR, whose entries that stand in one place are added as everywhere in SciPy.

    Other numbers than 0 and 1 are a ValueError.
    """
    Y = Y.tocsr()
    if not Y.has_canonical_format:
        Y = Y.copy()
        Y.sum_duplicates()
    if not np.isin(Y.data, (0, 1)).all():
        raise ValueError("y must be an indicator of zeros and ones, got other numbers")
    return Y


def column_names(y: MatrixLike) -> np.ndarray | None:
    """Return the names of the columns of a data frame, or None."""
    columns = getattr(y, "columns", None)
    return None if columns is None or np.ndim(y) != 2 else np.asarray(columns)


def warn_of_empty_labels(Y: MatrixLike, classes: np.ndarray) -> None:
    """Warn of labels that no row has: nothing is learnt of them but that they are rare.

    The folds of a cross-validation by scikit-learn are silent: rare labels are missing in most.
    """
    missing = classes[np.asarray(Y.sum(axis=0)).ravel() == 0]
    if len(missing) and not _is_a_fold():
        shown = ", ".join(map(repr, missing[:5].tolist())) + (", ..." if len(missing) > 5 else "")
        warnings.warn(
            f"{len(missing)} of {len(classes)} labels occur in no row of y: {shown}", stacklevel=4
        )


def _is_a_fold() -> bool:
    """Return whether scikit-learn's cross-validation called this fit."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "sklearn.model_selection._validation":
            return True
        frame = frame.f_back
    return False


def check_no_joined_labels(y: np.ndarray) -> None:
    """Refuse strings that hold several labels, like "a;b" or "a|b"; with a comma, which names may
    have, only where one of the parts is a string of its own.
    """
    if y.dtype.kind not in "OUT":
        return
    names = {name for name in np.unique(y).tolist() if isinstance(name, str)}
    for name in sorted(names):
        for separator in ";|,":
            words = [part.strip() for part in name.split(separator)]
            if len(words) > 1 and all(words) and (separator != "," or names & set(words)):
                raise ValueError(
                    f"y holds several labels in one string, as {name!r}; split them, and make an "
                    "indicator with sklearn.preprocessing.MultiLabelBinarizer: MultiLabelBinarizer()"
                    f".fit_transform(label.split({separator!r}) for label in y). Where it is the name "
                    "of one class, use TopKClassifier"
                )
