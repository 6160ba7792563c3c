"""A loss of one's own for the study: the Brier score of the softmax, which is not convex."""

import numpy as np
from scipy.special import softmax


class BrierSoftmax:
    """The loss at scores (n, m) and class indices (n,)."""

    def _errors(self, scores, labels):
        shares = softmax(scores, axis=1)
        errors = shares.copy()
        errors[np.arange(len(labels)), labels] -= 1.0
        return shares, errors

    def value(self, scores, labels):
        """Return the loss of each row, (n,)."""
        return np.sum(self._errors(scores, labels)[1] ** 2, axis=1)

    def gradient(self, scores, labels):
        """Return the gradient in the scores, (n, m)."""
        shares, errors = self._errors(scores, labels)
        weighted = shares * errors
        return 2.0 * (weighted - shares * weighted.sum(axis=1, keepdims=True))
