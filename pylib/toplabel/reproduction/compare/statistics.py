"""Statistics for methods beside each other: within a data set over folds, and over data sets.

Within a set the folds share training rows, so their differences are correlated: the corrected
resampled t-test and the Bayesian correlated t-test allow for that. Over sets a set counts once,
whatever its folds. Scores are such that more is better.

Sources: Demsar, JMLR 7, 2006 (Friedman, Nemenyi, Wilcoxon, diagrams); Iman and Davenport, 1980;
Holm, 1979; Nadeau and Bengio, Machine Learning 52, 2003, and Bouckaert and Frank, PAKDD 2004
(corrected resampled t-test); Benavoli et al., JMLR 18, 2017 (Bayesian tests).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats

FEWEST_SETS = 5
"""With fewer data sets no test over sets says anything."""
_DRAWS = 50_000  # of the posterior of the signed rank test
_DECIMALS = 9  # of differences, so that rounding errors break no ties


# ---- within a data set -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The difference of two methods on one data set; without a test its mean alone.

    `low` and `high` are the ends of its interval at the level of the test, `p` is the p-value of two
    sides, and `worse`, `same` and `better` are the probabilities of a difference below the rope, in it,
    and above it. `over` says what varies: "folds", the test "rows" of one split, or "" without a test.
    """

    mean: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    worse: float = math.nan
    same: float = math.nan
    better: float = math.nan
    over: str = ""


def over_folds(
    differences: np.ndarray, test_share: float, rope: float = 0.0, level: float = 0.95
) -> Difference:
    """Compare two methods by the differences of their scores on the same folds, (folds,).

    `differences` are of r repetitions of k folds, at least two, and `test_share` is the share of the
    rows that a fold tests on, 1/k, or 0 where splits share no training rows. Differences up to `rope`
    count as none. Where all are equal, nothing is known of their variance: the test is that of
    signs, and there is an interval where it tells them from 0, and no probability.
    """
    differences = np.round(differences, _DECIMALS)
    n = len(differences)
    if n < 2:
        raise ValueError(f"differences: a test needs two folds or more, got {n}")
    mean = float(np.mean(differences))
    if np.ptp(differences) == 0.0:
        p = 2.0 ** (1 - n)
        end = mean if p <= 1.0 - level else math.nan
        return Difference(mean, end, end, p if mean else 1.0, over="folds")
    variance = float(np.var(differences, ddof=1))
    # Folds share training rows: 1/n alone would take them for independent.
    deviation = float(np.sqrt((1.0 / n + test_share / (1.0 - test_share)) * variance))
    posterior = stats.t(n - 1, mean, deviation)
    low, high = posterior.interval(level)
    worse, better = float(posterior.cdf(-rope)), float(posterior.sf(rope))
    return Difference(
        mean=mean,
        low=float(low),
        high=float(high),
        p=float(2.0 * stats.t.sf(abs(mean) / deviation, n - 1)),
        worse=worse,
        same=max(0.0, 1.0 - worse - better),
        better=better,
        over="folds",
    )


