"""The measurements by name, each of which makes a file of results/timing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from toplabel.reproduction.frames import Columns
from toplabel.reproduction.timing import peers, projections, training


@dataclass(frozen=True)
class Measurement:
    """What is measured in times.

    Attributes
    ----------
    function : callable
        Returns the times, given the `TimedSet` if something is trained, and whether the run is a
        quick one.
    columns : mapping
        The columns of the times, as of `toplabel.reproduction.frames`.
    clock : str
        The clock that the function reads, "CPU time" or "wall time".
    """

    function: Callable[..., pd.DataFrame]
    columns: Columns
    clock: str


MEASUREMENTS = {
    "projections": Measurement(projections.scaling, projections.COLUMNS, "CPU time"),
    "peers": Measurement(
        lambda data, quick: peers.race(data.X, data.y, data.C), peers.COLUMNS, "CPU time"
    ),
    "convergence": Measurement(training.convergence, training.CONVERGENCE, "wall time"),
    "softmax": Measurement(training.softmax, training.SOFTMAX, "wall time"),
}
