"""A symmetric logarithmic axis, for drawings that stand in the page itself."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Symlog:
    """From a value to a coordinate: linear near 0, logarithmic beyond `knee`, the same on both
    sides.

    Attributes
    ----------
    knee : float
        Up to about here the axis is linear.
    reach : float
        The largest absolute value on it.
    left, right : float
        The coordinates of -reach and reach.
    """

    knee: float
    reach: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        share = self._height(value) / self._height(self.reach)
        return round((self.left + self.right) / 2 + share * (self.right - self.left) / 2, 1)

    def _height(self, value: float) -> float:
        return math.copysign(math.log1p(abs(value) / self.knee), value)
