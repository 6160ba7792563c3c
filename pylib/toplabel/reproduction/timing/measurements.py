"""The measurements by name, each of which makes a file of results/timing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from toplabel.reproduction.frames import Columns
from toplabel.reproduction.timing import peers, projections, training
from toplabel.reproduction.timing.training import TimedSet


@dataclass(frozen=True)
class Measurement:
    """A function of a data set and of whether the run is a quick one, which returns times.

    Attributes
    ----------
    function : callable
        Returns the times. A measurement that trains nothing gets None in place of a data set.
    columns : mapping
        The columns of the times, as of `toplabel.reproduction.frames`.
    clock : str
        The clock that the function reads, "CPU time" or "wall time".
    """

    function: Callable[[TimedSet | None, bool], pd.DataFrame]
    columns: Columns
    clock: str


MEASUREMENTS = {
    "projections": Measurement(
        lambda data, quick: projections.scaling(quick), projections.COLUMNS, "CPU time"
    ),
    "peers": Measurement(
        lambda data, quick: peers.race(data.X, data.y, data.C), peers.COLUMNS, "CPU time"
    ),
    "convergence": Measurement(training.convergence, training.CONVERGENCE, "wall time"),
    "softmax": Measurement(training.softmax, training.SOFTMAX, "wall time"),
}
