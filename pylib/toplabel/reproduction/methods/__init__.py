"""What can be trained: losses of the library or of the user, estimators of scikit-learn, competitors of the papers.

`create` makes the `trained.Trainer` of a recipe. It imports the module of a competitor by name, so that
a change of one competitor trains no other method again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toplabel.reproduction.methods.recipe import Recipe
    from toplabel.reproduction.methods.trained import Trainer


def create(recipe: Recipe) -> Trainer:
    """Return the trainer of a recipe; a ValueError says which option or import path is wrong."""
    if recipe.competitor:
        return _competitor(recipe)
    if recipe.estimator:
        from toplabel.reproduction.methods.estimator import Estimator, check_classifier

        estimator = _imported("estimator", recipe.estimator, recipe, check_classifier)
        return Estimator(estimator, recipe.candidates)
    from toplabel.reproduction.methods.library_loss import LibraryLoss

    loss: Any = recipe.loss
    if "." in recipe.loss:  # a loss of the user, by its import path
        loss = _imported("loss", recipe.loss, recipe, _check_loss)
    return LibraryLoss(loss, recipe.k or 1, recipe.gamma, recipe.kernel, recipe.passes)


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
