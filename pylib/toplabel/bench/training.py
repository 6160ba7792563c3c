"""Time to a given accuracy of the primal objective: ours and other solvers, scored alike.

Every solver gets the same X, y and C and no bias; every W that comes back is scored by one function,
`fitting.primal`, in NumPy. A solver's time is that of the loosest setting of its own stopping rule that reaches
(P - P*)/P* <= accuracy, P* being a lower bound that our dual proves. So no solver pays for checks that only the
benchmark needs.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from toplabel.bench import fitting
from toplabel.bench.effort import Effort
from toplabel.bench.peers import Family, Setting
from toplabel.bench.shapes import Shape
from toplabel.bench.timing import now

ACCURACY = 1e-3
# Seconds of a fit that is not repeated: what disturbs a machine for a moment does not show in it.
_LONG = 20.0


@dataclass(frozen=True)
class Timing:
    """How long a solver takes.

    Attributes
    ----------
    setting : str
        The loosest that reached the accuracy, or the tightest that was tried.
    seconds : float
        Of the fit with this setting.
    excess : float
        (P - P*)/P* of the fit.
    reached : bool
    result : object
        What the fit returned; None if it was not accurate enough.
    """

    setting: str
    seconds: float
    excess: float
    reached: bool
    result: Any


def lower_bound(
    shape: Shape, loss: str, eps: float = 1e-5, time_limit: float | None = None
) -> tuple[float, float]:
    """Return D(A), which no primal value can be below, and the relative gap at which it was taken."""
    solution = fitting.train(shape, loss, eps=eps, max_epochs=100_000, time_limit=time_limit)
    return solution.dual, solution.relative_gap


class _Trials:
    """The settings of a family that have been tried on a problem, each once."""

    def __init__(self, shape: Shape, loss: str, family: Family, bound: float, accuracy: float):
        self._shape, self._loss, self._bound = shape, loss, bound
        self._settings, self._accuracy = family.settings, accuracy
        self._done: dict[int, Timing] = {}

    def at(self, index: int) -> Timing:
        if index not in self._done:
            setting = self._settings[index]
            seconds, result = timed(setting)
            P = fitting.primal(self._shape, self._loss, setting.weights(result))
            excess = P / self._bound - 1.0
            reached = excess <= self._accuracy
            kept = result if reached else None  # models are large
            self._done[index] = Timing(setting.name, seconds, excess, reached, kept)
        return self._done[index]


def time_to_accuracy(
    shape: Shape,
    loss: str,
    family: Family,
    bound: float,
    effort: Effort,
    accuracy: float = ACCURACY,
    cap: float | None = None,
) -> Timing:
    """Time the loosest setting of a family that is accurate enough.

    Settings are tried from loose to tight in growing strides, then between the last that failed and the first that
    did not. That finds the loosest if accuracy grows along the family, as it nearly does.

    Parameters
    ----------
    shape : Shape
    loss : str
    family : Family
    bound : float
        P*, or a lower bound of it.
    effort : Effort
        `repeats` of the setting that counts, unless it takes long; the fastest is taken.
    accuracy : float
    cap : float, optional
        Instead of `effort.cap`: give up after a fit that took so many seconds and was not accurate enough.

    Returns
    -------
    Timing
    """
    cap = effort.cap if cap is None else cap
    trials = _Trials(shape, loss, family, bound, accuracy)
    last = len(family.settings) - 1
    failed, index, stride = -1, 0, 1
    while not trials.at(index).reached:
        if index == last or trials.at(index).seconds > cap:
            return trials.at(index)
        failed, index = index, min(index + stride, last)
        stride = min(2 * stride, family.stride)
    while index - failed > 1:
        middle = (index + failed) // 2
        if trials.at(middle).reached:
            index = middle
        else:
            failed = middle
    found = trials.at(index)
    repeats = effort.repeats if found.seconds < _LONG else 1
    again = [timed(family.settings[index])[0] for _ in range(repeats - 1)]
    seconds = min([found.seconds, *again])
    return Timing(found.setting, seconds, found.excess, True, found.result)


def timed(setting: Setting) -> tuple[float, Any]:
    """Return the seconds of a fit and what it returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a loose setting is meant not to converge
        start = now()
        result = setting.fit()
        return now() - start, result
