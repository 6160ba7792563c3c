"""The page of the papers: each of their items and where it is, and their tables that hold no numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.labels import PAPERS, WORDS, paper_label

NAME = "papers"
_COVERAGE = {"paper": str, "item": str, "where": str}
_CONSTANTS = dict.fromkeys(("loss", "p", "K", "f_rho", "C_T", "alpha"), str)


def paper_tables(checkout: Path) -> list[dict[str, Any]]:
    """Return tables to print as they stand (`toplabel.reproduction.report.inputs.Inputs`)."""
    items = read_frame(checkout / "config/coverage.csv", _COVERAGE)
    heads = {"item": "Item", "where": "Where it is"}
    tables = []
    for paper in PAPERS:
        part = items.loc[items["paper"] == paper, [*heads]]
        if len(part):
            title = f"{paper_label(paper)}, item by item"
            tables.append(_table(paper, title, part.rename(columns=heads)))
    title = "TPAMI 2017, Table 1: the losses, from the catalogue"
    tables.append(_table("losses", title, losses()))
    constants = read_frame(checkout / "data/published/nips2012_constants.csv", _CONSTANTS)
    heads = {"loss": "Loss", "f_rho": "Minimiser f", "C_T": "Factor C", "alpha": "Power α"}
    title = "NIPS 2012, Table 1: the constants of Theorem 1"
    tables.append(_table("constants", title, constants.rename(columns=heads)))
    return tables


def losses() -> pd.DataFrame:
    """Return a row for each loss of the library, and for the smooth form of each hinge."""
    rows = []
    for loss in LOSSES.values():
        row = {
            "Method": loss.label,
            "Name": loss.about,
            "Key": loss.key,
            "Loss function": loss.formula,
            "Where it stands": loss.source,
        }
        rows.append(row)
        if loss.smoothing:
            smooth = {
                "Method": parametrised(loss.label, "", "γ"),
                "Loss function": "the same, smoothed",
                "Key": f"{loss.key}, gamma > 0",
            }
            rows.append(row | smooth)
    return pd.DataFrame(rows)


def _table(name: str, title: str, frame: pd.DataFrame) -> dict[str, Any]:
    caption = WORDS["papers"].get(name, "")
    return {
        "name": f"papers-{name}",
        "title": title,
        "caption": caption,
        "page": NAME,
        "lead": "",
        "frame": frame,
    }
