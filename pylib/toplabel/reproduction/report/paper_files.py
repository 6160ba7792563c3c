"""Files for a paper on own data: tables as CSV and LaTeX, each number as a command, the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd

from toplabel.reproduction.compare.beside import SCORES
from toplabel.reproduction.compare.published import decimals_of
from toplabel.reproduction.files import FileError
from toplabel.reproduction.frames import write_frame
from toplabel.reproduction.report.beside import StudyTable, study_tables
from toplabel.reproduction.report.inputs import Inputs
from toplabel.reproduction.report.text import fixed, p_value, segments

_ESCAPES = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "<": "$<$",
    **{
        letter: rf"\ensuremath{{\{name}}}"
        for letter, name in (("α", "alpha"), ("β", "beta"), ("γ", "gamma"), ("θ", "theta"))
    },
}
_SCRIPTS = {"sup": r"\textsuperscript", "sub": r"\textsubscript"}
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
    write_frame(table.scores, folder / f"{table.file_name}.csv", SCORES)
    (folder / f"{table.file_name}.tex").write_text(latex_table(table), encoding="utf-8")
    if table.is_over_sets:
        (folder / f"{table.file_name}_ranks.svg").write_bytes(table.diagram("svg"))
        (folder / f"{table.file_name}_ranks.pdf").write_bytes(table.diagram("pdf"))


def latex(label: str) -> str:
    """Return a text in the small markup of the report as LaTeX."""
    parts = []
    for kind, text in segments(label):
        escaped = "".join(_ESCAPES.get(sign, sign) for sign in text)
        parts.append(escaped if kind == "text" else f"{_SCRIPTS[kind]}{{{escaped}}}")
    return "".join(parts)


def latex_table(of: StudyTable) -> str:
    """Return the table of methods by data sets, for the package booktabs."""
    table = of.table()
    lines = [" & ".join(map(latex, table.columns)) + r" \\", r"\midrule"]
    for row in table.rows:
        cells = [_marked(entry.text, entry.best, entry.alike) for entry in row.cells]
        lines.append(" & ".join(cells) + r" \\")
    caption = latex(of.caption())
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _marked(text: str, is_best: bool, is_alike: bool) -> str:
    text = latex(text)
    if is_best:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if is_alike else text


def latex_numbers(table: StudyTable) -> Iterable[tuple[str, str]]:
    """Yield names and texts of the numbers of a comparison."""
    study, metric = table.test["study"], table.test["metric"]
    decimals = decimals_of(metric)
    shown = {"mean": decimals, "std": decimals, "ahead": 2, "ahead_low": 2, "ahead_high": 2}
    shown |= {"mean_rank": 2}
    for row in (*_records(table.scores), *_records(table.methods)):
        names = [study, metric, row.get("dataset", ""), row["method"]]
        is_reference = row["method"] == table.test["reference"]
        for column, digits in shown.items():
            if is_reference and column.startswith("ahead"):
                continue
            if not isnan(value := row.get(column, float("nan"))):
                yield command_name(*names, column), latex(fixed(value, digits))
        for column in ("ahead_p", "p"):
            if text := "" if is_reference else p_value(row.get(column, float("nan"))):
                yield command_name(*names, column), latex(text)
    texts = {
        "friedman_p": p_value(table.test["friedman_p"]),
        "critical_difference": fixed(table.test["critical_difference"], 3),
    }
    for column, text in texts.items():
        if text:
            yield command_name(study, metric, column), latex(text)


def _records(frame: pd.DataFrame) -> list[Mapping[Any, Any]]:
    return frame.to_dict("records")


def command_name(*names: str) -> str:
    r"""Return names as one of a command, as \studyTopOneIrisForestMean: letters alone."""
    words = re.findall(r"[a-zA-Z]+|[0-9]", " ".join(names))
    first, *rest = (_DIGITS[int(word)] if word.isdigit() else word for word in words)
    return first[0].lower() + first[1:] + "".join(word[0].upper() + word[1:] for word in rest)
