"""The methods of a study by one metric in sentences: which is best, what a test says, what a table shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from toplabel.reproduction.compare.beside import LEVEL
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import FEWEST_SETS
from toplabel.reproduction.frames import split_names
from toplabel.reproduction.report.study_table import TESTS, Record, StudyTable, ends_of
from toplabel.reproduction.report.text import WORDS, count, fixed, p_value

_WORDS = WORDS["beside"]
_FEW_FOLDS = 10


def best_of(table: StudyTable) -> str:
    """Return which method is best, in one sentence without what the tests say."""
    if table.is_over_sets:
        return _best_rank(table)
    best = table.scores[table.scores["best"]].groupby("dataset", sort=False)["label"]
    texts = [f"on {table.inputs.title(str(name))} by {listed(labels)}" for name, labels in best]
    return f"{table.metric} is best {'; '.join(texts)}."


def answer(table: StudyTable) -> str:
    """Return which method is best, and by how much, in a sentence or one for each data set."""
    if table.is_over_sets:
        return _answer_over_sets(table)
    sets = table.scores.groupby("dataset", sort=False)
    return " ".join(_answer_on(table, str(name), rows) for name, rows in sets)


def _best_rank(table: StudyTable) -> str:
    first, sets = table.methods.to_dict("records")[0], count(len(table.datasets))
    return (
        f"{table.metric}: over {sets} data sets {first['label']} has the best mean rank,"
        f" {fixed(first['mean_rank'], 2)} of {count(table.test['methods'])} methods."
    )


def _answer_over_sets(table: StudyTable) -> str:
    first, second = table.methods.to_dict("records")[:2]
    sentence = _best_rank(table)
    ahead = first
    if first["method"] == table.test["reference"]:
        ahead = second
        sentence += f" {second['label']}, the next, lies {_points(table, second)} the reference,"
    else:
        sentence += f" It lies {_points(table, first)} {table.reference}, the reference,"
    sentence += (
        f" in the median over the sets ({_interval(ahead, 'ahead', 'sets')}{_p(ahead['p'])})."
    )
    friedman = table.test["friedman_p"]
    tells = "tells" if friedman <= LEVEL else "does not tell"
    sentence += f" Friedman’s test {tells} the methods apart{_p(friedman)}."
    return f"{sentence} {_beyond_doubt(table)}"


def _beyond_doubt(table: StudyTable) -> str:
    """Return whether a test of pairs tells the best method from all others."""
    first = table.methods["method"].iloc[0]
    level = {name for test in TESTS for name in _level_with(table.groups(test), first)}
    others = [name for name in table.methods["method"] if name != first]
    labels = [table.labels[name] for name in others if name in level]
    if not labels:
        return "Both tests of pairs tell it from every other method."
    if len(labels) == len(others):
        return (
            "No method is best beyond doubt: some test of pairs does not tell it from each other."
        )
    return f"Some test of pairs does not tell it from {listed(labels)}."


def _level_with(groups: Sequence[Sequence[str]], method: str) -> list[str]:
    return [name for group in groups if method in group for name in group]


def _points(table: StudyTable, row: Record) -> str:
    side = "behind" if row["ahead"] < 0 else "ahead of"
    return f"{fixed(abs(row['ahead']), 2)} {table.points} {side}"


def _answer_on(table: StudyTable, dataset: str, rows: pd.DataFrame) -> str:
    title, best = table.inputs.title(dataset), rows[rows["best"]]
    first, *others = rows.sort_values("place").to_dict("records")
    value = fixed(first["mean"], decimals_of(table.test["metric"]))
    start = f"{title}, {table.metric}:"
    if len(best) > 1:
        return f"{start} {listed(best['label'])} are level at {value}."
    sentence = f"{start} {first['label']} has the best number, {value}"
    if not others:
        return f"{sentence}."
    second = others[0]
    sentence += f", {fixed(second['behind'], 2)} {table.points} ahead of {second['label']}"
    if second["over"]:
        sentence += f" ({_interval(second, 'behind', second['over'])}{_p(second['behind_p'])})"
        alike = rows[rows["alike"] & ~rows["best"]]
        told = f"not told from it: {listed(alike['label'])}" if len(alike) else "told from all"
        sentence += f"; {told}"
    return f"{sentence}."


def notes(table: StudyTable) -> list[str]:
    """Return what is to be known beside a table: its legend, what is left out, why there is no test."""
    if not table.several:
        return []
    return [text for text in (_legend(table), _left_out(table), _why_no_test(table)) if text]


def _why_no_test(table: StudyTable) -> str:
    """Return why there is no test over data sets, or one that cannot tell; else an empty text."""
    sets, methods = len(table.datasets), len(table.methods)
    if not table.is_over_sets:
        few = _WORDS["few"].format(sets=count(sets), fewest=FEWEST_SETS)
        return few if methods > 1 else ""
    least = table.test["wilcoxon_least_p"]
    if least <= LEVEL:
        return ""
    return _WORDS["least"].format(sets=count(sets), methods=count(methods), p=p_value(least))


def _left_out(table: StudyTable) -> str:
    """Return what is left out over data sets: methods without a result, and sets without some method."""
    lacking: dict[str, list[str]] = {}
    for cell in split_names(table.test["missing"]):
        dataset, _, method = cell.partition("/")
        lacking.setdefault(dataset, []).append(table.labels.get(method, method))
    texts = [f"{table.inputs.title(name)} (no {listed(of)})" for name, of in lacking.items()]
    sentences = []
    if absent := split_names(table.test["absent"]):
        sentences.append(f"Without a result on any data set: {listed(absent)}.")
    if texts:
        sentences.append(f"Left out over the data sets: {'; '.join(texts)}. {_WORDS['way_out']}")
    return " ".join(sentences)


def _legend(table: StudyTable) -> str:
    """Return the legend of the table."""
    over = {*table.scores["over"]}
    words = [_WORDS["spread"]] if table.scores["std"].notna().any() else []
    words += [_WORDS[kind] for kind in ("folds", "rows") if kind in over]
    words += [_WORDS["untested"]] if "" in over else []
    splits = table.scores.loc[table.scores["over"] == "folds", "splits"]
    if few := sorted({number for number in splits if number < _FEW_FOLDS}):
        words.append(_WORDS["few_folds"].format(splits=_or(few)))
    if table.scores["stopped"].any():
        words.append("‡ A fit did not converge.")
    return " ".join(words)


def caption(table: StudyTable) -> str:
    """Return the caption of the table in a paper."""
    over = {*table.scores["over"]}
    splits = sorted({number for number in table.scores["splits"] if number > 1})
    words = [f"{table.metric}, mean ± deviation over {_or(splits)} splits."]
    words = words if splits else [f"{table.metric}."]
    words += [_WORDS[f"{kind}_caption"] for kind in ("folds", "rows") if kind in over]
    words += [_WORDS["untested"]] if "" in over else []
    return " ".join(words)


def _interval(row: Record, name: str, over: str) -> str:
    ends = ends_of(row, name)
    return f"95 % interval {ends}" if ends else f"an interval needs six {over}"


def _p(p: float) -> str:
    text = p_value(p)
    if not text:
        return ""
    return f", p {text}" if text.startswith("<") else f", p = {text}"


def _or(numbers: list[int]) -> str:
    return " or ".join(map(count, numbers))


def listed(labels: Iterable[str]) -> str:
    """Return labels as an enumeration, with "and" before the last."""
    *first, last = labels
    return f"{', '.join(first)} and {last}" if first else last
