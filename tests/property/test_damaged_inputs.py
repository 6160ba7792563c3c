"""Damaged input files, as `tests/campaign/inputs.py` makes them, but few of them."""

import tempfile
from pathlib import Path

import pytest

from campaign.inputs import CASES, attempt, outcome

FILES = 25


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_file_is_read_or_refused_in_one_line(name):
    found = [attempt(name, seed=0, number=number) for number in range(FILES)]
    assert [message for kind, message in found if kind == "defect"] == []
    assert {kind for kind, _ in found} - {"accepted"}, "no damage was found"


@pytest.mark.parametrize("name", CASES)
def test_the_files_are_good_before_they_are_damaged(name):
    with tempfile.TemporaryDirectory() as folder:
        CASES[name].write(Path(folder))
        assert outcome(CASES[name], Path(folder)) == ("accepted", "")
