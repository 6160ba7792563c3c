"""Measured numbers beside published ones."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from toplabel.config.datasets import load_registry
from toplabel.config.methods import load_methods
from toplabel.config.studies import load_studies
from toplabel.datasets.prepared import not_comparable
from toplabel.studies.comparison import collect, compare
from toplabel.studies.published import load_published
from toplabel.tables.cells import TEST_METRICS


def compare_results(root: Path, paths: Iterable[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Collect results/<set>/<method>/evaluation.csv and put them beside the published numbers."""
    registry = load_registry(root / "config/datasets.yaml")
    paths = sorted(paths)
    collected = collect(
        TEST_METRICS.read_all(paths),
        load_methods(root / "config/methods.yaml"),
        load_studies(root / "config/studies").values(),
        {name: entry.features for name, entry in registry.items()},
    )
    names = {name: entry.published_key for name, entry in registry.items()}
    folders = {path.parts[-3]: path.parents[1] / "data" for path in map(Path, paths)}
    why = {name: text for name, folder in folders.items() if (text := not_comparable(folder))}
    sources = {name: entry.published_sources for name, entry in registry.items()}
    published = load_published(root / "data/published")
    return collected, compare(collected, published, names, why, sources)
