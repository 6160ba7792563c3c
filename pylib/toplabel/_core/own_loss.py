"""A loss that a user wrote in Python, as the descent takes the losses of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from toplabel._core.arrays import Labels
from toplabel._core.catalogue import Loss

_PROBED = 3  # rows at whose random scores the methods of a loss are compared
_ENTRIES = 8  # of each of these rows
_STEP = 1e-4  # of differences
_AGREE = 1e-3  # relative difference of a derivative, for losses computed in float32


@dataclass(frozen=True, kw_only=True)
class OwnLoss(Loss):
    """A loss of the user (see `toplabel.losses.get`), whose key is the object itself."""

    @classmethod
    def of(cls, loss: Any) -> OwnLoss:
        """Return the description of an object; ``ValueError`` where it is no loss."""
        if isinstance(loss, type):
            raise ValueError(f"loss must be an object, got the class; write {loss.__name__}()")
        name = type(loss).__name__
        if lacking := [method for method in ("value", "gradient") if not hasattr(loss, method)]:
            raise ValueError(
                "loss must be a name, or an object with the methods value and gradient; "
                f"{name} lacks {' and '.join(map(repr, lacking))}"
            )
        labels = getattr(loss, "labels", "one")
        if labels not in ("one", "set"):
            raise ValueError(f"loss {loss!r} must have labels 'one' or 'set', got {labels!r}")
        return cls(key=loss, label=name, about="of the user", labels=labels)

    @property
    def convex(self) -> bool:
        """True if the solvers that keep dual variables take the loss: none of them does."""
        return False

    def values(self, scores: np.ndarray, labels: Labels) -> np.ndarray:
        """Return the loss of each row, (n,)."""
        return self._called("value", scores, self._given(labels))

    def gradients(self, scores: np.ndarray, labels: Labels) -> np.ndarray:
        """Return the gradient of each row's loss, (n, m)."""
        return self._called("gradient", scores, self._given(labels))

    @property
    def has_conjugate(self) -> bool:
        """True if the user's object has a method `conjugate`."""
        return hasattr(self.key, "conjugate")

    def conjugates(self, points: np.ndarray, labels: Labels) -> np.ndarray:
        """Return the conjugate of each row's loss, (n,)."""
        return self._called("conjugate", points, self._given(labels))

    def check(self, labels: Labels) -> None:
        """Refuse methods that contradict each other at random scores of a few rows."""
        rng, rows = np.random.default_rng(0), np.linspace(0, labels.n - 1, _PROBED).astype(int)
        given, each = self._given(labels)[rows], np.arange(_PROBED)
        scores = rng.standard_normal((_PROBED, labels.m))

        def value(scores: np.ndarray) -> np.ndarray:
            values = self._called("value", scores, given)
            if not np.isfinite(values).all():
                raise ValueError(f"loss {self.label}: value must be finite, got {values}")
            return values

        value(np.zeros_like(scores))
        gradient = self._called("gradient", scores, given)
        classes = rng.integers(labels.m, size=(_ENTRIES, _PROBED))
        for chosen in classes if given.ndim == 2 else [given, *classes]:
            shift = _STEP * np.eye(labels.m)[chosen]
            slope = (value(scores + shift) - value(scores - shift)) / (2 * _STEP)
            if not np.allclose(gradient[each, chosen], slope, rtol=_AGREE, atol=_AGREE):
                raise ValueError(
                    f"loss {self.label}: gradient is {gradient[each, chosen]} where differences of "
                    f"value give {slope} (at random scores of rows {rows}, classes {chosen})"
                )
        if self.has_conjugate:
            conjugates, least = self._called("conjugate", gradient, given), -value(scores)
            least += (gradient * scores).sum(axis=1)
            if not (conjugates >= least - _AGREE * (1.0 + np.abs(least))).all():
                raise ValueError(
                    f"loss {self.label}: conjugate(v) is {conjugates}, below <v, s> - value(s) = {least}"
                )

    def _given(self, labels: Labels) -> np.ndarray:
        """Return labels as the methods of the object get them."""
        if self.labels == "one":
            return labels.label.astype(np.int64)
        return labels.indicator

    def _called(self, name: str, at: np.ndarray, given: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):  # a line search also asks far from the solution
            result = np.array(getattr(self.key, name)(at, given), dtype=np.float64)
        shape = at.shape if name == "gradient" else at.shape[:1]
        if result.shape != shape:
            raise ValueError(
                f"loss {self.label}: {name} must return the shape {shape}, got {result.shape}"
            )
        if name == "gradient" and not np.isfinite(result).all():
            row = int(np.argwhere(~np.isfinite(result))[0, 0])
            raise ValueError(
                f"loss {self.label}: gradient of row {row} is not finite: {result[row]}"
            )
        return result
