"""Files of whole arrays (.mat, .npz, .npy, HDF5): what is read, and the errors."""

import shutil
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from array_files import WRITERS, needs_h5py, write_hdf5
from toplabel.reproduction.config import formats
from toplabel.reproduction.config.documents import Fault, validate
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source, hdf5, source
from toplabel.reproduction.data.formats.arrays import features_of

X = np.array([[0.5, 0, -2], [1, 2, 3], [0, 0, 0], [4, 5, 6.25]])
CLASSES = np.array([7, -1, 7, 30])
SETS = np.array([[0, 1], [1, 1], [0, 0], [1, 0]])


KINDS = ["mat", "npz", pytest.param("hdf5", marks=needs_h5py)]


@pytest.fixture
def read(tmp_path):
    """Write arrays in a format (bytes as they are), read them back."""

    def load(kind, arrays, task="multiclass", parts=("train",), **options):
        path = tmp_path / f"toy.{kind}"
        if isinstance(arrays, bytes):
            path.write_bytes(arrays)
        else:
            WRITERS[kind](path, arrays)
        return FORMATS[kind](Source(dict.fromkeys(parts, path), task), **options)

    return load


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.uint8, np.int16, bool])
def test_classes(read, kind, dtype):
    features = np.abs(X).astype(dtype)
    loaded = read(
        kind, {"X": features.astype(np.uint8) if dtype is bool else features, "y": CLASSES}
    )
    assert loaded.class_names == ["-1", "7", "30"]
    part = loaded.parts["train"]
    np.testing.assert_array_equal(part.y, [1, 0, 1, 2])
    np.testing.assert_array_equal(part.X, features)
    assert (part.X.dtype, part.y.dtype, part.Y) == (np.float64, np.int64, None)


@pytest.mark.parametrize("kind", KINDS)
def test_label_sets(read, kind):
    loaded = read(kind, {"X": X, "Y": SETS.astype(float)}, task="multilabel")
    np.testing.assert_array_equal(loaded.parts["train"].Y, SETS)
    assert loaded.parts["train"].Y.dtype == np.uint8
    assert loaded.class_names == ["0", "1"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_single_precision_stays(read, kind, dtype):
    if kind == "mat" and dtype == np.float16:
        pytest.skip("MATLAB has no such type")
    part = read(kind, {"X": X.astype(dtype), "y": CLASSES}).parts["train"]
    assert part.X.dtype == np.float32
    np.testing.assert_array_equal(part.X, X)


@pytest.mark.parametrize("kind", KINDS)
def test_several_parts_in_a_file_share_their_classes(read, kind):
    arrays = {"train_data": X, "train_is": CLASSES, "test_data": X[:2], "test_is": [[30], [0]]}
    options = {"X": "{part}_data", "labels": "{part}_is"}
    loaded = read(kind, arrays, parts=("train", "test"), **options)
    assert loaded.class_names == ["-1", "0", "7", "30"]
    np.testing.assert_array_equal(loaded.parts["test"].y, [3, 1])
    np.testing.assert_array_equal(loaded.parts["test"].X, X[:2])


def test_matlab_examples_may_be_columns_and_matrices_sparse(read):
    arrays = {"X": sparse.csc_matrix(X.T), "gnd": CLASSES[None, :].astype(float)}
    part = read("mat", arrays, labels="gnd", transposed=True).parts["train"]
    assert sparse.issparse(part.X)
    np.testing.assert_array_equal(part.X.toarray(), X)
    np.testing.assert_array_equal(part.y, [1, 0, 1, 2])
    part = read("mat", {"X": X, "Y": sparse.csc_matrix(SETS.astype(float))}, "multilabel").parts
    np.testing.assert_array_equal(part["train"].Y, SETS)


@needs_h5py
def test_matlab_7_3_is_hdf5_with_its_axes_reversed(tmp_path):
    plain, path = tmp_path / "plain.h5", tmp_path / "toy.mat"
    write_hdf5(plain, {"X": X.T, "Y": SETS.T})
    import h5py

    with h5py.File(plain, "r") as source, h5py.File(path, "w", userblock_size=512) as target:
        for name in source:
            target[name] = source[name][()]
    with path.open("r+b") as stream:
        stream.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    part = FORMATS["mat"](Source({"train": path}, "multilabel")).parts["train"]
    np.testing.assert_array_equal(part.X, X)
    np.testing.assert_array_equal(part.Y, SETS)


@needs_h5py
def test_hdf5_is_mapped_unless_it_is_compressed(tmp_path):
    import h5py

    path = tmp_path / "toy.h5"
    with h5py.File(path, "w") as content:
        content["deep/X"] = X.astype(np.float32)
        content.create_dataset("packed", data=X, compression="gzip")
        content["y"] = CLASSES
    mapped = FORMATS["hdf5"](Source({"a": path}, "multiclass"), X="deep/X").parts["a"].X
    assert isinstance(mapped, np.memmap)
    packed = FORMATS["hdf5"](Source({"a": path}, "multiclass"), X="packed").parts["a"].X
    assert not isinstance(packed, np.memmap)
    for found in (mapped, packed):
        np.testing.assert_array_equal(found, X)


def test_without_h5py_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5, "is_installed", lambda: False)
    (tmp_path / "toy.h5").write_bytes(b"")
    with pytest.raises(FormatError, match=r"toy\.h5: needs h5py, .*pip install 'toplabel\[hdf5\]'"):
        FORMATS["hdf5"](Source({"a": tmp_path / "toy.h5"}, "multiclass"))


