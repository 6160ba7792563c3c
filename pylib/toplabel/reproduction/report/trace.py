"""The file of a number, the label of its method, and why a number is missing: look-ups only."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel._core.catalogue import LOSSES
from toplabel.reproduction.config.competitors import COMPETITORS
from toplabel.reproduction.report.inputs import ReportInputs
from toplabel.reproduction.report.labels import has_label, method_label

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
        self._ours = {*LOSSES, *COMPETITORS} | set(runs["loss"])
        self._labels = dict(zip(runs["method"], runs["label"], strict=True))
        sets = inputs.datasets.to_dict("records")
        self._titles = {one["dataset"]: one["title"] for one in sets}
        self._published: dict[tuple[str, str], list[dict[str, str]]] = {}
        for one in sets:
            key = (one["published_key"], one["features"])
            self._published.setdefault(key, []).append(one)

    def title(self, dataset: str) -> str:
        """Return the title of a data set, or its key when it is not registered."""
        return self._titles.get(dataset) or dataset

    def label(self, row: Mapping[str, Any]) -> str:
        """Return the label of a row's method: its own, the papers', or the one of methods.yaml."""
        if row["label"]:
            return row["label"]
        if not has_label(row["method"]) and self._labels.get(row["method"]):
            return self._labels[row["method"]]
        return method_label(row["method"], row["k"], row["gamma"], row["kernel"])

    def with_causes(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Return published cells with `waits_for` and `why`, the two parts of `cause`."""
        causes = [self.cause(row) for row in cells.to_dict("records")]
        return cells.assign(waits_for=[one for one, _ in causes], why=[why for _, why in causes])

    def cause(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return the data set that a published cell without a measurement waits for, which is
        empty if of none, and why it has none.
        """
        if row["reason"]:
            return "", row["reason"]
        if row["method"] not in self._ours:
            return "", OF_OTHERS
        found = [
            one
            for one in self._published.get((row["dataset"], row["features"]), ())
            if not one["published_sources"] or row["source"] in one["published_sources"].split(";")
        ]
        if not found:
            return "", NOT_REGISTERED
        # One that is there before others.
        one = min(found, key=lambda one: one["status"] == "missing")
        return (one["dataset"], one["reason"]) if one["status"] == "missing" else ("", NOT_RUN)

    def link(self, file: str) -> str:
        """Return the address in the report of the copy of a file of the results folder; empty if it
        is not there.

        `toplabel.reproduction.report.metadata` makes the copies, so that the report may be
        moved.
        """
        name = inside(file, self._folder)
        return f"data/{name}" if file and (self._folder / name).is_file() else ""


def inside(file: str, folder: Path) -> str:
    """Return a path from the results folder on; logs are named from the folder above it."""
    return file.removeprefix(f"{folder.name}/")
