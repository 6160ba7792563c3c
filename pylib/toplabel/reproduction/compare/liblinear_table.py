"""The table of one-vs-all by our own solver beside LIBLINEAR: a row per data set, loss and C."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from toplabel.reproduction.compare.tables import PrintedTable


def table_of(
    frame: pd.DataFrame, labels: Mapping[str, str], titles: Mapping[str, str]
) -> PrintedTable:
    """Return the table of the rows of results/<set>/agreement.csv.

    `labels` are of the losses, `titles` of the data sets.
    """
    title = "One-vs-all: our own solver beside LIBLINEAR"
    return PrintedTable(title, caption(frame, labels, titles), _printed(frame, labels))


def _printed(frame: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns as text."""
    return pd.DataFrame(
        {
            "data set": frame["dataset"],
            "loss": frame["method"].map(labels),
            "C": frame["C"].map("{:g}".format),
            "objective, ours": frame["ours"].map("{:.6g}".format),
            "objective, LIBLINEAR": frame["liblinear"].map("{:.6g}".format),
            "relative difference": frame["difference"].map("{:+.1e}".format),
            "largest difference in accuracy (points)": frame["accuracy_difference"].map(
                "{:.2f}".format
            ),
            "both converged": np.where(frame["finished"].astype(bool), "yes", "no"),
        }
    )


def caption(frame: pd.DataFrame, labels: Mapping[str, str], titles: Mapping[str, str]) -> str:
    """Say by how much the two differ at most, where both met their tolerance."""
    text = (
        "P of TPAMI Eq. (9), summed over the classes, on the training part of the first split; accuracies on its test"
        " part, the largest difference over k = 1, 3, 5, 10. A positive relative difference: ours is the lower. "
    )
    both = frame[frame["finished"].astype(bool)]
    if both.empty:
        return text + "Nowhere did both converge."
    parts = []
    for column, words, unit in (
        ("difference", "objective", ""),
        ("accuracy_difference", "accuracy", " points"),
    ):
        row = both.loc[both[column].abs().idxmax()]
        where = f"{titles.get(row['dataset'], row['dataset'])}, {labels[row['method']]}, C = {row['C']:g}"
        parts.append(f"in {words} {abs(row[column]):.2g}{unit} ({where})")
    return text + f"Where both converged, the largest difference is {' and '.join(parts)}."
