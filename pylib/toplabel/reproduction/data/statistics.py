"""What a prepared data set holds, beside what the papers print about it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from toplabel.reproduction.config.entry import Entry, LabelLists, Printed
from toplabel.reproduction.data.formats import FormatError, voc
from toplabel.reproduction.data.parts import Part, Prepared
from toplabel.reproduction.data.rows import blocks, squared_norms

if TYPE_CHECKING:
    from toplabel.reproduction.config.protocols import Axis

COMPARED = ("n_classes", "n_train", "n_features", "label_cardinality")
_PECULIAR = ("zero_rows", "empty_label_sets", "full_label_sets", "classes_without_example")
_EFFECTIVE = 0.1  # of C ||x||^2: the smallest value of the usual grids at a norm of 100
_SUFFIX = {"K": 1_000, "M": 1_000_000}


def statistics(prepared: Prepared) -> dict[str, Any]:
    """Measure a data set; the columns of ``results/datasets.csv`` that are measured.

    Sizes are those of the first split (the others are draws of the same sizes). Label cardinality
    is that of all its instances, training and test together: that is what TPAMI Table 8 prints
    (the training rows alone give 1.81 for emotions, printed 1.87). The counts of peculiar rows and
    classes are of the training part, where they matter to a solver.

    Returns
    -------
    dict
        n_classes, n_train, n_val, n_test (instances; n_val None without a validation part),
        n_features, label_cardinality (None for multiclass sets), zero_rows (feature vectors that
        are 0), row_norm (their median norm), mean_squared_norm, empty_label_sets, full_label_sets,
        classes_without_example; ``parts`` has n, rows, label_cardinality and the four counts for
        each part of the split.
    """
    split = prepared.splits[0]
    names = {"train": split.train, "val": split.val, "test": split.test}
    roles = {role: prepared.parts[name] for role, name in names.items() if name is not None}
    by_part = {role: _measure(part, prepared.n_classes) for role, part in roles.items()}
    train = by_part["train"]
    distinct = [prepared.parts[name] for name in sorted({n for n in names.values() if n})]
    multilabel = prepared.task == "multilabel"
    squares = squared_norms(roles["train"].X)
    return {
        "n_classes": prepared.n_classes,
        "n_train": train["n_instances"],
        "n_val": by_part["val"]["n_instances"] if "val" in by_part else None,
        "n_test": by_part["test"]["n_instances"],
        "n_features": roles["train"].n_features,
        "label_cardinality": _cardinality([part.Y for part in distinct]) if multilabel else None,
        "row_norm": float(np.median(np.sqrt(squares))),
        "mean_squared_norm": float(np.mean(squares, dtype=np.float64)),
        **{key: train[key] for key in _PECULIAR},
        "parts": by_part,
    }


def _measure(part: Part, n_classes: int) -> dict[str, Any]:
    there = {"n_instances": part.n_instances, "n_rows": part.n_rows, "zero_rows": _zero_rows(part)}
    if part.Y is not None:
        return there | {"label_cardinality": _cardinality([part.Y]), **_label_counts(part.Y)}
    missing = int((np.bincount(part.y, minlength=n_classes) == 0).sum())
    counts = {"empty_label_sets": 0, "full_label_sets": 0, "classes_without_example": missing}
    return there | {"label_cardinality": None, **counts}


def _label_counts(Y: np.ndarray) -> dict[str, int]:
    per_row = Y.sum(axis=1, dtype=np.int64)
    return {
        "empty_label_sets": int((per_row == 0).sum()),
        "full_label_sets": int((per_row == Y.shape[1]).sum()),
        "classes_without_example": int((~Y.any(axis=0)).sum()),
    }


def _zero_rows(part: Part) -> int:
    if sparse.issparse(part.X):
        stored = part.X.copy()
        stored.eliminate_zeros()
        return int((np.diff(stored.indptr) == 0).sum())
    return sum(int((~np.any(block, axis=1)).sum()) for _, block in blocks(part.X))


def norm_advice(measured: dict[str, Any], grid: Axis) -> str:
    """Return advice on rows so long, or so short, that a grid of C does not suit them; else "".

    C acts by C ||x||^2: a grid is of use where it holds values of that on both sides of 0.1.
    """
    square = measured["mean_squared_norm"]
    least, most = (grid.value(exponent) * square for exponent in (grid.start, grid.stop))
    if not square or least <= _EFFECTIVE <= most:
        return ""
    return (
        f"the rows have the mean squared norm {square:.3g}, times which the grid of C is "
        f"{least:.3g} to {most:.3g}: few values are of use; give the set `transform: standardise`, "
        "or, if all columns have one unit, `C_scale: mean_squared_norm`"
    )


def _cardinality(indicators: Sequence[np.ndarray]) -> float:
    labels = sum(int(Y.sum(dtype=np.int64)) for Y in indicators)
    return labels / sum(len(Y) for Y in indicators)


def printed_interval(text: str) -> tuple[Fraction, Fraction]:
    """Return the numbers that a printed one may have been rounded from, both ends included.

    Examples
    --------
    >>> printed_interval("10.5K")
    (Fraction(10450, 1), Fraction(10550, 1))
    >>> printed_interval("4100")
    (Fraction(8199, 2), Fraction(8201, 2))
    """
    unit = _SUFFIX.get(text[-1:], 1)
    digits = text.rstrip("KM")
    decimals = len(digits.partition(".")[2])
    value, half = Fraction(digits) * unit, Fraction(unit, 2 * 10**decimals)
    return value - half, value + half


def compare_with_paper(measured: dict[str, Any], printed: Sequence[Printed]) -> dict[str, Any]:
    """Compare the measured statistics with all that the papers print.

    Parameters
    ----------
    measured : dict
        What `statistics` returns.
    printed : sequence of Printed

    Returns
    -------
    dict
        paper_n_classes, paper_n_train, paper_n_features, paper_label_cardinality and paper_source
        (the first printed value of each and the sources, as printed; None when nothing is), agrees
        (None when nothing is printed) and ``differences``: a sentence for each disagreement, with
        the registry's explanation if it has one.
    """
    result = _as_printed(printed)
    differences = [text for _, text, _ in _disagreements(measured, printed)]
    result["agrees"] = not differences if printed else None
    result["differences"] = differences
    return result


def check_row_count(name: str, measured: dict[str, Any], printed: Sequence[Printed]) -> None:
    """Refuse a data set whose number of training rows contradicts a paper without explanation.

    Raises
    ------
    ValueError
        Naming the data set, both numbers and the table.
    """
    for key, text, reason in _disagreements(measured, printed):
        if key == "n_train" and reason is None:
            raise ValueError(f"data set '{name}': {text}")


def _disagreements(
    measured: dict[str, Any], printed: Sequence[Printed]
) -> list[tuple[str, str, str | None]]:
    """(key, sentence, explanation) of each printed number that is not the measured one, rounded."""
    found = []
    for row in printed:
        for key in COMPARED:
            text, value = getattr(row, key), _measured_as(row, key, measured)
            if text is None or value is None:
                continue
            low, high = printed_interval(text)
            if not low <= Fraction(value) <= high:
                reason = row.differs.get(key)
                shown = f"{value:.4f}" if isinstance(value, float) else str(value)
                sentence = f"{key} is {shown}, {row.source} prints {text}"
                found.append((key, f"{sentence}: {reason}" if reason else sentence, reason))
    return found


def _measured_as(row: Printed, key: str, measured: dict[str, Any]) -> Any:
    """Return the measured number that a printed one is about."""
    if key == "label_cardinality" and row.cardinality_of == "train":
        return measured["parts"]["train"]["label_cardinality"]
    return measured[key]


def list_statistics(path: Path, lists: LabelLists) -> dict[str, Any]:
    """Return the statistics of a set from its label lists, without features.

    Parameters
    ----------
    path : Path
        The tar file.
    lists : LabelLists

    Returns
    -------
    dict
        As `statistics`, as far as labels go; objects that are marked as difficult do not count.
    """
    frames = voc.read_lists(path)
    Y = {}
    for role in ("train", "test"):
        if (name := getattr(lists, role)) not in frames:
            raise FormatError(path, None, f"no label list of the set '{name}'")
        Y[role] = (frames[name].to_numpy() == 1).astype(np.uint8)
    return {
        "n_classes": Y["train"].shape[1],
        "n_train": len(Y["train"]),
        "n_features": None,
        "n_test": len(Y["test"]),
        "label_cardinality": _cardinality(list(Y.values())),
        **_label_counts(Y["train"]),
        "parts": {role: {"label_cardinality": _cardinality([rows])} for role, rows in Y.items()},
    }


def _as_printed(printed: Sequence[Printed]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key in COMPARED:
        values = [getattr(row, key) for row in printed if getattr(row, key) is not None]
        result[f"paper_{key}"] = values[0] if values else None
    result["paper_source"] = "; ".join(row.source for row in printed) or None
    return result


def dataset_row(
    entry: Entry,
    meta: dict[str, Any] | None,
    reason: str = "",
    listed: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return one row of ``results/datasets.csv``, and what else is known.

    Parameters
    ----------
    entry : Entry
    meta : dict or None
        Of the prepared set; None when the set is missing.
    reason : str
        Why it could not. A set that is there has one, too, if its results are not comparable.
    listed : dict, optional
        What is known of a missing set (`list_statistics`).
    """
    row: dict[str, Any] = {"dataset": entry.name, "title": entry.title, "task": entry.task}
    row.update(reason=reason, licence=entry.licence, citation=entry.citation, url=entry.url)
    row.update(published_key=entry.published_key, features=entry.features)
    row["published_sources"] = ";".join(entry.published_sources)
    row["status"] = "missing" if meta is None else "ready"
    if meta is not None and (why := meta.get("not_comparable")):
        row["reason"] = f"not comparable: {why}"
    measured = listed if meta is None else meta["statistics"]
    if measured is None:
        row.update(_as_printed(entry.statistics))
        return row
    row.update(measured)
    for printed in entry.statistics[:1]:
        row["label_cardinality"] = _measured_as(printed, "label_cardinality", measured)
    return row | compare_with_paper(measured, entry.statistics)
