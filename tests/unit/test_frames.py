"""CSV files between the stages."""

import numpy as np
import pandas as pd
import pytest

from toplabel.reproduction.files import FileError
from toplabel.reproduction.frames import read_frame, write_frame

COLUMNS = {"name": str, "value": float, "count": int}


def test_a_frame_comes_back_bit_for_bit(tmp_path):
    path = tmp_path / "some.csv"
    values = np.r_[np.random.default_rng(0).normal(size=100) ** 9, np.nan]
    names = ["a", "", "NA", "nan", "x,y\n", *map(str, range(96))]
    frame = pd.DataFrame({"count": 3.0, "name": names, "value": values})
    write_frame(frame, path, COLUMNS)
    found = read_frame(path, COLUMNS)
    assert [*found.columns] == [*COLUMNS]
    pd.testing.assert_frame_equal(found, frame[[*COLUMNS]], check_exact=True, check_dtype=False)


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
