"""Losses of the papers that have no solver in C, as objects that `toplabel.solve` takes.

`toplabel.losses.get` says what such an object is; L-BFGS minimises it. Hinges are smoothed as those
of the library are (TPAMI section 3.2), by a `gamma` above 0, since L-BFGS needs a gradient.

The losses of the simplex coding are functions of ``<c_j, f(x)>`` (NIPS 2012). Where f(x) is the
vector of T - 1 numbers whose T inner products with the codes, over ``sqrt(T/(T - 1))``, are the scores
minus their mean, f has the norm of these, and the largest score is that of the nearest code. So they
are trained as any other loss, and ``||W||_F`` is the norm that the paper takes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlog1py, xlogy

from toplabel._core.arrays import as_integer, as_number

__all__ = [
    "OrderedHinge",
    "PairwiseHinge",
    "SimplexExponential",
    "SimplexHull",
    "SimplexLogistic",
    "TopKEntropyBeta",
]

_OUTSIDE = 1e-6  # by how much a point may miss the domain of a conjugate


class _SmoothLoss(ABC):
    """The methods that `toplabel.losses.get` asks of a loss."""

    @abstractmethod
    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the loss of each row.

        Parameters
        ----------
        scores : ndarray, (n, m)
            Where to evaluate.
        labels : ndarray, (n,) or (n, m)
            Class indices; of a loss of label sets a 0/1 indicator.

        Returns
        -------
        ndarray, (n,)
            The losses.
        """

    @abstractmethod
    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the gradient in the scores.

        Parameters
        ----------
        scores : ndarray, (n, m)
            Where to evaluate.
        labels : ndarray, (n,) or (n, m)
            As of `value`.

        Returns
        -------
        ndarray, (n, m)
            The gradient of each row.
        """


class _ConvexLoss(_SmoothLoss):
    """A loss with a conjugate, with which a fit has a duality gap."""

    @abstractmethod
    def conjugate(self, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the conjugate of each row's loss.

        Parameters
        ----------
        v : ndarray, (n, m)
            Where to evaluate.
        labels : ndarray, (n,)
            As of `value`.

        Returns
        -------
        ndarray, (n,)
            Infinite outside the domain.
        """


