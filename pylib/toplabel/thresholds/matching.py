"""Thresholds that are given, or that predict a given number of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import as_matrix, as_number, as_weights
from toplabel.thresholds.sweeping import as_vector


def predict(scores: ArrayLike, threshold: ArrayLike) -> np.ndarray:
    """Predict the labels whose score reaches the threshold.

    Parameters
    ----------
    scores : array-like, (n, m)
        The scores of the labels.
    threshold : float or array-like, (m,)
        The least score of a label that is predicted, of all labels or of each, as
        `match_frequencies` returns it.

    Returns
    -------
    ndarray of uint8, (n, m)
        Indicator.
    """
    scores = as_matrix(scores, "scores")
    if np.ndim(threshold) == 0:
        return (scores >= as_number(threshold, "threshold", -np.inf)).astype(np.uint8)
    thresholds = as_vector(threshold, "threshold")
    if len(thresholds) != scores.shape[1]:
        raise ValueError(
            f"threshold must be {scores.shape[1]}, one per label, got {len(thresholds)}"
        )
    return (scores >= thresholds).astype(np.uint8)


def constant(value: float = 0.0) -> float:
    """Set the threshold in advance: TPAMI section 3.1 (i).

    Parameters
    ----------
    value : float
        The threshold.

    Returns
    -------
    float
        The value itself, checked to be a finite number.
    """
    return as_number(value, "value", -np.inf)


def match_cardinality(
    scores: ArrayLike, cardinality: float, sample_weight: ArrayLike | None = None
) -> float:
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
        A threshold whose mean number of predicted labels is as close to `cardinality` as any; when
        two are as close, the one with fewer labels. It lies half way between two neighbouring
        scores, just above the largest score (no labels) or on the smallest (all labels).
    """
    scores = as_matrix(scores, "scores")
    n, m = scores.shape
    cardinality = as_number(cardinality, "cardinality", 0.0, high=float(m))
    weight = as_weights(sample_weight, n)
    n = n if weight is None else weight.sum()
    largest = LargestScores(cardinality * n)
    largest.add(scores, weight)
    return largest.threshold()


class LargestScores:
    """The largest scores of rows that come a part at a time: as many as `match_cardinality` has to
    know.

    Parameters
    ----------
    labels : float
        The number of labels to predict for all rows together, weighted as they are.
    """

    def __init__(self, labels: float):
        self._labels = labels
        self._values = np.empty(0)  # ascending, each once
        self._counts = np.empty(0, dtype=np.int64)  # how often, or of which weight
        self._floor = -np.inf  # scores below are not needed

    def add(self, scores: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Take the scores of further rows, float64 (n, m), and their weights (n,).

        Parameters
        ----------
        scores : ndarray of float64, (n, m)
            The scores of the labels.
        weight : ndarray, (n,), optional
            A weight w is the same as w copies of the row.
        """
        if weight is None:
            values, counts = np.unique(scores[scores >= self._floor], return_counts=True)
        else:
            kept = weight > 0  # no copy at all: not even a score to cut beside
            scores = scores[kept]
            needed = scores >= self._floor
            values, place = np.unique(scores[needed], return_inverse=True)
            weights = np.broadcast_to(weight[kept, None], scores.shape)[needed]
            counts = np.bincount(place.ravel(), weights, minlength=len(values))
        if len(self._values):
            every = np.concatenate([self._values, values])
            values, place = np.unique(every, return_inverse=True)
            counts = np.bincount(
                place, np.concatenate([self._counts, counts]), minlength=len(values)
            )
        # Up to the first that would be too many labels, and the next one below, to cut between.
        above = np.flatnonzero(np.cumsum(counts[::-1]) > self._labels)
        first = max(0, len(values) - 1 - int(above[0]) - 1) if len(above) else 0
        self._values, self._counts = values[first:], counts[first:]
        if first > 0:
            self._floor = self._values[0]

    def threshold(self) -> float:
        """Return the threshold as `match_cardinality` does."""
        values = self._values
        # At values[i], and none above them all.
        predicted = np.append(np.cumsum(self._counts[::-1])[::-1], 0)
        # Reversed, so that of two equally close numbers the smaller one comes first.
        i = len(values) - int(np.argmin(np.abs(predicted[::-1] - self._labels)))
        if i == len(values):
            return float(np.nextafter(values[-1], np.inf))
        if i == 0:
            return float(values[0])
        below, above = values[i - 1], values[i]
        middle = below / 2 + above / 2
        return float(middle if below < middle <= above else above)


def match_frequencies(
    scores: ArrayLike, frequencies: ArrayLike, sample_weight: ArrayLike | None = None
) -> np.ndarray:
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
