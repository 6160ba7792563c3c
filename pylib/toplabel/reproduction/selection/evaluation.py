"""The evaluate stage: test metrics of the chosen models, and the rows that they are means over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from toplabel.reproduction.config.protocols import Protocol
from toplabel.reproduction.selection.final import Key, Models, model_key
from toplabel.reproduction.selection.fitting import pool
from toplabel.reproduction.selection.measures import all_values, class_values
from toplabel.reproduction.selection.problems import final_part, split_named, truth_of
from toplabel.reproduction.selection.ranks import TOP, TrueRanks
from toplabel.reproduction.tables.cells import TEST_METRICS

if TYPE_CHECKING:
    from toplabel.reproduction.config.splits import Split
    from toplabel.reproduction.data.parts import Prepared


def instance_scores(
    prepared: Prepared, protocol: Protocol, split: Split, models: Models, key: Key
) -> np.ndarray:
    """Return scores of a split's test instances, regions pooled by the maximum, shape (n, m)."""
    test = prepared.parts[split.test]
    X_train = final_part(prepared, split, protocol).X if key[2] is not None else None
    return pool(models.scores(key, test.X, X_train), test.groups)


def evaluate(
    prepared: Prepared,
    method: str,
    protocol: Protocol,
    budget: str,
    thresholds: Sequence[Any],
    certificates: Sequence[Any],
    models: Models,
    tuning_seconds: Mapping[str, float],
) -> tuple[list[Any], list[TrueRanks]]:
    """Measure each metric on the test part, with the model and the threshold chosen for it.

    `thresholds` are rows as of `thresholding.set_thresholds`, or the selection where no metric
    needs a threshold; `certificates` those of `final.train_models`; `tuning_seconds` is by split.

    Return a TEST_METRICS.row per split and metric, with the value in percent (fractions for the
    rank and the Hamming loss) and the seconds of the split's tuning and the model's training; and
    the ranks of each model that a top-k accuracy is measured with. After the mAP stand the average
    precisions that it is the mean of, ``ap_<class>``: those of its model, as in TPAMI Table 10,
    where they average to the printed mAP.
    """
    proofs = {model_key(row.split, row.C, row.theta, row.k): row for row in certificates}
    rows, ranks = [], []
    for name in sorted({row.split for row in thresholds}):
        of_split = [row for row in thresholds if row.split == name]
        split = split_named(prepared, name)
        truth = truth_of(prepared.parts[split.test])
        cache: dict[Key, np.ndarray] = {}
        for row in of_split:
            key = model_key(split.name, row.C, row.theta, row.k)
            if key not in cache:
                cache[key] = instance_scores(prepared, protocol, split, models, key)
            threshold = np.empty(0) if np.isnan(row.threshold) else np.array([row.threshold])
            proof = proofs[key]
            values = {row.metric: all_values([row.metric], truth, cache[key], threshold)[0, 0]}
            if row.metric == "map":
                values |= class_values(truth, cache[key], prepared.class_names)
            rows += [
                TEST_METRICS.row(
                    *(prepared.name, method, split.name, metric, value),
                    *(row.C, row.theta, row.threshold),
                    *(proof.relative_gap, proof.epochs, proof.status),
                    seconds=round(tuning_seconds[split.name] + proof.seconds, 6),
                    budget=budget,
                    gradient_norm=proof.gradient_norm,
                    selected_k=row.k,
                )
                for metric, value in values.items()
            ]
        tops = _tops(split.name, of_split)
        ranks += [TrueRanks.of(split.name, tops[key], truth, cache[key]) for key in tops]
    return rows, ranks


def _tops(split: str, thresholds: Sequence[Any]) -> dict[Key, list[str]]:
    """Return the top-k accuracies that each model of a split is chosen for."""
    found: dict[Key, list[str]] = {}
    for row in thresholds:
        if row.metric.startswith(TOP):
            found.setdefault(model_key(split, row.C, row.theta, row.k), []).append(row.metric)
    return found
