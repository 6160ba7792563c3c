"""The inputs of the reports: the comparison of a run and the other collected files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd

from toplabel.reproduction.compare.comparison import Comparison
from toplabel.reproduction.compare.published import TableText
from toplabel.reproduction.config.notes import Notes


@dataclass(frozen=True)
class Inputs:
    """Everything that a report shows.

    `comparison` are the numbers of the run beside the papers; `datasets` (all text), `run` and
    `metas`, by data set, are files of results/. `texts` are title and caption of each published table,
    by paper and number. `tables` are the .json of tables that are printed as they stand, with a
    ``frame`` of text, `figures` those of figures with the text of their ``svg``. The pages may link to
    `files` of the folder `results`. `missing` are the cells ``<set>/<method>`` that are asked for and
    have no results, though their data sets can be had.
    """

    comparison: Comparison
    datasets: pd.DataFrame
    run: Mapping[str, Any]
    notes: Notes
    texts: Mapping[tuple[str, str], TableText]
    kept_run: Mapping[str, Any] | None
    kept_claims: pd.DataFrame
    tables: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    metas: Mapping[str, Mapping[str, Any]]
    results: Path
    files: frozenset[str]
    missing: list[str]

    @property
    def cells(self) -> pd.DataFrame:
        """The cells of the tables, the wide frame of the run."""
        return self.comparison.wide

    def cells_in(self, state: str) -> pd.DataFrame:
        """Return the cells in a state: measured by this run, by the kept run alone, or by none."""
        return self.cells[self.cells["state"] == state]

    @cached_property
    def of_papers(self) -> bool:
        """True if papers print any of the numbers; else the report is of own data alone."""
        return bool(self.cells["published"].notna().any())

    @property
    def kept_name(self) -> str:
        """The words that stand beside the numbers of the kept run: its date and commit."""
        if self.kept_run is None:
            return "kept run"
        commit = str(self.kept_run["git"]["commit"] or "unknown")[:12]
        return f"kept run, {str(self.kept_run['created'])[:10]}, commit {commit}"

    @cached_property
    def studies(self) -> dict[str, tuple[str, str]]:
        """Title and description of the studies that the configuration asks for, in its order."""
        known = {study["name"]: study for study in self.run.get("studies") or ()}
        asked = self.run["config"].get("studies", ())
        studies = {}
        for name in dict.fromkeys(study.partition("/")[0] for study in asked):
            study = {"title": name, "description": ""} | known.get(name, {})
            studies[name] = (study["title"] or name, study["description"].strip())
        return studies

    @cached_property
    def raw(self) -> dict[str, list[dict[str, Any]]]:
        """The raw files of each prepared data set, with their sizes, sums and addresses."""
        return {
            dataset: [{"name": name, **about} for name, about in sorted(meta["raw"].items())]
            for dataset, meta in self.metas.items()
            if meta.get("raw")
        }

    @cached_property
    def _titles(self) -> dict[str, str]:
        return dict(zip(self.datasets["dataset"], self.datasets["title"], strict=True))

    def title(self, dataset: str) -> str:
        """Return the title of a data set; its name when it is not registered."""
        return self._titles.get(dataset) or dataset

    def link(self, file: str) -> str:
        """Return the address in the report of a file of results/, "" if it is not there."""
        return f"data/{file}" if file in self.files else ""


def web_address(url: str | None) -> str:
    """Return an address of the web; "" for any other."""
    return url if url and urlsplit(url).scheme in ("http", "https") else ""
