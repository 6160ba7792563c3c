"""`load_model` of files that are damaged, or are no models: one line with the file, and no code runs."""

import io
import os
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.validation import check_is_fitted

import toplabel
from toplabel.estimators.columns import NamedColumns

W = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, -0.5]])
ARRAYS = {
    "splits": np.array(["main"]),
    "reason": np.array(""),
    "classes": np.array(["ash", "elm", "oak"]),
    "transform": np.array("standardise"),
    "main.loss": np.array("lr_multi"),
    "main.k": np.array(1),
    "main.gamma": np.array(0.0),
    "main.kernel": np.array("linear"),
    "main.theta": np.array(np.nan),
    "main.C": np.array(2.0),
    "main.primal": np.array(0.5),
    "main.dual": np.array(0.5),
    "main.relative_gap": np.array(0.0),
    "main.epochs": np.array(3),
    "main.seconds": np.array(0.1),
    "main.status": np.array("converged"),
    "main.W": W,
    "main.intercept": np.array([0.0, 0.1, 0.2]),
    "main.shift": np.array([1.0, 2.0]),
    "main.scale": np.array([2.0, 4.0]),
}


class Runs:
    """An object whose unpickling leaves a folder behind."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def saved(folder, changes=(), without=()):
    """Write the model with changed arrays, and without some."""
    arrays = {name: a for name, a in (ARRAYS | dict(changes)).items() if name not in without}
    np.savez_compressed(folder / "model.npz", **arrays)
    return folder / "model.npz"


def npy(array) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), version=(1, 0))
    return stream.getvalue()


def with_member(path, name, content):
    """Put bytes in the place of an array."""
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()} | {name: content}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in members.items():
            archive.writestr(each, data)


def refusal(path) -> str:
    """Return what the error says behind the name of the file."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are what is looked at
        toplabel.load_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


def test_the_whole_file_is_the_model(tmp_path):
    model = toplabel.load_model(saved(tmp_path))
    X = np.array([[3.0, 2.0], [1.0, 10.0]])
    expected = [[1.0, -0.9, 0.7], [0.0, 4.1, -0.8]]
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-15)


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "main.intercept"])
def test_each_array_that_is_missing_is_named(tmp_path, name):
    assert name.removeprefix("main.") in refusal(saved(tmp_path, without=[name]))


@pytest.mark.parametrize("name", ["W", "intercept", "shift", "scale"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_are_finite(tmp_path, name, value):
    numbers = ARRAYS[f"main.{name}"].copy()
    numbers.flat[-1] = value
    assert f"{name} has numbers that are not finite" in refusal(
        saved(tmp_path, {f"main.{name}": numbers})
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("main.W", W.T),
        ("main.W", W.astype(str)),
        ("main.W", np.array(3.0)),
        ("main.intercept", np.zeros(2)),
        ("main.shift", np.zeros((2, 1))),
        ("splits", np.array(3)),
        ("columns", np.array("{not json")),
        ("columns", np.array("[1]")),
        ("columns", np.array('{"names": 2, "categories": {}}')),
        ("columns", np.array('{"names": ["a"], "categories": {}}')),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path, name, value):
    refusal(saved(tmp_path, {name: value}))


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_refused(tmp_path, part):
    path = saved(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    refusal(path)


def test_every_changed_byte_is_refused_or_changes_no_array(tmp_path):
    """Without a sum beside it the sums within the archive guard the arrays."""
    path = saved(tmp_path)
    content = path.read_bytes()
    for place in range(0, len(content), 31):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        path.write_bytes(changed)
        with suppress(ValueError):
            np.testing.assert_array_equal(toplabel.load_model(path)[-1].coef_, W.T)


def test_the_sum_beside_it_counts(tmp_path):
    path = saved(tmp_path)
    (tmp_path / "model.npz.sha256").write_text(f"{'0' * 64}  model.npz\n", encoding="utf-8")
    assert "its SHA-256 is not that of model.npz.sha256" in refusal(path)


def test_a_shape_without_its_numbers_takes_no_memory(tmp_path):
    path = saved(tmp_path)
    short = npy(np.zeros(2)).replace(b"(2,), }" + b" " * 12, b"(2000000000000,), }")
    assert b"2000000000000" in short
    with_member(path, "main.W.npy", short)
    assert "has not the numbers of its shape" in refusal(path)


def test_a_header_that_cannot_be_read_is_refused(tmp_path):
    path = saved(tmp_path)
    with_member(path, "main.W.npy", npy(W).replace(b"'shape': (2, 3), }", b"'shape': (2, 3), {"))
    refusal(path)


def test_zeros_that_expand_without_bound_are_refused(tmp_path):
    path = saved(tmp_path, {"main.W": np.zeros((3_000_000, 3))})
    assert path.stat().st_size < 200_000
    assert "it expands to 7200" in refusal(path)


def test_nothing_is_unpickled(tmp_path):
    folder = tmp_path / "left_behind"
    objects = np.array([Runs(folder)], dtype=object)
    refusal(saved(tmp_path, {"main.W": objects}))
    path = saved(tmp_path)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, objects, allow_pickle=True)
    for content in (stream.getvalue(), stream.getvalue()[128:]):  # with and without a header
        with_member(path, "main.W.npy", content)
        refusal(path)
    path.write_bytes(stream.getvalue()[128:])
    refusal(path)
    assert not folder.exists()


def test_no_archive_of_arrays_is_refused(tmp_path):
    refusal(tmp_path)  # a folder
    np.save(tmp_path / "W.npy", W)
    refusal(tmp_path / "W.npy")
    path = saved(tmp_path)
    for at in (8, 6):  # of the local and central header: the method of compression, encryption
        content = bytearray(path.read_bytes())
        central = content.rindex(b"PK\x01\x02")
        content[central + at + 2] |= 0x41
        damaged = tmp_path / "damaged.npz"
        damaged.write_bytes(content)
        refusal(damaged)
    with pytest.raises(FileNotFoundError):
        toplabel.load_model(tmp_path / "nothing.npz")


def test_columns_refuse_what_the_training_rows_had_as_gaps():
    columns = NamedColumns(["a", "b"], {"b": ["NA", "x"]}, na_values=["-999", "n.d."])
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["NA", "x"]})
    np.testing.assert_array_equal(columns.transform(frame), [[1, 1, 0], [2, 0, 1]])
    for name, value, message in (
        ("b", None, "column 'b' has a missing value in row 1 .*keep_default_na"),
        ("b", np.nan, "column 'b' has a missing value in row 1 "),
        ("b", pd.NA, "column 'b' has a missing value in row 1 "),
        ("a", -999.0, "column 'a' has -999.0, a missing value of the training rows, in row 1 "),
        ("a", np.nan, "column 'a' has nan in row 1 "),
    ):
        with pytest.raises(ValueError, match=message):
            columns.transform(frame.assign(**{name: [frame[name][0], value]}))


def test_columns_follow_their_parameters():
    columns = NamedColumns(["a", "b"], {})
    check_is_fitted(columns)
    columns.set_params(names=["a"])
    assert columns.n_features_in_ == 1
    assert columns.feature_names_in_.tolist() == ["a"]
