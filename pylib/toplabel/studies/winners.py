"""Who wins where: the best method of each column of each published table, ours and the papers'."""

from __future__ import annotations

from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.studies.published import OTHERS
from toplabel.tables.collected import WINNERS

_COLUMN = WINNERS.names[:5]
_METHOD = ["method", "k", "gamma", "kernel"]


def find_winners(comparison: pd.DataFrame) -> pd.DataFrame:
    """Name the best methods of every column of a published table, among those that were measured.

    Parameters
    ----------
    comparison : DataFrame
        results/comparison.csv.

    Returns
    -------
    DataFrame
        The columns of `WINNERS`, one row per data set and metric of a table with two measured methods or more:
        the best ones, ours and the papers', as ``method:k:gamma:kernel`` joined by ";" (ties at the printed digits),
        their values, and whether the two lists share a method.
    """
    measured = comparison[(comparison["verdict"] != "") & (comparison["method"] != OTHERS)]
    rows = [
        _winners(dict(zip(_COLUMN, names, strict=True)), part)
        for names, part in measured.groupby(_COLUMN, sort=False)
        if len(part) > 1
    ]
    return WINNERS.frame(rows)


def _winners(names: dict[str, Any], part: pd.DataFrame) -> dict[str, Any]:
    loss = lower_is_better(names["metric"])
    published = pd.to_numeric(part["published"])
    digits = max(part["published"].map(_decimals).max(), 3 if is_fraction(names["metric"]) else 1)
    ours, best = _best(part, part["measured"], loss, digits)
    papers, printed = _best(part, published, loss, digits)
    return names | {
        "methods": len(part),
        "ours": ";".join(ours),
        "measured": best,
        "papers": ";".join(papers),
        "published": printed,
        "same": str(bool(set(ours) & set(papers))).lower(),
    }


def _best(
    part: pd.DataFrame, values: pd.Series, loss: bool, digits: int
) -> tuple[list[str], float]:
    rounded = values.round(digits)
    best = rounded.min() if loss else rounded.max()
    winners = part.loc[rounded == best, _METHOD]
    return [":".join(row) for row in winners.itertuples(index=False)], float(best)


def _decimals(text: object) -> int:
    return len(str(text).partition(".")[2])
