"""Thresholds that turn scores into label sets, h(x) = {y : f_y(x) >= delta} (TPAMI section 3.1).

Three strategies for the threshold delta: `constant` (i), `match_cardinality` (ii) and `tune` (iii);
`match_frequencies` is (ii) for each label by itself. `sweep` measures all thresholds of a grid at once.
"""

from __future__ import annotations

import numpy as np

from toplabel._arrays import as_matrix, as_number, as_rows, as_weights
from toplabel.metrics.counts import f1_of_counts, jaccard_of_counts
from toplabel.metrics.inputs import check_choice, labels_and_scores
from toplabel.metrics.names import lower_is_better

__all__ = [
    "GRID",
    "GRID_VOC",
    "constant",
    "match_cardinality",
    "match_frequencies",
    "predict",
    "sweep",
    "tune",
]


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


# The exponents are rounded: repeated addition of 0.2 would shift the powers' last digits.
_POWERS = np.array([10.0 ** round(-5.9 + 0.2 * i, 9) for i in range(35)])

GRID = _frozen(np.concatenate([-_POWERS[::-1], [0.0], _POWERS]))
"""The 71 thresholds -10^e, 0, 10^e with e = -5.9, -5.7, ..., 0.9, ascending (TPAMI Tables 7 and 9)."""

GRID_VOC = _frozen(np.linspace(0.1, 10.0, 100))
"""The 100 equally spaced thresholds in [0.1, 10] (TPAMI Tables 10 to 12)."""

METRICS = (
    "accuracy",
    "subset_accuracy",
    "f1_micro",
    "f1_macro",
    "f1_instance",
    "hamming_loss",
)
"""What `sweep` measures and `tune` can optimise; of these only the Hamming loss is better when lower."""

_BLOCK = 1 << 21  # scores that are binned at once: some 50 MiB of temporary arrays


def predict(scores, threshold: float) -> np.ndarray:
    """Predict the labels whose score reaches the threshold.

    Parameters
    ----------
    scores : array-like, (n, m)
    threshold : float

    Returns
    -------
    ndarray of uint8, (n, m)
        Indicator.
    """
    scores = as_matrix(scores, "scores")
    return (scores >= as_number(threshold, "threshold", -np.inf)).astype(np.uint8)


def constant(value: float = 0.0) -> float:
    """Set the threshold in advance: TPAMI section 3.1 (i).

    Parameters
    ----------
    value : float

    Returns
    -------
    float
        The value itself, checked to be a finite number.
    """
    return as_number(value, "value", -np.inf)


def match_cardinality(scores, cardinality: float, sample_weight=None) -> float:
    """Match the mean number of labels of an instance: TPAMI section 3.1 (ii).

    Parameters
    ----------
    scores : array-like, (n, m)
        Of the instances to label, all at once; that makes it transductive.
    cardinality : float, 0..m
        The mean number of labels of a training instance.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.

    Returns
    -------
    float
        A threshold whose mean number of predicted labels is as close to `cardinality` as any; when two
        are as close, the one with fewer labels. It lies half way between two neighbouring scores,
        just above the largest score (no labels) or on the smallest (all labels).

    Raises
    ------
    ValueError
        On a cardinality outside 0..m, NaN or infinity.
    """
    scores = as_matrix(scores, "scores")
    n, m = scores.shape
    cardinality = as_number(cardinality, "cardinality", 0.0, high=float(m))
    weight = as_weights(sample_weight, n)
    if weight is None:
        values, counts = np.unique(scores, return_counts=True)
    else:
        kept = weight > 0  # a row of weight 0 is no row
        values, place = np.unique(scores[kept], return_inverse=True)
        counts = np.bincount(place.ravel(), np.repeat(weight[kept], m))
        n = weight.sum()
    predicted = np.append(np.cumsum(counts[::-1])[::-1], 0)  # at values[i]; none above them all
    # Reversed, so that of two equally close numbers the smaller one comes first.
    i = len(values) - int(np.argmin(np.abs(predicted[::-1] - cardinality * n)))
    if i == len(values):
        return float(np.nextafter(values[-1], np.inf))
    if i == 0:
        return float(values[0])
    below, above = values[i - 1], values[i]
    middle = below / 2 + above / 2
    return float(middle if below < middle <= above else above)


def match_frequencies(scores, frequencies, sample_weight=None) -> np.ndarray:
    """Match how often each label is predicted: `match_cardinality` label by label.

    Parameters
    ----------
    scores : array-like, (n, m)
        Of the instances to label, all at once; that makes it transductive.
    frequencies : array-like, (m,), each 0..1
        The share of the training instances that have the label.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.

    Returns
    -------
    ndarray, (m,)
        A threshold for each label.

    Raises
    ------
    ValueError
        On another number of frequencies than labels, or one outside 0..1.
    """
    scores = as_matrix(scores, "scores")
    frequencies = as_vector(frequencies, "frequencies")
    if len(frequencies) != scores.shape[1]:
        raise ValueError(
            f"frequencies must be {scores.shape[1]}, one per label, got {len(frequencies)}"
        )
    if frequencies.min() < 0.0 or frequencies.max() > 1.0:
        raise ValueError("frequencies must lie in 0..1")
    return np.array(
        [
            match_cardinality(scores[:, [j]], float(frequency), sample_weight)
            for j, frequency in enumerate(frequencies)
        ]
    )


