"""What training a baseline gives: a model that can be stored as arrays, and what is known of it.

A model is either the weights W of a linear classifier, an ndarray of shape (d, m), or a dataclass of this
module whose fields are arrays. None is pickled.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Protocol

import numpy as np
from scipy import sparse

Matrix = np.ndarray | sparse.csr_matrix


@dataclass(frozen=True, eq=False)
class Affine:
    """Scores X W + bias.

    Attributes
    ----------
    W : ndarray, (d, m)
    bias : ndarray, (m,)
    """

    kind: ClassVar[str] = "affine"
    W: np.ndarray
    bias: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Scores of rows, shape (rows, m)."""
        return np.asarray(X @ self.W) + self.bias


Structured = Affine
KINDS = {model.kind: model for model in (Affine,)}


def arrays_of(model: Structured) -> dict[str, np.ndarray]:
    """The arrays of a model, by name."""
    return {field.name: getattr(model, field.name) for field in fields(model)}


def scores_of(model: np.ndarray | Structured, X: Matrix) -> np.ndarray:
    """Scores of rows, shape (rows, m).

    Parameters
    ----------
    model : ndarray of shape (d, m), or a model of this module
    X : ndarray or csr_matrix of shape (rows, d)
    """
    return np.asarray(X @ model) if isinstance(model, np.ndarray) else model.scores(X)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained baseline; what `toplabel.Solution` is for our own solver.

    Attributes
    ----------
    model : ndarray, (d, m), or a model of this module
    status : str
        "converged": the relative gap is at most the tolerance; "max_epochs": it is not; "uncertified":
        trained to the end by its own rule, which bounds no distance to an optimum.
    epochs : int
        Passes over the data, or iterations, as each baseline defines them.
    primal, dual, relative_gap : float
        In the normalisation of `toplabel.solve`; NaN where the baseline has none.
    state : object
        What a later call needs to start here.
    """

    model: np.ndarray | Structured
    status: str
    epochs: int
    primal: float = np.nan
    dual: float = np.nan
    relative_gap: float = np.nan
    gradient_norm: float | None = None
    state: object = None

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Scores of rows, shape (rows, m)."""
        return scores_of(self.model, X)


class Trainer(Protocol):
    """What every baseline can do."""

    def train(
        self,
        X: Matrix,
        labels: np.ndarray,
        *,
        n_classes: int,
        C: float,
        seed: int,
        eps: float,
        max_epochs: int,
        start: Trained | None = None,
    ) -> Trained:
        """Train for one value of the hyper-parameter.

        Parameters
        ----------
        X : ndarray or csr_matrix of shape (n, d)
        labels : ndarray of shape (n,) or (n, m)
            Class indices, or for a multilabel baseline an indicator.
        n_classes : int
            m; the last classes may have no example.
        C : float
            The value of `catalogue.Baseline.parameter`.
        seed : int
            What is random depends on it alone.
        eps : float
            Relative gap to reach, by those that have one.
        max_epochs : int
            Passes after which training stops all the same.
        start : Trained, optional
            The result for the nearest smaller C.
        """


def relative_gap(primal: float, dual: float) -> float:
    """(P - D) / max(|P|, |D|), and 0 when both are 0."""
    size = max(abs(primal), abs(dual))
    return (primal - dual) / size if size > 0 else 0.0


def indicator(labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Class indices (n,), or a 0/1 indicator (n, m), as a boolean array of shape (n, m)."""
    if labels.ndim == 2:
        return labels != 0
    return labels[:, None] == np.arange(n_classes)
