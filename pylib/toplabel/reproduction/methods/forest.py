"""A random forest of multi-output trees: one tree predicts all labels.

L. Breiman: Random forests. Machine Learning 45, 2001. D. Kocev, C. Vens, J. Struyf, S. Dzeroski:
Ensembles of multi-objective decision trees. ECML 2007 (random forests of predictive clustering
trees, RF-PCT in TPAMI Table 7). Trees are scikit-learn's regression trees on the 0/1 labels, whose
criterion, the variance summed over labels, is that of predictive clustering trees; this is no
re-implementation of RF-PCT.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor

from toplabel._core.arrays import as_integer
from toplabel.reproduction.methods.models import Forest, Matrix, Trained, indicator


class MultiOutputForest:
    """Bagged multi-output trees; a score is the share of in-bag rows with the label in the leaves.

    C, which is selected, is the least number of rows in a leaf, rounded. An epoch is a tree, and
    their number is fixed. `features` is scikit-learn's ``max_features``, "sqrt" or "log2". With
    more labels than `projection`, the splits are chosen for that many random combinations of the
    labels (A. Joly, P. Geurts, L. Wehenkel: Random forests with random projections of the output
    space for high dimensional multi-label classification. ECML PKDD 2014), since time and memory
    grow with the number of outputs. Leaves hold the labels themselves all the same.
    """

    def __init__(self, trees: int = 100, features: str = "sqrt", projection: int = 64) -> None:
        if features not in ("sqrt", "log2"):
            raise ValueError(f"features must be 'sqrt' or 'log2', got {features!r}")
        self._trees = as_integer(trees, "trees", 1)
        self._features = features
        self._projection = as_integer(projection, "projection", 1)

    def train(self, X, labels, *, n_classes, C, seed, **_) -> Trained:
        """Train (see `models.Trainer`)."""
        Y = indicator(labels, n_classes)
        rng = np.random.default_rng(seed)
        forest = RandomForestRegressor(
            n_estimators=self._trees,
            min_samples_leaf=max(1, round(C)),
            max_features=self._features,
            random_state=int(rng.integers(1 << 32)),
        )
        rows = X.astype(np.float32)  # as the trees take them
        forest.fit(rows, self._targets(Y, rng))
        return Trained(_as_arrays(forest, rows, Y), "uncertified", self._trees)

    def _targets(self, Y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        m = Y.shape[1]
        if m <= self._projection:
            return Y.astype(float)
        directions = rng.standard_normal((m, self._projection)) / np.sqrt(self._projection)
        return np.asarray(sparse.csr_matrix(Y, dtype=float) @ directions)


def _as_arrays(forest: RandomForestRegressor, rows: Matrix, Y: np.ndarray) -> Forest:
    trees = [tree.tree_ for tree in forest.estimators_]
    n = rows.shape[0]
    copies = [np.bincount(drawn, minlength=n) for drawn in forest.estimators_samples_]
    return Forest(
        **Forest.arrays(trees),
        leaf=forest.apply(rows).T.astype(np.int32),
        copies=np.array(copies, dtype=np.uint8),
        labels=np.packbits(Y, axis=1),
        n_labels=np.array(Y.shape[1]),
    )