@dataclass
class OrderedHinge(_ConvexLoss):
    """The sum of the ordered hinges, with weights that do not increase (NIPS 2015, section 2.3).

    ``sum_j weights_j max{0, b_[j]}``, where b_[j] is the j-th largest of ``1 + s_j - s_y`` over the
    other classes (Usunier, Buffoni and Gallinari 2009). Weights 1/k for j up to k are
    "topk_svm_beta", a single weight of 1 is "svm_multi", and a weight of 1 for each class "svm_ww".

    Parameters
    ----------
    weights : sequence of float
        Of the largest hinges, in decreasing order; the others have the weight 0.
    gamma : float > 0
        The smoothing.
    """

    weights: Sequence[float]
    gamma: float = 1.0

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=np.float64)
        is_list = weights.ndim == 1 and len(weights) > 0 and np.isfinite(weights).all()
        if not is_list or weights[-1] < 0 or (np.diff(weights) > 0).any():
            raise ValueError(
                f"weights must be a sequence that does not increase, down to 0 at least, got {self.weights}"
            )
        _check_smoothing(self.gamma)

    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        b = _margins(scores, labels)
        p = self._projected(b)
        return (b * p).sum(axis=1) - self.gamma / 2 * (p * p).sum(axis=1)

    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        p = self._projected(_margins(scores, labels))
        p[np.arange(len(labels)), labels] -= p.sum(axis=1)
        return p

    def conjugate(self, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
        x, balanced = _others(v, labels)
        # The sum of the j largest is at most that of the j largest weights, for every j.
        bounds = np.cumsum(self._padded(x.shape[1]))
        sums = np.cumsum(-np.sort(-x, axis=1), axis=1)
        inside = balanced & (x >= -_OUTSIDE).all(axis=1) & (sums <= bounds + _OUTSIDE).all(axis=1)
        return np.where(inside, self.gamma / 2 * (x * x).sum(axis=1) - x.sum(axis=1), np.inf)

    def _padded(self, m: int) -> np.ndarray:
        """Return the weights of m places, of which the last is that of the right class."""
        if len(self.weights) >= m:
            raise ValueError(f"{len(self.weights)} weights for {m - 1} other classes")
        return np.pad(np.asarray(self.weights, dtype=np.float64), (0, m - len(self.weights)))

    def _projected(self, b: np.ndarray) -> np.ndarray:
        """Return the maximiser of <b, p> - gamma/2 <p, p> over the p whose j largest numbers have at
        most the sum of the j largest weights. With v the non-increasing vector that is nearest to the
        sorted b/gamma minus the weights, it is ``max{b/gamma, 0} - max{v, 0}``.
        """
        order = np.argsort(-b, axis=1)
        z = np.take_along_axis(b, order, axis=1) / self.gamma
        sums = np.cumsum(z - self._padded(b.shape[1]), axis=1)
        v = np.full_like(z, np.inf)
        before = np.zeros(len(z))
        # v_j is the least, over a <= j, of the largest mean of a..b over b >= j.
        for a in range(z.shape[1]):
            means = (sums[:, a:] - before[:, None]) / np.arange(1, z.shape[1] - a + 1)
            largest = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
            v[:, a:] = np.minimum(v[:, a:], largest)
            before = sums[:, a]
        p = np.zeros_like(z)
        np.put_along_axis(p, order, np.maximum(z, 0.0) - np.maximum(v, 0.0), axis=1)
        return p


@dataclass
class TopKEntropyBeta(_ConvexLoss):
    """The top-k entropy over the top-k simplex β (TPAMI section 3.2).

    As "topk_ent", with the bound 1/k on each dual variable in place of a k-th of their sum: never
    below it, and never above the softmax.

    Parameters
    ----------
    k : int >= 1
        With 1 it is the softmax.
    """

    k: int

    def __post_init__(self) -> None:
        as_integer(self.k, "k", 1)

    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        a, at_bound, rest = self._solved(scores, labels)
        own = np.where(at_bound, a + np.log(self.k), 0.0).sum(axis=1) / self.k
        return own - (1.0 - at_bound.sum(axis=1) / self.k) * rest

    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        a, at_bound, rest = self._solved(scores, labels)
        with np.errstate(over="ignore"):
            x = np.where(at_bound, 1.0 / self.k, np.exp(rest[:, None] + a))
        x[np.arange(len(labels)), labels] = -x.sum(axis=1)
        return x

    def conjugate(self, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
        x, inside = _others(v, labels)
        inside &= (x >= -_OUTSIDE).all(axis=1) & (x <= 1.0 / self.k + _OUTSIDE).all(axis=1)
        rest = 1.0 - x.sum(axis=1)
        inside &= rest >= -_OUTSIDE
        x, rest = np.maximum(x, 0.0), np.maximum(rest, 0.0)
        return np.where(inside, xlogy(x, x).sum(axis=1) + xlogy(rest, rest), np.inf)

    def _solved(
        self, scores: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the differences to the score of the right class, which itself is -inf there, those
        whose variable is at the bound 1/k, and the logarithm of 1 minus the sum of the variables.

        With u variables at the bound the others are e^a times that rest, which is ``(1 - u/k) / (1 +
        sum e^a)``. The least u that is feasible is the solution.
        """
        rows = np.arange(len(labels))
        a = scores - scores[rows, labels][:, None]
        a[rows, labels] = -np.inf
        if self.k >= a.shape[1]:
            raise ValueError(f"k must be below the number of classes, {a.shape[1]}, got {self.k}")
        largest = -np.sort(-a, axis=1)
        tails = np.logaddexp.accumulate(largest[:, ::-1], axis=1)[:, ::-1][:, : self.k]
        rest = np.log1p(-np.arange(self.k) / self.k) - np.logaddexp(0.0, tails)
        feasible = rest + largest[:, : self.k] <= -np.log(self.k)
        feasible[:, -1] = True
        u = feasible.argmax(axis=1)
        order = np.argsort(-a, axis=1, kind="stable")
        at_bound = np.zeros(a.shape, dtype=bool)
        np.put_along_axis(at_bound, order, np.arange(a.shape[1]) < u[:, None], axis=1)
        return a, at_bound, rest[rows, u]


@dataclass
class PairwiseHinge(_SmoothLoss):
    """The pairwise ranking loss of RankSVM (TPAMI section 3.3; Elisseeff and Weston 2001).

    The mean over all pairs of a right label y and a wrong one j of ``max{0, 1 + s_j - s_y}``, each of
    which is smoothed; 0 where there is no such pair. The conjugate is a transport problem, so there is
    none here, and the norm of the gradient certifies a fit.

    Parameters
    ----------
    gamma : float > 0
        The smoothing, which lowers the loss by gamma/2 at most.
    """

    gamma: float = 1.0
    labels = "set"

    def __post_init__(self) -> None:
        _check_smoothing(self.gamma)

    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        values = np.zeros(len(scores))
        for i, right in enumerate(labels.astype(bool)):
            margins, shares = self._pairs(scores[i], right)
            if margins.size:
                values[i] = (shares * (margins - self.gamma / 2 * shares)).mean()
        return values

    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        gradients = np.zeros(scores.shape)
        for i, right in enumerate(labels.astype(bool)):
            _, shares = self._pairs(scores[i], right)
            if shares.size:
                gradients[i, right] = -shares.sum(axis=1) / shares.size
                gradients[i, ~right] = shares.sum(axis=0) / shares.size
        return gradients

    def _pairs(self, s: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return margin and derivative of each pair, a row for each right label."""
        margins = 1.0 + s[~right] - s[right][:, None]
        return margins, np.clip(margins / self.gamma, 0.0, 1.0)


class _SimplexCone(_ConvexLoss):
    """A sum over the other classes of an increasing function of ``<c_j, f(x)>``, as SC-SVM is."""

    @abstractmethod
    def _function(self, s: np.ndarray) -> np.ndarray:
        """Return the function of each product."""

    @abstractmethod
    def _slope(self, s: np.ndarray) -> np.ndarray:
        """Return its derivative."""

    @abstractmethod
    def _conjugate(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return its conjugate, and where that is finite."""

    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        functions = self._function(_codes(scores))
        functions[np.arange(len(labels)), labels] = 0.0
        return functions.sum(axis=1)

    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        slopes = self._slope(_codes(scores))
        slopes[np.arange(len(labels)), labels] = 0.0
        return _codes(slopes)

    def conjugate(self, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
        rows = np.arange(len(labels))
        slopes = (v - v[rows, labels][:, None]) / _factor(v.shape[1])
        values, inside = self._conjugate(slopes)
        values[rows, labels], inside[rows, labels] = 0.0, True
        inside = inside.all(axis=1) & (np.abs(v.sum(axis=1)) <= _OUTSIDE)
        return np.where(inside, values.sum(axis=1), np.inf)


@dataclass
class SimplexLogistic(_SimplexCone):
    """``sum_j log(1 + exp <c_j, f(x)>)`` over the other classes, the logistic loss of the simplex
    coding (NIPS 2012, section 3). With two classes it is the binary one.
    """

    def _function(self, s: np.ndarray) -> np.ndarray:
        return np.logaddexp(0.0, s)

    def _slope(self, s: np.ndarray) -> np.ndarray:
        return expit(s)

    def _conjugate(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside = (t >= -_OUTSIDE) & (t <= 1.0 + _OUTSIDE)
        t = np.clip(t, 0.0, 1.0)
        return xlogy(t, t) + xlog1py(1.0 - t, -t), inside


@dataclass
class SimplexExponential(_SimplexCone):
    """``sum_j exp <c_j, f(x)>`` over the other classes, the exponential loss of the simplex coding
    (NIPS 2012, section 3). With two classes it is that of boosting.
    """

    def _function(self, s: np.ndarray) -> np.ndarray:
        return np.exp(s)

    def _slope(self, s: np.ndarray) -> np.ndarray:
        return np.exp(s)

    def _conjugate(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        inside = t >= -_OUTSIDE
        t = np.maximum(t, 0.0)
        return xlogy(t, t) - t, inside


@dataclass
class SimplexHull(_ConvexLoss):
    """SH-SVM, ``1 - <c_y, f(x)>``, with f(x) in the convex hull of the codes (NIPS 2012, Theorem 1).

    Without that constraint, as "sh_svm", it is not consistent. The smoothing (Moreau and Yosida) puts a
    penalty in its place, ``||f(x) - g||^2 / (2 gamma)`` for the distance to a point g of the hull, so
    that f(x) may leave the hull by gamma times its dual variable.

    Parameters
    ----------
    gamma : float > 0
        The smoothing.
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        _check_smoothing(self.gamma)

    def value(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        q, p = self._shares(scores, labels)
        distance = ((p - q) ** 2).sum(axis=1) / (2 * self.gamma)
        return _factor(p.shape[1]) ** 2 * (1.0 - p[np.arange(len(labels)), labels] + distance)

    def gradient(self, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
        q, p = self._shares(scores, labels)
        return _factor(p.shape[1]) / self.gamma * (q - p)

    def conjugate(self, v: np.ndarray, labels: np.ndarray) -> np.ndarray:
        factor = _factor(v.shape[1])
        at_codes = factor * v - factor**2  # at c_j it is <v, c_j> - 1 + <c_y, c_j>
        at_codes[np.arange(len(labels)), labels] += factor**2
        values = at_codes.max(axis=1) + self.gamma / 2 * (v * v).sum(axis=1)
        return np.where(np.abs(v.sum(axis=1)) <= _OUTSIDE, values, np.inf)

    def _shares(self, scores: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates of f(x) and of the minimiser g, which sum to 1: f(x) = sum q_j c_j."""
        m = scores.shape[1]
        q = 1.0 / m + (scores - scores.mean(axis=1, keepdims=True)) / _factor(m)
        moved = q.copy()
        moved[np.arange(len(labels)), labels] += self.gamma
        largest = -np.sort(-moved, axis=1)
        excess = (np.cumsum(largest, axis=1) - 1.0) / np.arange(1, m + 1)
        last = (largest > excess).sum(axis=1) - 1
        return q, np.maximum(moved - excess[np.arange(len(labels)), last][:, None], 0.0)


def _check_smoothing(gamma: float) -> None:
    if as_number(gamma, "gamma", 0.0) == 0.0:
        raise ValueError("gamma must be > 0: L-BFGS needs a smooth loss")


def _margins(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return 1 + s_j - s_y, and 0 for the right class."""
    rows = np.arange(len(labels))
    margins = 1.0 + scores - scores[rows, labels][:, None]
    margins[rows, labels] = 0.0
    return margins


def _others(v: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return v with 0 for the right class, and whether each row of v sums to 0."""
    x = v.copy()
    x[np.arange(len(labels)), labels] = 0.0
    return x, np.abs(v.sum(axis=1)) <= _OUTSIDE


def _factor(m: int) -> float:
    """Return the norm of a code over that of its scores minus their mean."""
    return np.sqrt(m / (m - 1.0))


def _codes(scores: np.ndarray) -> np.ndarray:
    """Return the inner products with the codes; of slopes in these, the gradient in the scores."""
    return _factor(scores.shape[1]) * (scores - scores.mean(axis=1, keepdims=True))
