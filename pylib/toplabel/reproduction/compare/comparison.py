"""The results of a run beside the papers: from their files to the frames that the report reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare import beside, cells, claims, wide
from toplabel.reproduction.compare.build import build, selected_values
from toplabel.reproduction.compare.cells import KEPT, MEASURED, measurements
from toplabel.reproduction.compare.intervals import draw_rows
from toplabel.reproduction.compare.procedure import procedure_of
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.config.protocols import Threshold
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.files import PathLike, read_json, write_json
from toplabel.reproduction.frames import read_frame, write_frame
from toplabel.reproduction.selection.choice import Choice, load_choices
from toplabel.reproduction.selection.evaluation import TestMetric, load_metrics

Paths = Iterable[PathLike]
COLUMNS: Mapping[str, Mapping[str, type]] = {
    "cells": cells.COLUMNS,
    "wide": wide.COLUMNS,
    "scores": beside.SCORES,
    "methods": beside.METHODS,
    "tests": beside.TESTS,
    "claims": claims.COLUMNS,
}
"""The columns of the frames of a `Comparison`."""


@dataclass(frozen=True)
class Comparison:
    """The results of a run beside the papers.

    `cells` is the long frame (`compare.cells`), `wide` the wide one (`compare.wide`). `scores`,
    `methods` and `tests` are the methods of each study beside each other (`compare.beside`), `claims`
    what became of the papers' claims (`compare.claims`), `totals` the numbers about all (`totals`).
    """

    cells: pd.DataFrame
    wide: pd.DataFrame
    scores: pd.DataFrame
    methods: pd.DataFrame
    tests: pd.DataFrame
    claims: pd.DataFrame
    totals: dict[str, Any]


def write_comparison(comparison: Comparison, paths: Mapping[str, PathLike]) -> None:
    """Write the frames and the totals to files, by the names of the fields."""
    for name, columns in COLUMNS.items():
        write_frame(getattr(comparison, name), paths[name], columns)
    write_json(paths["totals"], comparison.totals)


def read_comparison(paths: Mapping[str, PathLike]) -> Comparison:
    """Read what `write_comparison` wrote; a FileError names a file that is damaged."""
    frames = {name: read_frame(paths[name], columns) for name, columns in COLUMNS.items()}
    return Comparison(**frames, totals=read_json(paths["totals"]))


def paths_of(files: Any) -> dict[str, PathLike]:
    """Return the paths of a comparison among the named inputs or outputs of a rule."""
    return {field.name: getattr(files, field.name) for field in fields(Comparison)}


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
    long = build(catalogue, measured, draws, barred, kept)
    methods = [method for method in catalogue.methods.values() if not method.variant_of]
    labels = {method.key: method.label for method in methods}
    selected = selected_values(measured, catalogue)
    frame = wide.widen(long, datasets, catalogue.notes, labels, selected, studies)
    shares = _test_shares(datasets, catalogue)
    return Comparison(
        cells=long,
        wide=frame,
        **beside.compare_methods(measured, catalogue, studies, draws, shares),
        claims=claims.judge(long, catalogue, draws, _validation(selections)),
        totals=totals(long, frame)
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


# ---- numbers about a whole run -------------------------------------------------------------------


def totals(cells: pd.DataFrame, wide: pd.DataFrame) -> dict[str, Any]:
    """Return the numbers about a whole run (results/totals.json)."""
    return {
        "distances": {state: distances(wide[wide["state"] == state]) for state in (MEASURED, KEPT)},
        "certificates": certificates(measurements(cells)),
    }


def distances(numbers: pd.DataFrame) -> dict[str, float] | None:
    """Return the distances of the percentages of a run from the printed ones; None without any.

    `half` and `nine_tenths` are the distances in points within which so many of them lie.
    """
    numbers = numbers[(numbers["verdict"] != "") & ~numbers["metric"].map(is_fraction).astype(bool)]
    if numbers.empty:
        return None
    half, nine_tenths = numbers["difference"].abs().quantile([0.5, 0.9])
    return {"numbers": len(numbers), "half": half, "nine_tenths": nine_tenths}


def certificates(numbers: pd.DataFrame) -> dict[str, Any]:
    """Return the counts of numbers by the certificates of their models.

    `gap` and `gradient` count numbers of models that reached the tolerance on the duality gap, or
    on the norm of the gradient; `stopped` those of models that ended before, for the `causes`;
    `none` those of models without a certificate. `largest_gap` is None where no model has a gap.
    """
    has_gap, has_norm = numbers["relative_gap"].notna(), numbers["gradient_norm"].notna()
    stopped = (has_gap | has_norm) & (numbers["status"] != "converged")
    return {
        "numbers": len(numbers),
        "gap": int((has_gap & ~stopped).sum()),
        "gradient": int((has_norm & ~has_gap & ~stopped).sum()),
        "any_gradient": bool(has_norm.any()),
        "stopped": int(stopped.sum()),
        "causes": sorted({*numbers.loc[stopped, "status"]} - {""}),
        "none": int((~has_gap & ~has_norm).sum()),
        "largest_gap": float(numbers["relative_gap"].max()) if has_gap.any() else None,
    }
