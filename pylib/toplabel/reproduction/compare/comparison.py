"""The files that rule compare writes and the report reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from toplabel.reproduction.compare import beside, cells, claims, wide
from toplabel.reproduction.files import read_json, write_json
from toplabel.reproduction.frames import read_frame, write_frame

Path = str | os.PathLike[str]
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

    Attributes
    ----------
    cells : DataFrame
        The long frame (`compare.cells`).
    wide : DataFrame
        The wide frame (`compare.wide`).
    scores, methods, tests : DataFrame
        The methods of each study beside each other (`compare.beside`).
    claims : DataFrame
        What became of the papers' claims (`compare.claims`).
    totals : dict
        What is said of all numbers (`compare.totals.totals`).
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
