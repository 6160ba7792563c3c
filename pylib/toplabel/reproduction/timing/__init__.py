"""Measures how long solvers and projections take, and writes the files of results/timing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TimeTask:
    """A measurement of times, by a key of `toplabel.reproduction.timing.training.MEASUREMENTS`.

    Of a `quick` one the problems are tiny, so that the times say nothing. `title` is that of the
    data set; empty where nothing is trained.
    """

    name: str
    quick: bool
    title: str = ""
