"""What becomes of the compared cells: claims, best methods, differences, readings, headline."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.claims import find
from toplabel.reproduction.compare.differences import explain
from toplabel.reproduction.compare.headline import headline
from toplabel.reproduction.compare.readings import compare_variants, read_otherwise
from toplabel.reproduction.compare.winners import find_winners
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.data.prepared import not_comparable
from toplabel.reproduction.workflow.collecting.results import draw_rows


def judge(
    catalogue: Catalogue, comparison: pd.DataFrame, collected: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the tables of `COLLECTED` that follow from the compared cells, by name."""
    readings, choices = catalogue.readings.readings, catalogue.readings.choices
    variants = compare_variants(comparison, collected)
    return {
        "findings": judge_claims(catalogue, comparison, collected),
        "winners": find_winners(comparison),
        "differences": explain(comparison, catalogue.reasons, variants),
        "variants": variants,
        "readings": read_otherwise(comparison, collected, readings.values()),
        "headline": headline(comparison, choices.values()),
    }


def judge_claims(
    catalogue: Catalogue, comparison: pd.DataFrame, collected: pd.DataFrame
) -> pd.DataFrame:
    """Return what became of the papers' claims."""
    collected = catalogue.without_repeats(collected)
    own = {name for name in collected["dataset"].unique() if not_comparable(f"results/{name}/data")}
    draws = draw_rows(f"results/{file}" for file in collected["file"].unique())
    return find(catalogue.claims, comparison, collected, catalogue.registry, own, draws)
