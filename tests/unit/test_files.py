"""Files between the stages: whole or not at all, and refused in one line that says how to make them
again.
"""

import os
import resource
import subprocess
from contextlib import contextmanager

import numpy as np
import pytest

from toplabel.reproduction.files import (
    CONFIG_FILES,
    FileError,
    has_sum,
    one_line,
    read_json,
    read_npz,
    read_text,
    remade,
    write_json,
    write_npz,
)

ARRAYS = {"C": np.array([0.5, 1.0]), "model_0": np.arange(600.0).reshape(20, 30)}
WRITERS = {
    "fetch.json": lambda path: write_json(path, {"a": [1, 2], "ä": "ö"}),
    "main.npz": lambda path: write_npz(path, ARRAYS),
}
READERS = {"fetch.json": read_json, "main.npz": read_npz}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    """A file as a stage writes it."""
    path = tmp_path / request.param
    WRITERS[path.name](path)
    return path


def _refusal(path):
    with pytest.raises(FileError) as caught:
        READERS[path.name](path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_is_written_comes_back(path):
    found = READERS[path.name](path)
    if path.suffix == ".json":
        assert found == {"a": [1, 2], "ä": "ö"}
    else:
        assert [*found] == [*ARRAYS]
        np.testing.assert_array_equal(found["model_0"], ARRAYS["model_0"])


def test_the_sum_is_in_the_form_of_sha256sum(path):
    command = ["sha256sum", "--check", "--strict", f"{path.name}.sha256"]
    assert (
        subprocess.run(command, cwd=path.parent, capture_output=True, check=False).returncode == 0
    )


def test_every_flipped_byte_is_noticed(path):
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 50)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        said = _refusal(path)
        assert said.startswith(f"{path}: cut off or changed since it was written (its SHA-256 is ")
        assert said.endswith(f"; `snakemake -f {path}` makes it again")


@pytest.mark.parametrize("content", ["", "no sum"])
def test_a_damaged_sum_is_noticed(path, content):
    path.with_name(f"{path.name}.sha256").write_text(content)
    assert "cut off or changed" in _refusal(path)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_file_of_an_earlier_version_is_read_and_refused_when_cut(path, share):
    path.with_name(f"{path.name}.sha256").unlink()
    READERS[path.name](path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    said = _refusal(path)
    assert said.startswith(f"{path}:")
    if path.suffix == ".npz":
        assert said.endswith(f"; `snakemake -f {path}` makes it again")


@pytest.mark.parametrize("place", ["results/letter/svm_multi", "results", "results/letter/data"])
def test_a_result_without_its_sum_is_refused(tmp_path, place):
    """A file that was cut and whose sum was removed would pass for a whole one."""
    name = "meta.json" if place.endswith("data") else "evaluation.json"
    path = tmp_path / place / name
    write_json(path, {"a": 1})
    assert read_json(path) == {"a": 1}
    path.with_name(f"{name}.sha256").unlink()
    with pytest.raises(
        FileError, match=rf"{name}: its sum, {name}.sha256, is missing.*snakemake -f"
    ):
        read_json(path)


def test_the_command_that_makes_a_file_again_has_the_config_files_of_the_run(monkeypatch):
    monkeypatch.setenv(CONFIG_FILES, os.pathsep.join(["own.yaml", "my data/more.yaml"]))
    assert remade("results/cells.csv") == (
        "`snakemake -f results/cells.csv --configfile own.yaml 'my data/more.yaml'` makes it again"
    )


def test_a_kept_file_comes_back_from_the_repository():
    kept = "reports/summary/cells.csv"
    assert remade(kept) == f"`git checkout -- {kept}` brings it back"


def test_files_of_snakemake_and_prepared_arrays_have_no_sum_of_their_own():
    assert not has_sum("results/benchmarks/tune/letter/svm_multi/main.tsv")
    assert not has_sum("results/letter/data/Y_train.npz")
    assert not has_sum("reports/summary/cells.csv")
    assert has_sum("results/cells.csv")


def test_a_missing_file_and_a_folder_are_named(path):
    path.unlink()
    assert _refusal(path) == f"{path}: the file is missing; `snakemake -f {path}` makes it again"
    path.with_name(f"{path.name}.sha256").unlink()
    assert _refusal(path) == f"{path}: the file is missing"
    path.mkdir()
    with pytest.raises(FileError, match=r"cannot be read \(Is a directory\)"):
        read_text(path)


def test_a_document_without_a_key_is_refused(tmp_path):
    for content, words in (([], ": expected an object"), ({"b": 1}, ": the key 'a' is missing")):
        write_json(tmp_path / "x.json", content)
        with pytest.raises(FileError, match=words):
            read_json(tmp_path / "x.json", ["a"])


@contextmanager
def _no_room(size):
    """Let files grow to some bytes only: what a full disk does, by the kernel."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 10])
def test_a_disk_without_room_leaves_the_file_that_was(path, room):
    before = {one.name: one.read_bytes() for one in path.parent.iterdir()}
    with _no_room(room), pytest.raises(FileError) as caught:
        WRITERS[path.name](path)
    assert str(caught.value).startswith(f"{path}: cannot be written (")
    assert {one.name: one.read_bytes() for one in path.parent.iterdir()} == before


def test_one_line_keeps_the_blanks_of_names():
    message = "no column 'a  b'\n  in line 3\n\n  of a\tb.csv\n"
    assert one_line(message) == "no column 'a  b' in line 3 of a\\tb.csv"
