"""Give every estimator of the package a link to its page, and its version in a pickle."""

from __future__ import annotations

import warnings
from importlib.metadata import metadata

from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning
from sklearn.utils.validation import validate_data

from toplabel._core.lib import version

__all__ = ["CommonEstimator"]

_VERSION = "_toplabel_version"


class _OtherVersionWarning(InconsistentVersionWarning):
    """scikit-learn's warning, of a version of toplabel."""

    def __str__(self) -> str:
        return (
            f"{self.estimator_name} was pickled by toplabel {self.original_sklearn_version} and is "
            f"read by toplabel {self.current_sklearn_version}: the code may have changed, and "
            "results may be invalid. Fit it again, or use the version that wrote it."
        )


class CommonEstimator(BaseEstimator):
    """Base of the estimators."""

    def __getstate__(self) -> dict:
        return {**super().__getstate__(), _VERSION: version}

    def __setstate__(self, state: dict) -> None:
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

    def _validate(self, X, y, **options):
        """Check X, and y where it is given. The solver has NumPy's arrays, so other libraries' arrays
        are converted, whatever ``array_api_dispatch`` says.
        """
        with config_context(array_api_dispatch=False):
            return validate_data(self, X, y, **options)

    def _get_doc_link(self) -> str:
        """Override scikit-learn's, which links to scikit-learn's own site."""
        stated = [url.split(", ") for url in metadata("toplabel").get_all("Project-URL", [])]
        site = dict(stated).get("Documentation")
        if site is None or not type(self).__module__.startswith("toplabel."):
            return ""
        return f"{site.rstrip('/')}/generated/toplabel.{type(self).__name__}.html"
