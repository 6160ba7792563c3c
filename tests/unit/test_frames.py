"""CSV files between the stages."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.files import FileError
from toplabel.reproduction.frames import read_frame, read_rows, write_frame, write_rows

COLUMNS = {"name": str, "value": float, "count": int}


@dataclass(frozen=True)
class Row:
    name: str
    value: float
    count: int
    right: bool
    theta: float | None = None
    k: int | None = None


def test_a_frame_comes_back_bit_for_bit(tmp_path):
    path = tmp_path / "some.csv"
    values = np.r_[np.random.default_rng(0).normal(size=100) ** 9, np.nan]
    names = ["a", "", "NA", "nan", "x,y\n", *map(str, range(96))]
    frame = pd.DataFrame({"count": 3.0, "name": names, "value": values})
    write_frame(frame, path, COLUMNS)
    found = read_frame(path, COLUMNS)
    assert [*found.columns] == [*COLUMNS]
    pd.testing.assert_frame_equal(found, frame[[*COLUMNS]], check_exact=True, check_dtype=False)


def test_a_large_frame_is_written_in_less_memory_than_its_text_takes(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20_000, 10)).astype(np.float32))
    columns = dict.fromkeys(frame, float)
    tracemalloc.start()
    write_frame(frame, tmp_path / "some.csv", columns)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (tmp_path / "some.csv").stat().st_size
    found = read_frame(tmp_path / "some.csv", {str(name): float for name in frame})
    np.testing.assert_array_equal(found, frame)


def test_whole_numbers_are_written_as_such(tmp_path):
    path = tmp_path / "some.csv"
    write_frame(pd.DataFrame({"name": "", "value": 1.5, "count": [2.0, np.nan]}), path, COLUMNS)
    assert path.read_text() == "name,value,count\n,1.5,2\n,1.5,\n"


@pytest.mark.parametrize(
    "text", ["", "name,value\n", "name,value,count,more\n", "name,value,count\na,b,1\n"]
)
def test_another_file_is_refused_in_one_line_that_names_it(tmp_path, text):
    path = tmp_path / "some.csv"
    path.write_text(text)
    with pytest.raises(FileError) as error:
        read_frame(path, COLUMNS)
    assert str(error.value).startswith(f"{path}:")
    assert "\n" not in str(error.value)


def test_a_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "some.csv"
    write_frame(pd.DataFrame({"name": "a", "value": [1.0], "count": 1.0}), path, COLUMNS)
    path.write_text(path.read_text().replace("1.0", "1.1"))
    with pytest.raises(FileError):
        read_frame(path, COLUMNS)


def test_truth_values_come_back(tmp_path):
    frame = pd.DataFrame({"right": [True, False]})
    write_frame(frame, tmp_path / "some.csv")
    found = read_frame(tmp_path / "some.csv", {"right": bool})
    pd.testing.assert_frame_equal(found, frame)


def test_rows_come_back_and_what_is_missing_is_none_or_nan(tmp_path):
    path = tmp_path / "some.csv"
    rows = [Row("a,b", 0.1 + 0.2, 3, True, 1e-300, 5), Row("", np.nan, 0, False)]
    write_rows(Row, rows, path)
    first, second = read_rows(Row, path)
    assert first == rows[0]
    assert np.isnan(second.value)
    assert (second.name, second.count, second.right, second.theta, second.k) == (
        "",
        0,
        False,
        None,
        None,
    )
    assert path.read_text().splitlines()[2] == ",,0,False,,"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,one,1,True,,", ":2: 'one' in column 'value'"),
        ("a,inf,1,True,,", ":2: 'inf' in column 'value'"),
        ("a,1.0,1.5,True,,", ":2: '1.5' in column 'count'"),
        ("a,1.0,,True,,", ":2: '' in column 'count'"),
        ("a,1.0,1,yes,,", ":2: 'yes' in column 'right'"),
        ("a,1.0,1,True", ":2: 4 columns instead of 6"),
    ],
)
def test_a_wrong_cell_of_rows_is_named(tmp_path, text, place):
    path = tmp_path / "some.csv"
    path.write_text(f"name,value,count,right,theta,k\n{text}\n")
    with pytest.raises(FileError) as error:
        read_rows(Row, path)
    assert str(error.value) == f"{path}{place}"


def test_a_fraction_is_no_whole_number(tmp_path):
    with pytest.raises(TypeError, match="cannot safely cast"):
        write_frame(pd.DataFrame({"count": [1.5]}), tmp_path / "some.csv", {"count": int})


def test_rows_of_another_version_are_refused(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("name,value\na,1.0\n")
    with pytest.raises(FileError, match="columns of another version"):
        read_rows(Row, path)
