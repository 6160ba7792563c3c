"""What training a baseline gives: a model that can be stored as arrays, and what is known of it.

A model is either the weights W of a linear classifier, an ndarray of shape (d, m), or a dataclass
of this module whose fields are arrays. None is pickled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

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
class Trees:
    """Trees one after the other; the i-th begins at offset[i], of shape (t + 1,).

    A row goes left when its feature is at most the threshold. feature, threshold, left and right
    have the shape (nodes,); children are counted within their tree, and are negative at a leaf.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    offset: np.ndarray

    @staticmethod
    def arrays(trees: Sequence[Any]) -> dict[str, np.ndarray]:
        """Return the arrays of scikit-learn's ``tree_`` objects."""
        return {
            "feature": np.concatenate([tree.feature for tree in trees]).astype(np.int32),
            "threshold": np.concatenate([tree.threshold for tree in trees]),
            "left": np.concatenate([tree.children_left for tree in trees]).astype(np.int32),
            "right": np.concatenate([tree.children_right for tree in trees]).astype(np.int32),
            "offset": np.cumsum([0] + [tree.node_count for tree in trees]),
        }

    def nodes(self, tree: int) -> slice:
        """Return where the nodes of a tree stand."""
        return slice(self.offset[tree], self.offset[tree + 1])

    def leaves(self, tree: int, rows: np.ndarray) -> np.ndarray:
        """Return the leaf in which each row ends, (rows,)."""
        nodes = self.nodes(tree)
        feature, threshold = self.feature[nodes], self.threshold[nodes]
        left, right = self.left[nodes], self.right[nodes]
        at = np.zeros(len(rows), dtype=np.intp)
        moving = np.flatnonzero(left[at] >= 0)
        while moving.size:
            node = at[moving]
            goes_left = rows[moving, feature[node]] <= threshold[node]
            at[moving] = np.where(goes_left, left[node], right[node])
            moving = moving[left[at[moving]] >= 0]
        return at


@dataclass(frozen=True, eq=False)
class Forest(Trees):
    """Trees whose leaves hold training rows; a score is the share of these with the label.

    The labels of the rows, packed bits of shape (n, ceil(m / 8)), are kept instead of those of the
    leaves, which with many labels are much larger. `leaf`, (t, n), is the node of its tree in which
    each row ends, `copies`, (t, n), how often the row is in the tree's sample, `n_labels` () is m.
    """

    kind: ClassVar[str] = "forest"
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
                total[block] += shares[self.leaves(tree, rows)]
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


@dataclass(frozen=True, eq=False)
class Boosted(Trees):
    """Trees with a class in each leaf.

    A row scores sum_t step_t <c_k, c_(its leaf's class)> for the class k, where <c_j, c_k> is 1 for
    j = k and -1/(m - 1) otherwise. `classes` has the shape (nodes,), `step` (t,), `n_classes` () is
    m.
    """

    kind: ClassVar[str] = "boosted"
    classes: np.ndarray
    step: np.ndarray
    n_classes: np.ndarray

    def scores(self, X: Matrix) -> np.ndarray:
        """Return scores of rows, shape (rows, m)."""
        rows, m = _single(X), int(self.n_classes)
        votes = np.zeros((len(rows), m))
        each = np.arange(len(rows))
        for tree, step in enumerate(self.step):
            classes = self.classes[self.nodes(tree)]
            votes[each, classes[self.leaves(tree, rows)]] += step
        return (m * votes - self.step.sum()) / (m - 1)


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
    """Train and store a baseline; a class takes of the arguments those that it needs."""

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
        """Train on rows X, (n, d), for one value C of `config.baselines.Baseline.parameter`.

        The labels are class indices, or an indicator for a multilabel baseline; the last of the
        classes may have no example. What is random depends on the seed alone. eps is the relative
        gap to reach, by those that have one, max_epochs the limit on the passes, and start the
        result for a smaller C.
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


def train_problems(
    solve: Callable[[np.ndarray, Any], Any],
    labels: np.ndarray,
    n_classes: int,
    one_vs_all: bool,
    start: Trained | None,
    status: Callable[[float, int], str],
) -> Trained:
    """Solve the problem of all classes, or one per class, and join what the solutions say.

    `solve` takes which embedded examples are positive, (n, c), and the state of an earlier
    solution. The objectives are sums, and of the epochs the largest number counts.
    """
    positive = indicator(labels, n_classes)
    problems = np.split(positive, n_classes, axis=1) if one_vs_all else [positive]
    states = [None] * len(problems) if start is None else start.state
    solved = [solve(problem, state) for problem, state in zip(problems, states, strict=True)]
    primal, dual = sum(one.primal for one in solved), sum(one.dual for one in solved)
    gap, epochs = relative_gap(primal, dual), max(one.epochs for one in solved)
    model = np.concatenate([one.W for one in solved], axis=1)
    states = [one.state for one in solved]
    return Trained(model, status(gap, epochs), epochs, primal, dual, gap, state=states)
