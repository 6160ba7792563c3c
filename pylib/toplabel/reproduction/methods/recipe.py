"""A recipe: all of a method that the training of a model depends on, besides data and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toplabel._core.catalogue import LOSSES


@dataclass(frozen=True)
class Recipe:
    """What trains a model.

    Attributes
    ----------
    loss : str
        A key of `toplabel.losses.LOSSES`, or the import path of a loss of the user; empty for an
        estimator and a competitor.
    estimator : str
        The import path of a classifier with the interface of scikit-learn, or empty.
    competitor : str
        The class of a competitor, as "toppush.TopPush" in `toplabel.reproduction.methods`, or empty.
    arguments : mapping
        Arguments of the class of the estimator, of the competitor or of the loss of the user.
    candidates : tuple of mappings
        Of an estimator the values of parameters to select from.
    k : int or None
        The k of a top-k loss; None where it is selected, and where there is none.
    ks : tuple of int
        The values that k is selected from, if it is.
    gamma : float
        The smoothing of a hinge loss.
    passes : int or None
        After how many passes over the data the solver ends, whatever the gap is.
    takes : {"one", "set"}
        Whether it is trained on one label per example or on label sets.
    features : {"raw", "bias", "standardise"}
        Whether the features get a column of ones, or are standardised and get one.
    kernel : {"linear", "rbf", ""}
        The kernel of a loss.
    leave_one_out : bool
        Whether it is validated by closed-form leave-one-out scores.
    """

    loss: str = ""
    estimator: str = ""
    competitor: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    candidates: tuple[Mapping[str, Any], ...] = ()
    k: int | None = None
    ks: tuple[int, ...] = ()
    gamma: float = 0.0
    passes: int | None = None
    takes: Literal["one", "set"] = "one"
    features: Literal["raw", "bias", "standardise"] = "raw"
    kernel: str = "linear"
    leave_one_out: bool = False

    @property
    def tunes_width(self) -> bool:
        """Whether the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and bool(self.loss)

    @property
    def is_certified(self) -> bool:
        """Whether its models have a duality gap by this library."""
        return self.loss in LOSSES and LOSSES[self.loss].convex

    def at(self, k: int | None) -> Recipe:
        """Return the recipe with a selected k; None, where none is selected, leaves it as it is."""
        return self if k is None else replace(self, k=k, ks=())
