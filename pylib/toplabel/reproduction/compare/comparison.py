"""The files that rule compare writes and the report reads, and the numbers about a whole run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from toplabel.metrics.names import is_fraction
from toplabel.reproduction.compare import beside, cells, claims, wide, within
from toplabel.reproduction.compare.cells import KEPT, MEASURED, measurements
from toplabel.reproduction.compare.verdicts import in_points
from toplabel.reproduction.files import read_json, write_json
from toplabel.reproduction.frames import read_frame, write_frame

Path = str | os.PathLike[str]
COLUMNS: Mapping[str, Mapping[str, type]] = {
    "cells": cells.COLUMNS,
    "wide": wide.COLUMNS,
    "scores": within.SCORES,
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


def write_comparison(comparison: Comparison, paths: Mapping[str, Path]) -> None:
    """Write the frames and the totals to files, by the names of the fields."""
    for name, columns in COLUMNS.items():
        write_frame(getattr(comparison, name), paths[name], columns)
    write_json(paths["totals"], comparison.totals)


def read_comparison(paths: Mapping[str, Path]) -> Comparison:
    """Read what `write_comparison` wrote; a FileError names a file that is damaged."""
    frames = {name: read_frame(paths[name], columns) for name, columns in COLUMNS.items()}
    return Comparison(**frames, totals=read_json(paths["totals"]))


def paths_of(files: Any) -> dict[str, Path]:
    """Return the paths of a comparison among the named inputs or outputs of a rule."""
    return {field.name: getattr(files, field.name) for field in fields(Comparison)}


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
    pairs = zip(numbers["metric"], numbers["difference"], strict=True)
    points = pd.Series([abs(in_points(*pair)) for pair in pairs])
    half, nine_tenths = points.quantile([0.5, 0.9])
    return {"numbers": len(points), "half": half, "nine_tenths": nine_tenths}


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
