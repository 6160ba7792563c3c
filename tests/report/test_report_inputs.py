"""Reading the collected files: what is read, and each error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic import write_figure_files, write_table_files

from toplabel.reproduction.reporting import FileError, load_inputs
from toplabel.reproduction.reporting.inputs import RUN_KEYS
from toplabel.reproduction.tables.collected import COLLECTED

FILES = ("comparison.csv", "evaluation.csv", "datasets.csv", "run.json")


def complaint(folder: Path) -> str:
    """Return the one-line error of loading."""
    with pytest.raises(FileError) as caught:
        load_inputs(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder.parent}/", "")


def change(path: Path, row: int, **values: str) -> None:
    """Change cells of a CSV file; `row` counts from 0."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    for column, value in values.items():
        frame.loc[row, column] = value
    frame.to_csv(path, index=False)


def test_numbers_and_keys(small_results: Path, small_cells: pd.DataFrame) -> None:
    inputs = load_inputs(small_results)
    assert len(inputs.comparison) == 18
    assert inputs.comparison["measured"].notna().sum() == 4
    assert inputs.comparison["published_text"].tolist() == small_cells["published"].tolist()
    assert inputs.comparison["k"].map(type).eq(str).all()
    assert inputs.comparison["table"].eq("3").all()
    assert np.isnan(inputs.comparison["theta"]).all()
    assert inputs.tables == ()
    assert inputs.figures == ()


@pytest.mark.parametrize("name", FILES)
def test_missing_file(small_results: Path, name: str) -> None:
    (small_results / name).unlink()
    assert complaint(small_results) == f"results/{name}: the file is missing"


@pytest.mark.parametrize("name", FILES[:3])
def test_empty_file(small_results: Path, name: str) -> None:
    (small_results / name).write_text("")
    assert complaint(small_results) == f"results/{name}: the file is empty"


@pytest.mark.parametrize(
    "name", [name for name in COLLECTED if name not in ("failures", "variants")]
)
def test_other_columns(small_results: Path, name: str) -> None:
    path = small_results / f"{name}.csv"
    whole = pd.read_csv(path, dtype=str, keep_default_na=False)
    last = whole.columns[-1]
    for frame, words in (
        (whole.drop(columns=last), f"'{last}' is missing"),
        (whole.assign(extra=""), "'extra' is unknown"),
    ):
        frame.to_csv(path, index=False)
        start = f"results/{name}.csv: the column {words}; another version wrote it: "
        assert complaint(small_results).startswith(start)


@pytest.mark.parametrize("key", RUN_KEYS)
def test_missing_key(small_results: Path, key: str) -> None:
    path = small_results / "run.json"
    run = json.loads(path.read_text())
    del run[key]
    path.write_text(json.dumps(run))
    assert complaint(small_results) == f"results/run.json: the key '{key}' is missing"


def test_broken_json(small_results: Path) -> None:
    (small_results / "run.json").write_text('{"created": 1,\n nothing}')
    assert complaint(small_results).startswith("results/run.json:2: ")


def test_not_text(small_results: Path) -> None:
    (small_results / "datasets.csv").write_bytes(b"dataset\n\xff\n")
    assert complaint(small_results) == "results/datasets.csv: not UTF-8 at byte 8"


def test_a_result_needs_a_gap_or_a_gradient_norm(small_results: Path) -> None:
    change(small_results / "evaluation.csv", 1, relative_gap="")
    message = complaint(small_results)
    assert message.startswith("results/evaluation.csv:3: ")
    assert message.endswith("neither a relative gap nor a gradient norm")
    change(small_results / "evaluation.csv", 1, gradient_norm="1e-3")
    load_inputs(small_results)


