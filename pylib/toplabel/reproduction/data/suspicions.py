"""Suspicions about the columns of a table: which of them alone tells the class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from toplabel.reproduction.data.parts import Column, Prepared

_ROWS = 2000  # that a suspicion is tried on
_COLUMNS = 500  # that are tried
_ALONE = 0.99  # of the test rows, which no honest column gets right alone
_FEWEST = 10  # test rows, below which chance may


def suspicions(columns: Sequence[Column], prepared: Prepared) -> list[str]:
    """Return a sentence for each column that alone tells the class of nearly all test rows.

    A tree with a leaf for each class (of a column of words, for each of these) is trained on the column
    alone, on the training part of the first split, and tested on its test part.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    if prepared.task != "multiclass" or train is test or test.n_rows < _FEWEST:
        return []
    most_frequent = np.bincount(test.y).max() / len(test.y)
    if most_frequent >= _ALONE:
        return []
    found, start = [], 0
    for column in [column for column in columns if column.width][:_COLUMNS]:
        places = slice(start, start + column.width)
        start += column.width
        tree = DecisionTreeClassifier(
            max_leaf_nodes=max(prepared.n_classes, column.width + 1), random_state=0
        )
        tree.fit(_dense(train.X[:_ROWS, places]), train.y[:_ROWS])
        share = tree.score(_dense(test.X[:_ROWS, places]), test.y[:_ROWS])
        if share >= _ALONE:
            found.append(
                f"The column {column.name!r} alone tells the class of {share:.0%} of the test rows: "
                f"is it known before the class is? `drop: [{column.name}]` leaves it out."
            )
    return found


def _dense(X) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)
