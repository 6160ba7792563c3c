"""Measures how long solvers and projections take, and writes the files of results/timing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeTask:
    """A measurement of times.

    Attributes
    ----------
    name : str
        A key of `toplabel.reproduction.timing.measurements.MEASUREMENTS`.
    quick : bool
        Whether the problems are tiny, so that the times say nothing.
    title : str
        The title of the data set; empty where nothing is trained.
    """

    name: str
    quick: bool
    title: str = ""
