"""The threshold stage: the cut-off of each metric's model (TPAMI section 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toplabel import thresholds
from toplabel.config.protocols import Protocol
from toplabel.selection.evaluation import instance_scores
from toplabel.selection.final import Models, model_key
from toplabel.selection.measures import needs_cutoff
from toplabel.selection.problems import final_part, split_named
from toplabel.tables.cells import THRESHOLDS

if TYPE_CHECKING:
    from toplabel.datasets.prepared import Prepared

STRATEGIES = ("tune", "constant", "cardinality")


def cutoff_table(
    prepared: Prepared,
    protocol: Protocol,
    selection: pd.DataFrame,
    models: Models,
    strategy: str,
    constant: float = 0.0,
) -> pd.DataFrame:
    """Decide the cut-off of every metric that needs one.

    Parameters
    ----------
    prepared, protocol, selection, models
    strategy : {"tune", "constant", "cardinality"}
        tune: the delta that was selected together with C (TPAMI section 3.1 (iii)); constant: the
        given one (i); cardinality: the one at which the test instances get as many labels on
        average as the training instances have (ii), which looks at all test instances at once.
    constant : float

    Returns
    -------
    DataFrame
        One row a split and metric: split, metric, k, C, theta, delta (NaN where none is needed),
        strategy (empty where none is needed).
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"threshold strategy must be one of {STRATEGIES}, not {strategy!r}")
    table = selection[["split", "metric", "k", "C", "theta", "delta"]].copy()
    cut = table["metric"].map(needs_cutoff)
    if strategy == "constant":
        table.loc[cut, "delta"] = float(constant)
    elif strategy == "cardinality":
        table.loc[cut, "delta"] = _matched(prepared, protocol, table[cut], models)
    table["strategy"] = np.where(cut, strategy, "")
    return table[THRESHOLDS.names]


def _matched(
    prepared: Prepared, protocol: Protocol, table: pd.DataFrame, models: Models
) -> list[float]:
    found: dict[tuple, float] = {}
    deltas = []
    for row in table.itertuples():
        key = model_key(row.split, row.C, row.theta, row.k)
        if key not in found:
            split = split_named(prepared, row.split)
            scores = instance_scores(prepared, protocol, split, models, key)
            labels = final_part(prepared, split, protocol).Y
            found[key] = float(thresholds.match_cardinality(scores, labels.sum(axis=1).mean()))
        deltas.append(found[key])
    return deltas
