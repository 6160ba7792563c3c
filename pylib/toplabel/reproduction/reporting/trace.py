"""The file of a number, the label of its method, and why a number is missing: look-ups only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.config.baselines import BASELINES
from toplabel.reproduction.reporting.inputs import ReportInputs
from toplabel.reproduction.reporting.labels import has_label, method_label

NOT_RUN = "not part of this run"
OF_OTHERS = "published by other authors, not a method of this project"
NOT_REGISTERED = "no registered data set has these features"


class Trace:
    """Look-ups over the inputs of one report.

    Parameters
    ----------
    inputs : ReportInputs
    """

    def __init__(self, inputs: ReportInputs) -> None:
        self._folder = inputs.folder
        runs = inputs.evaluation
        self._ours = {*LOSSES, *BASELINES} | set(runs["loss"])
        self._labels = dict(zip(runs["method"], runs["label"], strict=True))
        sets = inputs.datasets.set_index("dataset")
        self._titles = sets["title"].to_dict()
        self._published: dict[tuple[str, str], list[pd.Series]] = {}
        for _, one in inputs.datasets.iterrows():
            key = (one["published_key"], one["features"])
            self._published.setdefault(key, []).append(one)

    def title(self, dataset: str) -> str:
        """Return the title of a data set, or its key when it is not registered."""
        return self._titles.get(dataset) or dataset

    def label(self, row: pd.Series) -> str:
        """Return the label of a row's method: its own, the papers', or the one of methods.yaml."""
        if row["label"]:
            return row["label"]
        if not has_label(row["method"]) and self._labels.get(row["method"]):
            return self._labels[row["method"]]
        return method_label(row["method"], row["k"], row["gamma"], row["kernel"])

    def reason(self, row: pd.Series) -> str:
        """Say why a published cell has no measurement."""
        return self.cause(row)[1]

    def waits_for(self, row: pd.Series) -> str:
        """Return the key of the data set that a cell without measurement waits for; empty if of
        none.
        """
        return self.cause(row)[0]

    def cause(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return both, `waits_for` and `reason`."""
        if row["reason"]:
            return "", row["reason"]
        if row["method"] not in self._ours:
            return "", OF_OTHERS
        one = self._set_of(row)
        if one is None:
            return "", NOT_REGISTERED
        return (one["dataset"], one["reason"]) if one["status"] == "missing" else ("", NOT_RUN)

    def _set_of(self, row: Mapping[str, Any]) -> pd.Series | None:
        """Return the registered set that a published cell is of, one that is there before others."""
        found = [
            one
            for one in self._published.get((row["dataset"], row["features"]), ())
            if not one["published_sources"] or row["source"] in one["published_sources"].split(";")
        ]
        there = [one for one in found if one["status"] != "missing"]
        return next(iter(there or found), None)

    def link(self, file: str) -> str:
        """Return the address in the report of the copy of a file of the results folder; empty if it
        is not there.

        `toplabel.reproduction.reporting.metadata` makes the copies, so that the report may be
        moved.
        """
        path = self._folder / inside(file, self._folder)
        return (
            f"data/{path.relative_to(self._folder).as_posix()}" if file and path.is_file() else ""
        )


def inside(file: str, folder: Path) -> str:
    """Return a path from the results folder on; logs are named from the folder above it."""
    return file.removeprefix(f"{folder.name}/")
