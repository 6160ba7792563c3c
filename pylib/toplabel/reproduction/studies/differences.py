"""The cells that differ from the printed ones, and why: results/differences.csv."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import pandas as pd

from toplabel.reproduction.config.differences import Cells, Reason
from toplabel.reproduction.config.keys import Key, canonical_key
from toplabel.reproduction.studies.claims import is_selected
from toplabel.reproduction.studies.variants import experiment
from toplabel.reproduction.tables.collected import DIFFERENCES, FEWEST_DRAWS

DIFFERENT = ("off", "higher", "lower")
"""The verdicts that count as differences."""


def explain(
    comparison: pd.DataFrame, reasons: Iterable[Reason], variants: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List the cells that differ, each with its reason: `DIFFERENCES`.

    The first reason that names a cell is taken; without one its columns are empty. The order is
    that of `comparison`. `variants` are rows of results/variants.csv.
    """
    reasons = list(reasons)
    cells = comparison[comparison["verdict"].isin(DIFFERENT)]
    rows = []
    for cell in cells.to_dict("records"):
        key = canonical_key(cell["method"], cell["k"], cell["gamma"], cell["kernel"])
        table = f"{cell['source']}_table{cell['table'].zfill(2)}"
        found = next(
            ((r, c) for r in reasons for c in r.cells if _names(c, table, cell, key)), None
        )
        texts = dict.fromkeys(("reason", "title", "why", "evidence", "experiment"), "")
        if found:
            reason, named = found
            texts |= {"reason": reason.name, "title": reason.title, "why": reason.why}
            texts["evidence"] = named.evidence
        rows.append({name: cell[name] for name in DIFFERENCES.names if name not in texts} | texts)
    found = DIFFERENCES.frame(rows)
    found.index = cells.index
    for _, part in found[found["reason"] != ""].groupby(["reason", "evidence"]):
        texts = [] if variants is None else [experiment(part, variants)]
        texts.append(draws(cells.loc[part.index]))
        found.loc[part.index, "experiment"] = " ".join(filter(None, texts))
    return found.reset_index(drop=True)


def draws(cells: pd.DataFrame) -> str:
    """Say how many printed numbers could be a draw of the folds; empty with fewer than five draws."""
    seeds = cells["seeds"].replace("", "0").astype(float)
    drawn = cells[(cells["in_seeds"] != "") & (seeds >= FEWEST_DRAWS)]
    if drawn.empty:
        return ""
    counts = "/".join(f"{n:.0f}" for n in sorted({*seeds[drawn.index]}))
    inside = int((drawn["in_seeds"] == "true").sum())
    verb = "lies" if inside == 1 else "lie"
    which = f"{inside} of these {len(drawn)} printed numbers {verb}"
    if len(drawn) == 1:
        which = f"This printed number {'lies' if inside else 'does not lie'}"
    return f"{which} in the 95 % interval of a further draw of the folds, after {counts} draws."


def _names(cells: Cells, table: str, cell: dict[str, str], key: Key) -> bool:
    return (
        table in cells.tables
        and cell["dataset"] in cells.datasets
        and any(fnmatchcase(cell["metric"], pattern) for pattern in cells.metrics)
        and is_selected(cells.methods, key, cell["metric"])
    )
