"""What each way of setting cut-offs gives on the test part: the comparison that TPAMI section 3.1 speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from toplabel import thresholds
from toplabel.config.protocols import Protocol
from toplabel.selection.evaluation import instance_scores
from toplabel.selection.final import Models, model_key
from toplabel.selection.measures import all_values, needs_cutoff
from toplabel.selection.problems import final_part, split_named, truth_of
from toplabel.tables.cells import STRATEGIES

if TYPE_CHECKING:
    from toplabel.datasets.prepared import Prepared


def compare_strategies(
    prepared: Prepared,
    protocol: Protocol,
    selection: pd.DataFrame,
    models: Models,
    constant: float = 0.0,
) -> pd.DataFrame:
    """Measure the models that were chosen with a tuned cut-off, under every strategy.

    Parameters
    ----------
    prepared, protocol, selection, models
    constant : float
        The cut-off of the strategy "constant".

    Returns
    -------
    DataFrame
        The columns of `STRATEGIES`, one row a split, metric that needs a cut-off, and strategy.
        Strategies: constant, cardinality and tune, TPAMI section 3.1 (i) to (iii), and per_label
        (`thresholds.match_frequencies`; delta is then the mean over the labels).
    """
    rows = []
    for split_name, of_split in selection.groupby("split", sort=True):
        split = split_named(prepared, str(split_name))
        truth = truth_of(prepared.parts[split.test])
        labels = final_part(prepared, split, protocol).Y
        for row in of_split[of_split["metric"].map(needs_cutoff)].itertuples():
            key = model_key(split.name, row.C, row.theta, row.k)
            scores = instance_scores(prepared, protocol, split, models, key)
            for strategy, delta in _cutoffs(scores, labels, row.delta, constant):
                shifted = scores - delta  # one cut-off a label, or the same for all
                value = all_values([row.metric], truth, shifted, np.zeros(1))[0, 0]
                rows.append([split.name, row.metric, strategy, float(np.mean(delta)), value])
    return STRATEGIES.frame(rows)


def _cutoffs(
    scores: np.ndarray, labels: np.ndarray, tuned: float, constant: float
) -> Iterator[tuple[str, float | np.ndarray]]:
    yield "constant", constant
    yield "cardinality", thresholds.match_cardinality(scores, labels.sum(axis=1).mean())
    yield "tune", tuned
    yield "per_label", thresholds.match_frequencies(scores, labels.mean(axis=0))
