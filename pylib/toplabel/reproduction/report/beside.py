"""The methods of each study beside each other: answers and tables by each metric, which in a report on
own data stand on the front page, and the page with what the tests say.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from toplabel.reproduction.compare.beside import LEVEL
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.compare.statistics import FEWEST_SETS
from toplabel.reproduction.frames import split_names
from toplabel.reproduction.report.figures import charts
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.study_table import Record, StudyTable, ends_of
from toplabel.reproduction.report.text import WORDS, count, fixed, p_value, plain, slug
from toplabel.reproduction.report.tree import Part, Section, Text

NAME = "beside"
_WORDS = WORDS["beside"]
_FEW_FOLDS = 10


def study_tables(inputs: Inputs) -> dict[str, list[StudyTable]]:
    """Return the comparisons of each study that the run asks for, by metric."""
    studies: dict[str, list[StudyTable]] = {}
    for test in inputs.comparison.tests.to_dict("records"):
        studies.setdefault(test["study"], []).append(StudyTable(inputs, test))
    return studies


def sections(inputs: Inputs) -> tuple[list[Section], dict[str, str]]:
    """Return a section for each study with several methods, and the diagrams of mean ranks, SVG by name.

    All metrics of own data are shown, whose tables stand on the front page (`front_parts`). Of the
    papers' studies the first is shown, and of the others the answer alone; comparison_*.csv in results/
    has the rest.
    """
    made: list[Section] = []
    pictures: dict[str, str] = {}
    for study, tables in study_tables(inputs).items():
        several = [table for table in tables if len(table.labels) > 1]
        if not several:
            continue
        compared = several[:1] if inputs.of_papers else several
        parts: list[Part] = [Text(answer(several[0])), *_table_and_notes(several[0])]
        if not inputs.of_papers:
            parts = [Text("", link="The tables of methods by data sets", href="index.html#score")]
        for table in compared:
            if table.is_over_sets:
                parts.append(table.ranks())
                pictures[table.ranks().name] = table.diagram().decode()
            parts.append(table.against_reference())
        seconds = several[0].seconds()
        parts.append(seconds)
        pictures[seconds.name] = charts.draw_seconds(several[0].scores, several[0].points)
        for table in several[len(compared) :]:
            if table.is_over_sets:
                parts.append(Text(answer(table), style="item"))
        if procedure := inputs.comparison.totals["procedures"].get(study):
            parts.append(Text(procedure, lead="For the method section of a paper:"))
        title, _ = inputs.studies[study]
        made.append(Section(slug(f"beside-{study}"), title, parts))
    return made, pictures


def front_parts(inputs: Inputs) -> list[Part]:
    """Return the answers and the tables of each study of own data, for the front page.

    The headline of the page says which mean rank is the best by the first metric.
    """
    studies = study_tables(inputs)
    made: list[Part] = []
    for study, tables in studies.items():
        title, _ = inputs.studies[study]
        parts: list[Part] = []
        for table in tables:
            lead = f"{title}:" if len(studies) > 1 else ""
            parts.append(Text(answer(table, with_rank=table is not tables[0]), lead=lead))
            if len(table.labels) > 1:
                # A note that several metrics share stands once.
                parts += [part for part in _table_and_notes(table) if part not in parts]
        if any(len(table.labels) > 1 for table in tables):
            link, href = "Tests, differences, seconds", f"{NAME}.html#{slug(f'beside-{study}')}"
            parts.append(Text("", link=link, href=href))
        made += parts
    return made


def _table_and_notes(table: StudyTable) -> list[Part]:
    """Return the table of the methods, and what is to be known beside it."""
    notes = [_legend(table), _left_out(table), _why_no_test(table)]
    return [table.table(), *(Text(text, style="note") for text in notes if text)]


def files(inputs: Inputs) -> dict[str, str]:
    """Return the files for a paper on own data, and what each of them is."""
    names = {}
    for tables in study_tables(inputs).values():
        for table in tables:
            for ending, words in _WORDS["files"].items():
                if table.is_over_sets or "ranks" not in ending:
                    names[f"data/{table.file_name}{ending}"] = f"{table.metric}: {words}"
    return names | _WORDS["files_of_all"]


# Sentences ----------------------------------------------------------------------------------------


def headline(inputs: Inputs) -> str:
    """Return which methods are best in all studies by their first metrics, without markup."""
    sentences = []
    for tables in study_tables(inputs).values():
        table = tables[0]
        best = table.scores[table.scores["best"]].groupby("dataset", sort=False)["label"]
        texts = [f"on {inputs.title(str(name))} by {listed(labels)}" for name, labels in best]
        on_sets = f"{table.metric} is best {'; '.join(texts)}."
        sentences.append(_best_rank(table) if table.is_over_sets else on_sets)
    return plain(" ".join(sentences))


def answer(table: StudyTable, with_rank: bool = True) -> str:
    """Return which method is best, and by how much, in a sentence or one for each data set.

    Over data sets the best mean rank comes first, where it does not stand above.
    """
    if table.is_over_sets:
        words = _answer_over_sets(table)
        return f"{_best_rank(table)} {words}" if with_rank else words
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
    is_reference = first["method"] == table.test["reference"]
    ahead = second if is_reference else first
    who = f"{second['label']}, the next," if is_reference else first["label"]
    whom = "the reference" if is_reference else f"{table.reference}, the reference"
    side = "behind" if ahead["ahead"] < 0 else "ahead of"
    friedman = table.test["friedman_p"]
    tells = "tells" if friedman <= LEVEL else "does not tell"
    return (
        f"{who} lies {fixed(abs(ahead['ahead']), 2)} {table.points} {side} {whom},"
        f" in the median over the sets ({_interval(ahead, 'ahead', 'sets')}{_p(ahead['p'])})."
        f" Friedman’s test {tells} the methods apart{_p(friedman)}. {_beyond_doubt(table)}"
    )


def _beyond_doubt(table: StudyTable) -> str:
    """Return whether a test of pairs tells the best method from all others."""
    first, *others = table.methods["method"]
    best = table.labels[first]
    level = split_names(table.test["level"])
    labels = [table.labels[name] for name in others if name in level]
    if not labels:
        return f"Both tests of pairs tell {best} from every other method."
    if len(labels) == len(others):
        return f"No method is best beyond doubt: each is level with {best} by some test of pairs."
    return f"Some test of pairs does not tell {best} from {listed(labels)}."


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
    words = [_WORDS["spread"]] if table.scores["std"].notna().any() else []
    words += _marks(table, "")
    splits = table.scores.loc[table.scores["over"] == "folds", "splits"]
    if few := sorted({number for number in splits if number < _FEW_FOLDS}):
        words.append(_WORDS["few_folds"].format(splits=_or(few)))
    if table.scores["stopped"].any():
        words.append("‡ A fit did not converge.")
    return " ".join(words)


def caption(table: StudyTable) -> str:
    """Return the caption of the table in a paper."""
    splits = sorted({number for number in table.scores["splits"] if number > 1})
    spread = f", mean ± deviation over {_or(splits)} splits" if splits else ""
    return " ".join([f"{table.metric}{spread}.", *_marks(table, "_caption")])


def _marks(table: StudyTable, form: str) -> list[str]:
    """Return what bold and other marks mean, of the sets that are tested over folds, over rows or not."""
    over = {*table.scores["over"]}
    words = [_WORDS[f"{kind}{form}"] for kind in ("folds", "rows") if kind in over]
    return words + ([_WORDS["untested"]] if "" in over else [])


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
