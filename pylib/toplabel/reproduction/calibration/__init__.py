"""Top-k calibration as a numerical study (TPAMI section 4, Propositions 8 to 13).

A loss is top-s calibrated if, whatever the class probabilities p, scores that minimise the
conditional risk sum_y p_y L(y, g) have a Bayes optimal top-s set. For given p that is decided here
by two minimisations (`toplabel.reproduction.calibration.excess`), each with a proven lower bound.
docs/evidence/calibration.md has the argument.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CalibrationTask:
    """The seed of the run, and how many distributions of every family are drawn."""

    seed: int
    each: int
