"""The page of the papers: each of their items and where it is, and their tables that hold no numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES, parametrised
from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.labels import PAPERS, paper_label
from toplabel.reproduction.report.words import WORDS

NAME = "papers"
_COVERAGE = {"paper": str, "item": str, "where": str}
_CONSTANTS = dict.fromkeys(("loss", "p", "K", "f_rho", "C_T", "alpha"), str)


def paper_tables(checkout: Path) -> list[dict[str, Any]]:
    """Return tables to print as they stand (`toplabel.reproduction.report.inputs.Inputs`)."""
    items = read_frame(checkout / "config/coverage.csv", _COVERAGE)
    heads = {"item": "Item", "where": "Where it is"}
    found = [
        _table(paper, f"{paper_label(paper)}, item by item", part[[*heads]].rename(columns=heads))
        for paper in PAPERS
        if len(part := items[items["paper"] == paper])
    ]
    constants = read_frame(checkout / "data/published/nips2012_constants.csv", _CONSTANTS)
    heads = {"loss": "Loss", "f_rho": "Minimiser f", "C_T": "Factor C", "alpha": "Power α"}
    found.append(_table("losses", "TPAMI 2017, Table 1: the losses, from the catalogue", losses()))
    title = "NIPS 2012, Table 1: the constants of Theorem 1"
    return [*found, _table("constants", title, constants.rename(columns=heads))]


def losses() -> pd.DataFrame:
    """Return a row for each loss of the library, and for the smooth form of each hinge."""
    rows = []
    for loss in LOSSES.values():
        row = {"Method": loss.label, "Name": loss.about, "Key": loss.key}
        rows.append(row | {"Loss function": loss.formula, "Where it stands": loss.source})
        if loss.smoothing:
            smooth = {
                "Method": parametrised(loss.label, "", "γ"),
                "Loss function": "the same, smoothed",
            }
            rows.append(rows[-1] | smooth | {"Key": f"{loss.key}, gamma > 0"})
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
