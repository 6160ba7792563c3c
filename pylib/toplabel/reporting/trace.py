"""Where a number is from, how its method is called, and why a number is missing: look-ups only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from toplabel.reporting.columns import KEYS
from toplabel.reporting.inputs import ReportInputs
from toplabel.reporting.labels import OWN_METHODS, has_label, method_label

NOT_RUN = "not part of this run"
OF_OTHERS = "published by other authors, not a method of this project"
NOT_REGISTERED = "the data set is not registered"


def canonical(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the key columns with top-1 losses under their multiclass names.

    `topk_svm_alpha`, `topk_svm_beta` with k = 1 are `svm_multi`, `topk_ent` with k = 1 is `lr_multi`
    (docs/architecture.md); a gamma is 0 or 1 however it is written, and 0 where a hinge has none.
    """
    keys = frame[KEYS].copy()
    first = keys["k"].isin(["1", "1.0"])
    svm = first & keys["method"].isin(["topk_svm_alpha", "topk_svm_beta"])
    keys.loc[svm, "method"] = "svm_multi"
    keys.loc[first & (keys["method"] == "topk_ent"), "method"] = "lr_multi"
    keys["k"] = keys["k"].str.removesuffix(".0").where(keys["method"].str.startswith("topk"), "")
    hinge = keys["method"].isin(["svm_multi", "svm_ml", "topk_svm_alpha", "topk_svm_beta"])
    keys["gamma"] = keys["gamma"].str.removesuffix(".0")
    keys["gamma"] = keys["gamma"].where(hinge, "").mask(hinge & (keys["gamma"] == ""), "0")
    return keys


def _tuples(keys: pd.DataFrame) -> Iterator[tuple]:
    return keys.itertuples(index=False, name=None)


class Trace:
    """Look-ups over the inputs of one report.

    Parameters
    ----------
    inputs : ReportInputs
    out_folder : Path
        Where the report will stand; links to files are relative to it.
    """

    def __init__(self, inputs: ReportInputs, out_folder: Path) -> None:
        self._folder = inputs.folder
        self._out_folder = out_folder
        # In evaluation.csv `method` is the name in methods.yaml, `loss` the key that the papers' cells have.
        runs = inputs.evaluation.assign(method=inputs.evaluation["loss"])
        self._files: dict[tuple, str] = {}
        for keys in (canonical(runs), canonical(inputs.evaluation)):
            for key, file in zip(_tuples(keys), runs["file"], strict=True):
                self._files.setdefault(key, file)
        self._losses = set(runs["method"])
        names = inputs.evaluation
        self._labels = dict(zip(names["method"], names["label"], strict=True))
        sets = inputs.datasets.set_index("dataset")
        self._titles = sets["title"].to_dict()
        self._reasons = sets.loc[sets["status"] == "missing", "reason"].to_dict()

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
        if row["reason"]:
            return row["reason"]
        if row["method"] not in OWN_METHODS and row["method"] not in self._losses:
            return OF_OTHERS
        if row["dataset"] in self._reasons:
            return self._reasons[row["dataset"]]
        return NOT_RUN if row["dataset"] in self._titles else NOT_REGISTERED

    def files(self, cells: pd.DataFrame) -> list[str]:
        """Return for each cell the file that its measurement is from."""
        found = (self._files.get(key, "comparison.csv") for key in _tuples(canonical(cells)))
        return [given or looked_up for given, looked_up in zip(cells["file"], found, strict=True)]

    def link(self, file: str) -> str:
        """Return the address of a file of the results folder from the report, empty if it is not there."""
        for base in (self._folder, self._folder.parent):
            path = base / file
            if file and path.is_file():
                relative = os.path.relpath(path.resolve(), self._out_folder.resolve())
                return Path(relative).as_posix()
        return ""