@pytest.mark.parametrize("value", ["abc", "inf", "1,5"])
def test_not_a_number(small_results: Path, value: str) -> None:
    change(small_results / "comparison.csv", 4, measured=value)
    message = complaint(small_results)
    assert message == (
        f"results/comparison.csv:6: '{value}' in column 'measured' is not a finite number"
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"verdict": "great"},
            "the verdict 'great' is none of match, close, spread, higher, lower, off",
        ),
        ({"verdict": ""}, "a verdict belongs exactly to a cell"),
        ({"difference": ""}, "a difference belongs exactly to a cell"),
        ({"difference": "9.0"}, "the difference is not measured minus published"),
        ({"file": ""}, "a measured number without its file"),
        ({"measured": ""}, "a verdict belongs exactly to a cell"),
        ({"published": "", "difference": "", "verdict": ""}, "the column 'published' is empty"),
    ],
)
def test_contradictions(
    small_results: Path, small_cells: pd.DataFrame, values: dict[str, str], words: str
) -> None:
    row = int(np.flatnonzero(small_cells["measured"] != "")[0])
    change(small_results / "comparison.csv", row, **values)
    message = complaint(small_results)
    assert message.startswith(f"results/comparison.csv:{row + 2}: circle, svm_multi, top1: ")
    assert words in message


def test_measured_twice(small_results: Path) -> None:
    path = small_results / "comparison.csv"
    whole = pd.read_csv(path, dtype=str, keep_default_na=False)
    pd.concat([whole, whole]).to_csv(path, index=False)
    assert "a measured cell stands twice" in complaint(small_results)


def test_the_table_of_a_study_that_was_taken_away_is_left_out(small_results: Path) -> None:
    frame = pd.DataFrame({"x": ["1"]})
    for name, study in (("old", "gone"), ("one", "gone;papers"), ("none", "")):
        write_table_files(small_results, name, frame, study=study)
    shown = {table.name for table in load_inputs(small_results).tables}
    assert shown >= {"one", "none"}
    assert "old" not in shown


def test_missing_set_needs_a_reason(small_results: Path) -> None:
    path = small_results / "datasets.csv"
    sets = pd.read_csv(path, dtype=str, keep_default_na=False)
    row = int(np.flatnonzero(sets["status"] == "missing")[0])
    change(path, row, reason="")
    assert complaint(small_results) == f"results/datasets.csv:{row + 2}: missing without a reason"


def test_unknown_status(small_results: Path) -> None:
    change(small_results / "datasets.csv", 0, status="lost")
    assert "the status 'lost' is neither ready nor missing" in complaint(small_results)


def test_table_contradicts_comparison(small_results: Path, small_cells: pd.DataFrame) -> None:
    wrong = small_cells.copy()
    row = wrong.index[wrong["measured"] != ""][0]
    wrong.loc[row, ["measured", "published", "difference"]] = ["50.0", "50.0", "0.0"]
    write_table_files(small_results, "table03", wrong, source="tpami2017", table="3")
    assert "comparison.csv has another measured number for this cell" in complaint(small_results)


def test_table_without_data(small_results: Path) -> None:
    write_table_files(small_results, "table04", pd.DataFrame({"a": [1]}))
    (small_results / "tables" / "table04.csv").unlink()
    assert complaint(small_results) == "results/tables/table04.csv: the file is missing"


@pytest.mark.parametrize("suffix", ["svg", "csv"])
def test_figure_without_a_file(small_results: Path, suffix: str) -> None:
    write_figure_files(small_results, "gaps", "<svg/>")
    (small_results / "figures" / f"gaps.{suffix}").unlink()
    assert complaint(small_results) == f"results/figures/gaps.{suffix}: the file is missing"


def test_rounded_difference_is_accepted(small_results: Path, small_cells: pd.DataFrame) -> None:
    row = int(np.flatnonzero(small_cells["measured"] != "")[0])
    rounded = f"{float(small_cells['difference'].iloc[row]):.1f}"
    change(small_results / "comparison.csv", row, difference=rounded)
    assert load_inputs(small_results).comparison["difference"].notna().sum() == 4
