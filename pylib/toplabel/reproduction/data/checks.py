"""Count what a data set holds, refuse what cannot be trained on, and say what its user should know.

The counts of all registered sets stand beside what the papers print in ``results/datasets.csv``.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from toplabel.reproduction.config.entry import PrintedStatistics, Statistic
from toplabel.reproduction.data import DescribedSet, DescribeTask
from toplabel.reproduction.data.parts import (
    Column,
    Part,
    PreparedSet,
    Rows,
    blocks,
    dense,
    not_finite,
    squared_norms,
)
from toplabel.reproduction.data.prepared import columns_text, load_columns, load_prepared, read_meta
from toplabel.reproduction.files import PathLike

if TYPE_CHECKING:
    from toplabel.reproduction.config.protocols import Axis


COLUMNS: dict[str, type] = {
    **dict.fromkeys(("dataset", "title", "task", "status", "reason"), str),
    **dict.fromkeys(("n_classes", "n_train", "n_val", "n_test", "n_features"), int),
    "label_cardinality": float,
    **dict.fromkeys(
        ("zero_rows", "empty_label_sets", "full_label_sets", "classes_without_example"), int
    ),
    **dict.fromkeys(("paper_n_classes", "paper_n_train", "paper_n_features"), str),
    **dict.fromkeys(("paper_label_cardinality", "paper_source", "agrees", "licence"), str),
    **dict.fromkeys(("citation", "url", "published_key", "features", "published_sources"), str),
}
"""The columns of the file, with the types of `toplabel.reproduction.frames`."""
_SHOWN = 20  # of many classes, so many
_COMPARED: tuple[Statistic, ...] = ("n_classes", "n_train", "n_features", "label_cardinality")
_EFFECTIVE = 0.1  # of C ||x||^2: the smallest value of the usual grids at a norm of 100
_NAMED = 5  # of many names, so many
_ROWS = 2000  # of a part, drawn, that a suspicion is tried on
_COLUMNS = 500  # that are tried
_ALONE = 0.99  # of the test rows, which no honest column gets right alone
_FEWEST = 10  # test rows, below which chance may
_UNITS = {"K": 1_000, "M": 1_000_000}


def statistics(prepared: PreparedSet) -> dict[str, Any]:
    """Measure a data set; the columns of ``results/datasets.csv`` that are measured.

    Sizes are those of the first split (the others are draws of the same sizes). Label cardinality
    is that of all its instances, training and test together: that is what TPAMI Table 8 prints
    (the training rows alone give 1.81 for emotions, printed 1.87). `mean_squared_norm` and the
    counts are of the training part, where they matter to a solver.
    """
    split = prepared.splits[0]
    train, val, test = (prepared.parts.get(name) for name in (split.train, split.val, split.test))
    squares = squared_norms(train.X)
    names = {name for name in (split.train, split.val, split.test) if name}
    sets = [prepared.parts[name].Y for name in names if prepared.task == "multilabel"]
    labels = sum(int(Y.sum(dtype=np.int64)) for Y in sets)
    per_row = np.ones(1) if train.Y is None else train.Y.sum(axis=1, dtype=np.int64)
    return {
        "n_classes": prepared.n_classes,
        "n_train": train.n_instances,
        "n_val": None if val is None else val.n_instances,
        "n_test": test.n_instances,
        "n_features": train.n_features,
        "label_cardinality": labels / sum(map(len, sets)) if sets else None,
        "mean_squared_norm": float(np.mean(squares, dtype=np.float64)),
        "zero_rows": int((squares == 0).sum()),
        "empty_label_sets": int((per_row == 0).sum()),
        "full_label_sets": int((per_row == prepared.n_classes).sum()),
        "classes_without_example": int((class_counts(prepared) == 0).sum()),
    }


def class_counts(prepared: PreparedSet) -> np.ndarray:
    """Return the rows of each class or label, (m,), in the training part."""
    rows = prepared.parts[prepared.splits[0].train]
    if rows.Y is not None:
        return np.asarray(rows.Y.sum(axis=0), dtype=np.int64).ravel()
    return np.bincount(rows.y, minlength=prepared.n_classes)


def rounds_to(value: float, text: str) -> bool:
    """Return whether a printed number may be a value, rounded either way.

    Examples
    --------
    >>> rounds_to(10550, "10.5K"), rounds_to(10551, "10.5K")
    (True, False)
    """
    unit = _UNITS.get(text[-1:], 1)
    digits = text.rstrip("KM")
    decimals = len(digits.partition(".")[2])
    return abs(Fraction(value) - Fraction(digits) * unit) <= Fraction(unit, 2 * 10**decimals)


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


def advice(prepared: PreparedSet) -> list[str]:
    """Return a sentence for each peculiarity of a prepared data set.

    The first split is looked at: columns that are constant in its training part, rows that are 0,
    classes and labels without a training row, and test rows that stand in the training part too.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    remarks = []
    if constant := _constant_columns(train.X):
        remarks.append(
            f"{constant} of {train.n_features} columns are constant in the training part."
        )
    if zero := int((squared_norms(train.X) == 0).sum()):
        remarks.append(f"{zero} of {train.n_rows} training rows are 0.")
    if names := [prepared.class_names[j] for j in np.flatnonzero(class_counts(prepared) == 0)]:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        remarks.append(f"No training row has {', '.join(names[:_NAMED])}{more}.")
    if train is not test and (twice := _repeated(train.X, test.X)):
        remarks.append(f"{twice} of {test.n_rows} test rows stand in the training part, too.")
    return remarks


