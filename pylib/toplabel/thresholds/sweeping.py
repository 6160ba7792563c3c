"""All thresholds of a grid at once, and the best of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import MatrixLike, as_rows, as_weights
from toplabel.metrics.counts import f1_of_counts, jaccard_of_counts
from toplabel.metrics.inputs import check_choice, labels_and_scores
from toplabel.metrics.names import lower_is_better


def _frozen(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


# The exponents are rounded: repeated addition of 0.2 would shift the powers' last digits.
_POWERS = np.array([10.0 ** round(-5.9 + 0.2 * i, 9) for i in range(35)])

GRID = _frozen(np.concatenate([-_POWERS[::-1], [0.0], _POWERS]))
"""The 71 thresholds -10^e, 0, 10^e with e = -5.9, -5.7, ..., 0.9, ascending (TPAMI Tables 7 and
9).
"""

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
"""Metrics of `sweep`, which `tune` can optimise; of these only the Hamming loss is better when
lower.
"""

_BLOCK = 1 << 21  # scores that are binned at once: some 50 MiB of temporary arrays


def tune(
    scores: ArrayLike,
    Y: MatrixLike,
    metric: str,
    grid: ArrayLike = GRID,
    sample_weight: ArrayLike | None = None,
) -> tuple[float, float]:
    """Take the threshold of a grid that is best on validation data: TPAMI section 3.1 (iii).

    Parameters
    ----------
    scores : array-like, (n, m)
        The scores of the labels.
    Y : array-like or sparse matrix, (n, m)
        The true labels, an indicator of zeros and ones.
    metric : str
        One of `METRICS`.
    grid : array-like, (D,)
        The thresholds, in any order.
    sample_weight : array-like, (n,), optional
        As in `sweep`.

    Returns
    -------
    threshold, value : float
        The best threshold and the metric there, a fraction. Ties go to the threshold of smallest
        magnitude, then to the negative one. Where Y has no label at all, every ``"f1_micro"`` and
        ``"f1_macro"`` is 0, and the threshold is the one with the least Hamming loss.
    """
    check_choice(metric, "metric", METRICS)
    grid = as_vector(grid, "grid")
    return _swept(scores, Y, grid, sample_weight).best(metric)


def sweep(
    scores: ArrayLike, Y: MatrixLike, grid: ArrayLike = GRID, sample_weight: ArrayLike | None = None
) -> dict[str, np.ndarray]:
    """Measure the label sets of every threshold.

    Parameters
    ----------
    scores : array-like, (n, m)
        The scores of the labels.
    Y : array-like or sparse matrix, (n, m)
        The true labels, an indicator of zeros and ones.
    grid : array-like, (D,)
        In any order.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.

    Returns
    -------
    dict of str to ndarray of shape (D,)
        The metrics of `METRICS`, as the functions of `toplabel.metrics` give them for
        ``predict(scores, threshold)``.

    Notes
    -----
    Each score is put once between two neighbouring thresholds; numbers of labels follow as
    cumulative sums. The time is O(n m log D + n D), not O(n m D).
    """
    return _swept(scores, Y, as_vector(grid, "grid"), sample_weight).values()


def _swept(scores, Y, grid: np.ndarray, sample_weight) -> Sweep:
    Y, scores = labels_and_scores(Y, scores)
    swept = Sweep(grid, scores.shape[1])
    swept.add(scores, Y, as_weights(sample_weight, len(Y)))
    return swept


class Sweep:
    """Numbers of labels at every threshold of a grid, from which all metrics follow; rows may come
    a part at a time.

    Parameters
    ----------
    grid : ndarray, (D,)
        In any order.
    m : int
        Number of labels.
    """

    def __init__(self, grid: np.ndarray, m: int):
        self._grid = grid
        self._order = np.argsort(grid, kind="stable")
        self._n = 0  # rows, or their weight
        self._sums = {
            name: np.zeros(len(grid)) for name in ("accuracy", "subset_accuracy", "f1_instance")
        }
        shape = (m, len(grid))
        self._hits, self._predicted = (np.zeros(shape, dtype=np.int64) for _ in range(2))
        self._true = np.zeros(m, dtype=np.int64)

    def add(self, scores: np.ndarray, Y: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Count the labels of further rows.

        Parameters
        ----------
        scores : ndarray of float64, (n, m)
            The scores of the labels.
        Y : ndarray of bool, (n, m)
            The true labels.
        weight : ndarray, (n,), optional
            A weight w is the same as w copies of the row.
        """
        n, m = scores.shape
        grid = self._grid[self._order]
        step = max(1, _BLOCK // m)
        for start in range(0, n, step):
            part = slice(start, start + step)
            self._add_block(grid, scores[part], Y[part], None if weight is None else weight[part])
        self._n += n if weight is None else weight.sum()
        self._true = self._true + _total(Y, weight)

    def _add_block(self, grid, scores, truth, weight) -> None:
        # A label is predicted at exactly the thresholds 0, ..., passed - 1.
        passed = np.searchsorted(grid, scores, side="right")
        predicted = _numbers(passed, None, len(grid), axis=0)
        hits = _numbers(passed, truth, len(grid), axis=0)
        true = np.count_nonzero(truth, axis=1)[:, None]
        sums = self._sums
        sums["accuracy"] += _total(jaccard_of_counts(hits, predicted, true), weight)
        sums["subset_accuracy"] += _total((hits == true) & (predicted == true), weight)
        sums["f1_instance"] += _total(f1_of_counts(hits, predicted, true, empty=1.0), weight)
        size = len(grid)
        self._predicted = self._predicted + _numbers(passed, None, size, axis=1, weight=weight)
        self._hits = self._hits + _numbers(passed, truth, size, axis=1, weight=weight)

    def join(self, other: Sweep) -> None:
        """Take the numbers of another sweep, of other rows.

        Parameters
        ----------
        other : Sweep
            Of the same grid and labels.
        """
        self._n += other._n
        self._true = self._true + other._true
        self._hits, self._predicted = self._hits + other._hits, self._predicted + other._predicted
        for name in self._sums:
            self._sums[name] = self._sums[name] + other._sums[name]

    def values(self) -> dict[str, np.ndarray]:
        """Return the metrics of `METRICS`, each (D,)."""
        hits, predicted, true = (
            self._hits.sum(axis=0),
            self._predicted.sum(axis=0),
            self._true.sum(),
        )
        values = {name: total / self._n for name, total in self._sums.items()}
        values["f1_micro"] = f1_of_counts(hits, predicted, true, empty=0.0)
        values["f1_macro"] = self._label_f1().mean(axis=0)
        values["hamming_loss"] = (predicted + true - 2 * hits) / (self._n * len(self._true))
        result = {name: np.empty(len(self._grid)) for name in METRICS}
        for name in METRICS:
            result[name][self._order] = values[name]
        return result

    def _label_f1(self) -> np.ndarray:
        """F1 of each label, (m, D), at the thresholds in ascending order."""
        return f1_of_counts(self._hits, self._predicted, self._true[:, None], empty=0.0)

    def best(self, metric: str) -> tuple[float, float]:
        """Return the best threshold and the metric there, as `tune` returns them.

        Parameters
        ----------
        metric : str
            One of `METRICS`.

        Returns
        -------
        threshold, value : float
            As of `tune`.
        """
        values = self.values()
        # Without any label these two are 0 at every threshold.
        is_blind = metric in ("f1_micro", "f1_macro") and not self._true.any()
        chosen = "hamming_loss" if is_blind else metric
        i = _best(-values[chosen] if lower_is_better(chosen) else values[chosen], self._grid)
        return float(self._grid[i]), float(values[metric][i])

    def best_per_label(self, common: float, least_f1: float = 0.0) -> tuple[np.ndarray, float]:
        """Return the threshold with the best F1 of each label by itself.

        Parameters
        ----------
        common : float
            Of the grid: the threshold of labels whose best F1 is 0, or below `least_f1`. Their best
            is often to predict them everywhere.
        least_f1 : float
            The F1 below which a label gets the common threshold.

        Returns
        -------
        thresholds : ndarray, (m,)
            That of each label.
        f1_macro : float
            The mean of the F1 there.

        Notes
        -----
        SCutFBR of Yang (SIGIR 2001); Fan and Lin (2007) study `least_f1`.
        """
        f1, grid = self._label_f1(), self._grid[self._order]
        best = np.array([_best(row, grid) for row in f1])
        reached = np.take_along_axis(f1, best[:, None], axis=1)[:, 0]
        chosen = np.where(
            (reached > 0.0) & (reached >= least_f1), best, np.searchsorted(grid, common)
        )
        f1_macro = np.take_along_axis(f1, chosen[:, None], axis=1).mean()
        return grid[chosen], float(f1_macro)


def _best(goodness: np.ndarray, grid: np.ndarray) -> int:
    """Return the place of the largest value; ties go to the threshold of smallest magnitude, then
    to the negative one.
    """
    goodness = np.round(goodness, 12)
    best = np.flatnonzero(goodness == goodness.max())
    return int(best[np.lexsort((grid[best], np.abs(grid[best])))[0]])


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
    """Count the (chosen) labels of each row (axis 0) or column (axis 1) that reach each threshold,
    a row as often as its weight says: (rows or columns, n_thresholds).
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


def as_vector(values: ArrayLike, name: str) -> np.ndarray:
    """Return a vector of float64; errors use the name.

    Parameters
    ----------
    values : array-like, (D,)
        Finite numbers.
    name : str
        What errors call it.

    Returns
    -------
    ndarray of float64, (D,)
        A copy, or the vector itself.
    """
    rows, single = as_rows(values, name)
    if not single:
        raise ValueError(f"{name} must be a vector, got {np.ndim(values)} dimensions")
    return rows[0]
