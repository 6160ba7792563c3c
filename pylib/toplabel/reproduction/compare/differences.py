"""The cells that differ from the printed ones, and why: results/differences.csv."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import pandas as pd

from toplabel.reproduction.compare.claims import is_selected
from toplabel.reproduction.compare.readings import experiment
from toplabel.reproduction.config.keys import Key, key_of
from toplabel.reproduction.config.notes import Cells, Reason
from toplabel.reproduction.config.studies import whole_table
from toplabel.reproduction.tables.collected import DIFFERENCES, FEWEST_DRAWS, NOT_REPRODUCED


def explain(
    comparison: pd.DataFrame, reasons: Iterable[Reason], variants: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List the cells that differ, each with its reason: `DIFFERENCES`.

    The first reason that names a cell is taken; without one its columns are empty. The order is
    that of `comparison`. `variants` are rows of results/variants.csv.
    """
    texts = ("reason", "title", "why", "evidence", "experiment")
    cells = comparison[comparison["verdict"].isin(NOT_REPRODUCED)]
    known = [(reason, named) for reason in reasons for named in reason.cells]
    rows = []
    for cell in cells.to_dict("records"):
        rows.append(cell | dict.fromkeys(texts, ""))
        key = key_of(cell)
        for reason, named in known:
            if _names(named, cell, key):
                rows[-1] |= {"reason": reason.name, "title": reason.title, "why": reason.why}
                rows[-1] |= {"evidence": named.evidence}
                break
    found = DIFFERENCES.frame(rows)
    found.index = cells.index
    for _, part in found[found["reason"] != ""].groupby(["reason", "evidence"]):
        said = [] if variants is None else [experiment(part, variants)]
        said.append(draws(cells.loc[part.index]))
        found.loc[part.index, "experiment"] = " ".join(filter(None, said))
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


def _names(cells: Cells, cell: dict[str, str], key: Key) -> bool:
    return (
        whole_table(cell["source"], cell["table"]) in cells.tables
        and cell["dataset"] in cells.datasets
        and any(fnmatchcase(cell["metric"], pattern) for pattern in cells.metrics)
        and is_selected(cells.methods, key, cell["metric"])
    )
