"""The base of the scorers, by which searches of scikit-learn see that they take weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRequest

__all__ = ["WeightedScorer"]


@dataclass(frozen=True)
class WeightedScorer:
    """A scorer whose call takes `sample_weight`."""

    _requested: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Ask for the metadata that `__call__` takes, as scikit-learn's scorers do.

        Parameters
        ----------
        sample_weight : bool, str or None
            True: weights that are passed under this name are used; False: they are not; None: an
            error when they are passed; a str: the name under which they are passed.

        Returns
        -------
        self
            The scorer.

        Raises
        ------
        RuntimeError
            Unless ``sklearn.set_config(enable_metadata_routing=True)`` was called.
        """
        if not get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_score_request needs sklearn.set_config(enable_metadata_routing=True)"
            )
        self._requested["sample_weight"] = sample_weight
        return self

    def _accept_sample_weight(self) -> bool:
        """Return True, which searches with several scorers ask for."""
        return True

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that the scorer asks for, as of `sklearn.utils.metadata_routing`."""
        request = MetadataRequest(owner=self)
        alias = self._requested.get("sample_weight")
        request.score.add_request(param="sample_weight", alias=alias)
        return request
