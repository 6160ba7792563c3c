"""Files for a paper on own data: tables as CSV and LaTeX, each number as a command, the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import nan
from pathlib import Path

import pandas as pd

from toplabel.reproduction.compare.beside import SCORES
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.files import FileError
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.report.background import last_error
from toplabel.reproduction.report.beside import caption, study_tables
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.render import templates
from toplabel.reproduction.report.study_table import Record, StudyTable
from toplabel.reproduction.report.text import SEGMENT, fixed, p_value
from toplabel.reproduction.report.tree import Entry

_ESCAPES: dict[str, str | int] = {sign: f"\\{sign}" for sign in "&%$#_{}"}
_ESCAPES |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPES |= {"−": "$-$", "–": "--", "±": r"$\pm$", "<": "$<$", ">": "$>$", "|": "$|$"}
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "θ": "theta"}
_ESCAPES |= {letter: rf"\ensuremath{{\{name}}}" for letter, name in _GREEK.items()}
_SCRIPTS = {"^": r"\textsuperscript", "_": r"\textsubscript"}
COLUMNS = {**SCORES, "error": str}
"""The columns of comparison_<metric>.csv: of a cell without a result `error` says why."""
_OF_REFERENCE = ("mean", "std", "mean_rank")
_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def write_paper_files(inputs: Inputs, folder: Path) -> None:
    """Write the files of all studies: comparison_<metric>.csv and .tex, the diagram, numbers.tex.

    With several studies the names begin with comparison_<study>_<metric>.
    """
    commands: dict[str, str] = {}
    texts = []
    for study, tables in study_tables(inputs).items():
        for table in tables:
            _write_table(table, folder)
            for command, value in latex_numbers(table):
                if commands.setdefault(command, value) != value:
                    raise FileError(f"{folder}/numbers.tex: two numbers have the name \\{command}")
        title, _ = inputs.studies[study]
        procedure = latex(inputs.comparison.totals["procedures"].get(study, ""))
        texts.append(f"% {title}\n{procedure}\n")
    lines = [f"\\newcommand{{\\{command}}}{{{value}}}\n" for command, value in commands.items()]
    (folder / "numbers.tex").write_text("".join(lines), encoding="utf-8")
    (folder / "protocol.tex").write_text("\n".join(texts), encoding="utf-8")


def _write_table(table: StudyTable, folder: Path) -> None:
    """Write the table of a study by a metric as CSV and LaTeX, and its diagram where it has one."""
    write_frame(_with_failed(table), folder / f"{table.file_name}.csv", COLUMNS)
    (folder / f"{table.file_name}.tex").write_text(latex_table(table), encoding="utf-8")
    if table.is_over_sets:
        (folder / f"{table.file_name}_ranks.svg").write_bytes(table.diagram("svg"))
        (folder / f"{table.file_name}_ranks.pdf").write_bytes(table.diagram("pdf"))


def _with_failed(table: StudyTable) -> pd.DataFrame:
    """Return the scores, and a row with its error for each cell of the study that has no result."""
    inputs, name = table.inputs, table.test["study"]
    (study,) = [row for row in inputs.run["studies"] if row["name"] == name]
    methods = {*study.get("methods", ()), *study.get("only", ())}
    failed = []
    for cell in inputs.missing:
        dataset, _, method = cell.partition("/")
        if dataset in study["datasets"] and method in methods:
            row = {"study": name, "metric": table.test["metric"], "dataset": dataset}
            error = last_error(inputs.results / "logs", cell)
            failed.append(row | {"method": method, "label": method, "error": error})
    if not failed:
        return table.scores.assign(error="")
    return pd.concat([table.scores, pd.DataFrame(failed)]).reindex(columns=[*COLUMNS])


def latex(label: str) -> str:
    """Return a text in the small markup of the report as LaTeX."""
    escapes = str.maketrans(_ESCAPES)
    first, *rest = SEGMENT.split(label)
    text = first.translate(escapes)
    for sign, inner, after in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        text += f"{_SCRIPTS[sign]}{{{inner.translate(escapes)}}}{after.translate(escapes)}"
    return text


def latex_table(of: StudyTable) -> str:
    """Return the table of methods by data sets, for the package booktabs."""
    environment = templates(
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        keep_trailing_newline=True,
    )
    environment.filters.update(latex=latex, marked=_marked)
    template = environment.get_template("comparison.tex.j2")
    return template.render(table=of.table(), caption=caption(of))


def _marked(entry: Entry) -> str:
    text = latex(entry.text)
    if entry.best:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if entry.alike else text


def latex_numbers(table: StudyTable) -> Iterable[tuple[str, str]]:
    """Yield names and texts of the numbers of a comparison."""
    test = table.test
    for row in (*table.scores.to_dict("records"), *table.methods.to_dict("records")):
        names = test["study"], test["metric"], row.get("dataset", ""), row["method"]
        is_reference = row["method"] == test["reference"]
        for column, text in _number_texts(row, decimals_of(test["metric"])).items():
            if text and (column in _OF_REFERENCE or not is_reference):
                yield command_name(*names, column), latex(text)
    of_tests = {
        "friedman_p": p_value(test["friedman_p"]),
        "critical_difference": fixed(test["critical_difference"], 3),
    }
    for column, text in of_tests.items():
        if text:
            yield command_name(test["study"], test["metric"], column), latex(text)


def _number_texts(row: Record, decimals: int) -> dict[str, str]:
    """Return the numbers of a row of the scores or of the methods as texts; "" where it has none."""
    digits = {"mean": decimals, "std": decimals, "ahead": 2, "ahead_low": 2, "ahead_high": 2}
    digits["mean_rank"] = 2
    texts = {column: fixed(row.get(column, nan), number) for column, number in digits.items()}
    return texts | {column: p_value(row.get(column, nan)) for column in ("ahead_p", "p")}


def command_name(*names: str) -> str:
    r"""Return names as one of a command, as \studyTopOneIrisForestMean: letters alone."""
    words = re.findall(r"[a-zA-Z]+|[0-9]", " ".join(names))
    first, *rest = (_DIGITS[int(word)] if word.isdigit() else word for word in words)
    return first[0].lower() + first[1:] + "".join(word[0].upper() + word[1:] for word in rest)
