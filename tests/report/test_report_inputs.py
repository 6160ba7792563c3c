"""Reading the collected files: what is read, and each error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic import write_figure_files, write_table_files

from toplabel._core.files import FileError
from toplabel.reproduction.report.inputs import RUN_KEYS, load_inputs
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


@pytest.mark.parametrize("value", ["abc", "inf", "1,5"])
def test_not_a_number(small_results: Path, value: str) -> None:
    change(small_results / "comparison.csv", 4, measured=value)
    message = complaint(small_results)
    assert message == (
        f"results/comparison.csv:6: '{value}' in column 'measured' is not a finite number"
    )


def test_the_table_of_a_study_that_was_taken_away_is_left_out(small_results: Path) -> None:
    frame = pd.DataFrame({"x": ["1"]})
    for name, study in (("old", "gone"), ("one", "gone;papers"), ("none", "")):
        write_table_files(small_results, name, frame, study=study)
    shown = {table["name"] for table in load_inputs(small_results).tables}
    assert shown >= {"one", "none"}
    assert "old" not in shown


def test_table_without_data(small_results: Path) -> None:
    write_table_files(small_results, "table04", pd.DataFrame({"a": [1]}))
    (small_results / "tables" / "table04.csv").unlink()
    assert complaint(small_results) == "results/tables/table04.csv: the file is missing"


@pytest.mark.parametrize("suffix", ["svg", "csv"])
def test_figure_without_a_file(small_results: Path, suffix: str) -> None:
    write_figure_files(small_results, "gaps", "<svg/>")
    (small_results / "figures" / f"gaps.{suffix}").unlink()
    assert complaint(small_results) == f"results/figures/gaps.{suffix}: the file is missing"
