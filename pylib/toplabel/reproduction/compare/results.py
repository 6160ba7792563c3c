"""The results of a run, from their files to the frames that the report prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.compare import claims, wide
from toplabel.reproduction.compare.beside import compare_methods
from toplabel.reproduction.compare.build import build
from toplabel.reproduction.compare.comparison import Comparison, totals
from toplabel.reproduction.compare.intervals import draw_rows
from toplabel.reproduction.compare.measured import selected_values
from toplabel.reproduction.compare.procedure import procedure_of
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.protocols import Threshold
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.selection.choice import Choice, load_choices
from toplabel.reproduction.selection.evaluation import TestMetric, load_metrics

Paths = Iterable[str | os.PathLike[str]]


def compare_results(
    catalogue: Catalogue,
    evaluations: Paths,
    datasets: pd.DataFrame,
    *,
    ranks: Paths = (),
    selections: Paths = (),
    metas: Paths = (),
    kept: pd.DataFrame | None = None,
    studies: Sequence[str] = (),
    threshold: Threshold = "tune",
) -> Comparison:
    """Return results beside the papers.

    Of the results that there are, `evaluations`, `ranks` and `selections` are the files
    evaluation.csv, ranks.npz (for intervals over test rows) and selection.csv (for the sides of
    claims); `metas` are results/<set>/data/meta.json, which say whether results may be compared.
    `datasets` are the registered data sets, all text (results/datasets.csv), `kept` is the long frame
    of the kept run, `studies` are those that the run asks for, in their order, and `threshold` is its
    rule for thresholds.
    """
    measured = _frame(TestMetric, load_metrics(sorted(map(Path, evaluations))))
    draws = draw_rows(_by_cell(ranks))
    reasons = {path.parents[1].name: not_comparable(path.parent) for path in map(Path, metas)}
    barred = {name: why for name, why in reasons.items() if why}
    cells = build(catalogue, measured, draws, barred, kept)
    methods = [method for method in catalogue.methods.values() if not method.variant_of]
    labels = {method.key: method.label for method in methods}
    selected = selected_values(measured, catalogue)
    frame = wide.widen(cells, datasets, catalogue.notes, labels, selected, studies)
    shares = _test_shares(datasets, catalogue)
    beside = compare_methods(measured, catalogue, studies, draws, shares)
    return Comparison(
        cells=cells,
        wide=frame,
        scores=beside.scores,
        methods=beside.methods,
        tests=beside.tests,
        claims=claims.judge(cells, catalogue, draws, _validation(selections)),
        totals=totals(cells, frame)
        | {"procedures": _procedures(measured, catalogue, studies, threshold)},
    )


def _procedures(
    measured: pd.DataFrame, catalogue: Catalogue, studies: Sequence[str], threshold: Threshold
) -> dict[str, str]:
    """Return the procedures of the studies on own data alone, in words."""
    texts = {}
    for study in (catalogue.studies[name] for name in studies if name in catalogue.studies):
        is_own = all(catalogue.registry[name].has_own_protocol for name in study.datasets)
        if is_own and len(measured):
            texts[study.name] = procedure_of(
                study, catalogue, measured["budget"].iloc[0], threshold
            )
    return texts


def _test_shares(datasets: pd.DataFrame, catalogue: Catalogue) -> dict[str, float]:
    """Return the share of the rows that a split tests on, by the prepared data set; 0 where each split
    has training rows of its own.
    """
    shares = {}
    for row in datasets[datasets["n_test"] != ""].itertuples(index=False):
        entry = catalogue.registry.get(row.dataset)
        train, test = int(row.n_train), int(row.n_test)
        shares[row.dataset] = test / (train + test)
        if entry is not None and entry.folds:
            shares[row.dataset] = 1.0 / entry.folds
        elif entry is not None and entry.draws_training_rows:
            shares[row.dataset] = 0.0
    return shares


def _by_cell(paths: Paths) -> dict[tuple[str, str], Path]:
    """Return files of results, results/<set>/<method>/<name>, by data set and method."""
    files = [Path(path) for path in paths]
    return {(file.parents[1].name, file.parent.name): file for file in files}


def _validation(selections: Paths) -> dict[tuple[str, str, str], float]:
    """Return the validation values, the means over the splits."""
    values = {}
    for (dataset, method), path in _by_cell(selections).items():
        choices = _frame(Choice, load_choices(path))
        for metric, value in choices.groupby("metric")["value"].mean().items():
            values[dataset, method, str(metric)] = float(value)
    return values


def _frame(kind: type, rows: Sequence[Any]) -> pd.DataFrame:
    """Return dataclass instances as a frame; None becomes NaN."""
    frame = pd.DataFrame(rows, columns=[field.name for field in fields(kind)])
    texts = [field.name for field in fields(kind) if field.type == "str"]
    return frame.astype(dict.fromkeys(frame.columns.difference(texts), float))
