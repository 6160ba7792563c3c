"""The methods of a study by one metric: what the report shows of its comparison, as tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Literal

import pandas as pd

from toplabel.metrics.names import unit
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import FEWEST_SETS
from toplabel.reproduction.frames import split_names
from toplabel.reproduction.report.figures import charts
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.text import (
    WORDS,
    count,
    fixed,
    metric_label,
    p_value,
    plain,
    shown,
    signed,
)
from toplabel.reproduction.report.tree import Entry, Figure, Fold, Table, Text, table_of

TESTS = {"nemenyi": "Nemenyi", "wilcoxon": "Wilcoxon, Holm"}
"""The names of the tests of pairs, by the columns of their groups."""
_WORDS = WORDS["beside"]
_COMPARED = ("Points ahead", "95 % interval", "p", "Worse", "Same", "Better")
Record = Mapping[Any, Any]


@dataclass(frozen=True)
class StudyTable:
    """The methods of a study by one metric; `test` is its row of the tests."""

    inputs: Inputs
    test: Record

    def _mine(self, frame: pd.DataFrame) -> pd.DataFrame:
        is_mine = (frame["study"] == self.test["study"]) & (frame["metric"] == self.test["metric"])
        return frame[is_mine]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The rows of each method on each data set."""
        return self._mine(self.inputs.comparison.scores)

    @cached_property
    def methods(self) -> pd.DataFrame:
        """The rows of each method over data sets, the best mean rank first."""
        methods = self._mine(self.inputs.comparison.methods)
        return methods.sort_values("mean_rank", kind="stable")

    @cached_property
    def labels(self) -> dict[str, str]:
        """The labels of the methods, in the order of the study."""
        return dict(zip(self.scores["method"], self.scores["label"], strict=True))

    @property
    def metric(self) -> str:
        """The name of the metric in the report."""
        return metric_label(self.test["metric"])

    @property
    def points(self) -> str:
        """The unit of its differences: of a fraction, as the log loss, a point is a hundredth."""
        own = unit(self.test["metric"])
        return {"": "points of 0.01", "%": "points"}.get(own, own)

    @property
    def reference(self) -> str:
        """The label of the reference."""
        return self.labels[self.test["reference"]]

    @property
    def datasets(self) -> list[str]:
        """The data sets with all methods."""
        return split_names(self.test["datasets"])

    @property
    def is_over_sets(self) -> bool:
        """True if there are tests over data sets."""
        return len(self.datasets) >= FEWEST_SETS and len(self.methods) > 1

    @property
    def file_name(self) -> str:
        """The name of its files for a paper, without a suffix."""
        study = f"{self.test['study']}_" if len(self.inputs.studies) > 1 else ""
        return f"comparison_{study}{self.test['metric']}"

    def groups(self, test: str) -> list[list[str]]:
        """Return the groups of methods of which no two differ by a test of pairs."""
        return [group.split(";") for group in self.test[test].split("|") if group]

    # ---- figures ---------------------------------------------------------------------------------

    def diagram(self, file_format: Literal["svg", "pdf"] = "svg") -> bytes:
        """Return the critical-difference diagram."""
        names = self.methods["method"]
        groups = {words: self.groups(test) for test, words in TESTS.items()}
        return charts.draw_ranks(
            dict(zip(names, self.methods["mean_rank"], strict=True)),
            self.labels,
            groups,
            self.test["critical_difference"],
            file_format,
        )

    def ranks(self) -> Figure:
        """Return the figure of the mean ranks."""
        sets = count(len(self.datasets))
        words = ", ".join(
            f"{plain(row['label'])} {fixed(row['mean_rank'], 2)}"
            for row in self.methods.to_dict("records")
        )
        caption = _WORDS["diagram"].format(metric=self.metric, sets=sets)
        title = f"{self.metric}: mean ranks over {sets} data sets"
        name = f"ranks-{self.test['study']}-{self.test['metric']}"
        return Figure(name, title, caption, f"Mean ranks: {words}.")

    def seconds(self) -> Figure:
        """Return the figure of the distance from the best method against seconds."""
        machine = self.inputs.run["machine"].get("cpu") or "an unknown machine"
        created = self.inputs.run["created"][:10]
        words = _WORDS["seconds"].format(created=created, machine=machine, points=self.points)
        alt = f"A mark for each method on each data set; data/{self.file_name}.csv has the numbers."
        name = f"seconds-{self.test['study']}-{self.test['metric']}"
        return Figure(name, f"{self.metric}: what accuracy costs", words, alt)

    # ---- tables ----------------------------------------------------------------------------------

    def table(self) -> Table:
        """Return the table of methods by data sets, with mean ranks, wins, ties and losses."""
        sets = [*dict.fromkeys(self.scores["dataset"])]
        numbers = {(row["method"], row["dataset"]): row for row in self.scores.to_dict("records")}
        over = {row["method"]: row for row in self.methods.to_dict("records")}
        rows: list[list[str | Entry]] = []
        for method, label in self.labels.items():
            cells = [self._entry(numbers.get((method, name))) for name in sets]
            ranked = over.get(method)
            rows.append([label, *cells, *(_rank_and_wins(ranked) if ranked else ("", ""))])
        columns = ["Method", *map(self.inputs.title, sets), "Mean rank"]
        columns.append(f"Won/tied/lost against {plain(self.reference)}")
        if len(self.datasets) < 2 or len(self.labels) < 2:
            columns, rows = columns[:-2], [row[:-2] for row in rows]
        return table_of(f"{self.metric}, methods by data sets", columns, rows)

    def _entry(self, row: Record | None) -> Entry:
        if row is None:
            return Entry("–")
        decimals = decimals_of(self.test["metric"])
        value, std = fixed(row["mean"], decimals), fixed(row["std"], decimals)
        return Entry(
            f"{value} ± {std}" if std else value,
            stopped=row["stopped"],
            best=row["best"],
            alike=row["alike"] and not row["best"],
        )

    def against_reference(self) -> Fold:
        """Return the differences from the reference, over the data sets and on each."""
        on_sets = [
            [self.inputs.title(row["dataset"]), row["label"], *_compared(row, row["ahead_p"])]
            for row in self.scores.to_dict("records")
            if row["method"] != self.test["reference"]
        ]
        columns = ["Data set", "Method", *_COMPARED]
        tables = [table_of(f"{self.metric}, on each data set", columns, on_sets)]
        if self.is_over_sets:
            over_sets = [
                [row["label"], fixed(row["mean_rank"], 2), *_compared(row, row["p"])]
                for row in self.methods.to_dict("records")
            ]
            columns = ["Method", "Mean rank", *_COMPARED]
            caption = f"{self.metric}, over {len(self.datasets)} data sets"
            tables.insert(0, table_of(caption, columns, over_sets))
        rope = shown(f"{self.test['rope']:g}")
        words = _WORDS["probabilities"].format(
            reference=self.reference, rope=rope, points=self.points
        )
        title = f"{self.metric}: intervals, p-values and probabilities against {self.reference}"
        return Fold(title, [Text(words, style="note"), *tables])


def _compared(row: Record, p: float) -> list[str]:
    """Return the difference of a method from the reference in the columns `_COMPARED`."""
    interval = ends_of(row, "ahead")
    sides = [fixed(row[name], 2) for name in ("worse", "same", "better")]
    return [signed(row["ahead"], 2), interval, p_value(p), *sides]


def _rank_and_wins(row: Record) -> tuple[str, str]:
    games = [row[name] for name in ("wins", "ties", "losses")]
    told = [row[name] for name in ("told_wins", "told_losses")]
    if isnan(games[0]):
        return fixed(row["mean_rank"], 2), "–"
    sure = f" ({count(told[0])} and {count(told[1])} by the test)" if any(told) else ""
    return fixed(row["mean_rank"], 2), "/".join(map(count, games)) + sure


def ends_of(row: Record, name: str) -> str:
    """Return the ends of an interval; "" where there is none."""
    ends = [signed(row[f"{name}_{end}"], 2) for end in ("low", "high")]
    return " to ".join(filter(None, ends))
