"""Why numbers differ from the printed ones, and what other readings of the protocols give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from toplabel.metrics.names import counts_rows, is_share_of
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.kept import as_own, under_found
from toplabel.reproduction.report.labels import table_label
from toplabel.reproduction.report.score import score_of
from toplabel.reproduction.report.words import say
from toplabel.reproduction.tables.table import as_numbers

_FAR = ("off", "higher", "lower")


def groups_of(
    rows: pd.DataFrame, places: Mapping[tuple[str, str], str] | None = None
) -> list[dict[str, Any]]:
    """Return the groups of cells that share a reason, the largest first, the unexplained last.

    Parameters
    ----------
    rows : DataFrame
        Rows of differences.csv.
    places : mapping, optional
        From (source, table) to the address of the table.

    Returns
    -------
    list of dict
        ``title``, ``why`` and ``evidence``, all empty without a reason; ``counts`` by verdict;
        ``cells``; ``tables``, their labels with the addresses, empty where a table is not shown.
    """
    groups = []
    for _, part in rows.groupby("reason", sort=False):
        tables = part[["source", "table"]].drop_duplicates().itertuples(index=False, name=None)
        evidence = part.loc[part["evidence"] != "", ["evidence", "experiment"]].drop_duplicates()
        groups.append(
            {
                "title": part["title"].iloc[0],
                "why": part["why"].iloc[0],
                "evidence": [" ".join(texts) for texts in evidence.to_numpy()],
                "counts": counted(part["verdict"]),
                "cells": len(part),
                "tables": [(table_label(*key), (places or {}).get(key, "")) for key in tables],
            }
        )
    return sorted(groups, key=lambda group: (not group["title"], -group["cells"]))


def counted(verdicts: pd.Series) -> str:
    """Return how many cells there are of each verdict that is not reproduced."""
    counts = verdicts.value_counts()
    return say("counts", {key: int(counts.get(key, 0)) for key in _FAR})


def of_table(rows: pd.DataFrame, source: str, table: str) -> pd.DataFrame:
    """Return the rows of one published table."""
    return rows[(rows["source"] == source) & (rows["table"] == table)]


def difference_summary(rows: pd.DataFrame) -> str:
    """Return how many cells differ and in how many groups, in one sentence; empty if none does."""
    known = rows["reason"] != ""
    groups = rows.loc[known, "reason"].nunique()
    return say(
        "differences", counted(rows["verdict"]), groups, counted(rows.loc[~known, "verdict"])
    )


def followed_choices(inputs: ReportInputs) -> list[dict[str, Any]]:
    """Return the readings that our numbers follow and that printed test numbers had a part in,
    with the score of their cells, in the order of the config.
    """
    groups = dict(iter(as_own(inputs.comparison).groupby("choice")))
    found = [
        {"title": title, "chosen": str(one["chosen"]), "score": score_of(groups[title])}
        for one in inputs.run.get("choices") or ()
        if (title := str(one["title"])) in groups
    ]
    return [one for one in found if one["score"]["comparable"]]


def found_readings(inputs: ReportInputs) -> list[dict[str, Any]]:
    """Return the other readings that numbers were measured under, in words, with the scores of
    their cells before and after, in the order of the config.
    """
    cells = inputs.comparison[inputs.comparison["found"].notna()]
    groups = dict(iter(as_own(cells).groupby("reading")))
    rows = as_numbers(inputs.datasets.set_index("dataset")["n_test"], inputs.folder)
    return [
        {key: str(one[key]) for key in ("title", "stated", "found", "evidence")}
        | {
            "chosen_on_test": bool(one["chosen_on_test"]),
            "impossible": _impossible(groups[one["name"]], rows),
            "before": score_of(groups[one["name"]]),
            "after": score_of(under_found(groups[one["name"]])),
        }
        for one in inputs.run.get("readings") or ()
        if one["name"] in groups
    ]


def _impossible(cells: pd.DataFrame, rows: pd.Series) -> str:
    """Say how many printed accuracies no number of test rows gives, which is `rows` for a split;
    empty without one.
    """
    known = cells.assign(rows=cells["file"].str.partition("/")[0].map(rows) * cells["splits"])
    known = known[known["metric"].map(counts_rows) & known["rows"].notna()]
    numbers = zip(known["published_text"], known["rows"].astype(int), strict=True)
    shares = pd.Series([is_share_of(*one) for one in numbers], known.index, dtype=bool)
    wrong = known[~shares]
    match = int((wrong["verdict"] == "match").sum())
    return say("impossible", len(wrong), len(known), match) if len(wrong) else ""


def score_under_found(comparison: pd.DataFrame) -> dict[str, Any] | None:
    """Return the score of the run's own cells under the found readings; None where it has none of
    these.
    """
    cells = comparison[comparison["verdict"] != ""]
    return score_of(under_found(cells)) if cells["found"].notna().any() else None
