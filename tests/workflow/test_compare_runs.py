"""Two runs side by side: their files, and their verdicts."""

import io

import pandas as pd

from toplabel.reproduction.tables.collected import COMPARISON
from toplabel.reproduction.workflow.compare_runs import difference, main


def _write(path, *rows):
    """A comparison; a row is (metric, measured, verdict, budget)."""
    blank = dict.fromkeys(COMPARISON.names, "")
    blank |= {"source": "cvpr2016", "table": "7", "dataset": "letter", "method": "lr_multi"}
    names = ["metric", "measured", "verdict", "budget"]
    frame = COMPARISON.frame(
        [blank | {"published": "50"} | dict(zip(names, row, strict=True)) for row in rows]
    )
    COMPARISON.write(frame, path)
    return str(path)


def test_only_cells_that_both_runs_have_and_judge_otherwise_are_listed(tmp_path, capsys):
    first = _write(
        tmp_path / "a.csv",
        ("top1", 50.0, "match", "standard"),
        ("top2", 49.0, "close", "standard"),
        ("top3", 40.0, "off", "standard"),
        ("top4", "", "", "standard"),
    )
    second = _write(
        tmp_path / "b.csv",
        ("top1", 50.1, "match", "paper"),
        ("top2", 49.9, "match", "paper"),
        ("top3", "", "", "paper"),
        ("top4", 50.0, "match", "paper"),
    )
    assert main([first, second]) == 1
    first_difference, _, rest = capsys.readouterr().out.partition("\n")
    assert first_difference == "line 2, column measured: '50.0' against '50.1'"
    table, _, counts = rest.partition("\n\n")
    rows = pd.read_csv(io.StringIO(table))
    columns = ["metric", "published", "measured_a", "verdict_a", "measured_b", "verdict_b"]
    assert rows[columns].to_numpy().tolist() == [["top2", 50, 49.0, "close", 49.9, "match"]]
    assert counts.split() == ["verdict_b", "match", "verdict_a", "close", "1", "match", "1"]


def test_a_file_that_is_missing_is_one_line(tmp_path, capsys):
    first = _write(tmp_path / "a.csv", ("top1", 50.0, "match", "standard"))
    assert main([first, str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([first]) == 2


def test_an_empty_file_is_a_difference(tmp_path, capsys):
    second = _write(tmp_path / "b.csv", ("top1", 50.0, "match", "standard"))
    (tmp_path / "a.csv").touch()
    assert main([str(tmp_path / "a.csv"), second]) == 1
    assert capsys.readouterr().out


def test_a_cell_that_stands_twice_is_refused(tmp_path, capsys):
    first = _write(tmp_path / "a.csv", ("top1", 50.0, "match", "standard"))
    twice = _write(tmp_path / "b.csv", *[("top1", 50.0, "match", "standard")] * 2)
    assert main([first, twice]) == 2
    assert capsys.readouterr().err == f"{twice}: a cell stands there twice\n"


def test_runs_are_compared_without_wall_times(tmp_path, capsys):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("metric,measured,seconds\ntop1,1.5,3\n", encoding="utf-8")
    second.write_text("metric,measured,seconds\ntop1,1.5,4\n", encoding="utf-8")
    assert difference(first, second) == ""
    assert main([str(first), str(second)]) == 0
    second.write_text("metric,measured,seconds\ntop1,1.50,4\n", encoding="utf-8")
    assert difference(first, second) == "line 2, column measured: '1.5' against '1.50'"
    assert main([str(first), str(second)]) == 1
    second.write_text("metric,measured,seconds\n", encoding="utf-8")
    assert difference(first, second).startswith("lines: 2 against 1")
    second.write_text("metric,measured,seconds\ntop1,1.5\n", encoding="utf-8")
    assert difference(first, second) == "line 2: 3 fields against 2"
    second.write_text("metric,value,seconds\n", encoding="utf-8")
    assert difference(first, second).startswith("columns: ")
    assert main(["one"]) == 2
    capsys.readouterr()
    assert main([str(first), str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