def read_npy(folder, features, labels, task="multiclass"):
    for name, array in (("f.npy", features), ("l.npy", labels)):
        if isinstance(array, bytes):
            (folder / name).write_bytes(array)
        elif array is not None:
            np.save(folder / name, array)
    return FORMATS["npy"](Source({"a": folder / "f.npy"}, task), labels={"a": "l.npy"})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_npy_features_are_mapped_not_read(tmp_path, dtype):
    part = read_npy(tmp_path, X.astype(dtype), CLASSES).parts["a"]
    assert isinstance(part.X, np.memmap)
    assert part.X.dtype == dtype
    np.testing.assert_array_equal(part.X, X)


def test_npy_of_other_types_and_orders_is_converted_when_it_is_read(tmp_path):
    for features in (
        np.abs(X).astype(np.uint8),
        np.asfortranarray(np.abs(X)),
        np.abs(X).astype(">f8"),
    ):
        part = read_npy(tmp_path, features, SETS, "multilabel").parts["a"]
        assert not isinstance(part.X, np.ndarray)
        assert (part.X.dtype, part.X.shape) == (np.float64, X.shape)
        np.testing.assert_array_equal(part.X, np.abs(X).astype(features.dtype))
        assert part.X[1:3].flags.c_contiguous


ARRAY_FAULTS = {
    "no features": ({"Z": X, "y": CLASSES}, "'X' is not in it; it has: .*Z"),
    "no labels": ({"X": X}, "'y' is not in it; it has: .*X"),
    "too few labels": ({"X": X, "y": CLASSES[:3]}, "3 labels for 4 rows of features"),
    "label sets": ({"X": X, "y": SETS}, r"labels of the shape \(4, 2\); they must be \(n,\)"),
    "fraction": ({"X": X, "y": CLASSES / 2}, r"the label of row 0 \(from 0\) is 3.5, no whole"),
    "NaN": ({"X": X, "y": [1, np.nan, 2, 3]}, r"the label of row 1 \(from 0\) is nan"),
    "infinity": ({"X": X, "y": [1, 2, np.inf, 3]}, r"the label of row 2 \(from 0\) is inf"),
    "beyond 64 bits": ({"X": X, "y": [0, 1, 2, 1e30]}, "of row 3 .* is 1e.30, beyond 64 bits"),
    "unsigned": (
        {"X": X, "y": np.array([0, 2**63, 2, 3], dtype=np.uint64)},
        f"of row 1 .* is {2**63}, beyond 64 bits",
    ),
    "complex": ({"X": X * 1j, "y": CLASSES}, "complex128"),
    "cube": ({"X": np.zeros((2, 2, 2)), "y": [0, 1]}, r"features of the shape \(2, 2, 2\)"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ARRAY_FAULTS)
def test_arrays_that_do_not_fit_are_told_with_the_file(read, kind, case):
    arrays, message = ARRAY_FAULTS[case]
    with pytest.raises(FormatError, match=rf"toy\.{kind}: .*{message}") as caught:
        read(kind, arrays)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_label_sets_that_do_not_fit(read, kind):
    for Y, message in (
        (SETS * 2, r"label 1 of row 0 \(from 0\) is 2, not 0 or 1"),
        (np.zeros((2, 2, 2)), r"label sets of the shape \(2, 2, 2\)"),
        (SETS[:3], "3 labels for 4 rows of features"),
    ):
        with pytest.raises(FormatError, match=rf"toy\.{kind}: {message}"):
            read(kind, {"X": X, "Y": Y}, task="multilabel")
    arrays = {"X": X, "one": SETS, "two": SETS[:, :1]}
    with pytest.raises(FormatError, match=rf"toy\.{kind}: 1 labels, but the part 'one' has 2"):
        read(kind, arrays, "multilabel", parts=("one", "two"), labels="{part}")


def whole(tmp_path, kind):
    path = tmp_path / f"whole.{kind}"
    WRITERS[kind](
        path, {"X": np.random.default_rng(0).standard_normal((40, 5)), "y": np.arange(40)}
    )
    return path.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["empty", "text", "half", "start", "end"])
