"""Who wins where: the best method of each column of each published table, ours and the papers'."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction, lower_is_better
from toplabel.reproduction.compare.published import OTHERS
from toplabel.reproduction.tables.collected import WINNERS

_COLUMN = WINNERS.names[:5]
_METHOD = ["method", "k", "gamma", "kernel"]


def find_winners(comparison: pd.DataFrame) -> pd.DataFrame:
    """Name the best methods of every column of a published table, of those measured: `WINNERS`.

    There is one row per data set and metric of a table with two measured methods or more: the best
    ones, ours and the papers', as ``method:k:gamma:kernel`` joined by ";" (ties at the printed
    digits), their values and how far the next best is behind, and whether the two lists share a
    method.
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
    decimals = part["published"].astype(str).str.partition(".")[2].str.len()
    digits = max(decimals.max(), 3 if is_fraction(names["metric"]) else 1)
    ours, best, margin = _best(part, part["measured"], loss, digits)
    papers, printed, published_margin = _best(part, pd.to_numeric(part["published"]), loss, digits)
    return names | {
        "methods": len(part),
        "ours": ";".join(ours),
        "measured": best,
        "margin": margin,
        "papers": ";".join(papers),
        "published": printed,
        "published_margin": published_margin,
        "same": str(bool(set(ours) & set(papers))).lower(),
    }


def _best(
    part: pd.DataFrame, values: pd.Series, loss: bool, digits: int
) -> tuple[list[str], float, float]:
    """Return the best methods, their value, and how far the next value is behind."""
    rounded = values.round(digits)
    best, *others = sorted(rounded.unique(), reverse=not loss)
    margin = round(abs(best - others[0]), digits) if others else math.nan
    winners = part.loc[rounded == best, _METHOD]
    return [":".join(row) for row in winners.itertuples(index=False)], float(best), float(margin)
