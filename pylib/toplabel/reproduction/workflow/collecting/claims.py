"""The papers' claims, who wins where, and why numbers differ."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from toplabel.reproduction.config.datasets import load_registry
from toplabel.reproduction.config.differences import load_reasons
from toplabel.reproduction.config.findings import load_claims
from toplabel.reproduction.config.methods import load_methods
from toplabel.reproduction.config.readings import ReadingsFile, load_readings, stand_ins
from toplabel.reproduction.datasets.prepared import not_comparable
from toplabel.reproduction.studies.claims import find
from toplabel.reproduction.studies.differences import explain
from toplabel.reproduction.studies.readings import read_otherwise
from toplabel.reproduction.studies.variants import compare_variants
from toplabel.reproduction.studies.winners import find_winners
from toplabel.reproduction.workflow.collecting.results import draw_rows


def judge_claims(
    root: Path, comparison: pd.DataFrame, collected: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What became of the papers' claims, and who wins where."""
    registry = load_registry(root / "config/datasets.yaml")
    # Neither folds drawn again nor another draw are other data, and a variant of a method is no
    # other method.
    same = {*registry.seeds_of, *stand_ins(readings_of(root).readings.values())}
    again = collected["dataset"].isin(same) | (collected["variant_of"] != "")
    collected = collected[~again]
    names = {name: entry.published_key for name, entry in registry.items()}
    claims = load_claims(root / "config/findings.yaml", root / "data/published")
    sources = {name: entry.published_sources for name, entry in registry.items()}
    own = {name for name in collected["dataset"].unique() if not_comparable(f"results/{name}/data")}
    draws = draw_rows(f"results/{file}" for file in collected["file"].unique())
    found = find(claims, comparison, collected, names, sources, own, draws)
    return found, find_winners(comparison)


def other_readings(root: Path, comparison: pd.DataFrame, collected: pd.DataFrame) -> pd.DataFrame:
    """Return the compared cells under other readings of the protocols."""
    return read_otherwise(comparison, collected, readings_of(root).readings.values())


def readings_of(root: Path) -> ReadingsFile:
    """Return the readings of the checkout's config."""
    return load_readings(
        root / "config/readings.yaml",
        root / "data/published",
        load_registry(root / "config/datasets.yaml"),
        load_methods(root / "config/methods.yaml"),
    )


def explain_differences(
    root: Path, comparison: pd.DataFrame, collected: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells that differ from the printed ones, and why; variants of methods beside the printed
    numbers.
    """
    variants = compare_variants(comparison, collected)
    reasons = load_reasons(root / "config/differences.yaml", root / "data/published")
    return explain(comparison, reasons, variants), variants