def test_damaged_files_are_told_in_one_line(read, tmp_path, kind, damage):
    content = whole(tmp_path, kind)
    damaged = {
        "empty": b"",
        "text": b"1,2,3\n4,5,6\n" * 40,
        "half": content[: len(content) // 2],
        "start": content[:30],
        "end": content[:-20],
    }[damage]
    # SciPy lists the variables of a MATLAB file up to where it was cut off.
    message = rf"toy\.{kind}: (no .* file, or a damaged one|'y' is not in it; it has: X)"
    with pytest.raises(FormatError, match=message) as caught:
        read(kind, damaged)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_array_of_numbers(read, kind):
    arrays = {"X": np.array(["a", "b"]).astype("S1"), "y": CLASSES[:2]}
    with pytest.raises(FormatError, match=rf"toy\.{kind}: "):
        read(kind, arrays)


def test_python_objects_are_never_unpickled(read, tmp_path):
    np.savez(tmp_path / "objects.npz", X=X, y=np.array([{}, 1, 2, 3], dtype=object))
    with pytest.raises(
        FormatError,
        match=r"\.npz.*\(not in NumPy.s format, or with Python objects\)",
    ):
        read("npz", (tmp_path / "objects.npz").read_bytes())


def test_npz_and_npy_are_not_confused(read, tmp_path):
    np.save(tmp_path / "one.npy", X)
    with pytest.raises(FormatError, match=r"one array \(.npy\), not a file of several"):
        read("npz", (tmp_path / "one.npy").read_bytes())
    np.savez(tmp_path / "two.npz", X=X)
    shutil.copy(tmp_path / "two.npz", tmp_path / "f.npy")
    with pytest.raises(FormatError, match=r"f\.npy: a file of several arrays \(.npz\), not of one"):
        read_npy(tmp_path, None, CLASSES)


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (None, CLASSES, r"f\.npy: no \.npy file, .*No such file"),
        (X, None, r"l\.npy: no \.npy file, .*No such file"),
        (b"", CLASSES, r"f\.npy: no \.npy file"),
        (X, b"\x93NUMPY", r"l\.npy: no \.npy file"),
        (X, CLASSES[:2], r"l\.npy: 2 labels for 4 rows of features"),
        (X, SETS, r"l\.npy: labels of the shape \(4, 2\)"),
        (X.astype(complex), CLASSES, r"f\.npy: features of the type complex128"),
        (X.astype(object), CLASSES, r"f\.npy: no \.npy file, .*[Oo]bject"),
    ],
)
def test_faults_of_npy_pairs_name_the_file(tmp_path, features, labels, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_npy(tmp_path, features, labels)
    assert "\n" not in str(caught.value)


def test_npy_cut_off(tmp_path):
    np.save(tmp_path / "f.npy", np.zeros((100, 100)))
    content = (tmp_path / "f.npy").read_bytes()
    with pytest.raises(FormatError, match=r"f\.npy: no \.npy file, or a damaged one \(mmap length"):
        read_npy(tmp_path, content[:-8], CLASSES)


def test_npy_needs_the_name_of_its_labels(tmp_path):
    with pytest.raises(FormatError, match="the option 'labels' names no file for the part 'a'"):
        FORMATS["npy"](Source({"a": tmp_path / "f.npy"}, "multiclass"), labels={"b": "l.npy"})


@pytest.mark.parametrize("name", ["../x", "a/b", "/etc/passwd", "", ".", ".."])
@pytest.mark.parametrize("kind", ["npy", "idx", "voc", "coco"])
def test_labels_lie_beside_their_features(tmp_path, kind, name):
    np.savez(tmp_path / "f.npz", X=X, image=[0, 0, 1, 1], images=[5, 6])
    (tmp_path / "f.idx").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 1, 7]))
    path = tmp_path / {"idx": "f.idx"}.get(kind, "f.npz")
    message = rf"{path.name}: the option 'labels' has '{name}', no name of a file beside$"
    with pytest.raises(FormatError, match=message):
        FORMATS[kind](Source({"a": path}, "multilabel"), labels={"a": name})
    with pytest.raises(Fault, match=r"^labels\.a: .* does not match"):
        validate({"labels": {"a": name}}, formats.FORMATS[kind])


