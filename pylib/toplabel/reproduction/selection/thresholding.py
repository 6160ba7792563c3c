"""The threshold stage (TPAMI section 3.1): that of each metric's model, and other strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from toplabel import thresholds
from toplabel.reproduction.config.protocols import Protocol
from toplabel.reproduction.selection.evaluation import instance_scores
from toplabel.reproduction.selection.final import Key, Models, model_key
from toplabel.reproduction.selection.measures import all_values, needs_threshold
from toplabel.reproduction.selection.problems import final_part, split_named, truth_of
from toplabel.reproduction.tables.cells import THRESHOLD_STRATEGIES, THRESHOLDS

if TYPE_CHECKING:
    from toplabel.reproduction.data.parts import Prepared

STRATEGIES = ("tune", "constant", "cardinality")


def set_thresholds(
    prepared: Prepared,
    protocol: Protocol,
    selection: Sequence[Any],
    models: Models,
    strategy: str,
    constant: float = 0.0,
) -> list[Any]:
    """Return a THRESHOLDS.row per split and metric; the threshold is NaN where none is needed.

    tune: the threshold that was selected together with C (TPAMI section 3.1 (iii)); constant: the
    given one (i); cardinality: the one at which the test instances get as many labels on average as
    the training instances have (ii), which looks at all test instances at once.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"threshold strategy must be one of {STRATEGIES}, not {strategy!r}")
    found: dict[Key, float] = {}

    def threshold_of(row: Any) -> float:
        if strategy == "tune":
            return row.threshold
        if strategy == "constant":
            return float(constant)
        key = model_key(row.split, row.C, row.theta, row.k)
        if key not in found:
            found[key] = _matched(prepared, protocol, models, key)
        return found[key]

    return [
        THRESHOLDS.row(
            *(row.split, row.metric, row.k, row.C, row.theta),
            threshold=threshold_of(row) if needs_threshold(row.metric) else row.threshold,
            strategy=strategy if needs_threshold(row.metric) else "",
        )
        for row in selection
    ]


def _matched(prepared: Prepared, protocol: Protocol, models: Models, key: Key) -> float:
    """Return the threshold at which test instances get as many labels as training instances have."""
    split = split_named(prepared, key[0])
    scores = instance_scores(prepared, protocol, split, models, key)
    labels = final_part(prepared, split, protocol).Y
    return float(thresholds.match_cardinality(scores, labels.sum(axis=1).mean()))


def compare_strategies(
    prepared: Prepared,
    protocol: Protocol,
    selection: Sequence[Any],
    models: Models,
    constant: float = 0.0,
) -> list[Any]:
    """Measure the models that were chosen with a tuned threshold, under every strategy.

    Return a THRESHOLD_STRATEGIES.row per split, metric that needs a threshold, and strategy: those
    of `STRATEGIES`, `constant` being the threshold of the strategy of that name, and per_label
    (`thresholds.match_frequencies`; the column threshold is then the mean over the labels).
    """
    rows = []
    for name in sorted({row.split for row in selection}):
        split = split_named(prepared, name)
        truth = truth_of(prepared.parts[split.test])
        labels = final_part(prepared, split, protocol).Y
        for row in selection:
            if row.split != name or not needs_threshold(row.metric):
                continue
            key = model_key(split.name, row.C, row.theta, row.k)
            scores = instance_scores(prepared, protocol, split, models, key)
            for strategy, threshold in _by_strategy(scores, labels, row.threshold, constant):
                shifted = scores - threshold  # one threshold per label, or the same for all
                value = all_values([row.metric], truth, shifted, np.zeros(1))[0, 0]
                at = float(np.mean(threshold))
                rows.append(THRESHOLD_STRATEGIES.row(name, row.metric, strategy, at, value))
    return rows


def _by_strategy(
    scores: np.ndarray, labels: np.ndarray, tuned: float, constant: float
) -> Iterator[tuple[str, float | np.ndarray]]:
    yield "constant", constant
    yield "cardinality", thresholds.match_cardinality(scores, labels.sum(axis=1).mean())
    yield "tune", tuned
    yield "per_label", thresholds.match_frequencies(scores, labels.mean(axis=0))
