"""Methods to train: losses of the library or of the user, estimators of scikit-learn, competitors of the papers.

`create` makes the `trained.Trainer` of a recipe. It imports the module of a competitor by name, so that
a change of one competitor trains no other method again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from toplabel._core.catalogue import LOSSES

if TYPE_CHECKING:
    from toplabel.reproduction.methods.trained import Trainer


@dataclass(frozen=True)
class Recipe:
    """All of a method that the training of a model depends on, besides data and numbers."""

    loss: str = ""  # a key of the library's losses, or the import path of a loss of the user
    estimator: str = ""  # the import path of a classifier with the interface of scikit-learn
    competitor: str = ""  # the class of a competitor in this package, as "toppush.TopPush"
    # Arguments of the class of the estimator, of the competitor or of the loss of the user.
    arguments: Mapping[str, Any] = field(default_factory=dict)
    # Of an estimator the values of parameters to select from.
    candidates: tuple[Mapping[str, Any], ...] = ()
    k: int | None = None  # of a top-k loss; None where it is selected, and where there is none
    ks: tuple[int, ...] = ()  # the values that k is selected from, if it is
    gamma: float = 0.0  # the smoothing of a hinge loss
    passes: int | None = None  # over the data, after which the solver ends whatever the gap is
    gap: float | None = None  # at which it ends, where it looks every ten passes
    takes: Literal["one", "set"] = "one"  # a label per example, or a set of labels
    # Features get a column of ones, or are standardised and get one.
    features: Literal["raw", "bias", "standardise"] = "raw"
    kernel: str = "linear"  # of a loss: linear, rbf or none
    log_probabilities: bool = False  # whether these are the scores of an estimator
    leave_one_out: bool = False  # whether it is validated by closed-form leave-one-out scores

    @property
    def tunes_width(self) -> bool:
        """True if the width of an RBF kernel is selected on validation data."""
        return self.kernel == "rbf" and bool(self.loss)

    @property
    def is_certified(self) -> bool:
        """True if its models have a duality gap by this library."""
        return self.loss in LOSSES and LOSSES[self.loss].convex

    def at(self, k: int | None) -> Recipe:
        """Return the recipe with a selected k; None, where none is selected, leaves it as it is."""
        return self if k is None else replace(self, k=k, ks=())


def create(recipe: Recipe) -> Trainer:
    """Return the trainer of a recipe; a ValueError says which option or import path is wrong."""
    if recipe.competitor:
        return _competitor(recipe)
    if recipe.estimator:
        from toplabel.reproduction.methods.estimator import Estimator, check_classifier

        estimator = _imported("estimator", recipe.estimator, recipe, check_classifier)
        return Estimator(estimator, recipe.candidates, recipe.log_probabilities)
    from toplabel.reproduction.methods.trained import LibraryLoss

    loss: Any = recipe.loss
    if "." in recipe.loss:  # a loss of the user, by its import path
        loss = _imported("loss", recipe.loss, recipe, _check_loss)
    return LibraryLoss(loss, recipe.k or 1, recipe.gamma, recipe.kernel, recipe.passes, recipe.gap)


def gives_probabilities(recipe: Recipe) -> bool:
    """Return whether its scores are logarithms of probabilities, up to a number of the row."""
    if recipe.estimator:
        from toplabel.reproduction.methods.estimator import made

        return hasattr(made(recipe.estimator, recipe.arguments), "predict_proba")
    return recipe.loss == "lr_multi"


def competitor_module(competitor: str) -> str:
    """Return the whole name of the module of a competitor, as "toppush.TopPush"."""
    return f"toplabel.reproduction.methods.{competitor.partition('.')[0]}"


def _imported(key: str, path: str, recipe: Recipe, check: Callable[[Any, str], None]) -> Any:
    """Return the estimator, or the loss of the user, of an import path; `check` may refuse it."""
    from toplabel.reproduction.methods.estimator import made

    try:
        instance = made(path, recipe.arguments)
        check(instance, path)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    return instance


def _check_loss(loss: Any, path: str) -> None:
    """Refuse what is no loss."""
    from toplabel.losses import get  # here: planning a run needs no solver

    try:
        get(loss)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _competitor(recipe: Recipe) -> Trainer:
    module = importlib.import_module(competitor_module(recipe.competitor))
    trainer = getattr(module, recipe.competitor.partition(".")[2])
    try:
        return trainer(**recipe.arguments)
    except TypeError as error:  # an option that it has not, or that is no number
        raise ValueError(f"params: {error}") from None