def _constant_columns(X: Rows) -> int:
    """Return the number of columns with one value; a column of ones, which is a bias, is not counted."""
    if sparse.issparse(X):
        low, high = (np.asarray(end(axis=0).todense()).ravel() for end in (X.min, X.max))
    else:
        ends = [(block.min(axis=0), block.max(axis=0)) for _, block in blocks(X)]
        low, high = np.min([a for a, _ in ends], axis=0), np.max([b for _, b in ends], axis=0)
    return int(np.sum((low == high) & (low != 1)))


def _repeated(train: Rows, test: Rows) -> int:
    """Return the number of rows of the second matrix that stand in the first one."""
    known = {*_row_sums(train)}
    return sum(row in known for row in _row_sums(test))


def _row_sums(X: Rows) -> Iterator[bytes]:
    """Return 16 bytes that stand for each row: the rows themselves may not fit into memory."""
    if sparse.issparse(X):
        X = X.tocsr()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        rows = (X.indices[i:j].tobytes() + X.data[i:j].tobytes() for i, j in ends)
    else:
        rows = (row.tobytes() for _, block in blocks(X) for row in block)
    return (hashlib.blake2b(row, digest_size=16).digest() for row in rows)


def validate_prepared(prepared: PreparedSet) -> None:
    """Refuse a data set on which a solver would fail or a score would be meaningless.

    These have fewer than two classes, names of classes that repeat, a part without rows, shapes that
    differ, NaN or infinity, or a class of a multiclass set without an example in a training part. The
    ValueError is one line with the data set, the part and what was found. Labels are checked where files
    are read (`formats.common.assemble`).
    """
    for where, fault in _faults(prepared):
        raise ValueError(f"data set '{prepared.name}'{where}: {fault}")


def _faults(prepared: PreparedSet) -> Iterator[tuple[str, str]]:
    """Yield where a fault is, and what it is; a check may rely on those before it."""
    names, parts = prepared.class_names, prepared.parts
    if len(names) < 2:
        yield "", f"m = {len(names)} classes; at least 2 are needed"
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        yield "", f"the class name {name!r} occurs {count} times"
    trained, widths = {split.train for split in prepared.splits}, {}
    for name, part in parts.items():  # once, since the parts of folds are made each time
        widths[name] = part.n_features
        for fault in _faults_of_part(part):
            yield f", part '{name}'", fault
        if prepared.task == "multiclass" and name in trained:
            missing = np.flatnonzero(np.bincount(part.y, minlength=len(names)) == 0)
            if missing.size:
                others = f" (nor have {missing.size - 1} others)" if missing.size > 1 else ""
                example = f"class {names[missing[0]]!r} has no training example{others}"
                yield f", part '{name}'", example
    if len(set(widths.values())) > 1:
        yield "", f"the parts differ in their number of features: {widths}"


def _faults_of_part(part: Part) -> Iterator[str]:
    X, n = part.X, part.n_instances
    if 0 in X.shape or n == 0:
        yield f"X has the shape {X.shape}, there is no row or no feature"
    if bad := not_finite(X):
        yield "X[{}, {}] is {}; features must be finite, and none missing".format(*bad)
    groups = np.arange(part.n_rows) if part.groups is None else part.groups
    if len(groups) != part.n_rows or not np.array_equal(np.unique(groups), np.arange(n)):
        yield f"{part.n_rows} rows of X do not belong to {n} instances"


