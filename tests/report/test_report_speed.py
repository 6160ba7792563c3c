"""The section on speed: the tables of results/bench as they are, the targets first."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from toplabel.reproduction.bench import speed_targets, training
from toplabel.reproduction.reporting import FileError, load_inputs, write_html, write_pdf
from toplabel.reproduction.reporting.speed import build_speed
from toplabel.reproduction.reporting.trace import Trace
from toplabel.reproduction.tables.table import write_csv

TARGETS = pd.DataFrame(
    [("training", "a", "≥ 2", "> 3.1", "reached", "+55 %", "a <b>bold</b> remark")],
    columns=speed_targets.COLUMNS,
)
PROJECTIONS = pd.DataFrame(
    [
        {
            "projection": "simplex",
            "dimension": 1000000,
            "algorithm": "sorting",
            "milliseconds": 12.34567,
            "ratio": 20.55555,
            "gb_per_second": 31.0,
            "memory_share": 0.4567,
        }
    ]
)


@pytest.fixture
def with_bench(small_results: Path) -> Path:
    """A small results folder with two tables of the benchmark."""
    (small_results / "bench").mkdir()
    PROJECTIONS.to_csv(small_results / "bench/projections.csv", index=False)
    TARGETS.to_csv(small_results / "bench/targets.csv", index=False)
    return small_results


def test_targets_come_first_and_numbers_are_rounded(with_bench: Path) -> None:
    inputs = load_inputs(with_bench)
    first, second = build_speed(inputs, Trace(inputs))
    assert (first.title, first.file) == ("Targets", "bench/targets.csv")
    assert first.rows[0][:6] == ["training", "a", "≥ 2", "> 3.1", "reached", "+55 %"]
    assert first.link == "data/bench/targets.csv"
    assert second.rows == [
        ["simplex", "1\u202f000\u202f000", "sorting", "12.3", "20.6", "31", "46 %"]
    ]


def test_a_version_is_no_number(small_results: Path) -> None:
    (small_results / "bench").mkdir()
    rows = [("version of snapml", "", "", "1.10"), ("dgemm", "71.9333", "GFLOP/s", "one thread")]
    frame = pd.DataFrame(rows, columns=["what", "value", "unit", "note"])
    frame.to_csv(small_results / "bench/machine.csv", index=False)
    inputs = load_inputs(small_results)
    (table,) = build_speed(inputs, Trace(inputs))
    assert table.header == ["What", "Value", "Unit", "Remark"]
    assert table.rows == [
        ["version of snapml", "", "", "1.10"],
        ["dgemm", "71.9", "GFLOP/s", "one thread"],
    ]


def test_problems_stand_once(small_results: Path) -> None:
    (small_results / "bench").mkdir()
    blank = dict.fromkeys(training.COLUMNS, "")
    problem = {"shape": "a", "sizes": "n 10", "C": 1.0, "loss": "lr_multi"}
    rows = [blank | {"solver": "snapml", "note": "skipped: not there"}]
    rows += [blank | problem | {"solver": name} for name in ("x", "y")]
    pd.DataFrame(rows).to_csv(small_results / "bench/training.csv", index=False)
    inputs = load_inputs(small_results)
    problems, times = build_speed(inputs, Trace(inputs))
    assert problems.rows == [["a", "n 10", "1"]]
    assert [row[2] for row in times.rows] == ["snapml", "x", "y"]
    assert times.rows[0][-1] == "skipped: not there"


def test_page_and_document_show_it(with_bench: Path) -> None:
    out = with_bench.parent / "reports"
    inputs = load_inputs(with_bench)
    write_html(inputs, out / "index.html")
    assert 'href="speed.html"' in (out / "index.html").read_text(encoding="utf-8")
    page = (out / "speed.html").read_text(encoding="utf-8")
    assert page.index("Targets</h2>") < page.index("Projections</h2>")
    assert "a &lt;b&gt;bold&lt;/b&gt; remark" in page
    write_pdf(inputs, out / "with.pdf")
    (with_bench / "bench/targets.csv").unlink()
    (with_bench / "bench/projections.csv").unlink()
    inputs = load_inputs(with_bench)
    write_html(inputs, out / "index.html")
    assert "speed.html" not in (out / "index.html").read_text(encoding="utf-8")
    assert not (out / "speed.html").exists()
    write_pdf(inputs, out / "without.pdf")
    assert (out / "without.pdf").read_bytes() != (out / "with.pdf").read_bytes()


def test_a_table_without_its_columns_is_refused(with_bench: Path) -> None:
    TARGETS.drop(columns="verdict").to_csv(with_bench / "bench/targets.csv", index=False)
    inputs = load_inputs(with_bench)
    with pytest.raises(FileError, match=r"bench/targets\.csv: the column 'verdict'"):
        build_speed(inputs, Trace(inputs))


def test_a_table_that_lost_rows_names_the_rule_that_measures(with_bench: Path) -> None:
    path = with_bench / "bench/targets.csv"
    write_csv(TARGETS, path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(FileError, match=r"bench/targets\.csv: cut off .*; `snakemake -f bench` "):
        load_inputs(with_bench)
