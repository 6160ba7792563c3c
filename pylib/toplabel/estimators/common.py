"""Checks of the input, the link to the page and the version in a pickle, which all estimators share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import metadata
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import validate_data

from toplabel._core.arrays import MatrixLike, check_container, row_blocks
from toplabel._core.lib import version
from toplabel.estimators.previous import check_same_classes
from toplabel.estimators.weighting import weights_of_classes

__all__ = ["CommonEstimator", "VersionedEstimator", "parts"]

_NUMBERS = 1 << 21  # scores of a part: 16 MiB
_VERSION = "_toplabel_version"


class _OtherVersionWarning(InconsistentVersionWarning):
    """scikit-learn's warning, of a version of toplabel."""

    def __str__(self) -> str:
        return (
            f"{self.estimator_name} was pickled by toplabel {self.original_sklearn_version} and is "
            f"read by toplabel {self.current_sklearn_version}: the code may have changed, and "
            "results may be invalid. Fit it again, or use the version that wrote it."
        )


class VersionedEstimator(BaseEstimator):
    """Base of the estimators, with a version in their pickles and the link to their page."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), _VERSION: version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle; warn when another version of toplabel wrote it."""
        state = dict(state)
        written_by = state.pop(_VERSION, "before 0.1")
        if written_by != version:
            warnings.warn(
                _OtherVersionWarning(
                    estimator_name=type(self).__name__,
                    current_sklearn_version=version,
                    original_sklearn_version=written_by,
                ),
                stacklevel=2,
            )
        super().__setstate__(state)

    def _get_doc_link(self) -> str:
        """Override scikit-learn's, which links to scikit-learn's own site."""
        stated = [url.split(", ") for url in metadata("toplabel").get_all("Project-URL", [])]
        site = dict(stated).get("Documentation")
        if site is None or not type(self).__module__.startswith("toplabel."):
            return ""
        return f"{site.rstrip('/')}/generated/toplabel.{type(self).__name__}.html"


class CommonEstimator(VersionedEstimator):
    """Base of the estimators that the solvers train."""

    _DTYPES: tuple[type, ...] = (
        np.float64,
        np.float32,
    )  # of the features; others are converted to the first

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _validated(self, X, y="no_validation", **options):
        """Check X, and y where it is given; CSR stays CSR. The solver has NumPy's arrays, so other
        libraries' arrays are converted, whatever ``array_api_dispatch`` says.
        """
        check_container(X, "X")
        check_container(y, "y")
        sparse = False if self.kernel == "precomputed" else "csr"
        with config_context(array_api_dispatch=False):
            given = {"accept_sparse": sparse, "dtype": self._DTYPES, "order": "C"}
            return validate_data(self, X, y, **given, **options)

    def _encoded(self, y, weights: np.ndarray | None):
        """Return the classes of one label per row, the index of each row's, and the weights of the
        rows, with those of their classes.
        """
        classes, codes = encode(y, weights)
        check_same_classes(self, classes)
        return classes, codes, weights_of_classes(self.class_weight, weights, classes, codes)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Return the class of the highest score of each row.

        Parameters
        ----------
        X : array-like or sparse matrix, (n, d)
            Rows, as for `fit`.

        Returns
        -------
        ndarray, (n,)
            Items of `classes_`; of classes that score the same, the first one.
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


def encode(y: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes and each row's class index; ``ValueError`` unless there are two classes of
    weight.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds 1 class only ({classes.tolist()[0]!r}); a classifier needs at least two classes"
        )
    if weights is not None and len(np.unique(codes[weights > 0])) < 2:
        raise ValueError(
            "all rows but those of one class have the weight zero; at least two classes are needed"
        )
    return classes, codes


def parts(n: int, m: int) -> Iterator[slice]:
    """Return the rows 0..n-1 in parts of which the scores for m classes fill about 16 MiB."""
    return row_blocks(n, m, _NUMBERS)