def tune(scores, Y, metric: str, grid=GRID, sample_weight=None) -> tuple[float, float]:
    """Take the threshold of a grid that is best on validation data: TPAMI section 3.1 (iii).

    Parameters
    ----------
    scores : array-like, (n, m)
    Y : array-like or sparse matrix, (n, m)
    metric : str
        One of `METRICS`.
    grid : array-like, (D,)
    sample_weight : array-like, (n,), optional
        As in `sweep`.

    Returns
    -------
    threshold, value : float
        The best threshold and the metric there, a fraction. Ties go to the threshold of smallest
        magnitude, then to the negative one.
    """
    check_choice(metric, "metric", METRICS)
    grid = as_vector(grid, "grid")
    values = sweep(scores, Y, grid, sample_weight)[metric]
    goodness = np.round(-values if lower_is_better(metric) else values, 12)
    best = np.flatnonzero(goodness == goodness.max())
    i = best[np.lexsort((grid[best], np.abs(grid[best])))[0]]
    return float(grid[i]), float(values[i])


def sweep(scores, Y, grid=GRID, sample_weight=None) -> dict[str, np.ndarray]:
    """Measure the label sets of every threshold.

    Parameters
    ----------
    scores : array-like, (n, m)
    Y : array-like or sparse matrix, (n, m)
    grid : array-like, (D,)
        In any order.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.

    Returns
    -------
    dict of str to ndarray of shape (D,)
        The metrics of `METRICS`, as the functions of `toplabel.metrics` give them for
        ``predict(scores, threshold)``.

    Raises
    ------
    ValueError
        On other shapes or values, no threshold, NaN or infinity.

    Notes
    -----
    Each score is put once between two neighbouring thresholds; numbers of labels follow as cumulative
    sums. The time is O(n m log D + n D), not O(n m D).
    """
    Y, scores = labels_and_scores(Y, scores)
    given = as_vector(grid, "grid")
    order = np.argsort(given, kind="stable")
    values = _sweep_ascending(scores, Y, given[order], as_weights(sample_weight, len(Y)))
    result = {name: np.empty(len(given)) for name in METRICS}
    for name in METRICS:
        result[name][order] = values[name]
    return result


def _sweep_ascending(
    scores: np.ndarray, Y: np.ndarray, grid: np.ndarray, weight: np.ndarray | None
) -> dict[str, np.ndarray]:
    n, m = scores.shape
    counted = np.int64 if weight is None else np.float64
    sums = dict.fromkeys(("accuracy", "subset_accuracy", "f1_instance"), 0.0)
    label_hits, label_predicted = (np.zeros((m, len(grid)), dtype=counted) for _ in range(2))
    step = max(1, _BLOCK // m)
    for start in range(0, n, step):
        truth = Y[start : start + step]
        w = None if weight is None else weight[start : start + step]
        # A label is predicted at exactly the thresholds 0, ..., passed - 1.
        passed = np.searchsorted(grid, scores[start : start + step], side="right")
        predicted = _numbers(passed, None, len(grid), axis=0)
        hits = _numbers(passed, truth, len(grid), axis=0)
        true = np.count_nonzero(truth, axis=1)[:, None]
        sums["accuracy"] += _total(jaccard_of_counts(hits, predicted, true), w)
        sums["subset_accuracy"] += _total((hits == true) & (predicted == true), w)
        sums["f1_instance"] += _total(f1_of_counts(hits, predicted, true, empty=1.0), w)
        label_predicted += _numbers(passed, None, len(grid), axis=1, weight=w)
        label_hits += _numbers(passed, truth, len(grid), axis=1, weight=w)
    n = n if weight is None else weight.sum()
    label_true = _total(Y, weight)[:, None]
    hits, predicted, true = label_hits.sum(axis=0), label_predicted.sum(axis=0), label_true.sum()
    values = {name: total / n for name, total in sums.items()}
    values["f1_micro"] = f1_of_counts(hits, predicted, true, empty=0.0)
    macro = f1_of_counts(label_hits, label_predicted, label_true, empty=0.0)
    values["f1_macro"] = macro.mean(axis=0)
    values["hamming_loss"] = (predicted + true - 2 * hits) / (n * m)
    return values


def _total(values: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Sum the rows, with their weights."""
    return values.sum(axis=0) if weight is None else weight @ values


def _numbers(
    passed: np.ndarray,
    chosen: np.ndarray | None,
    n_thresholds: int,
    axis: int,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Count the (chosen) labels of each row (axis 0) or column (axis 1) that reach each threshold.

    Parameters
    ----------
    passed : ndarray of int, (rows, columns)
    chosen : ndarray of bool, (rows, columns), optional
    n_thresholds : int
    axis : {0, 1}
    weight : ndarray, (rows,), optional
        What a row counts.

    Returns
    -------
    ndarray of int64, or float64 with weights, (rows or columns, n_thresholds)
    """
    size = passed.shape[axis]
    place = np.arange(size)[:, None] if axis == 0 else np.arange(size)
    cell = place * (n_thresholds + 1) + passed
    cell = cell.ravel() if chosen is None else cell[chosen]
    if weight is not None:
        weight = np.broadcast_to(weight[:, None], passed.shape)
        weight = weight.ravel() if chosen is None else weight[chosen]
    bins = np.bincount(cell, weight, size * (n_thresholds + 1)).reshape(size, n_thresholds + 1)
    return np.cumsum(bins[:, :0:-1], axis=1)[:, ::-1]


def as_vector(values, name: str) -> np.ndarray:
    """Return a vector of float64; errors use the name."""
    rows, single = as_rows(values, name)
    if not single:
        raise ValueError(f"{name} must be a vector, got {np.ndim(values)} dimensions")
    return rows[0]
