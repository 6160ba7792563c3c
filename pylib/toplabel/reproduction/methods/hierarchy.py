"""A hierarchy of multilabel classifiers over balanced clusters of labels.

G. Tsoumakas, I. Katakis, I. Vlahavas: Effective and efficient multilabel classification in domains
with large number of labels. ECML/PKDD 2008 workshop on mining multidimensional data (HOMER; in
TPAMI Table 7 with an RBF kernel). Labels are split into clusters of equal size by balanced k-means
on their columns, recursively; at each node a classifier for each child says whether any of the
child's labels applies, trained on the rows that have a label of the node. The classifiers are
linear SVMs without a bias, by LIBLINEAR.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from toplabel._core.arrays import as_integer
from toplabel.reproduction.methods.liblinear import OneVsAll
from toplabel.reproduction.methods.models import Hierarchy, Matrix, Trained, indicator

_ROUNDS = 20  # of k-means, at most


class LabelHierarchy:
    """A tree of one-vs-all SVMs; a label's score is the smallest one on its path from the root.

    A label is therefore predicted at the threshold 0 exactly when every classifier on the path
    predicts it, as in the hierarchy of the paper; other thresholds, and rankings, are our
    extension. A node has `children` clusters. Epochs are LIBLINEAR's, of the node that needed most
    of them.
    """

    def __init__(self, children: int = 4) -> None:
        self._children = as_integer(children, "children", 2)

    def train(self, X, labels, *, n_classes, C, seed, eps, max_epochs, **_) -> Trained:
        """Train (see `models.Trainer`)."""
        Y = indicator(labels, n_classes)
        groups = label_tree(Y, self._children, seed)
        svm = OneVsAll("svm_ova")
        weights, paths, epochs, finished = [], [[] for _ in range(n_classes)], 0, True
        for node in groups:
            # Every row trains the root; one without labels is a negative example for all of its
            # children.
            rows = Y[:, np.concatenate(node)].any(axis=1) if weights else np.ones(len(Y), bool)
            targets = np.column_stack([Y[rows][:, child].any(axis=1) for child in node])
            fitted = _fit(svm, X, rows, targets, C=C, seed=seed, eps=eps, max_epochs=max_epochs)
            for index, child in enumerate(node, start=sum(part.shape[1] for part in weights)):
                for label in child:
                    paths[label].append(index)
            weights.append(fitted.model)
            epochs = max(epochs, fitted.epochs)
            finished = finished and fitted.status != "max_epochs"
        model = Hierarchy(np.concatenate(weights, axis=1), _table(paths))
        return Trained(model, "uncertified" if finished else "max_epochs", epochs)


def _fit(svm: OneVsAll, X: Matrix, rows: np.ndarray, targets: np.ndarray, **arguments) -> Trained:
    if not rows.any():  # no example: every score is 0
        return Trained(np.zeros((X.shape[1], targets.shape[1])), "uncertified", 0)
    return svm.train(X[np.flatnonzero(rows)], targets, n_classes=targets.shape[1], **arguments)


def _table(paths: Sequence[Sequence[int]]) -> np.ndarray:
    """Return paths as one array, with the last step repeated, which changes no minimum."""
    depth = max(len(path) for path in paths)
    rows = [[*path, *[path[-1]] * (depth - len(path))] for path in paths]
    return np.array(rows, dtype=np.int32)


def label_tree(Y: np.ndarray, children: int, seed: int) -> list[list[np.ndarray]]:
    """Split the labels of Y, boolean (n, m), into balanced clusters, and these again, to the end.

    Return the nodes, each above its children: for each child the labels below it.
    """
    values = Y.astype(np.float64)
    gram = values.T @ values
    rng = np.random.default_rng(seed)
    nodes, waiting = [], [np.arange(Y.shape[1])]
    while waiting:
        labels = waiting.pop(0)
        if len(labels) <= children:
            node = [labels[i : i + 1] for i in range(len(labels))]
        else:
            cluster = balanced_clusters(gram[np.ix_(labels, labels)], children, rng)
            node = [labels[cluster == c] for c in range(children)]
        nodes.append(node)
        waiting += [child for child in node if len(child) > 1]
    return nodes


def balanced_clusters(gram: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Run balanced k-means (the paper's Figure 2): no cluster has more than ceil(m / count)
    members.

    In each round every point goes to the nearest centre; when that is full, its farthest member
    goes on to the centre that is next for it. `gram` has the inner products of the m >= count
    points. Return the cluster of each point; none is empty.
    """
    m = len(gram)
    room = -(-m // count)
    seeds = rng.choice(m, size=count, replace=False)
    cluster = np.full(m, -1)
    cluster[seeds] = np.arange(count)
    for _ in range(_ROUNDS):
        distance = _to_centres(gram, cluster, count)
        fresh = _assign(distance, room, rng.permutation(m))
        if np.array_equal(fresh, cluster):
            break
        cluster = fresh
    return cluster


def _to_centres(gram: np.ndarray, cluster: np.ndarray, count: int) -> np.ndarray:
    """Return the squared distances of points to the means of the clusters; -1 is in none."""
    members = (cluster[:, None] == np.arange(count)).astype(float)
    shares = members / members.sum(axis=0)
    cross = gram @ shares
    return np.diag(gram)[:, None] - 2 * cross + np.einsum("ic,ic->c", shares, cross)


def _assign(distance: np.ndarray, room: int, order: np.ndarray) -> np.ndarray:
    """Return the nearest centre with room for each point; a full one's farthest members move on."""
    m, count = distance.shape
    preference = np.argsort(distance, axis=1, kind="stable")
    rank = np.zeros(m, dtype=int)  # how many centres were full for a point
    members: list[list[int]] = [[] for _ in range(count)]
    for point in order:
        while True:
            centre = preference[point, rank[point]]
            members[centre].append(point)
            if len(members[centre]) <= room:
                break
            farthest = max(members[centre], key=lambda other: (distance[other, centre], other))
            members[centre].remove(farthest)
            rank[farthest] += 1
            point = farthest
    return _fill(members, distance, m)


def _fill(members: list[list[int]], distance: np.ndarray, m: int) -> np.ndarray:
    """Give an empty cluster the point that is nearest to it among those of the largest cluster."""
    for centre, own in enumerate(members):
        if not own:
            largest = max(members, key=len)
            nearest = min(largest, key=lambda point: (distance[point, centre], point))
            largest.remove(nearest)
            own.append(nearest)
    cluster = np.empty(m, dtype=int)
    for centre, own in enumerate(members):
        cluster[own] = centre
    return cluster
