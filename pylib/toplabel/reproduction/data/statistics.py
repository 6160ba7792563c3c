"""What a prepared data set holds, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.rows import Rows, blocks, squared_norms

if TYPE_CHECKING:
    from toplabel.reproduction.config.protocols import Axis

_PECULIAR = ("zero_rows", "empty_label_sets", "full_label_sets", "classes_without_example")
_EFFECTIVE = 0.1  # of C ||x||^2: the smallest value of the usual grids at a norm of 100


def statistics(prepared: Prepared) -> dict[str, Any]:
    """Measure a data set; the columns of ``results/datasets.csv`` that are measured.

    Sizes are those of the first split (the others are draws of the same sizes). Label cardinality
    is that of all its instances, training and test together: that is what TPAMI Table 8 prints
    (the training rows alone give 1.81 for emotions, printed 1.87). `row_norm` is the median norm of
    the training rows, `zero_rows` counts those that are 0; these and the other counts are of the
    training part, where they matter to a solver. ``parts`` has sizes, label cardinality and counts
    of each part of the split.
    """
    split = prepared.splits[0]
    names = {"train": split.train, "val": split.val, "test": split.test}
    roles = {role: prepared.parts[name] for role, name in names.items() if name is not None}
    by_part = {role: _measure(part, prepared.n_classes) for role, part in roles.items()}
    distinct = [prepared.parts[name] for name in sorted({n for n in names.values() if n})]
    squares = squared_norms(roles["train"].X)
    sets = [part.Y for part in distinct] if prepared.task == "multilabel" else None
    return {
        "n_classes": prepared.n_classes,
        "n_train": by_part["train"]["n_instances"],
        "n_val": by_part["val"]["n_instances"] if "val" in by_part else None,
        "n_test": by_part["test"]["n_instances"],
        "n_features": roles["train"].n_features,
        "label_cardinality": cardinality(sets) if sets else None,
        "row_norm": float(np.median(np.sqrt(squares))),
        "mean_squared_norm": float(np.mean(squares, dtype=np.float64)),
        **{key: by_part["train"][key] for key in _PECULIAR},
        "parts": by_part,
    }


def cardinality(indicators: Sequence[np.ndarray]) -> float:
    """Return the labels per instance of several indicators together."""
    labels = sum(int(Y.sum(dtype=np.int64)) for Y in indicators)
    return labels / sum(len(Y) for Y in indicators)


def label_counts(Y: np.ndarray) -> dict[str, int]:
    """Return the counts of label sets and classes of an indicator that are peculiar."""
    per_row = Y.sum(axis=1, dtype=np.int64)
    return {
        "empty_label_sets": int((per_row == 0).sum()),
        "full_label_sets": int((per_row == Y.shape[1]).sum()),
        "classes_without_example": int((~Y.any(axis=0)).sum()),
    }


def _measure(part: Part, n_classes: int) -> dict[str, Any]:
    there = {
        "n_instances": part.n_instances,
        "n_rows": part.n_rows,
        "zero_rows": zero_rows(part.X),
    }
    if part.Y is not None:
        return there | {"label_cardinality": cardinality([part.Y]), **label_counts(part.Y)}
    missing = int((np.bincount(part.y, minlength=n_classes) == 0).sum())
    counts = {"empty_label_sets": 0, "full_label_sets": 0, "classes_without_example": missing}
    return there | {"label_cardinality": None, **counts}


def zero_rows(X: Rows) -> int:
    if sparse.issparse(X):
        stored = X.copy()
        stored.eliminate_zeros()
        return int((np.diff(stored.indptr) == 0).sum())
    return sum(int((~np.any(block, axis=1)).sum()) for _, block in blocks(X))


def norm_advice(measured: dict[str, Any], grid: Axis) -> str:
    """Return advice on rows so long, or so short, that a grid of C does not suit them; else "".

    C acts by C ||x||^2: a grid is of use where it holds values of that on both sides of 0.1.
    """
    square = measured["mean_squared_norm"]
    least, most = (grid.value(exponent) * square for exponent in (grid.start, grid.stop))
    if not square or least <= _EFFECTIVE <= most:
        return ""
    return (
        f"The rows have the mean squared norm {square:.3g}, times which the grid of C is "
        f"{least:.3g} to {most:.3g}: few values are of use; give the set `transform: standardise`, "
        "or, if all columns have one unit, `C_scale: mean_squared_norm`."
    )
