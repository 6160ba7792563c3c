"""What becomes of the compared cells, in the files that the frame of cells replaces."""

from __future__ import annotations

import pandas as pd

from toplabel.reproduction.compare.counts import headline, winners
from toplabel.reproduction.compare.notes import explained
from toplabel.reproduction.compare.views import (
    comparison,
    evaluation,
    found,
    side_by_side,
    variants,
)
from toplabel.reproduction.config.catalogue import Catalogue
from toplabel.reproduction.tables.collected import (
    COMPARISON,
    DIFFERENCES,
    EVALUATION,
    FINDINGS,
    HEADLINE,
    PUBLISHED_KEYS,
    READINGS,
    VARIANTS,
    WINNERS,
)


def judge(
    catalogue: Catalogue, cells: pd.DataFrame, claims: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Return the tables of `COLLECTED` that follow from the frame of cells, by name."""
    best = winners(cells)
    if len(best):
        best = best.assign(same=best["same"].astype(str).str.lower())
    stated = side_by_side(cells)[[*PUBLISHED_KEYS, "published", "measured", "verdict"]]
    file = found(cells)["config_dataset"] + "/" + found(cells)["config_method"] + "/evaluation.csv"
    names = {"value": "found", "difference": "found_difference", "verdict": "found_verdict"}
    readings = found(cells).rename(columns=names).assign(found_file=file)
    readings = readings[[*PUBLISHED_KEYS, "reading", *names.values(), "found_file"]]
    names = {"config_method": "variant", "value": "variant_measured", "verdict": "variant_verdict"}
    tried = variants(cells).rename(columns=names)[[*PUBLISHED_KEYS, "label", *names.values()]]
    keys = [*PUBLISHED_KEYS]
    tables = {
        "findings": (FINDINGS, claims),
        "winners": (WINNERS, best),
        "differences": (DIFFERENCES, explained(cells, catalogue.notes)),
        "variants": (VARIANTS, stated.merge(tried, on=keys)),
        "readings": (READINGS, stated.merge(readings, on=keys)),
        "headline": (HEADLINE, headline(cells)),
    }
    tables["evaluation"] = (EVALUATION, evaluation(cells))
    tables["comparison"] = (COMPARISON, comparison(cells))
    return {
        name: frame.reindex(columns=table.names, fill_value="")
        for name, (table, frame) in tables.items()
    }
