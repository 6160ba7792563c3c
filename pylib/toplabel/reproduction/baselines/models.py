"""What training a baseline gives: a model that can be stored as arrays, and what is known of it.

A model is either the weights W of a linear classifier, an ndarray of shape (d, m), or a dataclass
of this module whose fields are arrays. None is pickled.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Protocol

import numpy as np
from scipy import sparse

from toplabel.kernels import cross_gram

Matrix = np.ndarray | sparse.csr_matrix


@dataclass(frozen=True, eq=False)
class Affine:
    """Scores X W + bias, W of shape (d, m)."""

    kind: ClassVar[str] = "affine"
    W: np.ndarray
    bias: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        return np.asarray(X @ self.W) + self.bias


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree of linear classifiers over the labels: a label's score is the smallest on its path.

    W, (d, e), has the weights of the e edges of the tree, and path, (m, depth), the edges from the
    root to each label; an edge may be repeated.
    """

    kind: ClassVar[str] = "hierarchy"
    W: np.ndarray
    path: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        edges = np.asarray(X @ self.W)
        found = edges[:, self.path[:, 0]]
        for step in self.path.T[1:]:
            np.minimum(found, edges[:, step], out=found)
        return found


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees whose leaves hold training rows; a score is the share of these with the label, over all
    trees.

    The labels of the rows are kept instead of those of the leaves, which with many labels are much
    larger.

    Attributes
    ----------
    feature, threshold, left, right : ndarray, (nodes,)
        All trees one after the other; a row goes left when its feature is at most the threshold.
        Children are counted within their tree, and are negative at a leaf.
    offset : ndarray of int, (t + 1,)
        Where each tree begins.
    leaf : ndarray of int, (t, n)
        The node of its tree in which each training row ends.
    copies : ndarray of uint8, (t, n)
        How often the row is in the tree's sample.
    labels : ndarray of uint8, (n, ceil(m / 8))
        Packed bits of the rows' labels.
    n_labels : ndarray, ()
        m.
    """

    kind: ClassVar[str] = "forest"
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    offset: np.ndarray
    leaf: np.ndarray
    copies: np.ndarray
    labels: np.ndarray
    n_labels: np.ndarray

    ROWS: ClassVar[int] = 4096  # at a time, made dense

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m), in [0, 1]."""
        Y = np.unpackbits(self.labels, axis=1, count=int(self.n_labels)).astype(np.float64)
        blocks = [slice(i, i + self.ROWS) for i in range(0, X.shape[0], self.ROWS)]
        dense = [_single(X[block]) for block in blocks]
        total = np.zeros((X.shape[0], Y.shape[1]))
        for tree in range(len(self.leaf)):
            shares = self._shares(tree) @ Y
            for block, rows in zip(blocks, dense, strict=True):
                total[block] += shares[self._descend(tree, rows)]
        return total / len(self.leaf)

    def _shares(self, tree: int) -> sparse.csr_matrix:
        """Return the share of each training row in its leaf, shape (nodes of the tree, n)."""
        copies = self.copies[tree].astype(np.float64)
        nodes = int(self.offset[tree + 1] - self.offset[tree])
        size = np.bincount(self.leaf[tree], weights=copies, minlength=nodes)
        rows = np.flatnonzero(copies)
        leaf = self.leaf[tree, rows]
        shape = (nodes, len(copies))
        return sparse.csr_matrix((copies[rows] / size[leaf], (leaf, rows)), shape=shape)

    def _descend(self, tree: int, rows: np.ndarray) -> np.ndarray:
        """Return the leaf of each row."""
        nodes = slice(self.offset[tree], self.offset[tree + 1])
        return leaves_of(
            self.feature[nodes], self.threshold[nodes], self.left[nodes], self.right[nodes], rows
        )


@dataclass(frozen=True, eq=False)
class Boosted:
    """Trees with a class in each leaf.

    A row scores sum_t step_t <c_k, c_(its leaf's class)> for the class k, where <c_j, c_k> is 1 for
    j = k and -1/(m - 1) otherwise. The arrays are as of `Forest`; `classes` has the shape (nodes,),
    `step` (t,), `n_classes` () is m.
    """

    kind: ClassVar[str] = "boosted"
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    offset: np.ndarray
    classes: np.ndarray
    step: np.ndarray
    n_classes: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        rows, m = _single(X), int(self.n_classes)
        votes = np.zeros((len(rows), m))
        each = np.arange(len(rows))
        for tree, step in enumerate(self.step):
            nodes = slice(self.offset[tree], self.offset[tree + 1])
            leaf = leaves_of(
                *(self.feature[nodes], self.threshold[nodes], self.left[nodes], self.right[nodes]),
                rows,
            )
            votes[each, self.classes[nodes][leaf]] += step
        return (m * votes - self.step.sum()) / (m - 1)


