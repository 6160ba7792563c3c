"""Features other than as published: with a constant column, or standardised and with one.

The papers train on raw features without a bias. A method that departs from that is trained on the
changed features, and its weights are then written in terms of the raw features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from toplabel.reproduction.methods.trained import Affine, Matrix


@dataclass(frozen=True)
class Scaling:
    """The map from x to ((x - shift) / scale, 1); both have the shape (d,)."""

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def fit(cls, X: Matrix, kind: str) -> Scaling:
        """Return the map for some training rows, of shape (rows, d).

        bias: only the constant column. standard: mean zero and variance one before; sparse rows,
        which would not stay sparse, are divided by the root of the mean square and not shifted. A
        constant column is not divided.
        """
        d = X.shape[1]
        if kind == "bias":
            return cls(np.zeros(d), np.ones(d))
        if sparse.issparse(X):
            shift = np.zeros(d)
            scale = np.sqrt(np.asarray(X.multiply(X).mean(axis=0)).ravel())
        else:
            shift, scale = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
        # The computed deviation of a constant column is its rounding error.
        flat = scale <= 1e-12 * np.maximum(1.0, np.abs(shift))
        return cls(shift, np.where(flat, 1.0, scale))

    def apply(self, X: Matrix) -> Matrix:
        """Return rows in the changed space, shape (rows, d + 1)."""
        ones = np.ones((X.shape[0], 1))
        if sparse.issparse(X):
            return sparse.hstack([X @ sparse.diags_array(1.0 / self.scale), ones], format="csr")
        return np.hstack([(X - self.shift) / self.scale, ones])

    def unfold(self, W: np.ndarray) -> Affine:
        """Return weights of shape (d + 1, m) in the changed space, as a model of the raw features."""
        raw = W[:-1] / self.scale[:, None]
        return Affine(np.ascontiguousarray(raw), W[-1] - self.shift @ raw)
