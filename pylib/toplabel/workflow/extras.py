"""Targets without a cell of data set and method behind them: illustrations, timings, studies of their own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extra:
    """What such a target makes.

    Attributes
    ----------
    figures, tables : tuple of str
        Names in results/figures and results/tables.
    files : tuple of str
        Others.
    timed : bool
        Whether it trains on `Targets.timed_set`, and so needs that set.
    """

    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    timed: bool = False


#: By their names. The reports of a whole run show all of them.
EXTRAS: dict[str, Extra] = {
    "tpami2017_figure02": Extra(figures=("tpami2017_figure02",)),
    "nips2015_figure02": Extra(figures=("nips2015_figure02",)),
    "losses_1d": Extra(figures=("losses_1d",)),
    "tpami2017_figure03a": Extra(figures=("tpami2017_figure03a",), tables=("table02",)),
    "table02": Extra(tables=("table02",)),
    "tpami2017_table02": Extra(tables=("table02",)),
    "tpami2017_figure03bc": Extra(figures=("tpami2017_figure03bc",), timed=True),
    "tpami2017_figure03d": Extra(
        figures=("tpami2017_figure03d",), tables=("figure03d",), timed=True
    ),
    "nips2012_figure01": Extra(figures=("nips2012_figure01",)),
    "nips2012_figure02": Extra(figures=("nips2012_figure02",)),
    "calibration": Extra(
        figures=("calibration",),
        tables=("calibration",),
        files=("results/calibration/cases.csv", "results/calibration/minima.csv"),
    ),
}
