"""The smooth top-k loss of Berrada, Zisserman and Kumar (ICLR 2018).

L = tau log(1 + exp(1/tau) e_k / (x_y e_(k-1))), where x_j = exp(s_j / (k tau)) and e_k is the sum over
all sets of k other classes of the product of their x_j. It is not convex.
"""

import numpy as np
from scipy.special import expit


class SmoothTopK:
    """The loss at scores (n, m) and class indices (n,)."""

    def __init__(self, k=5, tau=1.0):
        self.k, self.tau = k, tau

    def value(self, scores, labels):
        """Return the loss of each row, (n,)."""
        return self.tau * np.logaddexp(0.0, self._margins(scores, labels)[0])

    def gradient(self, scores, labels):
        """Return the gradient in the scores, (n, m)."""
        k, (z, t, first) = self.k, self._margins(scores, labels)
        last, share = _sums(t[:, ::-1], k)[::-1], np.zeros_like(scores)
        for c in range(scores.shape[1]):
            for size, sign in ((k, 1.0), (k - 1, -1.0)):  # of the sets with class c
                parts = [first[c][:, j] + last[c + 1][:, size - 1 - j] for j in range(size)]
                if parts:
                    sets = t[:, c] + np.logaddexp.reduce(parts) - first[-1][:, size]
                    share[:, c] += sign * np.exp(sets)
        share[np.arange(len(labels)), labels] = -1.0
        return expit(z)[:, None] * share / k

    def _margins(self, scores, labels):
        if not 1 <= self.k < scores.shape[1]:
            raise ValueError(f"k must be in 1..{scores.shape[1] - 1}, got {self.k}")
        rows, t = np.arange(len(labels)), scores / (self.k * self.tau)
        own = t[rows, labels]
        t[rows, labels] = -np.inf
        first = _sums(t, self.k)
        z = 1.0 / self.tau + first[-1][:, self.k] - first[-1][:, self.k - 1] - own
        return z, t, first


def _sums(t, k):
    """Return, for the first 0, 1, .. m classes, the logarithms of e_0, .. e_k, each (n, k + 1)."""
    sums = [np.full((len(t), k + 1), -np.inf)]
    sums[0][:, 0] = 0.0
    for column in t.T:
        new = sums[-1].copy()
        new[:, 1:] = np.logaddexp(new[:, 1:], column[:, None] + sums[-1][:, :-1])
        sums.append(new)
    return sums