@pytest.mark.parametrize("second", ["X.npy", "X", "./X.npy"])
def test_an_npz_file_with_an_array_twice_is_refused(read, tmp_path, second):
    np.savez(tmp_path / "twice.npz", X=X, y=CLASSES)
    with zipfile.ZipFile(tmp_path / "twice.npz", "a") as content, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        content.writestr(second, content.read("X.npy"))
    with pytest.raises(FormatError, match=r"toy\.npz: the array 'X' is in it 2 times"):
        read("npz", (tmp_path / "twice.npz").read_bytes())


def test_an_npz_file_of_zeros_is_refused_before_it_is_unpacked(read, monkeypatch, tmp_path):
    np.savez_compressed(tmp_path / "zeros.npz", X=np.zeros((2**8, 2**12)), y=np.arange(2**8))
    content = (tmp_path / "zeros.npz").read_bytes()
    assert read("npz", content).parts["train"].n_rows == 2**8  # so little may come of any file
    monkeypatch.setattr(source, "FREE", 2**20)
    monkeypatch.setattr(source, "RATIO", 100)
    message = r"toy\.npz: 'X\.npy': 8,388,736 bytes in memory, over 100 times those of the file"
    with pytest.raises(FormatError, match=message):
        read("npz", content)


@needs_h5py
def test_an_hdf5_array_that_its_file_does_not_hold_is_refused(tmp_path):
    import h5py

    path = tmp_path / "toy.h5"
    with h5py.File(path, "w") as content:
        content.create_dataset("X", shape=(10**7, 10**6), chunks=(1000, 1000), dtype="f8")
        content["y"] = CLASSES
    with pytest.raises(FormatError, match=r"toy\.h5: 'X': 80,000,000,000,000 bytes in memory"):
        FORMATS["hdf5"](Source({"a": path}, "multiclass"))


def external(content, folder):
    (folder / "other").write_bytes(X.astype(float).tobytes())
    content.create_dataset("X", X.shape, "f8", external=[(str(folder / "other"), 0, 8 * X.size)])


def linked(content, folder):
    import h5py

    write_hdf5(folder / "other", {"X": X})
    content["X"] = h5py.ExternalLink(str(folder / "other"), "X")


def virtual(content, source):
    import h5py

    layout = h5py.VirtualLayout(X.shape, "f8")
    layout[:] = h5py.VirtualSource(source, "X", shape=X.shape)
    content.create_virtual_dataset("X", layout)


def virtual_elsewhere(content, folder):
    write_hdf5(folder / "other", {"X": X})
    virtual(content, str(folder / "other"))