def leaves_of(
    feature: np.ndarray,
    threshold: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    rows: np.ndarray,
) -> np.ndarray:
    """Return the leaf in which each row ends, (rows,); the arrays of one tree as of `Forest`."""
    at = np.zeros(len(rows), dtype=np.intp)
    moving = np.flatnonzero(left[at] >= 0)
    while moving.size:
        node = at[moving]
        goes_left = rows[moving, feature[node]] <= threshold[node]
        at[moving] = np.where(goes_left, left[node], right[node])
        moving = moving[left[at[moving]] >= 0]
    return at


def _single(X: Matrix) -> np.ndarray:
    """Return dense rows in float32, as the trees were grown on."""
    return (X.toarray() if sparse.issparse(X) else np.asarray(X)).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Scores sum_i exp(-theta ||x - x_i||^2) A_i + bias, X (n, d) the rows with a coefficient."""

    kind: ClassVar[str] = "gaussian"
    X: np.ndarray
    A: np.ndarray
    bias: np.ndarray
    theta: np.ndarray

    NUMBERS: ClassVar[int] = 1 << 24  # of the kernel between the rows, at a time

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        rows = max(1, self.NUMBERS // max(1, len(self.X)))
        blocks = [
            cross_gram(X[i : i + rows], self.X, float(self.theta)) @ self.A
            for i in range(0, X.shape[0], rows)
        ]
        return np.concatenate(blocks) + self.bias


Structured = Affine | Hierarchy | Forest | Boosted | Gaussian
KINDS = {model.kind: model for model in (Affine, Hierarchy, Forest, Boosted, Gaussian)}


def arrays_of(model: Structured) -> dict[str, np.ndarray]:
    """Return the arrays of a model, by name."""
    return {field.name: getattr(model, field.name) for field in fields(model)}


def scores_of(model: np.ndarray | Structured, X: Matrix) -> np.ndarray:
    """Return scores of rows, shape (rows, m), by weights (d, m) or a model of this module."""
    return np.asarray(X @ model) if isinstance(model, np.ndarray) else model.scores(X)


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained baseline; what `toplabel.Solution` is for our own solver.

    `status` is "converged" when the relative gap is at most the tolerance, "max_epochs" when the
    limit came first, "stalled" when rounding prevented further progress, "uncertified" when it was
    trained to the end by its own rule, which does not bound the distance to an optimum. Epochs are
    passes or iterations, as each baseline defines them. Objectives are in the normalisation of
    `toplabel.solve`; NaN where the baseline has none. `state` is what a later call needs to start
    here. `left_out`, (n, m), are scores of each training row by the model of all others, where
    there is a closed form.
    """

    model: np.ndarray | Structured
    status: str
    epochs: int
    primal: float = np.nan
    dual: float = np.nan
    relative_gap: float = np.nan
    gradient_norm: float | None = None
    state: object = None
    left_out: np.ndarray | None = None

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
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
            The value of `toplabel.reproduction.config.baselines.Baseline.parameter`.
        seed : int
            What is random depends on it alone.
        eps : float
            Relative gap to reach, by those that have one.
        max_epochs : int
            Limit on the passes.
        start : Trained, optional
            The result for a smaller C.
        """


def relative_gap(primal: float, dual: float) -> float:
    """(P - D) / max(|P|, |D|), and 0 when both are 0."""
    size = max(abs(primal), abs(dual))
    return (primal - dual) / size if size > 0 else 0.0


def status_of(gap: float, eps: float, epochs: int, max_epochs: int) -> str:
    """Return the status of a baseline with a gap; see `Trained`."""
    if gap <= eps:
        return "converged"
    return "max_epochs" if epochs >= max_epochs else "stalled"


def indicator(labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Return class indices (n,), or a 0/1 indicator (n, m), as a boolean array of shape (n, m)."""
    if labels.ndim == 2:
        return labels != 0
    return labels[:, None] == np.arange(n_classes)
