"""The files for a paper: LaTeX that compiles, a command for each number, a diagram."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sample_run import Sample
from test_report_beside import SETS, folds, over_sets, written

from toplabel.reproduction.frames import read_frame
from toplabel.reproduction.report.paper_files import COLUMNS, command_name, latex

DOCUMENT = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{booktabs}
\input{numbers}
\begin{document}
\input{protocol}
\input{comparison_top1}
\ownTopOneSixFancyMean
\end{document}
"""


def has_booktabs() -> bool:
    """Whether there is a TeX that has the package of the tables."""
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return False
    place = subprocess.run(["kpsewhich", "booktabs.sty"], stdout=subprocess.PIPE, check=False)
    return bool(place.stdout.strip())


@pytest.fixture
def data(sample: Sample) -> Path:
    """The folder of the data of a report with a comparison over six sets."""
    written(sample, *over_sets(*SETS))
    return sample.reports / "data"


def test_the_table_has_a_row_for_each_method_and_all_columns(data: Path) -> None:
    text = (data / "comparison_top1.tex").read_text(encoding="utf-8")
    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0].replace(r"\midrule", "")
    rows = [line.split(" & ") for line in body.split(r"\\") if line.strip()]
    assert [len(row) for row in rows] == [9, 9, 9]
    assert rows[2][0].strip() == "Fancy method"
    assert rows[2][6] == r"\textbf{87.0 $\pm$ 1.4}"
    assert text.count("{") == text.count("}")
    assert r"\begin{tabular}{lrrrrrrrr}" in text


def test_each_number_is_a_command_of_its_own(data: Path) -> None:
    lines = (data / "numbers.tex").read_text(encoding="utf-8").splitlines()
    commands = dict(
        re.fullmatch(r"\\newcommand\{\\([a-zA-Z]+)\}\{(.+)\}", x).groups() for x in lines
    )
    assert len(commands) == len(lines)
    assert commands["ownTopOneSixFancyMean"] == "87.0"
    assert commands["ownTopOneFancyMeanRank"] == "1.00"
    assert commands["ownTopOneFancyAhead"] == "3.50"


def test_small_p_values_are_bounds_and_the_caption_has_all_numbers_of_splits(
    sample: Sample,
) -> None:
    rows = [
        *over_sets(*SETS[:5]),
        *folds("six", "plain", 1.0, 2.0, 4.0),
        *folds("six", "fancy", 2.0, 3.0001, 5.0),
    ]
    written(sample, *rows)
    data = sample.reports / "data"
    numbers = (data / "numbers.tex").read_text(encoding="utf-8")
    assert r"\newcommand{\ownTopOneSixFancyAheadP}{$<$ 0.001}" in numbers
    assert "over 2 or 3 splits" in (data / "comparison_top1.tex").read_text(encoding="utf-8")


def test_the_numbers_are_a_csv_file_too(data: Path) -> None:
    frame = read_frame(data / "comparison_top1.csv", COLUMNS)
    assert frame.query("dataset == 'six' and method == 'fancy'")["mean"].tolist() == [87.0]


def test_a_cell_without_a_result_is_a_row_with_its_error(sample: Sample) -> None:
    log = sample.folder / "results/logs/tune/two/fancy/all.log"
    log.parent.mkdir(parents=True)
    log.write_text("2026-03-01 ERROR no three classes\n")
    study = {"name": "own", "title": "Mine", "datasets": ["own", "two"], "methods": ["fancy"]}
    written(sample, *over_sets("own"), missing=["two/fancy", "two/other"], studies=[study])
    lines = (sample.reports / "data/comparison_top1.csv").read_text().splitlines()
    assert [line.split(",")[2:4] for line in lines[-1:]] == [["two", "fancy"]]
    assert lines[-1].endswith(",no three classes")


def test_the_diagram_is_svg_and_pdf(data: Path) -> None:
    assert (data / "comparison_top1_ranks.svg").read_text().startswith("<?xml")
    assert (data / "comparison_top1_ranks.pdf").read_bytes().startswith(b"%PDF")


def test_below_five_sets_there_is_no_diagram(sample: Sample) -> None:
    written(sample, *over_sets(*SETS[:4]))
    assert not list((sample.reports / "data").glob("*_ranks.*"))


@pytest.mark.skipif(not has_booktabs(), reason="needs a TeX with booktabs")
def test_a_document_with_the_files_compiles(data: Path) -> None:
    (data / "paper.tex").write_text(DOCUMENT, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
        cwd=data,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (data / "paper.pdf").is_file()


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("top-5 SVM^{α}_{1}", r"top-5 SVM\textsuperscript{\ensuremath{\alpha}}\textsubscript{1}"),
        ("a_b & 5 %", r"a\_b \& 5 \%"),
        ("{1}\\", r"\{1\}\textbackslash{}"),
    ],
)
def test_labels_are_latex(label: str, expected: str) -> None:
    assert latex(label) == expected


def test_names_of_commands_are_letters() -> None:
    assert command_name("s2", "top1", "my_set") == "sTwoTopOneMySet"
