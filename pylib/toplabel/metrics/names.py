"""The names of metrics in files: which direction is better, and the unit as the papers print it."""

from __future__ import annotations

_UNITS = {"rank_loss": "", "hamming_loss": "", "log_loss": "", "coverage_loss": "labels"}


def lower_is_better(metric: str) -> bool:
    """Return whether a metric is a loss: its name ends in ``_loss``, and it is of no class, ``ap_<class>``."""
    return metric.endswith("_loss") and not metric.startswith("ap_")


def unit(metric: str) -> str:
    """Return ``%`` for most metrics, ``labels`` for the coverage, and nothing for a fraction."""
    return _UNITS.get(metric, "%")


def is_fraction(metric: str) -> bool:
    """Return whether a metric is printed as a fraction: the rank, the Hamming and the log loss."""
    return unit(metric) == ""
