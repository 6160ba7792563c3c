"""Folders that cannot be written to end a run in one line before any job."""

import errno
import os
import tempfile

import pytest
from running import snakemake

from toplabel.reproduction.workflow.folders import (
    FOLDERS,
    FolderError,
    check_folders,
    pull_back_times,
)


def test_a_new_folder_and_one_of_an_earlier_run_are_fine(tmp_path):
    check_folders(tmp_path)
    for name in FOLDERS:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    check_folders(tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", ["results", "reports", "data"])
def test_a_file_in_place_of_a_folder_is_named(tmp_path, name):
    (tmp_path / name).write_text("")
    with pytest.raises(FolderError, match=rf"/{name}: is not a folder; the run writes there"):
        check_folders(tmp_path)


@pytest.mark.parametrize("name", ["results", "data/raw"])
def test_a_file_in_place_of_the_folder_of_a_set_is_named(tmp_path, name):
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "circle").write_text("")
    check_folders(tmp_path, sets=["digits"])
    with pytest.raises(FolderError, match=rf"/{name}/circle: is not a folder; the run writes"):
        check_folders(tmp_path, sets=["digits", "circle"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "the run works there; --directory names another folder"),
        ("results", "the run writes there"),
        ("TMPDIR", "temporary files go there; TMPDIR names another folder"),
    ],
)
@pytest.mark.parametrize(
    ("number", "what"),
    [
        (errno.ENOSPC, r"is full \(No space left on device\)"),
        (errno.EROFS, r"cannot be written to \(Read-only file system\)"),
    ],
)
def test_a_folder_that_takes_nothing_is_named(tmp_path, monkeypatch, name, words, number, what):
    (tmp_path / "TMPDIR").mkdir()
    (tmp_path / "results").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "TMPDIR"))
    bad = tmp_path / name
    make = tempfile.NamedTemporaryFile

    def refuse(*, dir, prefix):
        if dir == bad:
            raise OSError(number, os.strerror(number))
        return make(dir=dir, prefix=prefix)

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
    with pytest.raises(FolderError, match=f"{bad}: {what}; {words}"):
        check_folders(tmp_path)


@pytest.mark.workflow
def test_a_run_in_such_a_folder_ends_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "results").write_text("")
    done = snakemake("digits", directory=tmp_path)
    assert done.returncode == 1
    assert f"Error: {tmp_path}/results: is not a folder; the run writes there" in done.stdout
    assert "Traceback" not in done.stdout
    (tmp_path / "results").unlink()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    done = snakemake("digits", directory=tmp_path)
    assert done.returncode == 1
    assert f"Error: {tmp_path}/none: is not a folder; temporary files go there" in done.stdout
    assert "Traceback" not in done.stdout


def test_files_of_the_future_keep_their_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    times = {"results/a": 50, "results/b/c": 4000, "data/raw/d": 4000, "results/e": 3000}
    for name, when in times.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (when, when))
    assert pull_back_times(1000.0) == 3
    found = {name: (tmp_path / name).stat().st_mtime for name in times}
    assert found["results/a"] == 50
    assert 999.9 < found["results/e"] < found["results/b/c"] == found["data/raw/d"] < 1000.0
    assert pull_back_times(1000.0) == 0