def over_rows(draws: np.ndarray, mean: float, rope: float = 0.0, level: float = 0.95) -> Difference:
    """Compare two methods by the differences of their scores on drawn test rows, (draws,), in pairs.

    `mean` is the difference on the rows themselves. The interval is that of percentiles, p is twice the
    smaller share of draws on one side of 0, and the probabilities are shares of the draws. They speak
    of other test rows, not of other training rows.
    """
    n = len(draws)
    low, high = np.quantile(draws, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    fewer = min(np.count_nonzero(draws <= 0.0), np.count_nonzero(draws >= 0.0))
    worse, better = np.mean(draws < -rope), np.mean(draws > rope)
    return Difference(
        mean=mean,
        low=float(low),
        high=float(high),
        p=min(1.0, 2.0 * float(fewer + 1) / (n + 1)),
        worse=float(worse),
        same=float(1.0 - worse - better),
        better=float(better),
        over="rows",
    )


def holm(p_values: np.ndarray | Sequence[float]) -> np.ndarray:
    """Return p-values adjusted for their number by Holm's method, in the same order."""
    p_values = np.array(p_values, dtype=float)
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * (count - np.arange(count))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


# ---- over data sets --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Friedman:
    """The test whether some method differs from the others over data sets.

    `chi2` is Friedman's statistic, `F` that of Iman and Davenport, and `p` the p-value of F, or where F
    is infinite the exact one.
    """

    chi2: float
    F: float
    p: float


def rank_methods(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each method on each data set, (sets, methods): 1 is best, ties are shared."""
    return stats.rankdata(-np.asarray(scores, dtype=float), axis=1)


def friedman(scores: np.ndarray) -> Friedman:
    """Test whether all methods are equal over data sets, (sets, methods).

    Where the methods are ranked alike on all sets, F is infinite, and p is the probability of that if
    every order of the ranks is as probable on each set. Where all methods tie, F is 0.
    """
    n, k = scores.shape
    ranks = rank_methods(scores)
    between = n * np.sum((ranks.mean(axis=0) - (k + 1) / 2.0) ** 2)
    within = np.sum((ranks - (k + 1) / 2.0) ** 2) / (n * (k - 1))
    if within == 0.0:
        return Friedman(0.0, 0.0, 1.0)
    chi2 = float(between / within)
    if (ranks == ranks[0]).all():
        _, tied = np.unique(ranks[0], return_counts=True)
        orders = math.factorial(k) // math.prod(map(math.factorial, tied.tolist()))
        return Friedman(chi2, math.inf, float(orders) ** (1 - n))
    F = float((n - 1) * chi2 / (n * (k - 1) - chi2))
    return Friedman(chi2, F, float(stats.f.sf(F, k - 1, (k - 1) * (n - 1))))


def critical_difference(sets: int, methods: int, level: float = 0.05) -> float:
    """Return the difference of mean ranks that Nemenyi's test calls one."""
    quantile = stats.studentized_range.ppf(1.0 - level, methods, np.inf) / np.sqrt(2.0)
    return float(quantile * _rank_deviation(sets, methods))


def nemenyi(scores: np.ndarray) -> np.ndarray:
    """Return the p-value of Nemenyi's test for each two methods, (methods, methods)."""
    n, k = scores.shape
    means = rank_methods(scores).mean(axis=0)
    z = np.abs(means[:, None] - means) / _rank_deviation(n, k)
    return stats.studentized_range.sf(z * np.sqrt(2.0), k, np.inf)


def _rank_deviation(sets: int, methods: int) -> float:
    return float(np.sqrt(methods * (methods + 1) / (6.0 * sets)))


def wilcoxon_holm(scores: np.ndarray) -> np.ndarray:
    """Return the adjusted p-value of Wilcoxon's signed rank test for each two methods.

    The test has two sides. Sets on which two methods tie are left out of their test; where they tie
    on all sets, p is 1. Holm's method allows for the
    number of pairs. The result has the shape (methods, methods).
    """
    k = scores.shape[1]
    pairs = list(combinations(range(k), 2))
    raw = [wilcoxon(scores[:, i] - scores[:, j]) for i, j in pairs]
    adjusted = np.ones((k, k))
    for (i, j), p in zip(pairs, holm(raw), strict=True):
        adjusted[i, j] = adjusted[j, i] = p
    return adjusted


def wilcoxon(differences: np.ndarray) -> float:
    """Return the p-value of Wilcoxon's signed rank test of differences, (sets,), as `wilcoxon_holm`."""
    differences = np.round(differences, _DECIMALS)
    differences = differences[differences != 0.0]  # SciPy would count them for the exact test
    return float(stats.wilcoxon(differences).pvalue) if len(differences) else 1.0


def cliques(mean_ranks: np.ndarray, differs: np.ndarray) -> list[list[int]]:
    """Return the largest groups of methods, adjacent in rank, of which no two differ.

    `differs`, (methods, methods), says whether a test calls two methods different. A group has the
    indices of its methods, best first; groups of one, and those within another, are left out.
    """
    order = np.argsort(mean_ranks, kind="stable")
    groups: list[list[int]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not differs[np.ix_(order[start : end + 1], [order[end]])].any():
            end += 1
        if end - start > 1 and end > last_end:
            groups.append([int(method) for method in order[start:end]])
            last_end = end
    return groups


def signed_rank_probabilities(
    differences: np.ndarray, rope: float = 0.0, seed: int = 0
) -> tuple[float, float, float]:
    """Return the probabilities that a method is worse, practically the same, and better over sets.

    The Bayesian signed rank test: the posterior of the weights of the sets is a Dirichlet
    distribution, with a pseudo-observation of no difference of weight 1/2; it is drawn 50,000 times
    by the seed. `differences` has one number a set, (sets,).
    """
    values = np.concatenate([[0.0], np.asarray(differences, dtype=float)])
    prior = np.concatenate([[0.5], np.ones(len(differences))])
    weights = np.random.default_rng(seed).dirichlet(prior, _DRAWS)
    sums = values[:, None] + values
    below, above = (sums < -2.0 * rope).astype(float), (sums > 2.0 * rope).astype(float)
    shares = np.stack(
        [
            np.einsum("si,ij,sj->s", weights, kind, weights)
            for kind in (below, 1.0 - below - above, above)
        ]
    )
    counts = np.bincount(shares.argmax(axis=0), minlength=3) / _DRAWS
    return float(counts[0]), float(counts[1]), float(counts[2])