def some_chunks(content, folder):
    content.create_dataset("X", X.shape, "f8", chunks=(2, 2))[:2] = X[:2]


OUTSIDE = {
    "external storage": (external, "'X' refers to other arrays or files"),
    "external link": (linked, "'X' is not in it; it has: y"),
    "virtual": (virtual_elsewhere, "'X' refers to other arrays or files"),
    "virtual, missing": (lambda c, _: virtual(c, "none.h5"), "'X' refers to other arrays or files"),
    "virtual, in the file": (lambda c, _: virtual(c, "."), "'X' refers to other arrays or files"),
    "no chunk": (
        lambda c, _: c.create_dataset("X", X.shape, "f8", chunks=(2, 2)),
        "'X': {all} of its {all} pieces were never written",
    ),
    "some chunks": (some_chunks, "'X': {rest} of its {all} pieces were never written"),
    "never written": (
        lambda c, _: c.create_dataset("X", X.shape, "f8"),
        "'X': 1 of its 1 pieces were never written",
    ),
}


@needs_h5py
@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("kind", ["hdf5", "mat"])
@pytest.mark.parametrize("case", OUTSIDE)
def test_hdf5_numbers_stand_in_the_file_itself(tmp_path, case, kind, libver):
    import h5py

    path = tmp_path / "toy.h5"
    write, message = OUTSIDE[case]
    with h5py.File(path, "w", userblock_size=512, libver=libver) as content:
        content["y"] = CLASSES
        write(content, tmp_path)
    if kind == "mat":
        with path.open("r+b") as stream:
            stream.write(b"MATLAB 7.3 MAT-file")
    wide = -(-X.shape[1] // 2)
    chunks = -(-X.shape[0] // 2) * wide
    message = message.format(all=chunks, rest=chunks - wide)
    with pytest.raises(FormatError, match=rf"^{path}: {message}"):
        FORMATS[kind](Source({"a": path}, "multiclass"))


@needs_h5py
@pytest.mark.parametrize("how", [{}, {"chunks": (3, 1)}, {"chunks": True, "compression": "gzip"}])
def test_hdf5_arrays_of_zeros_are_read(tmp_path, how):
    import h5py

    with h5py.File(tmp_path / "toy.h5", "w") as content:
        content.create_dataset("X", data=np.zeros((7, 3)), **how)
        content["y"] = np.arange(7)
    part = FORMATS["hdf5"](Source({"a": tmp_path / "toy.h5"}, "multiclass")).parts["a"]
    np.testing.assert_array_equal(part.X, np.zeros((7, 3)))


@needs_h5py
@pytest.mark.parametrize(("place", "value"), [(24, 255), (720, 255), (832, 255), (888, 1)])
def test_an_hdf5_file_with_a_damaged_object_is_told_in_one_line(tmp_path, place, value):
    path = tmp_path / "toy.h5"
    write_hdf5(path, {"X": X, "y": CLASSES})
    content = bytearray(path.read_bytes())
    content[place] = value  # h5py 3.16: KeyError, UnicodeDecodeError, KeyError, ValueError
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"toy\.h5: no HDF5 file, or a damaged one") as caught:
        FORMATS["hdf5"](Source({"a": path}, "multiclass"))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("index", [-1, 4, 2**31 - 1])
def test_a_sparse_matrix_whose_index_is_out_of_range_is_refused(index):
    matrix = sparse.csc_matrix(X)
    matrix.indices[0] = index
    with pytest.raises(FormatError, match=r"^toy\.mat: no sparse matrix, or a damaged one"):
        features_of(Path("toy.mat"), matrix)


def test_an_npz_file_with_a_member_that_is_no_array_is_refused(read, tmp_path):
    np.savez(tmp_path / "bad.npz", X=X)
    with zipfile.ZipFile(tmp_path / "bad.npz", "a") as content:
        content.writestr("y.npy", b"not an array")
    with pytest.raises(FormatError, match=r"toy\.npz: 'y\.npy' is no array"):
        read("npz", (tmp_path / "bad.npz").read_bytes())
