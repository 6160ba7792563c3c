"""Thresholds on how far a score is below the best one of its row, for sets of variable size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from toplabel._core.arrays import as_float, as_matrix, as_weights

ROUNDING = 1e-12  # of coverage times rows, so that 0.07 of 100 rows are 7


def below_best(scores: ArrayLike) -> np.ndarray:
    """Return the scores minus the best score of their row.

    A threshold on them, at most 0, gives sets of variable size that always have the best class:
    ``predict(below_best(scores), threshold)``. `match_cardinality` chooses it by the mean size,
    `match_coverage` by the share of the rows whose class is in the set.

    Parameters
    ----------
    scores : array-like, (n, m)
        The scores of the classes.

    Returns
    -------
    ndarray, (n, m)
        At most 0; 0 for the best class of a row, and for those that tie with it.
    """
    scores = as_matrix(scores, "scores")
    return scores - scores.max(axis=1, keepdims=True)


def match_coverage(
    own_scores: ArrayLike, coverage: float, sample_weight: ArrayLike | None = None
) -> float:
    """Return the threshold that the score of the right label reaches with a given probability.

    Parameters
    ----------
    own_scores : array-like, (n,)
        The score of the right label of each calibration row, as of `below_best`; ``-inf`` for a
        label that is never predicted. Nothing of the model may have been chosen by these rows.
    coverage : float, in (0, 1)
        The probability.
    sample_weight : array-like, (n,), optional
        A weight w is the same as w copies of the row.

    Returns
    -------
    float
        The ``ceil((n + 1) coverage)``-th largest of the scores. A further row that is exchangeable
        with these reaches it with at least that probability; where no scores tie, with at most
        ``1 / (n + 1)`` more.

    Raises
    ------
    ValueError
        For a coverage outside (0, 1), NaN, or fewer than ``coverage / (1 - coverage)`` rows.

    Notes
    -----
    Split conformal prediction: Vovk, Gammerman and Shafer (2005), Algorithmic Learning in a Random
    World; Papadopoulos et al. (ECML 2002).

    Examples
    --------
    >>> match_coverage([-3.0, 0.0, -1.0, -2.0], coverage=0.6)
    -2.0
    """
    own = as_float(own_scores, "own_scores")
    if own.ndim != 1 or not len(own):
        raise ValueError(f"own_scores must have the shape (n,) with n > 0, got {own.shape}")
    if np.isnan(own).any():
        raise ValueError(f"own_scores[{int(np.isnan(own).argmax())}] is nan")
    weights = as_weights(sample_weight, len(own))
    order = np.argsort(-own, kind="stable")
    reached = np.arange(1.0, len(own) + 1) if weights is None else np.cumsum(weights[order])
    needed = check_coverage(coverage) * (reached[-1] + 1) * (1 - ROUNDING)
    if reached[-1] < needed:
        what = "calibration rows" if weights is None else "calibration rows, counted by weight"
        raise ValueError(
            f"coverage={coverage} needs at least {rows_for(coverage)} {what}, got {reached[-1]:g}"
        )
    return float(own[order[np.searchsorted(reached, needed)]])


def check_coverage(coverage: object) -> float:
    """Return the coverage; ``ValueError`` unless it is between 0 and 1."""
    if isinstance(coverage, bool) or not isinstance(coverage, int | float | np.floating):
        raise TypeError(f"coverage must be a number, got {coverage!r}")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must be > 0 and < 1, got {coverage!r}")
    return float(coverage)


def rows_for(coverage: float) -> int:
    """Return the least number of calibration rows for a coverage."""
    return max(1, math.ceil(coverage / (1 - coverage) * (1 - 1e-9)))
