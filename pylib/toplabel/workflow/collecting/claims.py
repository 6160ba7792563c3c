"""The papers' claims, and who wins where."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from toplabel.config.datasets import load_registry
from toplabel.config.findings import load_claims
from toplabel.datasets.prepared import not_comparable
from toplabel.studies.claims import find
from toplabel.studies.winners import find_winners


def judge_claims(
    root: Path, comparison: pd.DataFrame, collected: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What became of the papers' claims, and who wins where."""
    registry = load_registry(root / "config/datasets.yaml")
    names = {name: entry.published_key for name, entry in registry.items()}
    claims = load_claims(root / "config/findings.yaml", root / "data/published")
    sources = {name: entry.published_sources for name, entry in registry.items()}
    own = {name for name in collected["dataset"].unique() if not_comparable(f"results/{name}/data")}
    return find(claims, comparison, collected, names, sources, own), find_winners(comparison)