def suspicions(columns: Sequence[Column], prepared: PreparedSet) -> list[str]:
    """Return a sentence for each column that alone tells the class of nearly all test rows.

    A tree with a leaf for each class (of a column of words, for each of these) is trained on the column
    alone, on rows of the training part of the first split, and tested on rows of its test part.
    """
    split = prepared.splits[0]
    train, test = prepared.parts[split.train], prepared.parts[split.test]
    if prepared.task != "multiclass" or train is test or test.n_rows < _FEWEST:
        return []
    rng = np.random.default_rng(0)  # the rows of a file may be in the order of their classes
    drawn, tested = (np.sort(rng.permutation(part.n_rows)[:_ROWS]) for part in (train, test))
    most_frequent = np.bincount(test.y[tested]).max() / len(tested)
    if most_frequent >= _ALONE:
        return []
    sentences, start = [], 0
    for column in [column for column in columns if column.width][:_COLUMNS]:
        places = slice(start, start + column.width)
        start += column.width
        tree = DecisionTreeClassifier(
            max_leaf_nodes=max(prepared.n_classes, column.width + 1), random_state=0
        )
        tree.fit(dense(train.X[drawn, places]), train.y[drawn])
        share = tree.score(dense(test.X[tested, places]), test.y[tested])
        if share >= _ALONE:
            sentences.append(
                f"The column {column.name!r} alone tells the class of {share:.0%} of the test rows: "
                f"is it known before the class is? `drop: [{column.name}]` leaves it out."
            )
    return sentences


# ---- what is told of sets ------------------------------------------------------------------------


def describe_datasets(task: DescribeTask, metas: Iterable[PathLike]) -> pd.DataFrame:
    """Return a row for each registered data set; `metas` are the meta.json of the prepared ones."""
    prepared = {Path(meta).parents[1].name: read_meta(Path(meta).parent) for meta in metas}
    rows = [
        dataset_row(about, prepared.get(about.name), task.reasons.get(about.name, ""))
        for about in task.sets
    ]
    # Counts stay whole numbers although a missing set has none.
    return pd.DataFrame(rows, columns=[*COLUMNS], dtype=object)


def dataset_row(
    entry: DescribedSet, meta: dict[str, Any] | None, reason: str = ""
) -> dict[str, Any]:
    """Return the facts of a data set by its meta.json, or the reason why it is missing."""
    row = {
        **vars(entry),
        "dataset": entry.name,
        "status": "missing",
        "reason": reason,
        "published_sources": ";".join(entry.published_sources),
        **{f"paper_{key}": _first_printed(entry, key) for key in _COMPARED},
        "paper_source": "; ".join(printed.source for printed in entry.statistics) or None,
    }
    if meta is None:
        return row
    if why := meta.get("not_comparable"):
        row["reason"] = f"not comparable: {why}"
    measured = meta["statistics"]
    agrees = not disagreements(measured, entry.statistics) if entry.statistics else None
    return row | measured | {"status": "ready", "agrees": agrees}


def _first_printed(entry: DescribedSet, key: str) -> str | None:
    printed = [getattr(row, key) for row in entry.statistics]
    return next((value for value in printed if value is not None), None)


def disagreements(
    measured: dict[str, Any], printed: Sequence[PrintedStatistics]
) -> list[tuple[str, Statistic]]:
    """Return the printed numbers that are not the measured ones, rounded, by table and statistic."""
    return [
        (row.source, key)
        for row in printed
        for key in _COMPARED
        if (text := getattr(row, key)) is not None
        and (value := measured[key]) is not None
        and not rounds_to(value, text)
    ]


def set_lines(prepared: PreparedSet, columns: Sequence[Column]) -> list[str]:
    """Return the lines that `check` prints of a prepared set: sizes, classes, columns and advice."""
    size, n = prepared.meta["statistics"], len(prepared.splits)
    counts = class_counts(prepared)
    named = zip(prepared.class_names, counts, strict=True)
    more = len(counts) - _SHOWN
    return [
        f"{prepared.name}: {prepared.task}, {size['n_train']} training rows, "
        f"{size['n_test']} test rows, {size['n_features']} features, "
        f"{prepared.n_classes} classes, {n} split{'s' if n > 1 else ''}",
        *(f"  {name}: {count} training rows" for name, count in [*named][:_SHOWN]),
        *([f"  and {more} more classes"] if more > 0 else []),
        *(f"  {line}" for line in columns_text(columns)),
        *(f"  Note: {sentence}" for sentence in prepared.meta["advice"]),
    ]


def print_sets(metas: Iterable[PathLike]) -> None:
    """Print what the prepared sets among some hold, by their meta.json."""
    for folder in (Path(meta).parent for meta in metas if Path(meta).is_file()):
        print("", *set_lines(load_prepared(folder), load_columns(folder)), sep="\n", flush=True)
