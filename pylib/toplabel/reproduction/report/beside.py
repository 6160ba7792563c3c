"""The page "Methods beside each other": a table of each study by each metric, and what the tests say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Literal

import pandas as pd

from toplabel.reproduction.compare.beside import LEVEL
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import FEWEST_SETS
from toplabel.reproduction.frames import split_names
from toplabel.reproduction.report.figures import costs, ranks
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
    slug,
)
from toplabel.reproduction.report.tree import (
    Entry,
    Figure,
    Fold,
    Part,
    Section,
    Table,
    Text,
    table_of,
)

NAME = "beside"
_WORDS = WORDS["beside"]
_FEW_FOLDS = 10
_TESTS = {"nemenyi": "Nemenyi", "wilcoxon": "Wilcoxon, Holm"}
Record = Mapping[Any, Any]


def sections(inputs: Inputs) -> tuple[list[Section], dict[str, str]]:
    """Return a section for each study with several methods, and the diagrams of mean ranks, SVG by name.

    All metrics of own data are shown, of the papers' studies the first; comparison_*.csv in results/
    has the others.
    """
    made: list[Section] = []
    pictures: dict[str, str] = {}
    for study, tables in study_tables(inputs).items():
        compared = [table for table in tables if table.several]
        compared = compared[:1] if inputs.of_papers else compared
        if not compared:
            continue
        parts = [part for table in compared for part in table.parts()]
        if procedure := inputs.comparison.totals["procedures"].get(study):
            parts.append(Text(procedure, lead="For the method section of a paper:"))
        if not inputs.of_papers:
            parts.append(_files(compared))
        title, _ = inputs.studies[study]
        made.append(Section(slug(f"beside-{study}"), title, parts))
        for table in compared:
            pictures[f"costs-{table.name}"] = costs.draw(table.scores).decode()
            if table.is_over_sets:
                pictures[f"ranks-{table.name}"] = table.diagram().decode()
    return made, pictures


def _files(tables: list[StudyTable]) -> Table:
    """Return the table of the files for a paper."""
    rows: list[list[str | Entry]] = []
    for table in tables:
        kinds = {"csv": "numbers", "tex": "LaTeX table (booktabs)"}
        names = {f"{table.file_name}.{kind}": words for kind, words in kinds.items()}
        if table.is_over_sets:
            diagrams = [f"{table.file_name}_ranks.{kind}" for kind in ("svg", "pdf")]
            names |= dict.fromkeys(diagrams, "critical-difference diagram")
        rows += [
            [Entry(name, href=f"data/{name}"), f"{table.metric}: {words}"]
            for name, words in names.items()
        ]
    rows += [
        [Entry("numbers.tex", href="data/numbers.tex"), "each number as a command of LaTeX"],
        [Entry("protocol.tex", href="data/protocol.tex"), "the paragraph for the method section"],
    ]
    return table_of("Files for a paper", ["File", "What it is"], rows)


def first_parts(inputs: Inputs) -> list[Part]:
    """Return answer and table of each study by its first metric, for the front page of own data."""
    parts: list[Part] = []
    for tables in study_tables(inputs).values():
        parts += tables[0].head()
    return parts


def headline(inputs: Inputs) -> str:
    """Return which methods are best in all studies by their first metrics, without markup."""
    sentences = [tables[0].headline() for tables in study_tables(inputs).values()]
    return plain(" ".join(sentences))


def first_bests(inputs: Inputs) -> list[Record]:
    """Return the best method on each data set by the first metric, a row of the scores."""
    scores = inputs.comparison.scores
    return scores[scores["place"] == 1].drop_duplicates("dataset").to_dict("records")


def study_tables(inputs: Inputs) -> dict[str, list[StudyTable]]:
    """Return the comparisons of each study that the run asks for, by metric."""
    studies: dict[str, list[StudyTable]] = {}
    for test in inputs.comparison.tests.to_dict("records"):
        studies.setdefault(test["study"], []).append(StudyTable(inputs, test))
    return studies


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
    def several(self) -> bool:
        """Whether there are methods to compare."""
        return len(self.labels) > 1

    @property
    def metric(self) -> str:
        """The name of the metric in the report."""
        return metric_label(self.test["metric"])

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
        """Whether there are tests over data sets."""
        return len(self.datasets) >= FEWEST_SETS and len(self.methods) > 1

    @property
    def file_name(self) -> str:
        """The name of its files for a paper, without a suffix."""
        study = f"{self.test['study']}_" if len(self.inputs.studies) > 1 else ""
        return f"comparison_{study}{self.test['metric']}"

    @property
    def name(self) -> str:
        """What its figures are named by."""
        return f"{self.test['study']}-{self.test['metric']}"

    # ---- words -----------------------------------------------------------------------------------

    def answer(self) -> str:
        """Return which method is best, and by how much, in a sentence or one for each data set."""
        if self.is_over_sets:
            return self._answer_over_sets()
        sets = self.scores.groupby("dataset", sort=False)
        return " ".join(self._answer_on(str(name), rows) for name, rows in sets)

    def headline(self) -> str:
        """Return which method is best, in one sentence without what the tests say."""
        if self.is_over_sets:
            return self._best_rank()
        best = self.scores[self.scores["best"]].groupby("dataset", sort=False)["label"]
        texts = [f"on {self.inputs.title(str(name))} by {_listed(labels)}" for name, labels in best]
        return f"{self.metric} is best {'; '.join(texts)}."

    def _best_rank(self) -> str:
        first, sets = self.methods.to_dict("records")[0], count(len(self.datasets))
        return (
            f"{self.metric}: over {sets} data sets {first['label']} has the best mean rank,"
            f" {fixed(first['mean_rank'], 2)} of {count(self.test['methods'])} methods."
        )

    def _answer_over_sets(self) -> str:
        first, second = self.methods.to_dict("records")[:2]
        sentence = self._best_rank()
        ahead = first
        if first["method"] == self.test["reference"]:
            ahead = second
            sentence += f" {second['label']}, the next, is {self._points(second)} the reference,"
        else:
            sentence += f" It is {self._points(first)} {self.reference}, the reference,"
        sentence += f" in the median over the sets ({_interval(ahead, 'ahead')}{_p(ahead['p'])})."
        told = "tells" if self.test["friedman_p"] <= LEVEL else "does not tell"
        return f"{sentence} Friedman’s test {told} the methods apart{_p(self.test['friedman_p'])}."

    def _points(self, row: Record) -> str:
        below = row["ahead"] < 0
        return f"{fixed(abs(row['ahead']), 1)} points {'below' if below else 'above'}"

    def _answer_on(self, dataset: str, rows: pd.DataFrame) -> str:
        title, best = self.inputs.title(dataset), rows[rows["best"]]
        first = rows.sort_values("place").iloc[0]
        value = fixed(first["mean"], decimals_of(self.test["metric"]))
        start = f"{title}, {self.metric}:"
        if len(best) > 1:
            return f"{start} {_listed(best['label'])} are level at {value}."
        sentence = f"{start} {first['label']} has the best number, {value}"
        others = rows[rows["place"] == 2].to_dict("records")
        if not others:
            return f"{sentence}."
        second = others[0]
        sentence += f", {fixed(second['behind'], 1)} points above {second['label']}"
        if second["over"]:
            sentence += f" ({_interval(second, 'behind')}{_p(second['behind_p'])})"
        alike = rows[rows["alike"] & ~rows["best"]]
        if second["over"]:
            told = f"not told from it: {_listed(alike['label'])}" if len(alike) else "told from all"
            sentence += f"; {told}"
        return f"{sentence}."

    def _why_no_test(self) -> str:
        """Return why there is no test over data sets, or one that cannot tell; else an empty text."""
        if self.is_over_sets:
            if self.test["wilcoxon_least_p"] <= LEVEL:
                return ""
            return _WORDS["least"].format(
                sets=count(len(self.datasets)),
                methods=count(len(self.methods)),
                p=p_value(self.test["wilcoxon_least_p"]),
            )
        few = _WORDS["few"].format(sets=count(len(self.datasets)), fewest=FEWEST_SETS)
        return few if len(self.methods) > 1 else ""

    def _left_out(self) -> str:
        """Return the data sets that lack a method, and are left out over sets, with the methods."""
        lacking: dict[str, list[str]] = {}
        for cell in split_names(self.test["missing"]):
            dataset, _, method = cell.partition("/")
            lacking.setdefault(dataset, []).append(self.labels.get(method, method))
        texts = [f"{self.inputs.title(name)} (no {_listed(of)})" for name, of in lacking.items()]
        return f"Left out over the data sets: {'; '.join(texts)}." if texts else ""

    def legend(self) -> str:
        """Return the legend of the table."""
        over = {*self.scores["over"]}
        words = [_WORDS["spread"]] if self.scores["std"].notna().any() else []
        words += [_WORDS[kind] for kind in ("folds", "rows") if kind in over]
        words += [_WORDS["untested"]] if "" in over else []
        splits = self.scores.loc[self.scores["over"] == "folds", "splits"]
        if few := sorted({number for number in splits if number < _FEW_FOLDS}):
            words.append(_WORDS["few_folds"].format(splits=_or(few)))
        if self.scores["stopped"].any():
            words.append("‡ A fit did not converge.")
        return " ".join(words)

    def caption(self) -> str:
        """Return the caption of the table in a paper."""
        over = {*self.scores["over"]}
        splits = sorted({number for number in self.scores["splits"] if number > 1})
        words = [f"{self.metric}, mean ± deviation over {_or(splits)} splits."]
        words = words if splits else [f"{self.metric}."]
        words += [_WORDS[f"{kind}_caption"] for kind in ("folds", "rows") if kind in over]
        words += [_WORDS["untested"]] if "" in over else []
        return " ".join(words)

    # ---- tables ----------------------------------------------------------------------------------

    def head(self) -> list[Part]:
        """Return the answer, the table and its legend."""
        texts = [self.legend(), self._left_out(), self._why_no_test()]
        notes = " ".join(filter(None, texts)) if self.several else ""
        note: list[Part] = [Text(notes, style="note")] if notes else []
        return [Text(self.answer()), self.table(), *note]

    def parts(self) -> list[Part]:
        """Return all that is said of the methods by the metric."""
        tables: list[Part] = [self._differences()]
        if self.is_over_sets:
            tables.insert(0, self._over_sets())
        rope = shown(f"{self.test['rope']:g}")
        words = _WORDS["probabilities"].format(reference=self.reference, rope=rope)
        title = f"{self.metric}: intervals, p-values and probabilities against {self.reference}"
        figures: list[Part] = [self._ranks()] if self.is_over_sets else []
        return [
            *self.head(),
            *figures,
            self._costs(),
            Fold(title, [Text(words, style="note"), *tables]),
        ]

    def diagram(self, file_format: Literal["svg", "pdf"] = "svg") -> bytes:
        """Return the critical-difference diagram."""
        names = self.methods["method"]
        groups = {
            words: [group.split(";") for group in self.test[test].split("|") if group]
            for test, words in _TESTS.items()
        }
        return ranks.draw(
            dict(zip(names, self.methods["mean_rank"], strict=True)),
            self.labels,
            groups,
            self.test["critical_difference"],
            file_format,
        )

    def _costs(self) -> Figure:
        words = _WORDS["costs"].format(
            created=self.inputs.run["created"][:10], machine=self._machine
        )
        alt = "A mark for each method on each data set; the numbers are in the CSV file."
        title = f"{self.metric}: what accuracy costs"
        return Figure(f"costs-{self.name}", title, words, alt)

    @property
    def _machine(self) -> str:
        return str(self.inputs.run["machine"].get("cpu") or "an unknown machine")

    def _ranks(self) -> Figure:
        sets = count(len(self.datasets))
        words = ", ".join(
            f"{plain(row['label'])} {fixed(row['mean_rank'], 2)}"
            for row in self.methods.to_dict("records")
        )
        caption = _WORDS["diagram"].format(metric=self.metric, sets=sets)
        title = f"{self.metric}: mean ranks over {sets} data sets"
        return Figure(f"ranks-{self.name}", title, caption, f"Mean ranks: {words}.")

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
        if len(self.datasets) < 2 or not self.several:
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

    def _over_sets(self) -> Table:
        rows = [
            [
                row["label"],
                fixed(row["mean_rank"], 2),
                *_compared(row, row["p"]),
            ]
            for row in self.methods.to_dict("records")
        ]
        columns = ["Method", "Mean rank", *_COMPARED]
        return table_of(f"{self.metric}, over {len(self.datasets)} data sets", columns, rows)

    def _differences(self) -> Table:
        rows = [
            [self.inputs.title(row["dataset"]), row["label"], *_compared(row, row["ahead_p"])]
            for row in self.scores.to_dict("records")
            if row["method"] != self.test["reference"]
        ]
        caption = f"{self.metric}, on each data set"
        return table_of(caption, ["Data set", "Method", *_COMPARED], rows)


_COMPARED = ("Points ahead", "95 % interval", "p", "Worse", "Same", "Better")


def _compared(row: Record, p: float) -> list[str]:
    """Return the difference of a method from the reference in the columns `_COMPARED`."""
    interval = _ends(row, "ahead")
    sides = [fixed(row[name], 2) for name in ("worse", "same", "better")]
    return [signed(row["ahead"], 2), interval, p_value(p), *sides]


def _rank_and_wins(row: Record) -> tuple[str, str]:
    games = [row[name] for name in ("wins", "ties", "losses")]
    told = [row[name] for name in ("told_wins", "told_losses")]
    if isnan(games[0]):
        return fixed(row["mean_rank"], 2), "–"
    sure = f" ({count(told[0])} and {count(told[1])} by the test)" if any(told) else ""
    return fixed(row["mean_rank"], 2), "/".join(map(count, games)) + sure


def _ends(row: Record, name: str) -> str:
    ends = [signed(row[f"{name}_{end}"], 2) for end in ("low", "high")]
    return " to ".join(filter(None, ends))


def _interval(row: Record, name: str) -> str:
    ends = _ends(row, name)
    return f"95 % interval {ends}" if ends else "an interval needs six sets"


def _p(p: float) -> str:
    text = p_value(p)
    if not text:
        return ""
    return f", p {text}" if text.startswith("<") else f", p = {text}"


def _or(numbers: list[int]) -> str:
    return " or ".join(map(count, numbers))


def _listed(labels: pd.Series | list[str]) -> str:
    *first, last = labels
    return f"{', '.join(first)} and {last}" if first else last
